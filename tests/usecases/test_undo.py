"""Undo: exact, or only what the apply did, or refused; as far back as there were applies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from holdfast.changes.plan import FileRefused
from holdfast.changes.swaps import Content, Swap
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.undo import FileUndone, Undone, undo_last
from holdfast.usecases.redo import FileRedone, _redone
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Refused
from tests.end_to_end import fifty_files
from tests.end_to_end.fifty_files import snapshot
from tests.usecases.world import World

NOTHING_TO_UNDO = NothingDone(
    (
        FileRefused(
            "",
            Refused(
                "not_found", "there is nothing to undo: no apply below this root is on record."
            ),
        ),
    )
)


def apply(world: World, asked: str) -> None:
    with world.workspace() as workspace:
        outcome = apply_reply(ReplyText(asked), workspace)
    assert isinstance(outcome, AppliedReply), outcome


def undo(world: World) -> Undone | NothingDone:
    with world.workspace() as workspace:
        return undo_last(workspace)


def replace(path: str, old: str, new: str) -> str:
    return json.dumps({"path": path, "old": old, "new": new})


def test_bytes_modes_new_deleted_and_renamed_files_and_new_directories_are_as_they_were(
    world: World,
) -> None:
    world.root.rmdir()
    fifty_files.build(world.root)
    before = snapshot(world.root)
    apply(world, fifty_files.reply())
    assert snapshot(world.root) != before
    assert isinstance(undo(world), Undone)
    assert snapshot(world.root) == before
    assert world.left() == {"lock"}


def test_undo_goes_back_through_all_applies_and_then_there_is_nothing(world: World) -> None:
    world.write(a="x = 1\n")
    apply(world, replace("a.py", "x = 1", "x = 2"))
    apply(world, replace("a.py", "x = 2", "x = 3"))
    undone = undo(world)
    assert isinstance(undone, Undone)
    assert (undone.files, undone.seq) == ((FileUndone("a.py", "restored"),), 7)
    assert [change.seq for change in undone.changes] == [2]
    assert world.texts() == {"a.py": "x = 2\n"}
    apply(world, replace("a.py", "x = 2", "x = 4"))
    assert isinstance(undo(world), Undone)
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"a.py": "x = 1\n"}
    assert undo(world) == NOTHING_TO_UNDO


def test_undo_where_nothing_was_ever_applied_makes_no_state_directory(world: World) -> None:
    assert undo(world) == NOTHING_TO_UNDO
    assert not world.state.exists()


def test_a_file_that_was_written_over_stops_the_undo_of_all(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    apply(world, f"[{replace('a.py', 'x = 1', 'x = 2')}, {replace('b.py', 'x = 1', 'x = 2')}]")
    world.write(b="over\n")
    nothing = undo(world)
    assert isinstance(nothing, NothingDone)
    assert [(each.path, each.refused.reason) for each in nothing.refusals] == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 2\n", "b.py": "over\n"}
    world.write(b="x = 2\n")
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "x = 1\n"}


def test_a_deleted_file_that_somebody_made_again_is_not_overwritten(world: World) -> None:
    world.write(a="x = 1\n")
    apply(world, '{"path": "a.py", "delete": true}')
    world.write(a="another\n")
    message = (
        "a.py: this is no longer what the last apply left (there is a file now);"
        " move that file away, and run this again."
    )
    assert undo(world) == NothingDone((FileRefused("a.py", Refused("conflict", message)),))
    assert world.texts() == {"a.py": "another\n"}


def test_a_directory_in_which_somebody_put_a_file_stays(world: World) -> None:
    apply(world, json.dumps({"path": "new/a.py", "content": "x\n"}))
    (world.root / "new/theirs").write_text("kept\n")
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"new/theirs": "kept\n"}


def test_a_directory_that_is_gone_is_made_again_for_a_deleted_file(world: World) -> None:
    (world.root / "d").mkdir()
    (world.root / "d/a.py").write_text("x\n")
    apply(world, '{"path": "d/a.py", "delete": true}')
    (world.root / "d").rmdir()
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"d/a.py": "x\n"}


def test_a_mode_that_somebody_changed_since_is_theirs_and_stays(world: World) -> None:
    world.write(a="x = 1\n")
    apply(world, replace("a.py", "x = 1", "x = 2"))
    (world.root / "a.py").chmod(0o755)
    assert isinstance(undo(world), Undone)
    assert (world.root / "a.py").stat().st_mode & 0o777 == 0o755


def test_each_root_has_a_history_of_its_own(world: World, tmp_path: Path) -> None:
    world.write(a="x = 1\n")
    apply(world, replace("a.py", "x = 1", "x = 2"))
    other = tmp_path / "other"
    other.mkdir()
    first, world.root = world.root, other
    assert undo(world) == NOTHING_TO_UNDO
    world.root = first
    assert isinstance(undo(world), Undone)


@pytest.mark.parametrize(
    ("before", "after", "action"),
    [
        (None, Content(b"x"), "created"),
        (Content(b"x"), None, "deleted"),
        (Content(b"x"), Content(b"y"), "edited"),
    ],
)
def test_a_redone_file_is_named_by_what_happened_to_it(
    before: Content | None,
    after: Content | None,
    action: Literal["edited", "created", "deleted"],
) -> None:
    assert _redone(Swap("a", before, after)) == FileRedone("a", action)
