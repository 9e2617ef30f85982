"""What a checkpoint leaves out stays as it is: repositories inside, large files, pipes."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder


def _nested(repo: Folder, name: str, *, commits: bool) -> Folder:
    nested = Folder(repo.root / name).init()
    nested.write("inner.txt", "inner\n")
    if commits:
        nested.commit()
        nested.write("inner.txt", "edited\n")
    return nested


@pytest.mark.parametrize("commits", [True, False])
def test_a_nested_repository_is_skipped_and_untouched(repo: Folder, commits: bool) -> None:
    nested = _nested(repo, "vendor/nested", commits=commits)
    told = repo.create()
    assert told["skipped"] == ["vendor/nested"]
    assert told["skipped_why"] == {"vendor/nested": "nested repository"}
    nested.write("inner.txt", "the agent's\n")
    nested.write("more.txt", "the agent's\n")
    repo.write("src/app.py", "agent\n")
    before = nested.tree()
    repo.restore(told["id"])
    assert nested.tree() == before
    assert repo.path("src/app.py").read_text() == "print('unstaged')\n"


@pytest.mark.parametrize("commits", [True, False])
def test_a_nested_repository_that_was_made_since_stays_and_is_told(
    repo: Folder, commits: bool
) -> None:
    taken = repo.checkpoint()
    nested = _nested(repo, "made", commits=commits)
    before = nested.tree()
    assert repo.restore(taken)["kept"] == ["made"]
    assert nested.tree() == before
    assert (nested.root / ".git").is_dir()


def test_a_nested_repository_that_lost_its_git_directory_stays(repo: Folder) -> None:
    nested = _nested(repo, "nested", commits=False)
    taken = repo.checkpoint()
    (nested.root / ".git").rename(repo.root.parent / "taken away")
    restored = repo.restore(taken)
    assert nested.path("inner.txt").read_text() == "inner\n"
    assert restored["kept"] == ["nested/inner.txt"]


def test_a_directory_that_became_a_repository_after_it_was_captured_is_not_emptied(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    repo.write("lib/a.py", "a\n")
    repo.checkpoint()
    Folder(repo.root / "lib").init().commit()
    restored = repo.restore(taken)
    assert repo.path("lib/a.py").read_text() == "a\n"
    assert restored["kept"] == ["lib", "lib/a.py"]


def test_a_directory_of_the_checkpoint_that_became_a_repository_is_named(repo: Folder) -> None:
    repo.write("lib/a.py", "a\n")
    told = repo.create()
    lib = Folder(repo.root / "lib").init()
    lib.write("a.py", "the agent's\n")
    lib.write("b.py", "the agent's\n")
    lib.commit()
    head = lib.git("rev-parse", "HEAD")
    restored = repo.restore(told["id"])
    assert restored["kept_why"] == {
        "lib": "it has become a repository, whose history and new files stay",
        "lib/b.py": "a repository inside has a history of its own",
    }
    assert [lib.path(name).read_text() for name in ("a.py", "b.py")] == ["a\n", "the agent's\n"]
    assert lib.git("rev-parse", "HEAD") == head
    # Since the next checkpoint it is known to be one.
    assert repo.restore(repo.checkpoint())["kept"] == []


def test_a_directory_with_a_broken_git_directory_is_no_news_when_other_files_change(
    repo: Folder,
) -> None:
    repo.write("lib/a.py", "a\n")
    repo.path("lib/.git").mkdir()
    told = repo.create()
    repo.write("src/app.py", "the agent's\n")
    assert repo.restore(told["id"])["kept"] == []


def test_a_repository_where_the_checkpoint_has_a_file_stops_the_restore(repo: Folder) -> None:
    repo.write("thing", "a file\n")
    taken = repo.checkpoint()
    repo.path("thing").unlink()
    _nested(repo, "thing", commits=True)
    before = repo.tree()
    assert "thing" in repo.run("restore", taken, "--json").why
    assert repo.tree() == before


def test_a_submodule_is_untouched(repo: Folder, tmp_path: Path) -> None:
    library = Folder(tmp_path / "library").init()
    library.write("lib.c", "int x;\n")
    library.commit()
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "sub"
    )
    repo.git("commit", "-q", "-m", "submodule")
    sub = Folder(repo.root / "sub")
    taken = repo.checkpoint()
    sub.write("lib.c", "int agent;\n")
    sub.commit("inside")
    repo.git("add", "sub")
    repo.write("notes.txt", "agent\n")
    before, users = sub.tree(), sub.users()
    repo.checkpoint()
    repo.restore(taken)
    assert (sub.tree(), sub.users()) == (before, users)
    assert repo.path("notes.txt").read_text() == "untracked\n"


def test_a_submodule_that_was_removed_or_replaced_does_not_stop_a_restore(
    repo: Folder, tmp_path: Path
) -> None:
    library = Folder(tmp_path / "library").init()
    library.write("lib.c", "int x;\n")
    library.commit()
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "sub"
    )
    repo.git("commit", "-q", "-m", "submodule")
    taken = repo.checkpoint()
    repo.git("rm", "-qf", "sub")
    repo.write("notes.txt", "agent\n")
    repo.restore(taken)
    assert repo.path(".gitmodules").exists()
    assert repo.path("notes.txt").read_text() == "untracked\n"


def _large(repo: Folder, name: str, size: int = 51 * 1024 * 1024) -> Path:
    file = repo.write(name, "begin")
    os.truncate(file, size)
    return file


def test_a_large_new_file_is_skipped_and_never_deleted(repo: Folder) -> None:
    before = _large(repo, "video.mp4")
    told = repo.create()
    assert told["skipped"] == ["video.mp4"]
    after = _large(repo, "made/since.bin")
    restored = repo.restore(told["id"])
    assert restored["kept"] == ["made/since.bin"]
    assert before.stat().st_size == after.stat().st_size == 51 * 1024 * 1024
    # Small by now, and captured; the checkpoint did not know it, and must not take it away.
    repo.write("video.mp4", "cut")
    assert repo.restore(told["id"])["kept"] == ["made/since.bin", "video.mp4"]
    assert repo.path("video.mp4").read_text() == "cut"


def test_a_file_that_was_left_out_and_edited_since_is_named(repo: Folder) -> None:
    _large(repo, "video.mp4")
    repo.write(".gitignore", "*.bin\n")
    repo.write("data.bin", bytes(1_100_000))
    repo.write("other.bin", bytes(1_100_000))
    told = repo.create()
    assert repo.restore(told["id"])["kept"] == []
    repo.write("data.bin", b"1" * 1_100_000)
    _large(repo, "video.mp4", 52 * 1024 * 1024)
    restored = repo.restore(told["id"])
    changed = "it has changed, and the checkpoint had left it out"
    assert restored["kept_why"] == {
        "data.bin": f"{changed}: ignored, too large",
        "video.mp4": f"{changed}: too large",
    }
    assert restored["lost"] == []


def test_a_large_file_that_is_gone_is_told(repo: Folder) -> None:
    file = _large(repo, "video.mp4")
    taken = repo.checkpoint()
    file.unlink()
    assert repo.restore(taken)["lost"] == ["video.mp4"]


def test_a_small_file_that_has_grown_large_comes_back_small_and_undo_gives_the_large_one(
    repo: Folder,
) -> None:
    repo.write("data.bin", "small")
    taken = repo.checkpoint()
    _large(repo, "data.bin")
    assert repo.create()["skipped"] == ["data.bin"]
    repo.restore(taken)
    assert repo.path("data.bin").read_text() == "small"
    repo.undo()
    assert repo.path("data.bin").stat().st_size == 51 * 1024 * 1024


def test_a_tracked_file_is_captured_however_large_it_is(repo: Folder) -> None:
    _large(repo, "src/util.py")
    taken = repo.create()
    assert taken["skipped"] == []
    repo.write("src/util.py", "small")
    repo.restore(taken["id"])
    assert repo.path("src/util.py").stat().st_size == 51 * 1024 * 1024


def test_a_pipe_holds_nothing_up(repo: Folder) -> None:
    os.mkfifo(repo.path("pipe"))
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    repo.restore(taken)
    assert repo.tree() == before


def test_a_restore_replaces_a_pipe_by_the_file_that_was_there_and_names_it(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    for name in ("src/util.py", "notes.txt"):
        repo.path(name).unlink()
        os.mkfifo(repo.path(name))
    shutil.rmtree(repo.path("docs"))
    os.mkfifo(repo.path("docs"))
    with socket.socket(socket.AF_UNIX) as listening:
        repo.path("src/app.py").unlink()
        listening.bind(str(repo.path("src/app.py")))
    restored = repo.restore(taken)
    assert repo.tree() == before
    special = ["docs", "notes.txt", "src/app.py", "src/util.py"]
    assert (restored["lost"], restored["kept"]) == (special, [])
    assert "pipe" in restored["lost_why"]["docs"]
    # No checkpoint has the pipes, so an undo has nothing to put in the place of the files.
    assert set(special) - {"docs"} < set(repo.undo()["kept"])
    assert repo.tree() == before


def test_what_is_lost_is_told_on_the_terminal_too(repo: Folder) -> None:
    taken = repo.checkpoint()
    repo.path("notes.txt").unlink()
    os.mkfifo(repo.path("notes.txt"))
    ran = repo.run("restore", taken)
    assert "lost: notes.txt (the pipe, socket or device there; the file" in ran.out


def test_a_pipe_in_the_place_of_a_file_is_told_every_time_until_it_is_gone(repo: Folder) -> None:
    repo.checkpoint()
    for name in ("src/util.py", "notes.txt"):
        repo.path(name).unlink()
        os.mkfifo(repo.path(name))
    why = {"src/util.py": "not a file", "notes.txt": "not a file"}
    assert [repo.create()["skipped_why"] for _ in range(3)] == [why, why, why]
    (repo.private_dir() / "index").write_bytes(b"damaged")
    taken = repo.create()
    assert taken["skipped_why"] == why
    repo.path("notes.txt").unlink()
    repo.write("notes.txt", "a file again\n")
    assert repo.create()["skipped"] == ["src/util.py"]
    # The checkpoint did not hold it, and does not take it away.
    assert repo.restore(taken["id"])["kept"] == ["notes.txt"]
    assert repo.path("notes.txt").read_text() == "a file again\n"


@pytest.mark.e2e
def test_a_directory_that_cannot_be_read_is_told_every_time_and_never_emptied(repo: Folder) -> None:
    repo.write("it's closed/new.txt", "new\n")
    repo.write("closed/deep/new.txt", "new\n")
    directories = [repo.path(name) for name in ("closed/deep", "docs", "it's closed", "cache")]
    for each in directories:
        each.chmod(0o000)
    told = [repo.run_bound("create", "--json").told for _ in range(2)]
    for each in directories:
        each.chmod(0o755)
    why = {
        "cache": "unreadable",
        "closed/deep": "unreadable",
        "docs": "unreadable",
        "it's closed": "unreadable",
    }
    assert [each["skipped_why"] for each in told] == [why, why]
    before = repo.tree()
    kept = repo.restore(told[1]["id"])["kept"]
    assert kept == ["cache/big.bin", "closed/deep/new.txt", "it's closed/new.txt"]
    assert repo.tree() == before


def test_a_file_that_cannot_be_read_is_skipped_and_never_deleted(repo: Folder) -> None:
    if os.getuid() == 0:
        pytest.skip("root can read everything")
    repo.write("locked", "l", 0o000)
    told = repo.create()
    assert told["skipped_why"] == {"locked": "unreadable"}
    repo.restore(told["id"])
    assert repo.path("locked").exists()


@pytest.mark.parametrize("words", [("stash", "drop", "-q"), ("branch", "-q", "-D", "side")])
def test_what_a_nested_repository_has_lost_of_its_history_is_named(
    repo: Folder, words: tuple[str, ...]
) -> None:
    inner = Folder(repo.path("inner")).init()
    inner.write("a.txt", "text\n")
    inner.commit()
    inner.git("branch", "side")
    inner.write("a.txt", "in the stash\n")
    inner.git("stash", "-q")
    taken = repo.checkpoint()
    assert repo.restore(taken)["kept_why"] == {}
    inner.git(*words)
    assert repo.restore(taken)["kept_why"] == {
        "inner": "a repository inside has changed, and its own files are not restored"
    }


@pytest.mark.parametrize("kind", ["submodule", "repository"])
def test_files_that_a_restore_puts_into_a_repository_leave_with_its_undo(
    repo: Folder, tmp_path: Path, kind: str
) -> None:
    other = Folder(tmp_path / "other").init()
    other.write("s.txt", "text\n")
    other.commit()
    taken, before = repo.checkpoint(), repo.tree()
    repo.git("rm", "-rq", "--cached", "docs")
    shutil.rmtree(repo.path("docs"))
    if kind == "submodule":
        words = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
        repo.git(*words, str(other.root), "docs")
    else:
        repo.git("clone", "-q", str(other.root), "docs")
    changed = repo.tree()
    for _ in range(2):
        restored = repo.restore(taken)
        assert "docs" in restored["kept"]
        assert {path: repo.tree().get(path) for path in before} == before
        repo.undo()
        assert repo.tree() == changed


@pytest.mark.parametrize("kind", ["submodule", "repository"])
def test_a_repository_inside_of_a_nested_one_is_named_if_it_has_changed(
    repo: Folder, tmp_path: Path, kind: str
) -> None:
    inner = Folder(repo.path("inner")).init()
    inner.write("a.txt", "text\n")
    inner.commit()
    if kind == "submodule":
        other = Folder(tmp_path / "other").init()
        other.write("s.txt", "text\n")
        other.commit()
        words = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
        inner.git(*words, str(other.root), "deep")
        inner.commit()
    else:
        Folder(inner.path("deep")).init().write("s.txt", "text\n")
    taken = repo.checkpoint()
    assert repo.restore(taken)["kept_why"] == {}
    inner.write("deep/s.txt", "agent\n")
    assert "inner/deep" in repo.restore(taken)["kept_why"]
