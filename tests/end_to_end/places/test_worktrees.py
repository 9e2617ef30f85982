"""A linked worktree belongs to the project that it was made from; its files are its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from holdfast.testing import call
from tests.end_to_end.places.desk import Desk


@pytest.fixture
def main(desk: Desk) -> Path:
    return desk.repository("main")


@pytest.fixture
def linked(desk: Desk, main: Path) -> Path:
    return desk.worktree(main, "linked")


def test_a_session_of_a_linked_worktree_goes_on_there_from_the_main_one(
    desk: Desk, main: Path, linked: Path
) -> None:
    begun = desk.turn(linked, call("write_file", path="c.txt", content="c\n"))
    assert (linked / "c.txt").read_text() == "c\n"
    again = desk.turn(
        main,
        call("write_file", path="d.txt", content="d\n"),
        options=("--continue", begun.session),
    )
    assert (again.session, again.code) == (begun.session, 0)
    assert (linked / "d.txt").read_text() == "d\n"
    assert not (main / "d.txt").exists()
    assert f"goes on in its own worktree, {linked}" in again.err


def test_a_worktree_that_git_has_moved_is_found_from_the_main_one(
    desk: Desk, main: Path, linked: Path
) -> None:
    session = desk.turn(linked).session
    moved = desk.place / "moved"
    desk.git(main, "worktree", "move", str(linked), str(moved))
    listed = desk.json(main, "checkpoint", "list")["checkpoints"]
    assert [(each["worktree"], each["worktree_gone"]) for each in listed] == [(str(moved), False)]
    edit = call("write_file", path="d.txt", content="d\n")
    assert desk.turn(main, edit, options=("--continue", session)).code == 0
    assert (moved / "d.txt").read_text() == "d\n"


def test_a_named_root_takes_a_session_of_another_worktree_to_that_root(
    desk: Desk, main: Path, linked: Path
) -> None:
    begun = desk.turn(linked)
    edit = call("write_file", path="d.txt", content="d\n")
    here = ("--continue", begun.session, "--root", str(main))
    assert desk.turn(linked, edit, options=here).code == 0
    assert (main / "d.txt").read_text() == "d\n"
    edit = call("write_file", path="e.txt", content="e\n")
    desk.turn(linked, edit, options=("--continue", begun.session))
    assert (main / "e.txt").read_text() == "e\n"


def test_a_session_whose_worktree_is_gone_is_refused_with_what_to_do(
    desk: Desk, main: Path, linked: Path
) -> None:
    session = desk.turn(linked).session
    desk.git(main, "worktree", "remove", "--force", str(linked))
    refused = desk.turn(main, options=("--continue", session))
    assert refused.code == 1
    cure = f"holdfast run --continue {session} --root {main}"
    assert f"works in the worktree {linked}, which is gone" in refused.err
    assert cure in refused.err
    again = desk.turn(main, options=("--continue", session, "--root", str(main)))
    assert (again.session, again.code) == (session, 0)


def test_changes_and_checkpoints_of_all_worktrees_are_listed_with_their_worktree(
    desk: Desk, main: Path, linked: Path
) -> None:
    inner = linked / "deep" / "er"
    inner.mkdir(parents=True)
    desk.apply(linked, "one", "two")
    desk.apply(main, "one", "three")
    in_linked, in_main = desk.checkpoint(linked), desk.checkpoint(main)
    for here in (main, linked, inner):
        listed = desk.changes(here)
        assert [each["worktree"] for each in listed] == [str(main), str(linked)]
        found = desk.checkpoints(here)
        assert set(found) == {in_linked, in_main}
    assert desk.checkpoints(main)[in_linked] == str(linked)
    assert desk.checkpoints(linked)[in_main] == str(main)


def test_what_was_done_in_a_removed_worktree_is_still_listed(
    desk: Desk, main: Path, linked: Path
) -> None:
    taken = desk.checkpoint(linked)
    desk.apply(linked, "one", "two")
    desk.git(main, "worktree", "remove", "--force", str(linked))
    (listed,) = desk.json(main, "checkpoint", "list")["checkpoints"]
    assert (listed["id"], listed["worktree"], listed["worktree_gone"]) == (taken, str(linked), True)
    assert [each["worktree"] for each in desk.changes(main)] == [str(linked)]
    assert (
        f"{linked}, which is gone" in desk.run(main, "checkpoint", "restore", taken, "--json").why
    )


def test_undo_undoes_the_last_change_of_this_worktree(desk: Desk, main: Path, linked: Path) -> None:
    desk.apply(main, "one", "two")
    desk.apply(linked, "one", "three")
    assert desk.run(main, "undo").code == 0
    assert (main / "a.txt").read_text() == "one\n"
    assert (linked / "a.txt").read_text() == "three\n"
    assert "nothing to undo" in desk.run(main, "undo", "--json").why


def test_a_change_of_another_worktree_is_refused_with_the_command_that_works(
    desk: Desk, main: Path, linked: Path
) -> None:
    change = desk.apply(linked, "one", "two", "changes", "propose").told["id"]
    for word in ("apply", "reject"):
        why = desk.run(main, "changes", word, change, "--json").why
        assert f"holdfast changes {word} {change} --root {linked}" in why
    assert desk.run(main, "changes", "show", change).code == 0
    assert desk.run(main, "changes", "apply", change, "--root", str(linked)).code == 0
    assert (linked / "a.txt").read_text() == "two\n"
    assert (main / "a.txt").read_text() == "one\n"
    why = desk.run(main, "changes", "rewind", change, "--json").why
    assert f"holdfast changes rewind {change} --root {linked}" in why


def test_a_checkpoint_of_another_worktree_is_refused_with_the_command_that_works(
    desk: Desk, main: Path, linked: Path
) -> None:
    taken = desk.checkpoint(linked)
    (linked / "a.txt").write_text("two\n")
    for word in ("restore", "show", "diff"):
        why = desk.run(main, "checkpoint", word, taken, "--json").why
        assert f"holdfast checkpoint restore {taken} --root {linked}" in why
    assert desk.run(main, "checkpoint", "restore", taken, "--root", str(linked)).code == 0
    assert (linked / "a.txt").read_text() == "one\n"


def test_the_model_reads_no_proposal_of_another_worktree(
    desk: Desk, main: Path, linked: Path
) -> None:
    desk.apply(linked, "one", "PROPOSED", "changes", "propose")
    read = call("read_file", path="a.txt")
    turn = desk.turn(main, read, options=("--approve", "review"))
    assert not any("PROPOSED" in request for request in turn.requests)
    turn = desk.turn(linked, read, options=("--approve", "review"))
    assert any("PROPOSED" in request for request in turn.requests)


def test_the_event_log_of_a_project_is_that_of_all_its_worktrees(
    desk: Desk, main: Path, linked: Path
) -> None:
    desk.apply(linked, "one", "two")
    inner = main / "deep"
    inner.mkdir()
    lines = desk.run(inner, "events", "--json").out.splitlines()
    assert "change_moved" in {json.loads(line)["kind"] for line in lines}


def test_a_worktree_of_a_bare_repository_belongs_to_that_repository(desk: Desk, main: Path) -> None:
    desk.git(desk.place, "clone", "-q", "--bare", str(main), "bare.git")
    one = desk.worktree(desk.place / "bare.git", "first")
    two = desk.worktree(desk.place / "bare.git", "second")
    desk.apply(one, "one", "two")
    assert [each["worktree"] for each in desk.changes(two)] == [str(one)]
    assert desk.changes(main) == []


def test_a_linked_worktree_without_its_git_file_still_belongs_to_the_project(
    desk: Desk, main: Path, linked: Path
) -> None:
    desk.apply(linked, "one", "two")
    (linked / ".git").unlink()
    desk.apply(main, "one", "three")
    assert [each["worktree"] for each in desk.changes(linked)] == [str(main), str(linked)]
    assert desk.run(linked, "undo").code == 0
    assert (linked / "a.txt").read_text() == "one\n"


def test_a_project_whose_git_is_removed_or_made_anew_is_the_same(desk: Desk, main: Path) -> None:
    desk.apply(main, "one", "two")
    shutil.rmtree(main / ".git")
    assert len(desk.changes(main)) == 1
    desk.git(main, "init", "-q")
    assert len(desk.changes(main)) == 1
    assert desk.run(main, "undo").code == 0
    assert (main / "a.txt").read_text() == "one\n"
