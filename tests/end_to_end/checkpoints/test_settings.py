"""The user's settings: nothing of theirs runs or prompts, but their filters convert both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, ravage


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
    assert repo.tree() == before | {b"debug.log": ("file", b"agent's log\n", 0o644)}
    assert not ran.exists()


def test_without_an_identity_it_works(repo: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMAIL", raising=False)
    repo.git("config", "user.useConfigOnly", "true")
    told = repo.create()
    assert (
        repo.git("log", "-1", "--format=%an <%ae>", told["commit"]).strip()
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
        folder.git("cat-file", "blob", f"refs/holdfast/checkpoints/{taken}:dos.txt")
        == "one\ntwo\nthree\n"
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
    assert folder.git("cat-file", "blob", f"refs/holdfast/checkpoints/{taken}:a.rot") == "uryyb\n"
    folder.write("a.rot", "agent\n")
    folder.path("b.rot").unlink()
    folder.restore(taken)
    assert folder.tree() == before


def test_a_broken_required_filter_fails_loudly_and_leaves_no_ref(folder: Folder) -> None:
    folder.init()
    folder.write(".gitattributes", "*.x filter=broken\n")
    folder.commit()
    folder.git("config", "filter.broken.clean", "false")
    folder.git("config", "filter.broken.required", "true")
    folder.write("a.x", "x\n")
    before, users = folder.tree(), folder.users()
    why = folder.run("create", "--json").why
    assert "broken" in why
    assert (folder.tree(), folder.users(), folder.ids()) == (before, users, [])
    folder.git("config", "filter.broken.clean", "cat")
    folder.checkpoint()


def _filtered(folder: Folder, smudge: str = "cat") -> None:
    folder.init()
    folder.git("config", "filter.once.clean", "cat")
    folder.git("config", "filter.once.smudge", smudge)
    folder.git("config", "filter.once.required", "true")
    folder.write(".gitattributes", "*.x filter=once\n")
    for name in ("a.txt", "b.x", "c.txt"):
        folder.write(name, "old\n")
    folder.commit()


def _work(folder: Folder) -> None:
    for name in ("a.txt", "b.x", "c.txt"):
        folder.write(name, "new and longer\n")
    folder.write("d.txt", "new\n")


@pytest.mark.parametrize("smudge", ["false", "grep longer", "", "no such program"])
def test_a_required_filter_that_cannot_write_a_file_any_more_stops_a_restore_before_any_file_is_touched(
    folder: Folder, smudge: str
) -> None:
    _filtered(folder)
    taken = folder.checkpoint()
    _work(folder)
    before, ids = folder.tree(), folder.ids()
    times = {path: folder.path(path).stat().st_ctime_ns for path in before}
    folder.git("config", "filter.once.smudge", smudge)
    ran = folder.run("restore", taken, "--json")
    assert "b.x: smudge filter once failed" in ran.why
    assert ran.told["unsettled"] is False
    assert (folder.tree(), folder.ids()) == (before, ids)
    assert {path: folder.path(path).stat().st_ctime_ns for path in before} == times
    assert folder.run("list", "--json").err == ""
    # What does not go through it is no reason to stay.
    folder.path("b.x").write_text("old\n")
    folder.restore(taken)
    assert folder.path("a.txt").read_text() == "old\n"


def test_a_required_filter_that_works_is_tried_where_it_will_run_and_leaves_nothing_behind(
    folder: Folder,
) -> None:
    _filtered(folder)
    _script(folder.path("tools/smudge"), "cat")
    folder.git("config", "filter.once.smudge", "./tools/smudge %f")
    folder.write("odd\nname :(top).x", "old\n")
    taken, before = folder.checkpoint(), folder.tree()
    _work(folder)
    folder.path("odd\nname :(top).x").unlink()
    folder.restore(taken)
    assert folder.tree() == before
    assert not (folder.git_dir() / "holdfast" / "trial").exists()


def test_a_required_filter_that_the_restore_itself_takes_away_is_not_tried(folder: Folder) -> None:
    _filtered(folder)
    taken, before = folder.checkpoint(), folder.tree()
    _work(folder)
    folder.git("config", "filter.late.clean", "cat")
    folder.git("config", "filter.late.required", "true")
    folder.git("config", "filter.late.smudge", "false")
    folder.write("deep/.gitattributes", "")
    folder.write(".gitattributes", "* filter=late\n")
    folder.restore(taken)
    assert folder.tree() == before


def _breaking(tmp_path: Path, after: int, then: str) -> str:
    """Give a filter that works so many times, and then is another."""
    count = tmp_path / "count"
    count.write_text("")
    script = f"echo >> {count}; [ $(wc -l < {count}) -le {after} ] && exec cat; {then}"
    return str(_script(tmp_path / "breaking", script))


def test_a_filter_that_breaks_in_the_middle_of_a_restore_changes_nothing(
    folder: Folder, tmp_path: Path
) -> None:
    _filtered(folder)
    taken = folder.checkpoint()
    _work(folder)
    before, ids = folder.tree(), folder.ids()
    # From the second time on it takes only the new text: the way there is shut, the way back is open.
    folder.git("config", "filter.once.smudge", _breaking(tmp_path, 1, "exec grep longer"))
    ran = folder.run("restore", taken, "--json")
    assert "halfway" in ran.why
    assert ran.told["unsettled"] is False
    assert folder.tree() == before
    assert folder.ids() == ids
    folder.git("config", "filter.once.smudge", "cat")
    folder.restore(taken)
    assert {entry[1] for path, entry in folder.tree().items() if not path.startswith(b".")} == {
        b"old\n"
    }


def test_a_filter_that_breaks_for_good_is_told_and_once_it_is_mended_the_next_command_gets_there(
    folder: Folder, tmp_path: Path
) -> None:
    _filtered(folder)
    taken, before = folder.checkpoint(), folder.tree()
    _work(folder)
    ravaged = folder.tree()
    folder.git("config", "filter.once.smudge", _breaking(tmp_path, 1, "exit 1"))
    ran = folder.run("restore", taken, "--json")
    assert "smudge" in ran.why
    assert ran.told["unsettled"] is True
    # Nothing is lost, and commands that get no further leave no more behind each time.
    folder.run("list")
    tried = folder.ids()
    folder.run("list")
    assert folder.ids() == tried
    folder.git("config", "filter.once.smudge", "cat")
    folder.restore(taken)
    assert folder.tree() == before
    folder.undo()
    assert folder.tree() == ravaged


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_any_locale_will_do(repo: Folder, monkeypatch: pytest.MonkeyPatch, locale: str) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    repo.write("größe.txt", "ü\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("größe.txt").unlink()
    repo.restore(taken)
    assert repo.tree() == before
