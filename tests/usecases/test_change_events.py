"""Each use case of changes publishes its events itself, in the transaction that does the thing."""

from __future__ import annotations

import json

import pytest

from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.observe import ChangeObserved, observe_difference
from holdfast.usecases.changes.propose import Proposed, propose_reply
from holdfast.usecases.changes.prune import ChangesPruned, prune_changes
from holdfast.usecases.changes.review import Accepted, Rejected, apply_change, reject_change
from holdfast.usecases.changes.rewind import Rewound, rewind_change
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.workspace import NothingDone
from tests.usecases.test_owner import start_turn
from tests.usecases.world import World

pytestmark = pytest.mark.integration

TWENTY = "".join(f"line {number}\n" for number in range(1, 21))


def whole(path: str, text: str) -> ReplyText:
    return ReplyText(json.dumps({"path": path, "content": text}))


def apply(world: World, text: str, owner: ChangeOwner | None = None) -> AppliedReply:
    with world.workspace() as workspace:
        done = apply_reply(whole("a.py", text), workspace, owner=owner or ChangeOwner())
    assert isinstance(done, AppliedReply), done
    return done


def brief(world: World, after: int = 0) -> list[tuple[object, ...]]:
    """Return kind, change and state of each event, or its path."""
    found: list[tuple[object, ...]] = []
    for event in world.events(after):
        body = event.body
        if event.kind == "change_moved":
            found.append((event.kind, body["change_id"], body["state"], body["replaces"]))
        elif event.kind == "changes_removed":
            found.append((event.kind, *body["change_ids"]))
        else:
            found.append((event.kind, body["change_id"], body["path"], body.get("proposed")))
    return found


def test_apply_publishes_and_returns_the_number_of_its_last_event(world: World) -> None:
    done = apply(world, "x = 1\n")
    logged = world.events()
    assert brief(world) == [
        ("change_moved", done.change_id, "proposed", None),
        ("change_moved", done.change_id, "applied", None),
        ("edit_landed", done.change_id, "a.py", False),
    ]
    assert [event.seq for event in logged] == [1, 2, 3]
    assert done.seq == 3
    assert [event.kind for event in done.events] == [event.kind for event in logged]
    assert "+x = 1" in logged[2].body["diff"]


def test_an_event_belongs_to_the_session_and_the_turn_of_its_change(world: World) -> None:
    owner = start_turn(world)
    apply(world, "x = 1\n", owner)
    assert {(event.session, event.turn) for event in world.events()} == {
        (owner.session, owner.turn)
    }


def test_a_refused_reply_and_a_check_publish_nothing(world: World) -> None:
    apply(world, "x = 1\n")
    before = world.events()
    with world.workspace() as workspace:
        apply_reply(ReplyText(json.dumps({"path": "a.py", "old": "no", "new": "y"})), workspace)
        apply_reply(whole("a.py", "x = 2\n"), workspace, check=True)
    assert world.events() == before


def test_a_reply_that_could_not_be_written_was_proposed_and_rejected(world: World) -> None:
    world.write(a="x = 1\n")
    with world.workspace(before_commit=lambda: world.write(a="x = 9\n")) as workspace:
        refused = apply_reply(whole("a.py", "x = 2\n"), workspace)
    assert isinstance(refused, NothingDone)
    assert [event.body["state"] for event in world.events()] == ["proposed", "rejected"]
    assert refused.seq == 2


def test_hunks_that_could_not_be_written_were_split_and_joined(world: World) -> None:
    world.write(a=TWENTY)
    changed = TWENTY.replace("line 1\n", "LINE 1\n").replace("20", "XX")
    with world.workspace(before_commit=lambda: world.write(a="x = 9\n")) as workspace:
        proposed = propose_reply(whole("a.py", changed), workspace)
        assert isinstance(proposed, Proposed)
        refused = apply_change(proposed.change.id, workspace, hunks=[1])
    assert isinstance(refused, NothingDone)
    last = world.events()[-1]
    assert (last.kind, last.seq) == ("changes_removed", refused.seq)


def test_undo_and_rewind_publish_that_the_change_is_rewound(world: World) -> None:
    first, second = apply(world, "x = 1\n"), apply(world, "x = 2\n")
    with world.workspace() as workspace:
        undone = undo_last(workspace)
        rewound = rewind_change(first.change_id or "", workspace)
    assert isinstance(undone, Undone)
    assert isinstance(rewound, Rewound)
    assert brief(world, second.seq or 0) == [
        ("change_moved", second.change_id, "rewound", None),
        ("change_moved", first.change_id, "rewound", None),
    ]
    assert (undone.seq, rewound.seq) == (7, 8)


def test_a_proposal_is_published_with_its_edits_and_so_is_its_end(world: World) -> None:
    with world.workspace() as workspace:
        one = propose_reply(whole("a.py", "x = 1\n"), workspace)
        assert isinstance(one, Proposed)
        two = propose_reply(whole("b.py", "y = 1\n"), workspace)
        assert isinstance(two, Proposed)
        rejected = reject_change(two.change.id, workspace)
        accepted = apply_change(one.change.id, workspace)
    assert isinstance(rejected, Rejected)
    assert isinstance(accepted, Accepted)
    assert brief(world) == [
        ("change_moved", one.change.id, "proposed", None),
        ("edit_landed", one.change.id, "a.py", True),
        ("change_moved", two.change.id, "proposed", None),
        ("edit_landed", two.change.id, "b.py", True),
        ("change_moved", two.change.id, "rejected", None),
        ("change_moved", one.change.id, "applied", None),
        ("edit_landed", one.change.id, "a.py", False),
    ]
    assert (one.seq, two.seq, rejected.seq, accepted.applied.seq) == (2, 4, 5, 7)


def test_hunks_that_are_applied_are_published_as_parts_in_their_places(world: World) -> None:
    world.write(a=TWENTY)
    changed = TWENTY.replace("line 1\n", "LINE 1\n").replace("20", "XX")
    with world.workspace() as workspace:
        proposed = propose_reply(whole("a.py", changed), workspace)
        assert isinstance(proposed, Proposed)
        accepted = apply_change(proposed.change.id, workspace, hunks=[1])
    assert isinstance(accepted, Accepted)
    assert accepted.rest is not None
    part = accepted.applied.change_id
    assert brief(world, 2) == [
        ("change_moved", accepted.rest.id, "proposed", proposed.change.id),
        ("change_moved", proposed.change.id, "rejected", None),
        ("change_moved", part, "proposed", None),
        ("change_moved", part, "applied", None),
        ("edit_landed", part, "a.py", False),
    ]


def test_what_is_observed_and_what_is_pruned_are_published(world: World) -> None:
    tree = {"a.py": (b"x = 1\n", 0o644)}
    with world.workspace() as workspace:
        seen = observe_difference({}, tree, workspace)
        assert isinstance(seen, ChangeObserved)
        pruned = prune_changes(workspace, keep=0)
        again = prune_changes(workspace, keep=0)
    assert isinstance(pruned, ChangesPruned)
    assert isinstance(again, ChangesPruned)
    assert brief(world) == [
        ("change_moved", seen.change.id, "applied", None),
        ("edit_observed", seen.change.id, "a.py", None),
        ("changes_removed", seen.change.id),
    ]
    assert (seen.seq, pruned.seq, again.seq) == (2, 3, None)


def test_what_the_log_could_not_record_is_published_by_the_next_command(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.workspace() as workspace:
        monkeypatch.setattr(workspace.log, "move", _fail)
        done = apply_reply(whole("a.py", "x = 1\n"), workspace)
    assert isinstance(done, AppliedReply)
    assert [event.kind for event in done.events] == ["change_moved"]
    with world.workspace() as workspace:
        list_changes(workspace)
        assert len(world.events()) == 1
        settle_first(workspace)
        settle_first(workspace)
    *published, recovered = world.events()
    assert [event.kind for event in published] == ["change_moved", "change_moved", "edit_landed"]
    assert [event.body["change_id"] for event in published] == [done.change_id] * 3
    assert (recovered.kind, recovered.body["what"], recovered.body["id"]) == (
        "recovered",
        "batch",
        done.change_id,
    )
    assert (recovered.body["outcome"], recovered.body["paths"]) == ("finished", ["a.py"])


def test_no_secret_is_in_an_event(world: World) -> None:
    with world.workspace() as workspace:
        workspace.secrets = ("sk-12345678",)
        apply_reply(whole("a.py", "KEY = 'sk-12345678'\n"), workspace)
    assert "sk-12345678" not in repr(world.events())
    assert world.texts() == {"a.py": "KEY = 'sk-12345678'\n"}


def _fail(*_: object) -> None:
    raise LogUnavailable("the store is away.")
