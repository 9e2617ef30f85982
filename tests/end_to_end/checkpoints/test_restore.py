"""Restore gives the files back, exactly, and leaves everything that is the user's in git alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.journal import DiskJournal
from holdfast.adapters.running_commands import RunningCommands
from holdfast.checkpoints.ports import UnfinishedRestore
from tests.end_to_end.checkpoints.repo import Folder, ravage


def test_staged_unstaged_untracked_and_ignored_files_are_identical_after_a_restore(
    repo: Folder,
) -> None:
    before, users = repo.tree(), repo.users()
    taken = repo.checkpoint()
    ravage(repo)
    restored = repo.restore(taken)
    assert repo.tree() == before
    assert repo.users() == users
    assert restored == {
        "checkpoint_id": taken,
        "messages_deleted": 0,
        "worktree_reset": True,
        "backend_reset": False,
        "undo_checkpoint_id": restored["undo_checkpoint_id"],
        "kept": [],
        "kept_why": {},
        "lost": [],
        "lost_why": {},
        "index_reset": False,
        "index_differs": False,
        "commits": [],
        "seq": 2,
    }


def test_a_checkpoint_touches_nothing_of_the_users(repo: Folder) -> None:
    before, users = repo.tree(), repo.users()
    told = repo.create("-m", "a label")
    assert (repo.tree(), repo.users()) == (before, users)
    assert told["skipped"] == []
    assert (
        repo.private("rev-parse", f"refs/holdfast/checkpoints/{told['id']}").strip()
        == told["commit"]
    )


def test_restore_then_undo_is_exact(repo: Folder) -> None:
    taken = repo.checkpoint()
    ravage(repo)
    ravaged, users = repo.tree(), repo.users()
    repo.restore(taken)
    assert repo.tree() != ravaged
    undone = repo.undo()
    assert repo.tree() == ravaged
    assert repo.users() == users
    assert undone["worktree_reset"] is True


def test_a_second_undo_takes_back_the_restore_before(repo: Folder) -> None:
    one, first = repo.checkpoint(), repo.tree()
    ravage(repo)
    two = repo.checkpoint()
    repo.write("third.txt", "third")
    third = repo.tree()
    repo.restore(one)
    repo.restore(two)
    repo.undo()
    assert repo.tree() == first
    repo.undo()
    assert repo.tree() == third
    assert "nothing to undo" in repo.run("undo", "--json").why


def test_what_was_done_after_a_restore_is_kept_when_the_restore_is_undone(repo: Folder) -> None:
    taken = repo.checkpoint()
    ravage(repo)
    repo.restore(taken)
    repo.write("after.txt", "after the restore")
    after = repo.tree()
    undone = repo.undo()
    assert b"after.txt" not in repo.tree()
    repo.restore(str(undone["undo_checkpoint_id"]))
    assert repo.tree() == after


def test_the_same_restore_again_leaves_the_first_undo_point(repo: Folder) -> None:
    taken = repo.checkpoint()
    ravage(repo)
    ravaged = repo.tree()
    first = repo.restore(taken)
    assert repo.restore(taken) == first | {"seq": None}
    repo.undo()
    assert repo.tree() == ravaged


def test_the_same_restore_after_a_change_of_permissions_alone_is_a_restore_of_its_own(
    repo: Folder,
) -> None:
    repo.write("one.key", "1", 0o600)
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent")
    first = repo.restore(taken)
    repo.path("one.key").chmod(0o644)
    opened = repo.tree()
    second = repo.restore(taken)
    assert repo.tree() == before
    assert second["undo_checkpoint_id"] != first["undo_checkpoint_id"]
    repo.undo()
    assert repo.tree() == opened


def test_the_same_restore_after_a_file_that_stays_was_made_is_a_restore_of_its_own(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    repo.write("src/app.py", "agent")
    first = repo.restore(taken)
    # The rules of the checkpoint ignore it, so that it stays; the user's index has it, so that it is captured.
    repo.write("forced.log", "by force\n")
    repo.git("add", "-f", "forced.log")
    there = repo.tree()
    second = repo.restore(taken)
    assert (repo.tree(), second["kept"]) == (there, ["forced.log"])
    assert second["undo_checkpoint_id"] != first["undo_checkpoint_id"]
    assert repo.restore(taken) == second | {"backend_reset": False, "seq": None}
    repo.undo()
    assert repo.tree() == there


def test_unchanged_files_keep_their_times_the_exec_bit_and_0600(repo: Folder) -> None:
    repo.write("secret.txt", "s", 0o600)
    repo.write("tool", "#!/bin/sh\n", 0o700)
    taken = repo.checkpoint()
    names = ["secret.txt", "tool", "run.sh", "src/util.py", ".env", "docs/a.md"]
    before = {name: repo.path(name).stat() for name in names}
    repo.write("src/app.py", "changed")
    repo.restore(taken)
    for name in names:
        now = repo.path(name).stat()
        assert (now.st_mtime_ns, now.st_mode, now.st_ino) == (
            before[name].st_mtime_ns,
            before[name].st_mode,
            before[name].st_ino,
        )


def test_a_private_file_that_was_changed_or_deleted_comes_back_private(repo: Folder) -> None:
    repo.write("one.key", "1", 0o600)
    repo.write("two.key", "2", 0o600)
    repo.write("three.key", "3", 0o600)
    before = repo.tree()
    taken = repo.checkpoint()
    repo.write("one.key", "changed")
    repo.path("two.key").unlink()
    repo.path("three.key").chmod(0o644)
    ravaged = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == ravaged


def test_a_mode_change_alone_is_restored(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("run.sh").chmod(0o644)
    repo.path("docs/a.md").chmod(0o755)
    changed = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == changed


def test_file_and_directory_swap_places(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("notes.txt").unlink()
    repo.write("notes.txt/inner", "a directory now")
    (repo.root / "docs" / "a.md").unlink()
    (repo.root / "docs").rmdir()
    repo.write("docs", "a file now")
    swapped = repo.tree()
    other = repo.checkpoint()
    repo.restore(taken)
    assert repo.tree() == before
    repo.restore(other)
    assert repo.tree() == swapped


def test_a_directory_that_became_a_symlink_is_restored_and_nothing_is_written_through_it(
    repo: Folder, tmp_path: Path
) -> None:
    outside = Folder(tmp_path / "outside")
    outside.write("a.md", "outside\n")
    outside.write("app.py", "outside\n")
    untouched = outside.tree()
    taken, before = repo.checkpoint(), repo.tree()
    (repo.root / "docs" / "a.md").unlink()
    (repo.root / "docs").rmdir()
    repo.link("docs", str(outside.root))
    repo.git("mv", "-k", "src/util.py", "util.py")
    for file in (repo.root / "src").iterdir():
        file.unlink()
    (repo.root / "src").rmdir()
    repo.link("src", "../outside")
    swapped = repo.tree()
    repo.restore(taken)
    assert outside.tree() == untouched
    assert {path: entry for path, entry in repo.tree().items() if path != b"util.py"} == before
    repo.undo()
    assert repo.tree() == swapped
    assert outside.tree() == untouched


def test_a_directory_that_became_a_symlink_to_itself_is_restored(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    (repo.root / "docs" / "a.md").unlink()
    (repo.root / "docs").rmdir()
    repo.link("docs", "docs")
    looped = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == looped


def test_a_symlink_that_became_a_directory_is_restored(repo: Folder) -> None:
    repo.link("link", "src")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("link").unlink()
    repo.write("link/app.py", "not through the link")
    repo.restore(taken)
    assert repo.tree() == before


def test_an_edit_between_the_undo_point_and_the_checkout_is_refused_and_nothing_changes(
    repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = repo.checkpoint()
    ravage(repo)
    expected = repo.tree() | {b"src/app.py": ("file", b"edited", 0o644)}
    ids, users = repo.ids(), repo.users()
    write_restore = DiskJournal.write_restore

    def edit_after(journal: DiskJournal, unfinished: UnfinishedRestore) -> None:
        write_restore(journal, unfinished)
        repo.path("src/app.py").write_text("edited")

    with monkeypatch.context() as patched:
        patched.setattr(DiskJournal, "write_restore", edit_after)
        why = repo.run("restore", taken, "--json").why
    assert why == "src/app.py: this changed during the restore, so nothing was restored; try again."
    assert (repo.tree(), repo.users(), repo.ids()) == (expected, users, ids)


def test_git_refuses_an_edit_that_comes_when_it_begins_to_write(
    repo: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.git.checkout._MANY_FILES", 0)
    taken = repo.checkpoint()
    ravage(repo)
    edited = repo.path("src/app.py")
    real = subprocess.run(["which", "git"], capture_output=True, check=True).stdout.decode().strip()
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(
        f'#!/bin/sh\ncase "$*" in *"read-tree -m -u"*) printf edited > {edited};; esac\nexec {real} "$@"\n',
    )
    shim.chmod(0o755)
    expected = repo.tree() | {b"src/app.py": ("file", b"edited", 0o644)}
    ids, users = repo.ids(), repo.users()
    with monkeypatch.context() as patched:
        patched.setenv("PATH", f"{shim.parent}:{os.environ['PATH']}")
        why = repo.run("restore", taken, "--json").why
    assert "try again" in why
    assert (repo.tree(), repo.users()) == (expected, users)
    assert repo.ids() == ids


def test_an_edit_of_the_same_size_in_the_same_second_is_captured(repo: Folder) -> None:
    for number in range(3):
        repo.write("src/app.py", f"print('{number}')\n")
        taken = repo.checkpoint()
        repo.write("src/app.py", "print('x')\n")
        assert repo.run("diff", taken, "--json").told["files"] == [
            {"path": "src/app.py", "status": "modified", "added": 1, "removed": 1}
        ]
        repo.restore(taken)
        assert repo.path("src/app.py").read_text() == f"print('{number}')\n"


def test_an_edit_that_leaves_size_and_time_alone_right_after_the_users_own_add_is_captured(
    folder: Folder,
) -> None:
    folder.init()
    folder.write("a", "1111")
    folder.commit()
    there = folder.path("a").stat()
    folder.path("a").write_bytes(b"2222")
    os.utime(folder.path("a"), ns=(there.st_atime_ns, there.st_mtime_ns))
    taken = folder.checkpoint()
    assert folder.private("show", f"refs/holdfast/checkpoints/{taken}:a") == "2222"


def test_an_id_may_be_shortened_and_one_that_is_unknown_or_ambiguous_is_refused(
    repo: Folder,
) -> None:
    ids = [repo.checkpoint() for _ in range(17)]
    first = next(one for one in ids if sum(each[0] == one[0] for each in ids) > 1)
    assert "type more of the id" in repo.run("show", first[0], "--json").why
    assert repo.run("show", first[:10], "--json").told["id"] == first
    assert "no such checkpoint" in repo.run("restore", "nothere", "--json").why
    assert "no such checkpoint" in repo.run("restore", "../../heads/main", "--json").why


def test_the_conversation_of_a_checkpoint_without_one_is_refused_with_the_cure(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    ravage(repo)
    before = repo.tree()
    why = repo.run("restore", taken, "--conversation", "--json").why
    assert why == (
        f"{taken}: this checkpoint belongs to no conversation; `holdfast checkpoint restore {taken}` brings its files back."
    )
    assert (repo.tree(), repo.ids()) == (before, [taken])


def test_only_the_files_are_restored(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent")
    assert repo.restore(taken, "--files")["worktree_reset"] is True
    assert repo.tree() == before


def test_wrong_usage_is_exit_2(repo: Folder, tmp_path: Path) -> None:
    assert repo.run("restore", "x", "--files", "--conversation").code == 2
    assert repo.run("restore").code == 2
    assert repo.run("create", root=tmp_path / "nowhere").code == 2
    assert repo.run("create", "--no-such-option").code == 2


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("where", "root", "named"),
    [("src", None, "mine.txt"), ("", None, "src/mine.txt"), ("", "src", "mine.txt")],
)
def test_what_is_to_be_kept_is_named_from_here_or_from_the_root(
    repo: Folder, where: str, root: str | None, named: str
) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "holdfast.cli.main", "checkpoint", *words]
        if root is not None:
            command += ["--root", root]
        return subprocess.run(
            command, cwd=repo.root / where, capture_output=True, text=True, check=False
        )

    repo.write("src/mine.txt", "one\n")
    taken = run("create").stdout.split()[1].rstrip(":")
    repo.write("src/mine.txt", "mine\n")
    restored = run("restore", taken, "--keep", named, "--json")
    assert restored.returncode == 0, restored
    kept = json.loads(restored.stdout)["kept"]
    assert (kept, repo.path("src/mine.txt").read_text()) == (["src/mine.txt"], "mine\n")
    for outside in ("", "../../x", "/etc/passwd"):
        refused = run("restore", taken, "--keep", outside)
        assert (refused.returncode, repo.path("src/mine.txt").read_text()) == (2, "mine\n")
        assert "name a file below" in refused.stderr


@pytest.mark.e2e
def test_the_commands_work_as_processes_and_speak_to_people(repo: Folder) -> None:
    def run(*words: str) -> str:
        command = [sys.executable, "-m", "holdfast.cli.main", "checkpoint", *words]
        ran = subprocess.run(
            command, cwd=repo.root / "src", capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr == ""
        return ran.stdout

    before = repo.tree()
    taken = run("create", "-m", "before the agent").split()[1].rstrip(":")
    ravage(repo)
    assert "before the agent" in run("list")
    assert "notes.txt" in run("show", taken)
    assert "+print('agent')" in run("diff", taken)
    assert "Undo this with `holdfast checkpoint undo`." in run("restore", taken)
    assert repo.tree() == before
    assert run("diff", taken) == "nothing differs.\n"
    assert "undone" in run("undo")
    assert "left: 1 checkpoint." in run("prune", "--keep", "1")


def test_no_file_with_secrets_is_restored_while_a_command_runs_that_must_not_read_it(
    repo: Folder,
) -> None:
    repo.write(".env", "KEY=one\n")
    taken = repo.checkpoint()
    repo.write(".env", "KEY=two\n")
    repo.write("a.txt", "later\n")
    running = RunningCommands(Path(os.environ["HOLDFAST_STATE_DIR"]))
    with running.record([os.path.realpath(repo.root)]):
        ran = repo.run("restore", taken)
        assert ran.code == 1
        assert (
            f"nothing was restored: {repo.root}/.env: a command is running that must not read this file; "
            "try again when it has ended." in ran.out
        )
        assert (repo.path(".env").read_text(), repo.path("a.txt").read_text()) == (
            "KEY=two\n",
            "later\n",
        )
    assert repo.run("restore", taken).code == 0
    assert repo.path(".env").read_text() == "KEY=one\n"
