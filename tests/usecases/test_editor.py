from __future__ import annotations

import pytest

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.changes.change import ChangeOwner, RequestedEdits
from holdfast.changes.plan import ChangePlan
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.ports import FileFound, FileLook
from holdfast.usecases.changes.propose import Proposed, overlay_of, propose_reply
from holdfast.usecases.changes.review import reject_change
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.turns import turn_editor
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.usecases.turns.turn_editor import ReviewedFiles
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.requests import FileRequest, Replace
from holdfast.wiring.late_store import StoreProblem
from holdfast.wiring.workspaces import DiskWorkspace
from tests.usecases.world import World

pytestmark = pytest.mark.integration


def propose(workspace: DiskWorkspace, old: str, new: str) -> str:
    proposed = propose_reply(
        RequestedEdits((FileRequest("a.py", "edit", Replace(old, new)),)), workspace
    )
    assert isinstance(proposed, Proposed)
    return proposed.change.id


def text(looked: FileLook) -> bytes:
    assert isinstance(looked, FileFound)
    return looked.data


def test_proposals_are_laid_over_the_files_once_while_both_stay(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid: list[int] = []

    def counting(workspace: DiskWorkspace) -> object:
        laid.append(1)
        return overlay_of(workspace)

    monkeypatch.setattr(turn_editor, "overlay_of", counting)
    world.write(a="x = 1\ny = 1\n")
    with world.workspace() as workspace:
        files = ReviewedFiles(workspace)
        propose(workspace, "x = 1", "x = 2")
        assert [text(files.look("a.py")) for _ in range(5)] == [b"x = 2\ny = 1\n"] * 5
        assert files.covered() == {"a.py"}
        assert len(laid) == 1


def test_a_new_proposal_a_rejected_one_and_an_edit_on_the_disk_are_seen_at_once(
    world: World,
) -> None:
    world.write(a="x = 1\ny = 1\n")
    with world.workspace() as workspace:
        files = ReviewedFiles(workspace)
        first = propose(workspace, "x = 1", "x = 2")
        seen = [text(files.look("a.py"))]
        propose(workspace, "y = 1", "y = 2")
        seen.append(text(files.look("a.py")))
        reject_change(first, workspace)
        seen.append(text(files.look("a.py")))
        world.write(a="# new\nx = 1\ny = 1\n")
        seen.append(text(files.look("a.py")))
    assert seen == [
        b"x = 2\ny = 1\n",
        b"x = 2\ny = 2\n",
        b"x = 1\ny = 2\n",
        b"# new\nx = 1\ny = 2\n",
    ]


@pytest.mark.parametrize("review", [False, True])
def test_a_turn_that_is_asked_to_stop_lands_no_edit(world: World, *, review: bool) -> None:
    world.write(a="x = 1\n")
    with world.workspace() as workspace, world.workspace() as other:
        place, locks = workspace.place, TurnLocks(world.state)
        turns = workspace.store.turn_log(place, locks)
        assert not isinstance(turns, StoreProblem)
        begun = turns.begin(TurnRequest("Go.", "m", "s", "t"), lambda _: ())
        assert isinstance(begun, TurnBegun)
        owner = ChangeOwner(begun.session, begun.turn)
        editor = turn_editor.TurnEditor(workspace, owner, review=review)
        edit = RequestedEdits((FileRequest("a.py", "edit", Replace("x = 1", "x = 2")),))
        plan = plan_requests(edit.requests, workspace.files, overwrite=False)
        assert isinstance(plan, ChangePlan)
        running = other.store.running_turns(place)
        running.ask_to_stop(running.at_work(StopScope(begun.session)), "Stopped: it was restored.")
        with pytest.raises(TurnStopped, match="it was restored"):
            editor.land(edit, plan)
        assert (world.texts(), workspace.log.ids()) == ({"a.py": "x = 1\n"}, ())
