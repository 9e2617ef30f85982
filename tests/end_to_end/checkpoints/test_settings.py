"""The user's settings: nothing of theirs runs or prompts, but their filters convert both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, ravage, ref_of


def _script(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    return place


def test_hooks_signing_and_a_file_system_monitor_do_not_run(
    repo: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    hooks = [
        "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout", "post-index-change",
        "reference-transaction", "pre-auto-gc", "post-rewrite", "post-merge",
    ]  # fmt: skip
    for hook in hooks:
        _script(repo.root / ".git" / "hooks" / hook, f"echo {hook} >> {ran}; exit 1")
    monitor = _script(tmp_path / "monitor", f"echo monitor >> {ran}; exit 1")
    signer = _script(tmp_path / "gpg", f"echo gpg >> {ran}; exit 1")
    config = repo.root / ".git" / "config"
    config.write_text(
        f"{config.read_text()}"
        f"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {signer}\n[tag]\n\tgpgSign = true\n"
        f"[core]\n\tfsmonitor = {monitor}\n[user]\n\tuseConfigOnly = true\n"
        f"[log]\n\tshowSignature = true\n[gc]\n\tauto = 1\n[diff]\n\texternal = {signer}\n"
    )
    monkeypatch.setenv("EDITOR", str(signer))
    monkeypatch.setenv("GIT_ASKPASS", str(signer))
    taken, before = repo.checkpoint(), repo.tree()
    ravage(repo)
    assert repo.run("diff", taken).code == 0
    assert repo.run("show", taken).code == 0
    repo.restore(taken)
    repo.undo()
    repo.restore(taken)
    assert repo.run("prune", "--keep", "1").code == 0
    assert repo.tree() == before
    assert not ran.exists()


def test_nothing_of_a_repository_inside_runs(repo: Folder, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    inner = repo.root / "sub"
    repo.git("init", "-q", "sub")
    (inner / "a.x").write_text("one\n")
    for words in (("add", "-A"), ("commit", "-qm", "1")):
        repo.git("-C", "sub", "-c", "user.name=A", "-c", "user.email=a@b.c", *words)
    repo.git("add", "sub")
    for name in ("core.fsmonitor", "filter.x.clean", "filter.x.process", "diff.external"):
        repo.git("-C", "sub", "config", name, f"touch {ran}; false")
    (inner / ".gitattributes").write_text("*.x filter=x\n")
    (inner / "a.x").write_text("two\n")
    taken = repo.checkpoint()
    (inner / "a.x").write_text("three\n")
    repo.restore(taken)
    assert not ran.exists()


def test_without_an_identity_it_works(repo: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMAIL", raising=False)
    repo.git("config", "user.useConfigOnly", "true")
    told = repo.create()
    assert (
        repo.private("log", "-1", "--format=%an <%ae>", told["commit"]).strip()
        == "Holdfast <holdfast@localhost>"
    )


def test_autocrlf_round_trip(folder: Folder) -> None:
    folder.init()
    folder.git("config", "core.autocrlf", "true")
    folder.git("config", "core.safecrlf", "true")
    folder.write("dos.txt", b"one\r\ntwo\r\n")
    folder.write("binary.bin", b"\0\r\n\n\r")
    folder.commit()
    folder.write("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    taken, before, users = folder.checkpoint(), folder.tree(), folder.users()
    assert (
        folder.private("cat-file", "blob", f"{ref_of(taken)}:dos.txt") == "one\r\ntwo\r\nthree\r\n"
    )
    folder.write("dos.txt", b"agent\r\n")
    folder.write("binary.bin", b"\0agent\r")
    folder.restore(taken)
    assert (folder.tree(), folder.users()) == (before, users)


def test_a_filter_round_trip(folder: Folder) -> None:
    folder.init()
    folder.git("config", "filter.rot.clean", "tr a-z n-za-m")
    folder.git("config", "filter.rot.smudge", "tr a-z n-za-m")
    folder.write(".gitattributes", "*.rot filter=rot\n")
    folder.write("a.rot", "hello\n")
    folder.commit()
    folder.write("b.rot", "untracked\n")
    taken, before = folder.checkpoint(), folder.tree()
    assert folder.private("cat-file", "blob", f"{ref_of(taken)}:a.rot") == "hello\n"
    folder.write("a.rot", "agent\n")
    folder.path("b.rot").unlink()
    folder.restore(taken)
    assert folder.tree() == before


@pytest.mark.parametrize(
    "attribute", ["filter=broken", "working-tree-encoding=UTF-16", "ident", "eol=crlf"]
)
def test_whatever_git_would_convert_comes_back_byte_for_byte_and_no_filter_runs(
    folder: Folder, tmp_path: Path, attribute: str
) -> None:
    folder.init()
    bytes_of = {
        "a.x": b"one $Id$\ntwo\r\n",
        "b.x": b"\xff\xfe no text",
        "c.x": "größe\n".encode("utf-16"),
    }
    for name, data in bytes_of.items():
        folder.write(name, data)
    folder.commit()
    ran = tmp_path / "ran"
    for verb in ("clean", "smudge", "process"):
        folder.git("config", f"filter.broken.{verb}", f"touch {ran}; false")
    folder.git("config", "filter.broken.required", "true")
    folder.write(".gitattributes", f"*.x {attribute}\n")
    folder.write("d.x", b"untracked \r\n$Id: x$\n")
    taken, before, users = folder.checkpoint(), folder.tree(), folder.users()
    for name in ("a.x", "b.x", "d.x"):
        folder.write(name, "agent\n")
    folder.path("c.x").unlink()
    changed = folder.tree()
    folder.restore(taken)
    assert (folder.tree(), folder.users()) == (before, users)
    folder.undo()
    assert folder.tree() == changed
    assert not ran.exists()


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_any_locale_will_do(repo: Folder, monkeypatch: pytest.MonkeyPatch, locale: str) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    repo.write("größe.txt", "ü\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("größe.txt").unlink()
    repo.restore(taken)
    assert repo.tree() == before
