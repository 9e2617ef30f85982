"""Rewind: exact, or only what the change did, or refused; in any order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.changes.change import Change, ChangeState
from holdfast.changes.change_log import LogUnavailable
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.observe import observe_difference
from holdfast.usecases.changes.rewind import FileUndone, Rewound, rewind_change
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.owned_event import OwnedEvent
from tests.end_to_end.fifty_files import snapshot
from tests.usecases.world import World

pytestmark = pytest.mark.integration

FIVE = "a = 1\nb = 1\nc = 1\nd = 1\ne = 1\n"


def apply(world: World, *requests: dict[str, object]) -> str:
    with world.workspace() as workspace:
        applied = apply_reply(ReplyText(json.dumps(requests)), workspace)
    assert isinstance(applied, AppliedReply), applied
    assert applied.change_id
    return applied.change_id


def edit(name: str, old: str, new: str) -> dict[str, object]:
    return {"path": f"{name}.py", "old": old, "new": new}


def rewind(world: World, change_id: str) -> Rewound | NothingDone:
    with world.workspace() as workspace:
        return rewind_change(change_id, workspace)


def undo(world: World) -> Undone | NothingDone:
    with world.workspace() as workspace:
        return undo_last(workspace)


def refusal_messages(outcome: object) -> list[str]:
    assert isinstance(outcome, NothingDone), outcome
    return [each.refused.message for each in outcome.refusals]


def test_changes_are_taken_back_in_any_order(world: World) -> None:
    world.write(f=FIVE)
    first = apply(world, edit("f", "a = 1", "a = 2"))
    second = apply(world, edit("f", "e = 1", "e = 2"))
    third = apply(world, edit("f", "c = 1", "c = 2\nc = 3"))
    assert rewind(world, first) == Rewound(first, (FileUndone("f.py", "restored"),), seq=10)
    assert world.texts() == {
        "f.py": FIVE.replace("e = 1", "e = 2").replace("c = 1", "c = 2\nc = 3")
    }
    assert isinstance(rewind(world, third), Rewound)
    assert isinstance(rewind(world, second), Rewound)
    assert world.texts() == {"f.py": FIVE}


def test_one_that_a_later_one_builds_on_is_refused_with_the_name_of_that(world: World) -> None:
    world.write(f=FIVE)
    first = apply(world, edit("f", "a = 1", "a = 2"))
    second = apply(world, edit("f", "a = 2", "a = 3"))
    (refusal,) = refusal_messages(rewind(world, first))
    assert refusal == (
        f"f.py: this is no longer what change {first} left (later edits touch the same lines); "
        f"rewind change {second} first, or remove its lines by hand."
    )
    assert isinstance(rewind(world, second), Rewound)
    assert isinstance(rewind(world, first), Rewound)
    assert world.texts() == {"f.py": FIVE}


def test_undo_takes_out_only_the_lines_of_the_apply_and_what_was_added_elsewhere_stays(
    world: World,
) -> None:
    world.write(f=FIVE)
    apply(world, edit("f", "a = 1", "a = 2"))
    world.write(f=FIVE.replace("a = 1", "a = 2") + "by hand\n")
    undone = undo(world)
    assert isinstance(undone, Undone)
    assert (undone.files, undone.seq) == ((FileUndone("f.py", "restored"),), 4)
    assert world.texts() == {"f.py": FIVE + "by hand\n"}


def test_lines_that_were_taken_out_by_hand_are_no_obstacle_to_the_undos(world: World) -> None:
    world.write(f=FIVE)
    apply(world, edit("f", "e = 1", "e = 2"))
    apply(world, edit("f", "a = 1", "a = 2"))
    by_hand = FIVE.replace("e = 1", "e = 2").replace("c = 1", "c = 7")
    world.write(f=by_hand)
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": by_hand}
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": FIVE.replace("c = 1", "c = 7")}


def test_undo_goes_on_after_an_earlier_change_was_rewound(world: World) -> None:
    world.write(f=FIVE)
    first = apply(world, edit("f", "a = 1", "a = 2"))
    apply(world, edit("f", "e = 1", "e = 2"))
    assert isinstance(rewind(world, first), Rewound)
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": FIVE}


def test_an_edit_right_beside_it_is_in_the_way(world: World) -> None:
    world.write(f=FIVE)
    change = apply(world, edit("f", "a = 1", "a = 2"))
    world.write(f=FIVE.replace("a = 1\nb = 1", "a = 2\nb = 7"))
    reason = "(later edits touch the same lines); remove its lines by hand, and run this again."
    assert refusal_messages(rewind(world, change)) == [
        f"f.py: this is no longer what change {change} left {reason}"
    ]
    assert refusal_messages(undo(world)) == [
        f"f.py: this is no longer what the last apply left {reason}"
    ]
    world.write(f=FIVE.replace("b = 1", "b = 7"))
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": FIVE.replace("b = 1", "b = 7")}


def test_one_file_in_the_way_and_no_file_changes(world: World) -> None:
    world.write(f=FIVE, g=FIVE)
    apply(world, edit("f", "a = 1", "a = 2"), edit("g", "a = 1", "a = 2"))
    world.write(g="gone over\n")
    assert len(refusal_messages(undo(world))) == 1
    assert world.texts() == {"f.py": FIVE.replace("a = 1", "a = 2"), "g.py": "gone over\n"}


def test_a_file_that_was_given_its_old_bytes_by_hand_is_no_obstacle(world: World) -> None:
    world.write(f=FIVE, g=FIVE)
    apply(world, edit("f", "b = 1", "b = 2"))
    apply(world, edit("f", "a = 1", "a = 2"), edit("g", "a = 1", "a = 2"))
    world.write(f=FIVE.replace("b = 1", "b = 2"))
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": FIVE.replace("b = 1", "b = 2"), "g.py": FIVE}
    world.write(f=FIVE)
    assert isinstance(undo(world), Undone)
    assert world.texts() == {"f.py": FIVE, "g.py": FIVE}


def test_old_bytes_that_a_later_change_brought_back_are_chance(world: World) -> None:
    world.write(f=FIVE)
    first = apply(world, edit("f", "a = 1", "a = 2"))
    second = apply(world, edit("f", "a = 2", "a = 1"))
    assert refusal_messages(rewind(world, first)) == [
        (
            f"f.py: this is no longer what change {first} left (later edits touch the same lines);"
            f" rewind change {second} first, or remove its lines by hand."
        )
    ]
    assert isinstance(rewind(world, second), Rewound)
    assert isinstance(rewind(world, first), Rewound)
    assert world.texts() == {"f.py": FIVE}


@pytest.mark.parametrize(
    ("asked", "later"),
    [
        ({"path": "new.py", "content": "n\n"}, edit("new", "n", "m")),
        ({"path": "f.py", "to": "new.py"}, edit("new", "a = 1", "a = 2")),
    ],
)
def test_a_file_that_was_made_is_removed_only_if_nobody_edited_it(
    world: World, asked: dict[str, object], later: dict[str, object]
) -> None:
    world.write(f=FIVE)
    before = world.texts()
    first = apply(world, asked)
    second = apply(world, later)
    after = world.texts()
    (refusal,) = refusal_messages(rewind(world, first))
    assert refusal == (
        f"new.py: this is no longer what change {first} left (it was edited, and would have to be removed whole); "
        f"rewind change {second} first, or remove it by hand."
    )
    assert world.texts() == after
    assert isinstance(rewind(world, second), Rewound)
    assert isinstance(rewind(world, first), Rewound)
    assert world.texts() == before


def test_a_deleted_file_comes_back_and_its_directory_too(world: World) -> None:
    (world.root / "d/e").mkdir(parents=True)
    (world.root / "d/e/f.py").write_text("x\n")
    (world.root / "d/e/f.py").chmod(0o640)
    before = snapshot(world.root)
    first = apply(world, {"path": "d/e/f.py", "delete": True})
    (world.root / "d/e").rmdir()
    (world.root / "d").rmdir()
    assert isinstance(rewind(world, first), Rewound)
    assert snapshot(world.root) == before


def test_an_unknown_id_is_answered_with_the_nearest(world: World) -> None:
    world.write(f=FIVE)
    change = apply(world, edit("f", "a = 1", "a = 2"))
    wrong = change[:-1] + ("0" if change[-1] != "0" else "1")
    assert refusal_messages(rewind(world, wrong)) == [
        f"{wrong}: there is no such change; the nearest is {change}; list them to see all."
    ]


def trees(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        name: (data, mode) for name, (kind, data, mode) in snapshot(root).items() if kind == "file"
    }


def observe(world: World, before: dict[str, tuple[bytes, int]]) -> Change | None:
    with world.workspace() as workspace:
        seen = observe_difference(before, trees(world.root), workspace)
    assert not isinstance(seen, NothingDone)
    return None if seen is None else seen.change


def test_what_somebody_else_did_is_on_record_and_taken_back_with_bytes_and_modes(
    world: World,
) -> None:
    world.write(f=FIVE, gone="x\n", mode="m\n", both="1\n")
    (world.root / "bin").write_bytes(b"\0old")
    start = snapshot(world.root)
    before = trees(world.root)
    world.write(f=FIVE.replace("c = 1", "c = 2"), both="2\n")
    (world.root / "gone.py").unlink()
    (world.root / "mode.py").chmod(0o755)
    (world.root / "both.py").chmod(0o600)
    (world.root / "bin").write_bytes(b"\0new")
    (world.root / "d").mkdir()
    (world.root / "d/new.py").write_text("n\n")
    seen = observe(world, before)
    assert seen
    assert (seen.state, seen.origin) == ("applied", "observed")
    assert [(file.path, file.action) for file in seen.plan.files] == [
        ("bin", "edit"),
        ("both.py", "edit"),
        ("d/new.py", "create"),
        ("f.py", "edit"),
        ("gone.py", "delete"),
        ("mode.py", "edit"),
    ]
    assert isinstance(undo(world), Undone)
    assert snapshot(world.root) == start


def test_an_observed_edit_is_taken_out_of_a_file_that_was_edited_since(world: World) -> None:
    world.write(f=FIVE)
    before = trees(world.root)
    world.write(f=FIVE.replace("a = 1", "a = 2"))
    seen = observe(world, before)
    assert seen
    apply(world, edit("f", "e = 1", "e = 2"))
    assert isinstance(rewind(world, seen.id), Rewound)
    assert world.texts() == {"f.py": FIVE.replace("e = 1", "e = 2")}


def test_a_mode_that_was_changed_again_is_in_the_way(world: World) -> None:
    world.write(f=FIVE)
    before = trees(world.root)
    (world.root / "f.py").chmod(0o755)
    seen = observe(world, before)
    assert seen
    (world.root / "f.py").chmod(0o700)
    assert refusal_messages(rewind(world, seen.id)) == [
        (
            f"f.py: this is no longer what change {seen.id} left (its mode or its text was changed again);"
            " restore its old text and mode by hand, and run this again."
        )
    ]
    assert (world.root / "f.py").stat().st_mode & 0o777 == 0o700


def test_no_difference_is_no_change(world: World) -> None:
    world.write(f=FIVE)
    assert observe(world, trees(world.root)) is None
    assert not world.state.exists()


def test_a_log_that_fails_after_the_files_are_written_is_reported_by_the_next_command(
    world: World,
) -> None:
    world.write(f=FIVE)
    with world.workspace() as workspace:
        workspace.log.move = _fail  # type: ignore[method-assign]
        applied = apply_reply(ReplyText(json.dumps(edit("f", "a = 1", "a = 2"))), workspace)
    assert isinstance(applied, AppliedReply)
    assert str(applied.unrecorded) == "the store is away."
    assert world.texts() == {"f.py": FIVE.replace("a = 1", "a = 2")}
    with world.workspace() as workspace:
        settle_first(workspace)
        changes = list_changes(workspace)
    assert [(change.id, change.state) for change in changes] == [(applied.change_id, "applied")]


def test_a_log_that_cannot_be_opened_lets_nothing_happen(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(f=FIVE)
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "nonsense://x/y")
    with (
        world.workspace() as workspace,
        pytest.raises(LogUnavailable, match=r"nonsense.*HOLDFAST_DATABASE_URL"),
    ):
        apply_reply(ReplyText(json.dumps(edit("f", "a = 1", "a = 2"))), workspace)
    with world.workspace() as workspace:
        checked = apply_reply(
            ReplyText(json.dumps(edit("f", "a = 1", "a = 2"))), workspace, check=True
        )
    assert isinstance(checked, AppliedReply)
    assert world.texts() == {"f.py": FIVE}


def _fail(
    change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
) -> int | None:
    raise LogUnavailable("the store is away.")
