"""Turns are undone as one, undos are redone, and what can be redone is known from the log alone."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import ChangesUndone, LastUndo, RestoreUndone
from holdfast.changes.plan import FileRefused
from holdfast.usecases.changes.apply import AppliedReply, apply_reply
from holdfast.usecases.changes.propose import Proposed, propose_difference
from holdfast.usecases.changes.reject_hunks import reject_hunks
from holdfast.usecases.changes.review import Accepted, Rejected
from holdfast.usecases.changes.undo import FileUndone, Undone, undo_last, undo_turn
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.events.redo_stack import redo_stack
from holdfast.usecases.redo import ChangesRedone, FileRedone, redo_last
from holdfast.usecases.settle_outcome import Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved
from holdfast.vocab.events import (
    CheckpointRestored,
    CheckpointsRemoved,
    Event,
    SessionDeleted,
)
from holdfast.vocab.outcomes import Refused
from tests.usecases.memory_worktrees import MemoryWorktrees
from tests.usecases.test_owner import TWENTY, start_turn, whole
from tests.usecases.world import World

NOTHING = FileRefused(
    "",
    Refused(
        "not_found", "there is nothing to redo: nothing was undone here since the last change."
    ),
)
NO_TURN = FileRefused(
    "",
    Refused(
        "not_found",
        "there is nothing to undo: no change of a turn below this root is on record. Ignored files "
        "and empty directories are in no change; the checkpoint before the turn may have them: "
        "holdfast checkpoint list.",
    ),
)


def restore_event(verb: Any, checkpoint: str, undo_checkpoint: str) -> CheckpointRestored:
    return CheckpointRestored(
        verb,
        "both",
        checkpoint,
        undo_checkpoint,
        0,
        0,
        worktree_reset=True,
        backend_reset=False,
    )


def moved(change: str, state: Any, group: str | None = None) -> ChangeMoved:
    return ChangeMoved(change, state, group=group)


def undone(*changes: str) -> ChangesUndone:
    return ChangesUndone(changes)


@pytest.mark.parametrize(
    ("events", "stack"),
    [
        ([moved("a", "rewound")], [undone("a")]),
        ([moved("b", "rewound"), moved("a", "rewound")], [undone("b"), undone("a")]),
        # What was undone together is redone together, the oldest first.
        ([moved("b", "rewound", "g"), moved("a", "rewound", "g")], [undone("a", "b")]),
        ([moved("b", "rewound", "g"), moved("a", "rewound", "h")], [undone("b"), undone("a")]),
        ([moved("a", "rewound"), moved("a", "applied")], []),
        (
            [moved("b", "rewound", "g"), moved("a", "rewound", "g"), moved("a", "applied", "g")],
            [undone("b")],
        ),
        # The rest of a group still belongs together.
        (
            [
                moved("b", "rewound", "g"),
                moved("a", "rewound", "g"),
                moved("a", "applied", "g"),
                moved("a", "rewound", "g"),
            ],
            [undone("a", "b")],
        ),
        # A change that was not undone clears what could be redone.
        ([moved("a", "rewound"), moved("c", "applied")], []),
        ([moved("a", "rewound"), moved("c", "proposed")], [undone("a")]),
        ([moved("a", "rewound"), moved("elsewhere", "applied")], [undone("a")]),
        ([restore_event("undo", "c", "u")], [RestoreUndone("u")]),
        ([restore_event("undo", "c", "u"), restore_event("restore", "u", "v")], []),
        ([moved("a", "rewound"), restore_event("restore", "c", "u")], []),
        ([moved("a", "rewound"), restore_event("restore", "c", "elsewhere")], [undone("a")]),
        ([restore_event("undo", "c", "u"), moved("a", "applied")], []),
        ([moved("b", "rewound"), moved("a", "rewound"), ChangesRemoved(("b",))], [undone("a")]),
        ([moved("a", "rewound"), SessionDeleted("s", change_ids=("a",))], []),
        (
            [moved("a", "rewound"), restore_event("undo", "c", "u"), CheckpointsRemoved(("u",))],
            [undone("a")],
        ),
        ([restore_event("undo", "c", "u"), CheckpointsRemoved(("c",))], [RestoreUndone("u")]),
    ],
)
def test_what_can_be_redone_is_known_from_the_log(
    events: list[Event], stack: list[LastUndo]
) -> None:
    logged: list[tuple[str, dict[str, Any]]] = [
        (event.kind, event_to_json(event)) for event in events
    ]
    logged.insert(0, ("of_a_newer_version", {}))
    assert redo_stack(logged, {"elsewhere"}) == tuple(stack)


def apply(world: World, path: str, text: str, owner: ChangeOwner | None = None) -> str:
    with world.workspace() as workspace:
        asked = whole(path, text)
        applied = (
            apply_reply(asked, workspace, owner=owner) if owner else apply_reply(asked, workspace)
        )
    assert isinstance(applied, AppliedReply), applied
    assert applied.change_id is not None
    return applied.change_id


def undo_the_turn(world: World, session: str | None = None) -> Undone | NothingDone:
    with world.workspace() as workspace:
        return undo_turn(workspace, session=session)


def redo(world: World) -> ChangesRedone | Restored | NothingDone:
    with world.workspace() as workspace:
        return redo_last(workspace, MemoryWorktrees().port())


def test_a_turn_is_undone_as_one_and_redone_as_one(world: World) -> None:
    world.write(a="1\n")
    owner = start_turn(world)
    first = apply(world, "a.py", "2\n", owner)
    second = apply(world, "new/b.py", "b\n", owner)
    third = apply(world, "a.py", "3\n", owner)
    undone = undo_the_turn(world)
    assert isinstance(undone, Undone), undone
    assert world.texts() == {"a.py": "1\n"}
    assert not (world.root / "new").exists()
    assert undone.turn == owner.turn
    assert [change.id for change in undone.changes] == [third, second, first]
    assert undone.files == (FileUndone("a.py", "restored"), FileUndone("new/b.py", "removed"))
    redone = redo(world)
    assert isinstance(redone, ChangesRedone), redone
    assert world.texts() == {"a.py": "3\n", "new/b.py": "b\n"}
    assert [change.id for change in redone.changes] == [first, second, third]
    assert redone.files == (FileRedone("a.py", "edited"), FileRedone("new/b.py", "created"))
    assert redone.seq == world.events()[-1].seq
    assert redo(world) == NothingDone((NOTHING,))


def test_a_turn_that_made_and_removed_a_file_is_undone_without_touching_it(world: World) -> None:
    world.write(a="1\n")
    owner = start_turn(world)
    apply(world, "a.py", "2\n", owner)
    apply(world, "a.py", "1\n", owner)
    undone = undo_the_turn(world, owner.session)
    assert isinstance(undone, Undone), undone
    assert (world.texts(), undone.seq) == ({"a.py": "1\n"}, world.events()[-1].seq)
    redone = redo(world)
    assert isinstance(redone, ChangesRedone), redone
    assert (world.texts(), redone.seq) == ({"a.py": "1\n"}, world.events()[-1].seq)


def test_no_turn_to_undo_is_said(world: World) -> None:
    assert undo_the_turn(world) == NothingDone((NO_TURN,))
    apply(world, "a.py", "1\n")
    assert undo_the_turn(world) == NothingDone((NO_TURN,))
    owner = start_turn(world)
    apply(world, "b.py", "1\n", owner)
    assert undo_the_turn(world, "another") == NothingDone((NO_TURN,))


def test_a_turn_whose_lines_were_edited_since_is_not_undone_at_all(world: World) -> None:
    world.write(a="1\n", b="1\n")
    owner = start_turn(world)
    apply(world, "b.py", "2\n", owner)
    apply(world, "a.py", "2\n", owner)
    later = apply(world, "a.py", "3\n")
    outcome = undo_the_turn(world)
    assert isinstance(outcome, NothingDone)
    [refused] = outcome.refusals
    assert (refused.path, refused.refused.reason) == ("a.py", "conflict")
    assert later in refused.refused.message
    assert world.texts() == {"a.py": "3\n", "b.py": "2\n"}


def test_a_redo_of_lines_that_were_edited_since_is_refused(world: World) -> None:
    world.write(a="1\n")
    change = apply(world, "a.py", "2\n")
    with world.workspace() as workspace:
        undo_last(workspace)
    world.write(a="by hand\n")
    assert redo(world) == NothingDone(
        (
            FileRefused(
                "a.py",
                Refused(
                    "conflict",
                    (
                        f"a.py: this is no longer what the undo of change {change} left (other edits "
                        f"touch the same lines); `holdfast changes show {change}` has the edit."
                    ),
                ),
            ),
        )
    )
    assert world.texts() == {"a.py": "by hand\n"}


# ---- parts of a change


def test_hunks_of_a_proposed_change_are_rejected_and_the_others_stay(world: World) -> None:
    world.write(a=TWENTY)
    edited = TWENTY.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    before, after = {"a.py": (TWENTY.encode(), 0o644)}, {"a.py": (edited.encode(), 0o644)}
    with world.workspace() as workspace:
        proposed = propose_difference(before, after, workspace)
        assert isinstance(proposed, Proposed)
        rejected = reject_hunks(proposed.change.id, workspace, [1])
        assert isinstance(rejected, Rejected), rejected
        states = {change.state: change for change in workspace.log.list()}
        assert set(states) == {"proposed", "rejected"}
        [kept] = states["proposed"].plan.swaps
        assert kept.after is not None
        assert kept.after.data.decode() == TWENTY.replace("line 18\n", "eighteen\n")
        again = reject_hunks(rejected.change.id, workspace, [1])
        assert isinstance(again, NothingDone)
        assert "rejected" in again.refusals[0].refused.message
    assert world.texts() == {"a.py": TWENTY}


def test_hunks_of_an_applied_change_are_taken_out_of_the_files_by_another(world: World) -> None:
    world.write(a=TWENTY)
    owner = start_turn(world)
    edited = TWENTY.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    change = apply(world, "a.py", edited, owner)
    with world.workspace() as workspace:
        taken_out = reject_hunks(change, workspace, [1])
        assert isinstance(taken_out, Accepted), taken_out
        assert world.texts() == {"a.py": TWENTY.replace("line 18\n", "eighteen\n")}
        newest = workspace.log.list()[0]
        assert (newest.session, newest.turn) == (owner.session, owner.turn)
        again = reject_hunks(change, workspace, [1])
        assert isinstance(again, NothingDone)
        assert [each.refused for each in again.refusals] == [
            Refused(
                "already_applied", f"change {change}: the files do not have these hunks any more."
            )
        ]
        wrong = reject_hunks(change, workspace, [3])
        assert isinstance(wrong, NothingDone)
        assert wrong.refusals[0].refused.reason == "out_of_bounds"
        unknown = reject_hunks("zzz", workspace, [1])
        assert isinstance(unknown, NothingDone)
        assert "there is no such change" in unknown.refusals[0].refused.message


def test_a_file_that_a_change_made_is_taken_out_whole(world: World) -> None:
    change = apply(world, "b.py", "b\n")
    with world.workspace() as workspace:
        taken_out = reject_hunks(change, workspace, [1])
        assert isinstance(taken_out, Accepted), taken_out
    assert world.texts() == {}


def test_some_hunks_of_a_difference_are_proposed(world: World) -> None:
    world.write(a=TWENTY)
    edited = TWENTY.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    before, after = {"a.py": (TWENTY.encode(), 0o644)}, {"a.py": (edited.encode(), 0o644)}
    with world.workspace() as workspace:
        assert propose_difference(after, before, workspace) is None
        wrong = propose_difference(before, after, workspace, hunks=[3])
        assert isinstance(wrong, NothingDone)
        assert wrong.refusals[0].refused.reason == "out_of_bounds"
        assert workspace.log.list() == ()
        part = propose_difference(before, after, workspace, hunks=[2])
        assert isinstance(part, Proposed)
        [swap] = part.change.plan.swaps
        assert swap.after is not None
        assert swap.after.data.decode() == TWENTY.replace("line 18\n", "eighteen\n")
        both = propose_difference(before, after, workspace, hunks=[1, 1])
        assert isinstance(both, Proposed)
        [swap] = both.change.plan.swaps
        assert swap.after is not None
        assert swap.after.data.decode() == edited


def test_a_difference_that_does_not_fit_the_files_is_refused(world: World) -> None:
    world.write(a="by hand\n")
    with world.workspace() as workspace:
        outcome = propose_difference(
            {"a.py": (b"1\n", 0o644)}, {"a.py": (b"2\n", 0o644)}, workspace
        )
    assert isinstance(outcome, NothingDone)
    assert outcome.refusals[0].path == "a.py"
