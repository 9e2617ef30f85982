"""Review mode: propose, apply, some hunks of it, reject; in any order, on files that move on meanwhile."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import pytest

from holdfast.changes.change import Change
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import FileFound, FileMissing
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes, show_change
from holdfast.usecases.changes.propose import Proposed, overlay_of, propose_reply
from holdfast.usecases.changes.review import Accepted, Rejected, apply_change, reject_change
from holdfast.usecases.changes.rewind import Rewound, rewind_change
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.owned_event import OwnedEvent
from tests.usecases.world import Act, World

pytestmark = pytest.mark.integration


def replace(path: str, old: str, new: str) -> ReplyText:
    return ReplyText(json.dumps({"path": path, "old": old, "new": new}))


def whole(path: str, text: str) -> ReplyText:
    return ReplyText(json.dumps({"path": path, "content": text}))


def propose(world: World, asked: ReplyText) -> Change:
    with world.workspace() as workspace:
        proposed = propose_reply(asked, workspace)
    assert isinstance(proposed, Proposed), proposed
    return proposed.change


def accept(world: World, change: Change | str, *hunks: int, **acts: Act) -> Accepted | NothingDone:
    with world.workspace(**acts) as workspace:
        return apply_change(
            change if isinstance(change, str) else change.id, workspace, hunks=hunks
        )


def reject(world: World, change: Change) -> Rejected | NothingDone:
    with world.workspace() as workspace:
        return reject_change(change.id, workspace)


def rewind(world: World, change_id: str) -> Rewound | NothingDone:
    with world.workspace() as workspace:
        return rewind_change(change_id, workspace)


def states(world: World) -> dict[str, str]:
    with world.workspace() as workspace:
        changes = list_changes(workspace)
    assert isinstance(changes, tuple), changes
    return {change.id: change.state for change in changes}


def _fail(change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]) -> int | None:
    raise LogUnavailable("the store is away.")


def refusal_messages(outcome: object) -> list[str]:
    assert isinstance(outcome, NothingDone), outcome
    return [each.refused.message for each in outcome.refusals]


def test_a_proposal_is_on_record_and_no_file_is_written(world: World) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    assert world.texts() == {"a.py": "x = 1\n"}
    assert (change.state, change.origin, change.seq) == ("proposed", "proposal", 1)
    assert states(world) == {change.id: "proposed"}
    with world.workspace() as workspace:
        assert show_change(change.id[:5], workspace) == change


MEETS = "a.py: this has changed since the edit was proposed, and both edits touch the same lines; propose it again."


def test_a_refused_proposal_is_not_on_record(world: World) -> None:
    world.write(a="x = 1\n")
    with world.workspace() as workspace:
        [message] = refusal_messages(propose_reply(replace("a.py", "y = 1", "y = 2"), workspace))
    assert message.startswith(
        "a.py: the old text is not in the file. Line 1 differs first: the request has `y = 1`"
    )
    assert states(world) == {}


def test_an_applied_proposal_is_written_and_can_be_undone(world: World) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    accepted = accept(world, change)
    assert isinstance(accepted, Accepted)
    assert accepted.applied.change_id == change.id
    assert world.texts() == {"a.py": "x = 2\n"}
    assert states(world) == {change.id: "applied"}
    with world.workspace() as workspace:
        assert isinstance(undo_last(workspace), Undone)
    assert world.texts() == {"a.py": "x = 1\n"}
    assert states(world) == {change.id: "rewound"}


def test_what_is_decided_is_not_decided_again(world: World) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    assert isinstance(reject(world, change), Rejected)
    assert refusal_messages(reject(world, change)) == [
        f"change {change.id} is rejected already; there is nothing to do."
    ]
    assert refusal_messages(accept(world, change)) == [
        f"change {change.id} is rejected; only a proposed change can become applied."
    ]
    assert refusal_messages(rewind(world, change.id)) == [
        f"change {change.id} is rejected; only an applied change can become rewound."
    ]
    assert world.texts() == {"a.py": "x = 1\n"}


def test_a_proposal_is_made_on_top_of_those_before_it(world: World) -> None:
    world.write(a="x = 1\n")
    first = propose(world, replace("a.py", "x = 1", "x = 2"))
    second = propose(world, replace("a.py", "x = 2", "x = 3"))
    with world.workspace() as workspace:
        assert overlay_of(workspace).look("a.py") == FileFound("a.py", b"x = 3\n", 0o644)
    assert isinstance(accept(world, first), Accepted)
    assert isinstance(accept(world, second), Accepted)
    assert world.texts() == {"a.py": "x = 3\n"}


def test_a_read_between_two_edits_sees_the_first_and_both_land_in_order(world: World) -> None:
    world.write(a="x = 1\n")
    first = propose(
        world, ReplyText('[{"path": "a.py", "to": "b.py"}, {"path": "c.py", "content": "new\\n"}]')
    )
    with world.workspace() as workspace:
        over = overlay_of(workspace)
        assert over.look("b.py") == FileFound("b.py", b"x = 1\n", 0o644)
        assert over.look("a.py") == FileMissing("a.py")
        assert sorted(over.names("b.py")) == ["b.py", "c.py"]
    second = propose(world, replace("b.py", "x = 1", "x = 2"))
    third = propose(world, replace("c.py", "new", "newer"))
    for above in (second, third):
        assert refusal_messages(accept(world, above))[0].endswith(
            f"was made on top of change {first.id}, which is not applied; apply that one first."
        )
    assert world.texts() == {"a.py": "x = 1\n"}
    for change in (first, second, third):
        assert isinstance(accept(world, change), Accepted)
    assert world.texts() == {"b.py": "x = 2\n", "c.py": "newer\n"}


def test_what_is_on_its_way_to_the_disk_is_not_in_the_overlay(world: World) -> None:
    world.write(a="x = 1\n")
    seen: list[object] = []

    def read() -> None:
        with world.workspace() as other:
            seen.append(overlay_of(other).look("a.py"))

    with world.workspace(before_prepare=read) as workspace:
        assert isinstance(apply_reply(replace("a.py", "x = 1", "x = 2"), workspace), AppliedReply)
    assert seen == [FileFound("a.py", b"x = 1\n", 0o644)]


def test_one_that_needs_another_is_refused_with_the_name_of_that(world: World) -> None:
    world.write(a="x = 1\n")
    first = propose(world, replace("a.py", "x = 1", "x = 2"))
    second = propose(world, replace("a.py", "x = 2", "x = 3"))
    outcome = accept(world, second)
    assert refusal_messages(outcome)[0] == (
        f"change {second.id} was made on top of change {first.id}, which is not applied; apply that one first."
    )
    assert world.texts() == {"a.py": "x = 1\n"}
    assert states(world) == {first.id: "proposed", second.id: "proposed"}


def test_independent_proposals_land_in_another_order(world: World) -> None:
    world.write(a="x = 1\ny = 1\nz = 1\n")
    first = propose(world, replace("a.py", "x = 1", "x = 2"))
    second = propose(world, replace("a.py", "z = 1", "z = 2"))
    assert isinstance(accept(world, second), Accepted)
    assert world.texts() == {"a.py": "x = 1\ny = 1\nz = 2\n"}
    assert isinstance(accept(world, first), Accepted)
    assert world.texts() == {"a.py": "x = 2\ny = 1\nz = 2\n"}
    with world.workspace() as workspace:
        assert isinstance(undo_last(workspace), Undone)
    assert states(world) == {first.id: "rewound", second.id: "applied"}
    assert world.texts() == {"a.py": "x = 1\ny = 1\nz = 2\n"}


def test_what_was_proposed_on_top_of_a_rejected_one_lands_without_it(world: World) -> None:
    world.write(a="x = 1\ny = 1\nz = 1\n")
    first = propose(world, replace("a.py", "x = 1", "x = 2"))
    second = propose(world, replace("a.py", "z = 1", "z = 2"))
    assert isinstance(reject(world, first), Rejected)
    assert isinstance(accept(world, second), Accepted)
    assert world.texts() == {"a.py": "x = 1\ny = 1\nz = 2\n"}


def test_a_file_that_moved_on_gets_the_edit_again_and_the_record_says_what_was_written(
    world: World,
) -> None:
    world.write(a="x = 1\ny = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    world.write(a="# new\nx = 1\ny = 3\n")
    assert isinstance(accept(world, change), Accepted)
    assert world.texts() == {"a.py": "# new\nx = 2\ny = 3\n"}
    assert isinstance(rewind(world, change.id), Rewound)
    assert world.texts() == {"a.py": "# new\nx = 1\ny = 3\n"}


def test_a_file_that_moved_too_far_is_refused_with_the_cure(world: World) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    world.write(a="x = 7\n")
    outcome = accept(world, change)
    assert isinstance(outcome, NothingDone)
    assert outcome.refusals[0].refused.reason == "not_found"
    assert states(world) == {change.id: "proposed"}


def test_a_file_that_changes_while_it_is_applied_is_left_and_the_change_stays_proposed(
    world: World,
) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    outcome = accept(world, change, before_prepare=lambda: world.write(a="somebody else\n"))
    assert refusal_messages(outcome) == ["a.py: this changed meanwhile, and was left as it is."]
    assert world.texts() == {"a.py": "somebody else\n"}
    assert states(world) == {change.id: "proposed"}


def test_a_whole_file_is_merged_with_what_was_edited_since_or_refused(world: World) -> None:
    world.write(a="a\nb\nc\n")
    change = propose(world, whole("a.py", "A\nb\nc\n"))
    world.write(a="a\nb\nC\n")
    assert isinstance(accept(world, change), Accepted)
    assert world.texts() == {"a.py": "A\nb\nC\n"}
    change = propose(world, whole("a.py", "X\nb\nC\n"))
    world.write(a="Y\nb\nC\n")
    assert refusal_messages(accept(world, change)) == [MEETS]
    assert world.texts() == {"a.py": "Y\nb\nC\n"}


def test_a_new_file_that_somebody_made_meanwhile_is_not_overwritten(world: World) -> None:
    change = propose(world, whole("a.py", "x = 1\n"))
    world.write(a="theirs\n")
    assert refusal_messages(accept(world, change)) == [
        "a.py: this has changed since the edit was proposed, there is a file now; move it away, or propose an edit of it."
    ]
    assert world.texts() == {"a.py": "theirs\n"}


TWENTY = "".join(f"line {number}\n" for number in range(1, 21))


def twenty_with(*numbers: int) -> str:
    lines = [
        f"LINE {number}\n" if number in numbers else f"line {number}\n" for number in range(1, 21)
    ]
    return "".join(lines)


def test_some_hunks_are_applied_and_the_others_stay_proposed(world: World) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 10, 20)))
    accepted = accept(world, change, 1, 3)
    assert isinstance(accepted, Accepted)
    assert accepted.rest
    assert world.texts() == {"a.py": twenty_with(1, 20)}
    assert states(world) == {
        change.id: "rejected",
        accepted.applied.change_id: "applied",
        accepted.rest.id: "proposed",
    }
    assert isinstance(accept(world, accepted.rest), Accepted)
    assert world.texts() == {"a.py": twenty_with(1, 10, 20)}
    for _ in range(2):
        with world.workspace() as workspace:
            assert isinstance(undo_last(workspace), Undone)
    assert world.texts() == {"a.py": TWENTY}


def test_a_proposal_on_top_of_a_split_one_still_lands(world: World) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 10, 20)))
    above = propose(world, replace("a.py", "LINE 10\n", "line ten\n"))
    expected = twenty_with(1, 10, 20).replace("LINE 10", "line ten")
    accepted = accept(world, change, 1)
    assert isinstance(accepted, Accepted)
    with world.workspace() as workspace:
        over = overlay_of(workspace)
        assert over.stuck == []
        assert over.look("a.py") == FileFound("a.py", expected.encode(), 0o644)
    assert accepted.rest
    assert isinstance(accept(world, accepted.rest), Accepted)
    assert isinstance(accept(world, above), Accepted)
    assert world.texts() == {"a.py": expected}


def test_all_hunks_are_the_whole_change_and_a_hunk_that_is_not_there_is_refused(
    world: World,
) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 20)))
    assert refusal_messages(accept(world, change, 3)) == [
        f"change {change.id} has no hunk 3; its hunks are 1 to 2."
    ]
    accepted = accept(world, change, 1, 2)
    assert isinstance(accepted, Accepted)
    assert (accepted.rest, states(world)) == (None, {change.id: "applied"})


def test_hunks_that_no_longer_fit_leave_the_change_whole(world: World) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 20)))
    world.write(a=TWENTY.replace("line 1\n", "line one\n"))
    assert refusal_messages(accept(world, change, 1)) == [MEETS]
    assert states(world) == {change.id: "proposed"}
    assert isinstance(accept(world, change, 2), Accepted)


def test_hunks_that_the_disk_refuses_leave_the_change_whole_and_nothing_on_record(
    world: World,
) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 20)))
    above = propose(world, replace("a.py", "LINE 20\n", "line twenty\n"))
    with world.workspace() as workspace:
        before = list_changes(workspace)
    outcome = accept(world, change, 1, before_prepare=lambda: world.write(a="somebody else\n"))
    assert refusal_messages(outcome) == ["a.py: this changed meanwhile, and was left as it is."]
    with world.workspace() as workspace:
        assert list_changes(workspace) == before
    world.write(a=TWENTY)
    assert isinstance(accept(world, change, 1), Accepted)
    assert states(world)[above.id] == "proposed"


def test_parts_that_the_log_could_not_put_together_are_whole_again_with_the_next_command(
    world: World,
) -> None:
    world.write(a=TWENTY)
    change = propose(world, whole("a.py", twenty_with(1, 20)))
    with world.workspace(before_prepare=lambda: world.write(a="somebody else\n")) as workspace:
        workspace.log.join = _fail  # type: ignore[method-assign]
        outcome = apply_change(change.id, workspace, hunks=[1])
    assert refusal_messages(outcome) == ["a.py: this changed meanwhile, and was left as it is."]
    with world.workspace() as workspace:
        settle_first(workspace)
    assert states(world) == {change.id: "proposed"}


def test_an_id_may_be_cut_short_while_only_one_begins_so(world: World) -> None:
    world.write(a="x = 1\n")
    change = propose(world, replace("a.py", "x = 1", "x = 2"))
    assert refusal_messages(accept(world, "")) == [
        f"an empty id: there is no such change; the nearest is {change.id}; list them to see all."
    ]
    assert isinstance(accept(world, change.id[:4]), Accepted)


def test_an_apply_at_once_is_on_record_as_applied_and_does_not_show_in_the_overlay(
    world: World,
) -> None:
    world.write(a="x = 1\n")
    with world.workspace() as workspace:
        applied = apply_reply(replace("a.py", "x = 1", "x = 2"), workspace)
    assert isinstance(applied, AppliedReply)
    assert states(world) == {applied.change_id: "applied"}


def test_an_apply_that_the_disk_refuses_is_on_record_as_rejected(world: World) -> None:
    world.write(a="x = 1\n")
    with world.workspace(before_commit=lambda: world.write(a="somebody else\n")) as workspace:
        [message] = refusal_messages(apply_reply(replace("a.py", "x = 1", "x = 2"), workspace))
    assert message.startswith(
        "a.py: this changed meanwhile, and was left as it is. Its old and new text are kept in /"
    )
    assert list(states(world).values()) == ["rejected"]
