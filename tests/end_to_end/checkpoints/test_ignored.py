"""Small ignored files come back; no restore deletes one, whichever way the rules have changed."""

from __future__ import annotations

from tests.end_to_end.checkpoints.repo import Folder, ref_of


def test_ignored_data_survives_a_restore_across_rules_that_grew(repo: Folder) -> None:
    repo.write("data/rows.csv", "1,2\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.write(".gitignore", "*.log\n.env\ncache/\ndata/\nnew/\n")
    repo.write("new/made.bin", "made while ignored")
    repo.write("data/more.csv", "3,4\n")
    grown = repo.tree()
    repo.restore(taken)
    survivors = {path: grown[path] for path in (b"new/made.bin", b"data/more.csv")}
    assert repo.tree() == before | survivors
    repo.undo()
    assert repo.tree() == grown


def test_ignored_data_survives_a_restore_across_rules_that_shrank(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write(".gitignore", "*.tmp\n")
    shrunk = repo.tree()
    # Now .env, debug.log and cache/ are plain untracked files, and this one captures them.
    repo.checkpoint()
    restored = repo.restore(taken)
    assert repo.tree() == before
    assert restored["kept"] == []
    repo.undo()
    assert repo.tree() == shrunk


def test_a_gitignore_that_was_deleted_takes_no_ignored_file_with_it(repo: Folder) -> None:
    repo.write("sub/.gitignore", "*.db\n")
    repo.write("sub/a.db", "rows")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("sub/.gitignore").unlink()
    repo.path(".gitignore").unlink()
    repo.restore(taken)
    assert repo.tree() == before


def test_files_that_are_ignored_meanwhile_are_still_captured_if_they_are_small(
    repo: Folder,
) -> None:
    repo.write("large.bin", b"x" * (1024 * 1024 + 1))
    repo.checkpoint()
    repo.write(".gitignore", "*.log\n.env\ncache/\nnotes.txt\nlarge.bin\n")
    later = repo.create()
    names = repo.names_in(later["id"])
    assert "notes.txt" in names
    assert "large.bin" not in names
    assert later["skipped_why"] == {"large.bin": "ignored, too large"}


def test_rules_outside_the_worktree_count_too(repo: Folder) -> None:
    repo.write("large.bin", b"x" * (1024 * 1024 + 1))
    repo.checkpoint()
    exclude = repo.git_dir() / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("large.bin\n")
    later = repo.create()
    assert later["skipped_why"] == {"large.bin": "ignored, too large"}
    assert "large.bin" not in repo.names_in(later["id"])
    assert repo.path("large.bin").exists()


def test_an_ignored_file_that_was_added_by_force_is_captured_and_survives(repo: Folder) -> None:
    early = repo.checkpoint()
    repo.git("add", "-f", "debug.log")
    taken = repo.checkpoint()
    assert repo.private("show", f"{ref_of(taken)}:debug.log") == "log\n"
    repo.write("debug.log", "changed\n")
    repo.restore(taken)
    assert repo.path("debug.log").read_text() == "log\n"
    assert repo.restore(early)["kept"] == []
    assert repo.path("debug.log").read_text() == "log\n"


def test_an_ignored_file_where_the_checkpoint_has_another_is_in_the_undo_point(
    repo: Folder,
) -> None:
    repo.write("config.local", "the checkpoint's\n")
    taken = repo.checkpoint()
    repo.write(".gitignore", "*.log\n.env\ncache/\nconfig.local\n")
    repo.checkpoint()
    repo.write("config.local", "ignored and precious\n")
    before = repo.tree()
    restored = repo.restore(taken)
    assert repo.path("config.local").read_text() == "the checkpoint's\n"
    point = restored["undo_checkpoint_id"]
    assert repo.private("show", f"{ref_of(point)}:config.local") == "ignored and precious\n"
    repo.undo()
    assert repo.tree() == before


def test_an_ignored_file_where_the_checkpoint_has_a_directory_is_in_the_undo_point(
    repo: Folder,
) -> None:
    repo.write("out/result.txt", "the checkpoint's\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("out/result.txt").unlink()
    repo.path("out").rmdir()
    repo.write(".gitignore", "*.log\n.env\ncache/\nout\n")
    repo.write("out", "an ignored file\n")
    changed = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == changed


def test_an_ignored_symlink_where_the_checkpoint_has_a_directory_is_never_followed(
    repo: Folder,
) -> None:
    repo.write("out/one.txt", "1\n")
    repo.write("out/two.txt", "2\n")
    taken, before = repo.checkpoint(), repo.tree()
    for name in ("one", "two"):
        repo.path(f"out/{name}.txt").unlink()
    repo.path("out").rmdir()
    repo.write(".gitignore", "*.log\n.env\ncache/\nout\n")
    repo.link("out", "cache")
    repo.write("cache/one.txt", "behind the link\n")
    changed = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before | {b"cache/one.txt": ("file", b"behind the link\n", 0o644)}
    repo.undo()
    assert repo.tree() == changed


def test_a_directory_of_ignored_files_in_the_way_stops_the_restore_and_nothing_changes(
    repo: Folder,
) -> None:
    repo.write("build", "a file\n")
    taken = repo.checkpoint()
    repo.path("build").unlink()
    repo.write("build/keep.log", "ignored\n")
    repo.write("build/seen.txt", "captured\n")
    repo.write("src/app.py", "agent\n")
    before, users, ids = repo.tree(), repo.users(), repo.ids()
    why = repo.run("restore", taken, "--json").why
    assert "build/keep.log" in why
    assert "move it away" in why
    assert (repo.tree(), repo.users(), repo.ids()) == (before, users, ids)
    repo.path("build/keep.log").unlink()
    repo.restore(taken)
    assert repo.path("build").read_text() == "a file\n"


def test_a_directory_of_captured_files_gives_way_and_undo_brings_it_back(repo: Folder) -> None:
    repo.write("x", "a file\n")
    taken = repo.checkpoint()
    repo.path("x").unlink()
    repo.write(".gitignore", "nothing\n")
    repo.write("x/data.log", "captured now, ignored then\n")
    before = repo.tree()
    repo.restore(taken)
    assert repo.path("x").read_text() == "a file\n"
    repo.undo()
    assert repo.tree() == before


def test_a_gitignore_that_ignores_itself_still_protects(repo: Folder) -> None:
    taken = repo.checkpoint()
    repo.write(".venv/.gitignore", "*\n")
    repo.write(".venv/lib/x.py", "x\n")
    before = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before


def test_data_that_a_gitignore_ignores_which_ignores_itself_comes_back(repo: Folder) -> None:
    repo.write("data/rows.csv", "one\n", 0o600)
    repo.write("data/tracked.csv", "one\n")
    repo.git("add", "data/tracked.csv")
    early, first = repo.checkpoint(), repo.tree()
    repo.write("data/.gitignore", "*\n")
    taken, second = repo.checkpoint(), repo.tree()
    repo.write("data/rows.csv", "two\n", 0o640)
    repo.write("data/tracked.csv", "two\n")
    repo.write("src/app.py", "agent\n")
    before = repo.tree()
    for each, tree in ((taken, second), (early, first)):
        assert repo.restore(each)["kept"] == []
        assert repo.tree() == tree
        repo.undo()
        assert repo.tree() == before


def test_captured_data_that_is_ignored_since_makes_way_for_a_file_and_undo_brings_it_back(
    repo: Folder,
) -> None:
    repo.write("box/data", "a file\n")
    taken = repo.checkpoint()
    repo.path("box/data").unlink()
    repo.write("box/data/rows.csv", "captured\n")
    repo.checkpoint()
    repo.write("box/.gitignore", "*\n")
    before = repo.tree()
    repo.restore(taken)
    assert repo.path("box/data").read_text() == "a file\n"
    repo.undo()
    assert repo.tree() == before
