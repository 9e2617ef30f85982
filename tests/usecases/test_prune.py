"""Old changes are forgotten, and what waits for somebody is not."""

from __future__ import annotations

import json

from holdfast.changes.plan import FileRefused
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.propose import Proposed, propose_reply
from holdfast.usecases.changes.prune import ChangesPruned, prune_changes
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Refused
from tests.usecases.world import World


def bump(number: int) -> ReplyText:
    return ReplyText(
        json.dumps({"path": "a.py", "old": f"x = {number}", "new": f"x = {number + 1}"})
    )


def test_old_changes_are_forgotten_and_what_is_proposed_is_not(world: World) -> None:
    world.write(a="x = 1\n")
    with world.workspace() as workspace:
        first, second = (apply_reply(bump(number), workspace) for number in (1, 2))
        waits = propose_reply(bump(3), workspace)
        assert isinstance(first, AppliedReply)
        assert isinstance(second, AppliedReply)
        assert isinstance(waits, Proposed)
        assert prune_changes(workspace, keep=1) == ChangesPruned((str(first.change_id),), 2, seq=9)
        assert workspace.log.ids() == (waits.change.id, second.change_id)
        assert isinstance(undo_last(workspace), Undone)
        nothing = Refused(
            "not_found", "there is nothing to undo: no apply below this root is on record."
        )
        assert undo_last(workspace) == NothingDone((FileRefused("", nothing),))
    assert world.texts() == {"a.py": "x = 2\n"}


def test_where_nothing_was_ever_done_nothing_is_made(world: World) -> None:
    with world.workspace() as workspace:
        assert prune_changes(workspace, keep=0) == ChangesPruned((), 0)
    assert not world.state.exists()
