"""Changes belong to the session and the turn in which they came about."""

from __future__ import annotations

import json

import pytest

from holdfast.adapters.store.queries.turns import begin_turn
from holdfast.adapters.store.store import open_store
from holdfast.changes.change import ChangeOwner, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.observe import ChangeObserved, observe_difference
from holdfast.usecases.changes.propose import Proposed, propose_reply
from holdfast.usecases.changes.review import Accepted, apply_change
from holdfast.vocab.requests import FileRequest, Replace
from tests.adapters.store.world import new_world
from tests.usecases.world import World

TWENTY = "".join(f"line {number}\n" for number in range(1, 21))


def whole(path: str, text: str) -> ReplyText:
    return ReplyText(json.dumps({"path": path, "content": text}))


def start_turn(world: World) -> ChangeOwner:
    with open_store(str(world.state / "holdfast.sqlite3")) as store:
        made = store.run(new_world, world.root)
        return ChangeOwner(made.session.id, store.run(begin_turn, made.chat.id).id)


def test_requests_that_were_read_already_are_proposed_and_applied_for_their_turn(
    world: World,
) -> None:
    world.write(a="x = 1\n", b="y = 1\n")
    owner = start_turn(world)
    edit = RequestedEdits((FileRequest("a.py", "edit", Replace("x = 1", "x = 2")),))
    other = RequestedEdits((FileRequest("b.py", "edit", Replace("y = 1", "y = 2")),))
    before = {"b.py": (b"y = 2\n", 0o644)}
    with world.workspace() as workspace:
        proposed = propose_reply(edit, workspace, owner=owner)
        applied = apply_reply(other, workspace, owner=owner)
        seen = observe_difference(before, before | {"c.py": (b"", 0o644)}, workspace, owner=owner)
        alone = apply_reply(whole("d.py", "new\n"), workspace)
        assert isinstance(proposed, Proposed)
        assert isinstance(applied, AppliedReply)
        assert isinstance(seen, ChangeObserved)
        assert isinstance(alone, AppliedReply)
        ours = list_changes(workspace, owner=owner)
        assert isinstance(ours, tuple)
        assert [each.id for each in ours] == [seen.change.id, applied.change_id, proposed.change.id]
        assert {(each.session, each.turn) for each in ours} == {(owner.session, owner.turn)}
        waiting = list_changes(
            workspace, state="proposed", owner=ChangeOwner(session=owner.session)
        )
    assert waiting == (proposed.change,)


def test_the_parts_of_a_change_belong_to_its_turn(world: World) -> None:
    world.write(a=TWENTY)
    owner = start_turn(world)
    with world.workspace() as workspace:
        proposed = propose_reply(
            whole("a.py", TWENTY.replace("line 1\n", "LINE 1\n").replace("20", "XX")),
            workspace,
            owner=owner,
        )
        assert isinstance(proposed, Proposed)
        assert isinstance(apply_change(proposed.change.id, workspace, hunks=[1]), Accepted)
        ours = list_changes(workspace, owner=owner)
    assert isinstance(ours, tuple)
    assert [(each.state, each.requested.part_of) for each in ours] == [
        ("applied", proposed.change.id),
        ("rejected", None),
        ("proposed", proposed.change.id),
    ]


def test_a_turn_that_is_not_there_lets_nothing_happen(world: World) -> None:
    world.write(a="x = 1\n")
    with (
        world.workspace() as workspace,
        pytest.raises(LogUnavailable, match="turn gone: it is no longer in the store"),
    ):
        apply_reply(whole("a.py", "x = 2\n"), workspace, owner=ChangeOwner(turn="gone"))
    assert world.texts() == {"a.py": "x = 1\n"}
    with world.workspace() as workspace:
        assert list_changes(workspace) == ()
