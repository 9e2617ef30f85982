"""In every odd state of a repository: a checkpoint, an agent's work, back, and forth again, exactly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.end_to_end.checkpoints.repo import Folder
from tests.samples import sample

State: TypeAlias = Callable[[Path], Folder]


def _files(repo: Folder) -> Folder:
    repo.write("a.txt", "a\n")
    repo.write("d/b.txt", "b\n")
    repo.write("d/run", "#!/bin/sh\n", 0o755)
    repo.write(".gitignore", "*.log\n.env\n")
    repo.link("link", "a.txt")
    return repo


def _born(place: Path, *options: str) -> Folder:
    repo = Folder(place)
    repo.git("init", "-q", "-b", "main", *options)
    _files(repo).commit()
    repo.write("a.txt", "a\nsecond\n")
    repo.commit("second")
    return repo


def _rebase(place: Path) -> Folder:
    repo = _born(place)
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.write("a.txt", "other\n")
    repo.commit("side")
    repo.git("rebase", "-q", "main", check=False)
    return repo


def _bisect(place: Path) -> Folder:
    repo = _born(place)
    repo.git("bisect", "start", "HEAD", "HEAD~1")
    return repo


def _cherry_pick(place: Path) -> Folder:
    repo = _rebase(place)
    repo.git("rebase", "--abort")
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", "side", check=False)
    return repo


def _clone(place: Path, *options: str) -> Folder:
    origin = _born(place.with_name("origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    place.parent.mkdir(parents=True, exist_ok=True)
    origin.git("clone", "-q", *options, f"file://{origin.root}", str(place))
    return Folder(place)


def _shared(place: Path) -> Folder:
    origin = _born(place.with_name("origin"))
    origin.git("clone", "-q", "--shared", str(origin.root), str(place))
    return Folder(place)


def _sparse(place: Path) -> Folder:
    repo = _born(place)
    repo.git("sparse-checkout", "set", "--sparse-index", "nothing")
    return repo


def _linked(place: Path) -> Folder:
    _born(place.with_name("origin")).git("worktree", "add", "-q", "-b", "side", str(place))
    return Folder(place)


def _submodule(place: Path) -> Folder:
    library = _born(place.with_name("library"))
    around = _born(place.with_name("around"))
    around.git(
        "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.root), "root"
    )
    return Folder(around.root / "root")


def _packed(place: Path) -> Folder:
    repo = _born(place)
    repo.git("pack-refs", "--all")
    repo.git("gc", "-q")
    return repo


def _many_settings(place: Path) -> Folder:
    repo = _born(place)
    for name, value in {
        "feature.manyFiles": "true",
        "core.untrackedCache": "true",
        "status.showUntrackedFiles": "no",
        "core.trustctime": "false",
        "core.checkStat": "minimal",
        "index.version": "4",
        "core.precomposeUnicode": "true",
        "core.quotePath": "true",
        "status.renames": "copies",
    }.items():
        repo.git("config", name, value)
    return repo


def _included_config(place: Path) -> Folder:
    repo = _born(place)
    (place / ".git" / "more").write_text("[core]\n\tautocrlf = true\n")
    repo.git("config", "includeIf.onbranch:main.path", "more")
    return repo


def _separate(place: Path) -> Folder:
    return _born(place, "--separate-git-dir", str(place.with_name("elsewhere")))


def _index_removed(place: Path) -> Folder:
    repo = _born(place)
    (place / ".git" / "index").unlink()
    return repo


def _nothing_tracked(place: Path) -> Folder:
    repo = Folder(place).init()
    return _files(repo)


STATES: dict[str, State] = {
    "plain folder": lambda place: _files(Folder(place)),
    "unborn": _nothing_tracked,
    "born": _born,
    "sha256": lambda place: _born(place, "--object-format=sha256"),
    "separate git directory": _separate,
    "rebase": _rebase,
    "bisect": _bisect,
    "cherry-pick": _cherry_pick,
    "shallow": lambda place: _clone(place, "--depth=1"),
    "partial": lambda place: _clone(place, "--filter=blob:none"),
    "treeless": lambda place: _clone(place, "--filter=tree:0"),
    "shared": _shared,
    "sparse": _sparse,
    "linked worktree": _linked,
    "submodule": _submodule,
    "packed": _packed,
    "settings": _many_settings,
    "included settings": _included_config,
    "no index": _index_removed,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "then"), sample(list(product(STATES, ["", "gc", "without git"])), 30)
)
def test_there_and_back_again(tmp_path: Path, state: str, then: str) -> None:
    repo = STATES[state](tmp_path / "scene" / "root")
    has_git = (repo.root / ".git").exists()
    repo.write(".env", "KEY=1\n", 0o600)
    repo.write("new\nline", "untracked\n")
    repo.path("empty").mkdir()
    before = repo.tree()
    users = repo.users() if has_git else {}
    taken = repo.create()
    assert repo.tree() == before
    if has_git:
        assert repo.users() == users
    _work(repo)
    changed = repo.tree()
    if has_git and then == "gc":
        repo.git("reflog", "expire", "--expire=now", "--all", check=False)
        repo.git("gc", "-q", "--prune=now", check=False)
        users = repo.users()
    if has_git and then == "without git":
        _remove(repo.root / ".git")
    restored = repo.restore(taken["id"])
    assert (repo.tree(), restored["kept"], restored["lost"]) == (before, [], [])
    assert repo.path("empty").is_dir()
    repo.undo()
    assert repo.tree() == changed
    assert not repo.path("empty").exists()
    if has_git and then != "without git":
        assert repo.users() == users
        assert "holdfast" not in repo.git("for-each-ref")


def _work(repo: Folder) -> None:
    repo.write(".env", "KEY=agent\n")
    for name in ("a.txt", "d/b.txt"):
        if repo.path(name).exists():
            repo.path(name).unlink()
    repo.write("a.txt/now/a/directory", "agent\n")
    repo.path("new\nline").chmod(0o600)
    repo.write("made.txt", "agent\n")
    repo.path("empty").rmdir()
    if repo.path("link").is_symlink():
        repo.path("link").unlink()
    repo.write("link", "a file now\n")


def _remove(git: Path) -> None:
    if git.is_dir():
        shutil.rmtree(git)
    else:
        git.unlink()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_under_sudo_the_repository_of_the_user_is_not_one_of_another_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = _born(tmp_path / "root")
    for place in (repo.root, repo.root / ".git"):
        os.chown(place, 12345, 12345)
    monkeypatch.setenv("SUDO_UID", "12345")
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("a.txt", "agent\n")
    repo.restore(taken)
    assert repo.tree() == before
    monkeypatch.setenv("SUDO_UID", "54321")
    assert "git reports" in repo.run("restore", taken, "--json").why


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_repository_of_another_owner_works_once_the_user_says_that_it_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = _born(tmp_path / "root")
    for place in (repo.root, repo.root / ".git"):
        os.chown(place, 12345, 12345)
    assert "git reports" in repo.run("create", "--json").why
    (tmp_path / "config").write_text(f"[safe]\n\tdirectory = {repo.root}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("a.txt", "agent\n")
    repo.restore(taken)
    assert repo.tree() == before
    (tmp_path / "config").write_text("")
    assert "git reports" in repo.run("restore", taken, "--json").why
