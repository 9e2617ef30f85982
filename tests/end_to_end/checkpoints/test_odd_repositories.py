"""Repositories that are moved, broken, of another file system, or have folders that no checkpoint keeps."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder


def _goes_back_and_forth(repo: Folder, work: Callable[[], None]) -> None:
    """Take a checkpoint, let `work` change files, and compare every file after restore and undo."""
    taken, before = repo.checkpoint(), repo.tree()
    work()
    changed = repo.tree()
    assert changed != before
    restored = repo.restore(taken)
    assert (repo.tree(), restored["kept"], restored["lost"]) == (before, [], [])
    undone = repo.undo()
    assert (repo.tree(), undone["kept"], undone["lost"]) == (changed, [], [])


def test_a_linked_worktree_that_git_has_moved_goes_back(repo: Folder, tmp_path: Path) -> None:
    old, new = tmp_path / "linked", tmp_path / "moved"
    repo.git("worktree", "add", "-q", "-b", "side", str(old))
    linked = Folder(old)
    linked.write("made.txt", "untracked\n")
    taken, before = linked.checkpoint(), linked.tree()
    repo.git("worktree", "move", str(old), str(new))
    moved = Folder(new)
    moved.path("made.txt").unlink()
    moved.restore(taken)
    assert moved.tree() == before


@pytest.mark.parametrize("scope", ["--local", "--global"])
def test_a_repository_from_a_file_system_without_case_loses_no_rename(
    repo: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    _set(repo, tmp_path, monkeypatch, scope, "core.ignoreCase", "true")
    if repo.path(".GIT").exists():
        pytest.skip("this file system has no case")
    repo.write("name.txt", "text\n")
    repo.write("folder/file.txt", "text\n")
    repo.commit()

    def rename() -> None:
        repo.path("name.txt").rename(repo.path("NAME.txt"))
        repo.path("folder").rename(repo.path("Folder"))

    _goes_back_and_forth(repo, rename)


@pytest.mark.parametrize("also", [(), ("core.worktree", "/nowhere")])
def test_a_command_that_sets_core_bare_is_undone_as_any_other(
    repo: Folder, also: tuple[str, ...]
) -> None:
    def work() -> None:
        repo.write("src/app.py", "agent\n")
        if also:
            repo.git("config", *also)
        repo.git("config", "core.bare", "true")

    _goes_back_and_forth(repo, work)
    below = repo.run("list", "--json", root=repo.path("src"))
    assert (below.code, len(below.told["checkpoints"])) == (0, 2)


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("core.repositoryformatversion", "99", "Expected git repo version <= 1, found 99"),
        ("extensions.other", "true", "unknown repository extension found: other"),
        ("core.bare", "maybe", "bad boolean config value 'maybe' for 'core.bare'"),
    ],
)
def test_a_setting_for_which_git_refuses_the_repository_is_named_and_not_called_gone(
    repo: Folder, setting: str, value: str, reason: str
) -> None:
    repo.git("config", "core.repositoryformatversion", "1")

    def work() -> None:
        repo.write("src/app.py", "agent\n")
        repo.git("config", setting, value)

    _goes_back_and_forth(repo, work)
    shown = repo.run("list").err
    assert f"git refuses the repository that held 1 checkpoint: {reason}; correct" in shown
    assert f"{repo.path('.git/config')} (core.repositoryformatversion" in shown


def test_a_symlink_comes_back_as_one_whatever_the_settings_say(
    repo: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set(repo, tmp_path, monkeypatch, "--global", "core.symlinks", "false")
    repo.link("link", "nowhere")
    _goes_back_and_forth(repo, repo.path("link").unlink)


def _set(
    repo: Folder, place: Path, monkeypatch: pytest.MonkeyPatch, scope: str, name: str, value: str
) -> None:
    """Set a setting of git, that of the user in a file of this test."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(place / "config"))
    repo.git("config", scope, name, value, GIT_CONFIG_GLOBAL=str(place / "config"))


def test_an_undo_in_a_sparse_checkout_is_exact(repo: Folder) -> None:
    repo.write("in/file.txt", "text\n")
    repo.write("out/file.txt", "text\n")
    repo.write("top.txt", "text\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", "in")

    def remove() -> None:
        repo.path("top.txt").unlink()
        repo.path("in/file.txt").unlink()

    _goes_back_and_forth(repo, remove)


@pytest.mark.parametrize("broken", ["empty directory", "no gitfile", "leads nowhere"])
def test_a_folder_whose_git_is_broken_has_checkpoints_as_a_plain_one(
    folder: Folder, broken: str
) -> None:
    if broken == "empty directory":
        folder.path(".git").mkdir()
    else:
        text = "gitdir: /nowhere/at/all\n" if broken == "leads nowhere" else "text\n"
        folder.write(".git", text)
    folder.write("a.txt", "text\n")
    folder.write(".gitignore", "*.log\n")
    folder.write("x.log", "log\n")

    def work() -> None:
        folder.write("a.txt", "agent\n")
        folder.path("x.log").unlink()

    _goes_back_and_forth(folder, work)


_FILES = ("node_modules/one/deep/index.js", "node_modules/two/index.js", "node_modules/top.js")
_WHY = "ignored, in a build folder"


@pytest.fixture
def modules(repo: Folder) -> Folder:
    """The same with a folder that is ignored and not kept."""
    repo.write(".gitignore", "node_modules/\n__pycache__/\n")
    for path in _FILES:
        repo.write(path, "text\n")
    repo.commit()
    return repo


def _remove_one(repo: Folder) -> None:
    repo.path(_FILES[0]).unlink()


def _remove_two(repo: Folder) -> None:
    for path in _FILES[:2]:
        repo.path(path).unlink()


def _empty_folder(repo: Folder) -> None:
    shutil.rmtree(repo.path("node_modules"))
    repo.path("node_modules").mkdir()


def _edit(repo: Folder) -> None:
    repo.write(_FILES[0], "agent\n")


def _replace_file(repo: Folder) -> None:
    repo.path(_FILES[0]).unlink()
    repo.write("node_modules/one/deep/other.js", "text\n")


def _rename_folder(repo: Folder) -> None:
    repo.path("node_modules/one/deep").rename(repo.path("node_modules/one/other"))


_LOSSES: dict[str, tuple[Callable[[Folder], None], str]] = {
    "a file is gone": (_remove_one, "1 of its 3 files is gone"),
    "two files are gone": (_remove_two, "2 of its 3 files are gone"),
    "all is gone, but the folder": (_empty_folder, "3 of its 3 files are gone"),
    "a file is edited": (_edit, "1 of its 3 files is gone or changed"),
    "another file is in the place": (_replace_file, "1 of its 3 files is gone or changed"),
    "a folder is renamed": (_rename_folder, "1 of its 3 files is gone or changed"),
}


@pytest.mark.parametrize("case", _LOSSES)
def test_what_is_gone_of_an_ignored_folder_that_is_not_kept_is_named(
    modules: Folder, case: str
) -> None:
    work, what = _LOSSES[case]
    taken = modules.checkpoint()
    modules.write("a.txt", "agent\n")
    work(modules)
    changed = modules.tree()
    restored = modules.restore(taken)
    told = {"node_modules": f"{what}, and no checkpoint has them: {_WHY}"}
    assert (restored["lost_why"], restored["kept_why"]) == (told, {})
    undone = modules.undo()
    assert (modules.tree(), undone["lost"], undone["kept"]) == (changed, [], [])


def test_what_is_new_in_an_ignored_folder_that_is_not_kept_is_named_and_no_loss(
    modules: Folder,
) -> None:
    taken = modules.checkpoint()
    modules.write("node_modules/one/new.js", "text\n")
    restored = modules.restore(taken)
    told = {"node_modules": f"1 of its files is newer than the checkpoint: {_WHY}"}
    assert (restored["lost_why"], restored["kept_why"]) == ({}, told)


def test_an_ignored_folder_that_is_as_it_was_is_not_named(modules: Folder) -> None:
    modules.write("src/__pycache__/a.pyc", "cache\n")
    modules.checkpoint()
    modules.checkpoint()
    taken = modules.checkpoint()
    modules.write("a.txt", "agent\n")
    modules.write("src/__pycache__/a.pyc", "a cache is written at any run\n")
    restored = modules.restore(taken)
    assert (restored["lost"], restored["kept"]) == ([], [])


@pytest.mark.parametrize("place", ["same path", "another path", "only git removed"])
def test_a_new_clone_gets_the_files_of_a_checkpoint_whose_repository_is_gone(
    repo: Folder, tmp_path: Path, place: str
) -> None:
    origin = tmp_path / "origin.git"
    repo.git("clone", "-q", "--bare", ".", str(origin))
    repo.write("a.txt", "not committed\n")
    repo.write("made.txt", "untracked\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.git("gc", "-q", "--prune=now")
    shutil.rmtree(repo.root if place != "only git removed" else repo.root / ".git")
    path = repo.root if place == "same path" else tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(origin), str(path)], check=True)
    clone = Folder(path)
    fresh = clone.tree()
    listed = clone.run("list", "--json")
    assert listed.told["checkpoints"] == []
    assert "the repository that held 1 checkpoint is gone" in listed.err
    assert taken in listed.err
    assert clone.restore(taken)["lost"] == []
    assert clone.tree() == before
    clone.undo()
    assert clone.tree() == fresh


def test_another_repository_gets_no_checkpoint_of_one_that_is_gone(
    repo: Folder, tmp_path: Path
) -> None:
    taken = repo.checkpoint()
    shutil.rmtree(repo.root)
    other = Folder(repo.root).init()
    other.write("other.txt", "other\n")
    other.commit("other")
    listed = other.run("list", "--json")
    assert (listed.told["checkpoints"], listed.err) == ([], "")
    assert "no checkpoint was ever taken here" in other.run("restore", taken, "--json").why


def test_a_linked_worktree_that_is_made_again_gets_its_checkpoints(
    repo: Folder, tmp_path: Path
) -> None:
    path = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "side", str(path))
    linked = Folder(path)
    linked.write("made.txt", "untracked\n")
    taken, before = linked.checkpoint(), linked.tree()
    repo.git("worktree", "remove", "--force", str(path))
    in_main = repo.tree()
    why = repo.run("restore", taken, "--json").why
    assert f"which is gone; make it again (`git worktree add {path}`)" in why
    assert repo.tree() == in_main
    repo.git("worktree", "add", "-q", str(path), "side")
    again = Folder(path)
    again.restore(taken)
    assert again.tree() == before


def test_an_ignored_file_that_became_a_directory_of_ignored_files_goes_back(repo: Folder) -> None:
    repo.write(".gitignore", "private\n")
    repo.commit()
    repo.write("private", "secret\n")

    def replace() -> None:
        repo.path("private").unlink()
        repo.write("private/deep/file", "agent\n")

    _goes_back_and_forth(repo, replace)


def test_pipes_that_no_checkpoint_has_are_named(repo: Folder) -> None:
    repo.path("d").mkdir()
    os.mkfifo(repo.path("d/old"))
    taken = repo.create()
    assert taken["skipped_why"] == {"d/old": "not a file"}
    repo.path("d/old").unlink()
    os.mkfifo(repo.path("d/new"))
    restored = repo.restore(taken["id"])
    assert restored["kept_why"] == {"d/new": "no checkpoint has it: not a file"}
    assert restored["lost_why"] == {"d/old": "the checkpoint had left it out: not a file"}


def test_a_repository_whose_last_commit_is_missing_has_checkpoints(repo: Folder) -> None:
    ref = repo.git_dir() / "refs" / "heads" / "main"
    ref.write_text(f"{'3' * 40}\n")
    repo.write("a.txt", "text\n")
    _goes_back_and_forth(repo, repo.path("a.txt").unlink)


def test_locks_that_a_killed_git_left_stop_no_undo(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("a.txt", "agent\n")
    changed = repo.tree()
    repo.restore(taken)
    private = repo.private_dir()
    (private / "packed-refs.lock").touch()
    (private / "refs" / "holdfast" / "checkpoints" / f"{taken}.lock").touch()
    repo.undo()
    assert repo.tree() == changed
    repo.restore(taken)
    assert repo.tree() == before


def test_files_in_the_place_of_a_submodule_that_is_not_filled_are_named(repo: Folder) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.path("lib").mkdir()
    taken = repo.checkpoint()
    repo.write("lib/made.txt", "agent\n")
    assert repo.restore(taken)["kept_why"] == {"lib": "no checkpoint has it: submodule"}


def test_settings_of_the_user_that_git_cannot_read_are_named_with_the_cure(
    repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = repo.checkpoint()
    repo.write("src/app.py", "agent\n")
    broken = repo.root.parent / "broken"
    broken.write_text("[broken\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(broken))
    why = [repo.run(*words, "--json").why for words in (("create",), ("restore", taken))]
    assert len(set(why)) == 1
    assert f"git cannot read its settings: bad config line 1 in file {broken}" in why[0]
    assert why[0].endswith("correct this, and try again.")
    assert repo.path("src/app.py").read_text() == "agent\n"
    broken.unlink()
    repo.restore(taken)
