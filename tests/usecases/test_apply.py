"""Applying a reply while others write, link and die."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from holdfast.changes.transaction import BatchConflict
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.observe import observe_difference
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.settle_outcome import NOTHING_LEFT
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.change_events import Recovered
from tests.usecases.world import Act, World


def reply(*names: str, old: str = "x = 1", new: str = "x = 2") -> ReplyText:
    return ReplyText(json.dumps([{"path": f"{name}.py", "old": old, "new": new} for name in names]))


def apply(world: World, asked: ReplyText, **acts: Act) -> AppliedReply | NothingDone:
    with world.workspace(**acts) as workspace:
        return apply_reply(asked, workspace)


def reasons(outcome: AppliedReply | NothingDone) -> list[tuple[str, str]]:
    assert isinstance(outcome, NothingDone), outcome
    return [(each.path, each.refused.reason) for each in outcome.refusals]


def test_what_lands_is_written_and_nothing_else_is_left(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n", c="x = 1\n")
    assert isinstance(apply(world, reply("a", "b")), AppliedReply)
    assert world.texts() == {"a.py": "x = 2\n", "b.py": "x = 2\n", "c.py": "x = 1\n"}
    assert world.left() == {"lock"}


def test_one_refusal_of_many_and_nothing_is_written(world: World) -> None:
    world.write(a="x = 1\n", b="y = 1\n")
    assert reasons(apply(world, reply("a", "b"))) == [("b.py", "not_found")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "y = 1\n"}
    assert world.left() == {"lock"}


def test_a_reply_that_is_no_edit_is_refused_without_a_path(world: World) -> None:
    assert reasons(apply(world, ReplyText("I cannot help with that."))) == [("", "malformed")]


def test_a_check_where_nothing_was_ever_written_makes_no_state_directory(world: World) -> None:
    world.write(a="x = 1\n")
    with world.workspace() as workspace:
        assert isinstance(apply_reply(reply("a"), workspace, check=True), AppliedReply)
    assert world.texts() == {"a.py": "x = 1\n"}
    assert not world.state.exists()


def test_a_file_that_changed_before_the_last_look_is_not_overwritten_and_nothing_is_begun(
    world: World,
) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    outcome = apply(world, reply("a", "b"), before_prepare=lambda: world.write(b="somebody else\n"))
    assert reasons(outcome) == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "somebody else\n"}
    assert world.left() == {"lock"}


def test_a_file_that_changed_after_the_last_look_is_met_when_its_turn_comes(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    outcome = apply(world, reply("a", "b"), before_commit=lambda: world.write(b="somebody else\n"))
    assert reasons(outcome) == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "somebody else\n"}


def test_a_file_that_changed_after_the_first_swap_stays_and_the_others_go_back(
    world: World,
) -> None:
    world.write(a="x = 1\n", b="x = 1\n", c="x = 1\n")
    (world.root / "a.py").chmod(0o755)
    outcome = apply(
        world, reply("a", "b", "c"), after_commit=lambda: world.write(b="somebody else\n")
    )
    assert reasons(outcome) == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "somebody else\n", "c.py": "x = 1\n"}
    assert (world.root / "a.py").stat().st_mode & 0o777 == 0o755
    assert world.left() == {"lock", "1.old.b.py", "1.new.b.py"}
    assert isinstance(outcome, NothingDone)
    message = outcome.refusals[0].refused.message
    saved = Path(message.split("are kept in ")[1].removesuffix("."))
    assert (saved / "1.new.b.py").read_text() == "x = 2\n"


def test_what_somebody_else_made_new_before_the_first_swap_is_not_taken_back(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    outcome = apply(world, reply("a", "b"), before_prepare=lambda: world.write(b="x = 2\n"))
    assert reasons(outcome) == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "x = 2\n"}


@pytest.mark.parametrize("moment", ["before_prepare", "before_commit", "after_commit"])
def test_a_directory_swapped_for_a_link_does_not_lead_out_of_the_root(
    world: World, moment: str
) -> None:
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("x = 1\n")
    (world.root / "d").mkdir()
    (world.root / "d/a.py").write_text("x = 1\n")

    def swap_in() -> None:
        shutil.rmtree(world.root / "d")
        (world.root / "d").symlink_to(outside)

    outcome = apply(world, reply("d/a"), **{moment: swap_in})
    assert isinstance(outcome, NothingDone)
    [refusal] = outcome.refusals
    assert (refusal.path, refusal.refused.reason) == ("d/a.py", "conflict")
    assert refusal.refused.message.startswith(
        "d/a.py: this changed meanwhile, and was left as it is."
    )
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("a.py", "x = 1\n")]


@pytest.mark.parametrize("moment", ["before_prepare", "before_commit", "after_commit"])
def test_a_file_swapped_for_a_link_is_not_written_through(world: World, moment: str) -> None:
    outside = world.root.parent / "outside.py"
    outside.write_text("x = 1\n")
    world.write(a="x = 1\n")

    def swap_in() -> None:
        (world.root / "a.py").unlink()
        (world.root / "a.py").symlink_to(outside)

    assert reasons(apply(world, reply("a"), **{moment: swap_in})) == [("a.py", "conflict")]
    assert outside.read_text() == "x = 1\n"
    assert (world.root / "a.py").is_symlink()


def test_a_sibling_that_somebody_removed_is_reported_and_all_is_taken_back(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")

    def tidy() -> None:
        for sibling in sorted(world.root.glob(".holdfast-*"))[1:]:
            sibling.unlink()

    outcome = apply(world, reply("a", "b"), after_commit=tidy)
    assert isinstance(outcome, NothingDone)
    assert "No such file or directory (.holdfast-" in outcome.refusals[0].refused.message
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "x = 1\n"}
    assert world.left() == {"lock"}


def test_a_file_that_changed_and_changed_back_is_still_reported(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    with world.workspace() as workspace:
        put = workspace.tree.put
        workspace.tree.put = lambda swap, sibling: swap.path != "b.py" and put(swap, sibling)  # type: ignore[method-assign]
        outcome = apply_reply(reply("a", "b"), workspace)
    assert reasons(outcome) == [("b.py", "conflict")]
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "x = 1\n"}


def die() -> None:
    raise KeyboardInterrupt


def leave_half_done(world: World, moment: str, asked: ReplyText) -> None:
    with pytest.raises(KeyboardInterrupt):
        apply(world, asked, **{moment: die})


def test_a_command_that_died_before_it_committed_is_taken_back_by_the_next(world: World) -> None:
    world.write(a="x = 1\n", b="y = 1\n")
    leave_half_done(world, "before_commit", reply("a"))
    assert world.texts() != {"a.py": "x = 1\n", "b.py": "y = 1\n"}
    outcome = apply(world, reply("b", old="y = 1", new="y = 2"))
    assert isinstance(outcome, AppliedReply)
    (event,) = [each for each in world.events() if each.kind == "recovered"]
    assert outcome.recovered.recovered == (
        Recovered(
            "batch",
            event.body["id"],
            "rolled_back",
            "an earlier command here was stopped before it changed a file: it is dropped (1 file).",
            ("a.py",),
        ),
    )
    assert event.body == event_to_json(outcome.recovered.recovered[0])
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "y = 2\n"}


def test_a_command_that_died_after_it_committed_is_finished_by_the_next_but_not_by_a_check(
    world: World,
) -> None:
    world.write(a="x = 1\n", b="y = 1\n")
    leave_half_done(world, "after_commit", reply("a"))
    left, halfway = world.left(), world.texts()
    with world.workspace() as workspace:
        checked = apply_reply(reply("b", old="y = 1", new="y = 2"), workspace, check=True)
    assert isinstance(checked, AppliedReply)
    assert checked.recovered == NOTHING_LEFT
    assert world.texts() == halfway
    assert world.left() == left
    outcome = apply(world, reply("b", old="y = 1", new="y = 2"))
    assert isinstance(outcome, AppliedReply)
    assert [(each.what, each.outcome) for each in outcome.recovered.recovered] == [
        ("batch", "finished")
    ]
    assert world.texts() == {"a.py": "x = 2\n", "b.py": "y = 2\n"}
    assert world.left() == {"lock"}


def test_recovery_stops_at_a_file_that_is_neither_old_nor_new_and_says_where_its_texts_are(
    world: World,
) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    leave_half_done(world, "after_commit", reply("a", "b"))
    world.write(b="somebody else\n")
    untouched = (world.root / "a.py").stat().st_ino
    outcome = apply(world, reply("a"))
    assert reasons(outcome) == [("b.py", "conflict")]
    assert isinstance(outcome, NothingDone)
    assert outcome.recovered.stopped is not None
    conflict = outcome.recovered.stopped.outcome
    assert isinstance(conflict, BatchConflict)
    assert conflict.paths == ("b.py",)
    assert conflict.saved is not None
    assert Path(conflict.saved).is_dir()
    assert (world.root / "a.py").stat().st_ino == untouched
    assert world.texts() == {"a.py": "x = 1\n", "b.py": "somebody else\n"}
    assert isinstance(apply(world, reply("a")), AppliedReply)


def test_nothing_is_recorded_as_observed_where_recovery_stops(world: World) -> None:
    world.write(a="x = 1\n", b="x = 1\n")
    leave_half_done(world, "after_commit", reply("a", "b"))
    world.write(b="somebody else\n")
    with world.workspace() as workspace:
        seen = observe_difference({}, {"c.py": (b"", 0o644)}, workspace)
    assert isinstance(seen, NothingDone)
    assert reasons(seen) == [("b.py", "conflict")]
    assert [each.kind for each in world.events() if each.kind == "edit_observed"] == []


def test_directories_made_for_new_files_go_when_the_command_is_taken_back(world: World) -> None:
    asked = ReplyText(json.dumps({"path": "new/deep/a.py", "content": "x\n"}))
    leave_half_done(world, "before_commit", asked)
    assert (world.root / "new/deep").is_dir()
    apply(world, reply("none"))
    assert list(world.root.iterdir()) == []


def test_a_disk_that_refuses_is_reported_and_no_file_changes(world: World) -> None:
    world.write(a="x = 1\n")

    def refuse() -> None:
        raise OSError(28, "No space left on device")

    outcome = apply(world, reply("a"), before_commit=refuse)
    assert reasons(outcome) == [("", "conflict")]
    assert isinstance(outcome, NothingDone)
    assert "No space left on device" in outcome.refusals[0].refused.message
    assert not outcome.unsettled
    assert world.texts() == {"a.py": "x = 1\n"}
    assert world.left() == {"lock"}


def test_a_whole_file_in_json_is_written_over_one_that_is_there_also_in_a_fence(
    world: World,
) -> None:
    world.write(a="x = 1\n")
    assert isinstance(
        apply(world, ReplyText(json.dumps({"path": "a.py", "content": "x = 3\n"}))), AppliedReply
    )
    fenced = ReplyText('```json\n{"path": "a.py", "content": "x = 4\\n"}\n```\n', unwrap=True)
    assert isinstance(apply(world, fenced), AppliedReply)
    assert world.texts() == {"a.py": "x = 4\n"}


def test_a_new_file_in_another_notation_is_not_written_over_one_that_is_there(world: World) -> None:
    world.write(a="x = 1\n")
    added = ReplyText("*** Begin Patch\n*** Add File: a.py\n+x = 3\n*** End Patch\n")
    diff = ReplyText("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 3\n")
    block = ReplyText("a.py\n<<<<<<< SEARCH\n=======\nx = 3\n>>>>>>> REPLACE\n")
    for asked in (added, diff, block):
        assert reasons(apply(world, asked)) == [("a.py", "conflict")]
    same = ReplyText("*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch\n")
    assert reasons(apply(world, same)) == [("a.py", "already_applied")]
    assert world.texts() == {"a.py": "x = 1\n"}
