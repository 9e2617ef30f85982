"""Restores and undos, decided and carried out in memory: what is done, refused, repeated and recovered."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from holdfast.changes.ports import JournalDamaged
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    NoCheckpoints,
    PendingRestore,
    RestoreFailed,
    UnfinishedRestore,
)
from holdfast.usecases.checkpoints.checkpoint import (
    CheckpointOwner,
    CheckpointsPruned,
    Compared,
    Created,
    Listed,
    Shown,
    compare_checkpoints,
    create_checkpoint,
    list_checkpoints,
    prune_checkpoints,
    show_checkpoint,
)
from holdfast.usecases.checkpoints.restore import redo_restore, restore, undo_restore
from holdfast.usecases.checkpoints.restore_ports import CheckpointElsewhere, Exchanged
from holdfast.usecases.checkpoints.restore_recovery import recover_unlocked
from holdfast.usecases.sessions.ports import RunningTurn, StopScope
from holdfast.usecases.settle_outcome import Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Reason
from tests.usecases.memory_worktrees import MemoryWorktrees

TALK = {"session": "s", "chat": "c", "message": "m"}


@pytest.fixture
def here() -> MemoryWorktrees:
    """A worktree with a checkpoint `c1` of `a=1`; since then `a=2`."""
    made = MemoryWorktrees(a="1")
    made.take("c1", **TALK)
    made.files = {"a": "2"}
    return made


def refusal(outcome: object) -> tuple[Reason, str]:
    assert isinstance(outcome, NothingDone), outcome
    [each] = outcome.refusals
    return each.refused.reason, each.refused.message


def restored(outcome: object) -> Restored:
    assert isinstance(outcome, Restored), outcome
    return outcome


# ---- which checkpoint is meant


def test_an_id_must_mean_exactly_one_checkpoint(here: MemoryWorktrees) -> None:
    here.take("c2")
    assert refusal(restore("c", here.port())) == (
        "ambiguous",
        "c: several checkpoints start with this (c2, c1); type more of the id.",
    )
    assert refusal(restore("d", here.port())) == (
        "not_found",
        "d: there is no such checkpoint here; `holdfast checkpoint list` has them.",
    )
    assert refusal(restore("", here.port()))[1].startswith("(no id): there is no such")
    assert here.files == {"a": "2"}


def test_a_checkpoint_of_another_session_is_not_found(here: MemoryWorktrees) -> None:
    assert refusal(restore("c1", here.port(), session="other"))[0] == "not_found"
    restored(restore("c1", here.port(), session="s"))


@pytest.mark.parametrize("without", [False, True])
def test_a_checkpoint_of_another_worktree_is_refused_with_where_to_go_on(
    here: MemoryWorktrees, without: bool
) -> None:
    there = CheckpointElsewhere("d123", "/w/other", "id", "then", "turn")
    gone = replace(there, id="e123", worktree="/w/0123456789ab", is_gone=True)
    mine = replace(gone, id="f123", worktree="/w/mine")
    here.transcript.others = (there, gone, mine, replace(there, id="d456"))
    if without:
        here.none = NoCheckpoints("there are none here.")
    assert refusal(restore("d1", here.port())) == (
        "conflict",
        (
            "d123: this was taken in the worktree /w/other; restore it there: holdfast checkpoint "
            "restore d123 --root /w/other"
        ),
    )
    assert refusal(restore("e", here.port())) == (
        "not_found",
        (
            "e123: this was taken in the worktree /w/0123456789ab, which is gone; make it anew with "
            "this: holdfast worktree new --session 0123456789ab --from e123."
        ),
    )
    assert refusal(show_checkpoint("f", here.port())) == (
        "not_found",
        (
            "f123: this was taken in the worktree /w/mine, which is gone; make it again (`git worktree "
            "add /w/mine`), and restore it there."
        ),
    )
    assert refusal(compare_checkpoints("d1", None, here.port()))[0] == "conflict"
    # Two of them begin so: neither is meant.
    unknown = "there are none here." if without else "d: there is no such checkpoint here;"
    for outcome in (
        restore("d", here.port()),
        show_checkpoint("d", here.port()),
        compare_checkpoints("d", None, here.port()),
    ):
        assert refusal(outcome)[1].startswith(unknown)
    here.transcript.failing = "the store is away."
    assert refusal(restore("d1", here.port()))[0] == "not_found"


@pytest.mark.parametrize("without", [False, True])
def test_a_checkpoint_of_a_clone_that_is_gone_is_adopted(
    here: MemoryWorktrees, without: bool
) -> None:
    if without:
        here.none = NoCheckpoints("there are none here.")
    here.adoptable = {"d1"}
    assert restored(restore("d1", here.port())).checkpoint_id == "d1"


def test_nothing_to_undo_is_said(here: MemoryWorktrees) -> None:
    assert refusal(undo_restore(here.port())) == (
        "not_found",
        "there is nothing to undo: no restore here is on record.",
    )
    here.none = NoCheckpoints("there are none here.")
    assert refusal(undo_restore(here.port())) == (
        "not_found",
        "there are none here. `holdfast checkpoint create` takes one.",
    )


# ---- what a restore does


def test_a_restore_and_its_undo_exchange_files_and_conversation(here: MemoryWorktrees) -> None:
    later = here.take("c2", **TALK)
    here.transcript.count = 2
    here.transcript.exchanged = Exchanged(("m1", "m2"), ("m3",), seq=9)
    done = restored(restore("c1", here.port()))
    assert done == Restored(
        "restore",
        "c1",
        "u1",
        messages_deleted=2,
        messages_brought_back=1,
        worktree_reset=True,
        backend_reset=False,
        tree="a=1",
        seq=9,
    )
    assert here.files == {"a": "1"}
    assert here.transcript.exchanges == [("c1", "u1", ("c2",), "both", False)]
    assert (here.trash, [each.id for each in here.kept]) == ({"u1": [later]}, ["u1", "c1"])
    assert (here.backend.evicted, here.journal.open, here.exact) == (["s"], {}, [False])
    here.transcript.count = 1
    undone = restored(undo_restore(here.port()))
    assert (undone.verb, undone.checkpoint_id, undone.undo_checkpoint_id) == ("undo", "u1", "u2")
    assert here.files == {"a": "2"}
    assert here.transcript.exchanges[1] == ("u1", "u2", (), "both", True)
    assert [each.id for each in here.kept] == ["c2", "u2", "c1"]
    assert here.exact == [False, True]
    # The undo checkpoint is used up.
    assert refusal(undo_restore(here.port()))[0] == "not_found"


def test_a_restore_of_files_leaves_the_conversation(here: MemoryWorktrees) -> None:
    here.transcript.failing = here.backend.failing = here.turns.failing = "the store is away."
    done = restored(restore("c1", here.port(), scope="files"))
    assert (done.worktree_reset, done.backend_reset) == (True, False)
    assert done.notes == ("the agent of session s could not be reset: the store is away.",)
    assert here.files == {"a": "1"}
    here.backend.failing = ""
    undone = restored(undo_restore(here.port()))
    assert undone.notes == ("the store does not know of this: the store is away.",)
    assert here.files == {"a": "2"}


def test_a_restore_of_the_conversation_leaves_the_files(here: MemoryWorktrees) -> None:
    here.turns.left_behind = (7,)
    here.transcript.count = 1
    done = restored(restore("c1", here.port(), scope="conversation"))
    assert (done.worktree_reset, done.backend_reset) == (False, False)
    assert (done.notes, here.files) == ((), {"a": "2"})
    assert here.transcript.exchanges == [("c1", "u1", (), "conversation", False)]
    assert here.turns.scopes == [StopScope("s", worktree=False)]


def test_a_conversation_that_is_not_there_is_refused_with_what_is(here: MemoryWorktrees) -> None:
    alone = "`holdfast checkpoint restore c1 --files` brings the files alone back"
    here.take("d1")
    assert refusal(restore("d1", here.port(), scope="conversation")) == (
        "not_found",
        (
            "d1: this checkpoint belongs to no conversation; `holdfast checkpoint restore d1` brings "
            "its files back."
        ),
    )
    here.transcript.count = None
    assert refusal(restore("c1", here.port())) == (
        "conflict",
        f"c1: its conversation is not in the store (any more); {alone}.",
    )
    here.transcript.failing = "the store is away."
    assert refusal(restore("c1", here.port())) == (
        "conflict",
        f"the store is away. Or {alone}.",
    )
    here.transcript.failing, here.backend.failing = "", "the store is away."
    here.transcript.count = 1
    assert refusal(restore("c1", here.port()))[1] == "the store is away."
    here.backend.failing, here.turns.failing = "", "the store is away."
    assert refusal(restore("c1", here.port()))[1] == "the store is away."
    assert (here.files, here.journal.open) == ({"a": "2"}, {})


def test_an_undo_without_its_messages_brings_the_files_back_and_says_so(
    here: MemoryWorktrees,
) -> None:
    restored(restore("c1", here.port()))
    here.transcript.count = None
    undone = restored(undo_restore(here.port()))
    assert undone.notes == ("the store keeps no messages for this restore, so none came back.",)
    assert here.transcript.exchanges[1][3] == "files"
    assert here.files == {"a": "2"}


def test_an_undo_in_a_session_undoes_only_its_restores(here: MemoryWorktrees) -> None:
    restored(restore("c1", here.port()))
    assert refusal(undo_restore(here.port(), session="other"))[0] == "not_found"
    restored(undo_restore(here.port(), session="s"))


def test_a_redo_has_the_scope_of_the_undo_that_it_takes_back(here: MemoryWorktrees) -> None:
    restored(restore("c1", here.port(), scope="conversation"))
    undone = restored(undo_restore(here.port()))
    restored(redo_restore(undone.undo_checkpoint_id, here.port()))
    assert [each[3:] for each in here.transcript.exchanges] == [
        ("conversation", False),
        ("conversation", True),
        ("conversation", True),
    ]
    assert refusal(redo_restore("x", here.port()))[0] == "not_found"


def test_files_to_keep_stay_with_the_reason(here: MemoryWorktrees) -> None:
    here.files = {"a": "2", "b": "3"}
    done = restored(restore("c1", here.port(), keep=["b"]))
    assert (done.kept, done.kept_why) == (("b",), {"b": "you asked to keep it"})
    assert here.files == {"a": "1", "b": "3"}


@pytest.mark.parametrize(
    ("index", "differs", "problem", "expected"),
    [
        (False, False, None, (False, False)),
        (True, False, None, (True, False)),
        (False, True, None, (False, True)),
        (True, True, None, (True, False)),
        (True, True, "it is locked", (False, True)),
    ],
)
def test_what_was_staged_is_staged_again_if_that_is_asked_for(
    here: MemoryWorktrees,
    index: bool,
    differs: bool,
    problem: str | None,
    expected: tuple[bool, bool],
) -> None:
    here.staged_differs, here.staging_problem = differs, problem
    done = restored(restore("c1", here.port(), index=index))
    assert (done.index_reset, done.index_differs) == expected
    assert here.staged == (["a=1"] if index and differs and problem is None else [])
    if problem:
        assert done.notes == ("what was staged could not be restored: it is locked.",)
    [undo] = [each for each in here.kept if each.is_undo_checkpoint]
    assert undo.draft.index == index


def test_checkpoints_that_are_too_old_leave_the_record(here: MemoryWorktrees) -> None:
    here.too_old = (here.take("old"),)
    here.notes_given = ("the repository is gone.",)
    done = restored(restore("c1", here.port()))
    assert here.transcript.forgotten == [(("old",), ())]
    assert (done.seq, done.notes) == (len(here.log), ("the repository is gone.",))


# ---- turns in the way


def test_a_turn_at_work_is_stopped_first_and_no_other_begins(here: MemoryWorktrees) -> None:
    here.turns.running = [RunningTurn("t", "s")]
    done = restored(restore("c1", here.port()))
    assert done.backend_reset
    assert here.turns.asked == ["Stopped: a restore of checkpoint c1 was asked for."]
    assert here.turns.scopes[0] == StopScope("s", worktree=True)
    assert here.backend.refused == ["s"]
    here.turns.running = [RunningTurn("t", "s")]
    here.backend.failing, here.transcript.failing = "", ""
    restored(undo_restore(here.port()))
    assert here.turns.asked[1:] == [
        "Stopped: an undo of the restore of checkpoint c1 was asked for."
    ]


def test_processes_that_turns_left_behind_are_ended_before_files_are_restored(
    here: MemoryWorktrees,
) -> None:
    here.turns.left_behind = (7,)
    done = restored(restore("c1", here.port()))
    assert done.backend_reset
    assert "7" in " ".join(done.notes)


def test_an_agent_that_remembers_the_conversation_is_ended_before_it_is_restored(
    here: MemoryWorktrees,
) -> None:
    here.turns.agents = (8,)
    here.transcript.count = 1
    done = restored(restore("c1", here.port(), scope="conversation"))
    assert done.backend_reset
    assert done.notes == ("ended processes that turns had started: 8.",)


def test_an_agent_that_was_warm_is_reported_as_reset(here: MemoryWorktrees) -> None:
    here.backend.warm = True
    assert restored(restore("c1", here.port())).backend_reset


def test_a_turn_that_does_not_end_refuses_the_restore(here: MemoryWorktrees) -> None:
    here.turns.running, here.turns.stubborn = [RunningTurn("t", "s")], True
    assert "t" in refusal(restore("c1", here.port()))[1]
    assert here.files == {"a": "2"}


def begin_next(here: MemoryWorktrees) -> None:
    here.turns.running.append(RunningTurn(f"t{len(here.turns.asked)}", "s"))


def test_a_restore_gives_up_after_five_turns_that_began_meanwhile(here: MemoryWorktrees) -> None:
    here.turns.running = [RunningTurn("t", "s")]
    here.turns.ends = lambda: begin_next(here)
    assert refusal(restore("c1", here.port()))[1] == (
        "new turns keep beginning here; end what starts them, and run this again."
    )
    assert (len(here.turns.asked), here.files) == (5, {"a": "2"})


def test_a_restore_waits_for_four_turns_that_began_meanwhile(here: MemoryWorktrees) -> None:
    here.turns.running = [RunningTurn("t", "s")]

    def next_begins() -> None:
        if len(here.turns.asked) < 4:
            begin_next(here)

    here.turns.ends = next_begins
    restored(restore("c1", here.port()))
    assert len(here.turns.asked) == 4


# ---- what can go wrong halfway


def test_what_is_in_the_way_is_named_before_anything_is_done(here: MemoryWorktrees) -> None:
    here.blocked = Blocked("p", "p: a socket is in the way")
    assert refusal(restore("c1", here.port())) == (
        "conflict",
        "p: a socket is in the way; move it away, and try again.",
    )
    assert [each.id for each in here.kept] == ["c1"]


def test_a_restore_that_git_refuses_leaves_no_trace(here: MemoryWorktrees) -> None:
    here.failures = [RestoreFailed("git refused.")]
    outcome = restore("c1", here.port())
    assert refusal(outcome) == ("conflict", "git refused.")
    assert isinstance(outcome, NothingDone)
    assert not outcome.unsettled
    assert ([each.id for each in here.kept], here.journal.open) == (["c1"], {})


def test_a_restore_that_stops_halfway_goes_back(here: MemoryWorktrees) -> None:
    here.failures = [RestoreFailed("the disk is full.", unsettled=True)]
    outcome = restore("c1", here.port())
    assert refusal(outcome) == ("conflict", "the disk is full.")
    assert isinstance(outcome, NothingDone)
    assert not outcome.unsettled
    assert here.exact == [False, True]
    assert ([each.id for each in here.kept], here.journal.open) == (["c1"], {})


@pytest.mark.parametrize(
    "second", [RestoreFailed("again.", unsettled=True), CheckpointFailed("the disk is full.")]
)
def test_a_restore_that_cannot_go_back_either_stays_in_the_journal(
    here: MemoryWorktrees, second: RestoreFailed | Exception
) -> None:
    here.failures = [RestoreFailed("the disk is full.", unsettled=True), second]
    outcome = restore("c1", here.port())
    assert isinstance(outcome, NothingDone)
    assert outcome.unsettled
    assert list(here.journal.open) == ["u1"]


def test_a_conversation_that_cannot_follow_its_files_stays_in_the_journal(
    here: MemoryWorktrees,
) -> None:
    def fail(*_: object) -> None:
        raise CheckpointFailed("git refused.")

    here.move_to_trash = fail  # type: ignore[method-assign,assignment]
    outcome = restore("c1", here.port())
    assert refusal(outcome)[1] == "the rest could not be done: git refused."
    assert isinstance(outcome, NothingDone)
    assert outcome.unsettled
    assert [each.phase for each in here.journal.open.values()] == ["talk"]


# ---- the same restore once more


def test_a_restore_that_was_done_is_not_done_again(here: MemoryWorktrees) -> None:
    first = restored(restore("c1", here.port()))
    again = restored(restore("c1", here.port()))
    assert again == replace(first, seq=None)
    assert len(here.transcript.exchanges) == 1
    here.turns.left_behind = (7,)
    assert restored(restore("c1", here.port())).backend_reset


def test_a_conversation_that_was_restored_is_not_restored_again(here: MemoryWorktrees) -> None:
    first = restored(restore("c1", here.port(), scope="conversation"))
    again = restored(restore("c1", here.port(), scope="conversation"))
    assert again.undo_checkpoint_id == first.undo_checkpoint_id


def edit(here: MemoryWorktrees) -> None:
    here.files = {"a": "3"}


def write_message(here: MemoryWorktrees) -> None:
    here.transcript.count = 1


def change_permissions(here: MemoryWorktrees) -> None:
    here.attributes_differ = True


def move_a_change(here: MemoryWorktrees) -> None:
    here.transcript.differ = True


def take_another(here: MemoryWorktrees) -> None:
    here.take("c2", **TALK)


def restore_files_alone(here: MemoryWorktrees) -> None:
    here.take("u9", kind="undo", target="c1")


def restore_conversation_alone(here: MemoryWorktrees) -> None:
    here.take("u9", kind="undo", target="c1", files=False, message="m")


def restore_another(here: MemoryWorktrees) -> None:
    here.take("u9", kind="undo", target="c9", message="m")


@pytest.mark.parametrize(
    "since",
    [
        edit,
        write_message,
        change_permissions,
        move_a_change,
        take_another,
        restore_files_alone,
        restore_conversation_alone,
        restore_another,
    ],
)
def test_a_restore_is_done_again_if_anything_has_changed_since(
    here: MemoryWorktrees, since: Callable[[MemoryWorktrees], None]
) -> None:
    first = restored(restore("c1", here.port()))
    since(here)
    again = restored(restore("c1", here.port()))
    assert again.undo_checkpoint_id != first.undo_checkpoint_id
    assert len(here.transcript.exchanges) == 2


def test_a_restore_with_the_index_is_done_again_if_that_differs(here: MemoryWorktrees) -> None:
    first = restored(restore("c1", here.port()))
    here.staged_differs = True
    without = restored(restore("c1", here.port()))
    assert (without.undo_checkpoint_id, without.index_differs) == (first.undo_checkpoint_id, True)
    assert restored(restore("c1", here.port(), index=True)).undo_checkpoint_id == "u2"


def test_a_file_that_stays_must_be_the_same_for_a_restore_to_be_done(here: MemoryWorktrees) -> None:
    here.stays = {"b": "the checkpoint does not know it"}
    here.files = {"a": "2", "b": "1"}
    restored(restore("c1", here.port()))
    assert restored(restore("c1", here.port())).undo_checkpoint_id == "u1"
    here.files["b"] = "2"
    assert restored(restore("c1", here.port())).undo_checkpoint_id == "u2"


def test_the_store_is_not_needed_to_see_that_files_were_restored(here: MemoryWorktrees) -> None:
    restored(restore("c1", here.port(), scope="files"))
    here.transcript.failing = "the store is away."
    assert restored(restore("c1", here.port(), scope="files")).undo_checkpoint_id == "u1"


# ---- what dead processes left


def leave(here: MemoryWorktrees, phase: str = "files", **changed: object) -> UnfinishedRestore:
    """Leave a restore of `c1` as a killed process does."""
    undo = here.take("u0", kind="undo", target="c1", session="s", chat="c", message="m")
    left = UnfinishedRestore(
        "u0", undo.commit, "c1", "commit of c1", "restore", True, True, "files", orphans=("c2",)
    )
    left = replace(left, phase=phase, **changed)  # type: ignore[arg-type]
    here.begin(left)
    return left


def recover(here: MemoryWorktrees) -> Created:
    created = create_checkpoint(here.port())
    assert isinstance(created, Created)
    return created


STOPPED = "an earlier restore of c1 was stopped halfway"


def test_a_restore_that_was_killed_is_finished_by_the_next_command(here: MemoryWorktrees) -> None:
    leave(here, kept=("b",))
    here.files = {"b": "by hand"}
    settled = recover(here).recovered
    assert settled.notes == (f"{STOPPED}: it is now finished.",)
    [done] = settled.finished
    assert (done.tree, done.kept) == ("a=1,b=by hand", ("b",))
    assert here.files == {"a": "1", "b": "by hand"}
    # What was found halfway is kept.
    assert [each.present.tree for each in here.kept if each.draft.kind == "interrupted"] == [
        "b=by hand"
    ]
    assert here.backend.evicted == ["s"]
    assert here.transcript.exchanges == [("c1", "u0", ("c2",), "both", False)]


def test_files_that_a_checkpoint_has_are_not_kept_twice(here: MemoryWorktrees) -> None:
    leave(here)
    recover(here)
    assert [each.id for each in here.kept if each.draft.kind == "interrupted"] == []


def test_files_that_are_restored_already_are_not_restored_again(here: MemoryWorktrees) -> None:
    leave(here, "talk", tree="a=1")
    recover(here)
    assert (here.files, here.exact) == ({"a": "2"}, [])
    assert len(here.transcript.exchanges) == 1


def test_the_same_restore_that_is_asked_for_again_is_finished_once(here: MemoryWorktrees) -> None:
    leave(here)
    done = restored(restore("c1", here.port()))
    assert (done.undo_checkpoint_id, len(here.transcript.exchanges)) == ("u0", 1)
    assert done.recovered.notes == (f"{STOPPED}: it is now finished.",)


def test_a_restore_that_used_its_target_up_is_the_answer_when_it_is_asked_for_again(
    here: MemoryWorktrees,
) -> None:
    here.take("x1", kind="undone", **TALK)
    leave(here, target_id="x1", target_commit="commit of x1")
    assert restored(restore("x1", here.port())).undo_checkpoint_id == "u0"
    leave(here, target_id="x1", target_commit="commit of x1")
    assert restored(redo_restore("x1", here.port())).checkpoint_id == "x1"
    leave(here, target_id="x1", target_commit="commit of x1", verb="undo")
    assert refusal(restore("x1", here.port()))[0] == "not_found"


def test_an_undo_that_was_killed_is_the_answer_of_the_next_undo(here: MemoryWorktrees) -> None:
    restored(restore("c1", here.port()))
    leave(here, target_id="u1", target_commit="commit of u1", verb="undo")
    undone = restored(undo_restore(here.port()))
    assert (undone.verb, undone.checkpoint_id) == ("undo", "u1")
    assert undone.recovered.notes == ("an earlier undo was stopped halfway: it is now finished.",)


def test_a_restore_whose_checkpoint_is_gone_is_rolled_back(here: MemoryWorktrees) -> None:
    leave(here, target_commit="gone")
    here.files = {"a": "half"}
    assert recover(here).recovered.notes == (
        f"{STOPPED} and has been rolled back, because its checkpoint is gone.",
    )
    assert (here.files, here.exact) == ({"a": "2"}, [True])
    assert "u0" not in [each.id for each in here.kept]


def test_a_restore_that_git_refuses_is_rolled_back_with_the_reason(here: MemoryWorktrees) -> None:
    leave(here)
    here.failures = [RestoreFailed("git refused")]
    assert recover(here).recovered.notes == (
        f"{STOPPED} and has been rolled back, because git refused.",
    )


def test_a_restore_that_can_neither_finish_nor_go_back_refuses_edits(here: MemoryWorktrees) -> None:
    leave(here)
    here.blocked = Blocked("p", "p: a socket is in the way")
    settled = recover(here).recovered
    message = f"{STOPPED}: p: a socket is in the way; fix that, and run this again."
    assert (settled.refusal, settled.notes) == (message, (message,))
    assert list(here.journal.open) == ["u0"]


def test_files_that_a_recovery_has_restored_are_not_restored_by_the_next_one(
    here: MemoryWorktrees,
) -> None:
    leave(here)
    here.transcript.failing = here.backend.failing = "the store is away."
    here.transcript.others = ()
    recover(here)
    here.files = {"a": "edited since"}
    recover(here)
    assert here.files == {"a": "edited since"}


def test_a_conversation_that_is_owed_is_waited_for(here: MemoryWorktrees) -> None:
    leave(here)
    here.transcript.failing = here.backend.failing = "the store is away."
    here.transcript.others = ()
    created = recover(here)
    owed = f"{STOPPED}; its files are done, its conversation cannot follow yet: the store is away."
    assert (created.recovered.owed, here.files) == (owed, {"a": "1"})
    assert created.unrecorded == "the store does not know of this: the store is away."
    assert refusal(restore("c1", here.port()))[1] == (
        f"{owed} Until then `holdfast checkpoint restore c1 --files` brings the files alone back."
    )
    here.transcript.failing = here.backend.failing = ""
    assert restored(restore("c1", here.port())).recovered.owed is None


def test_a_restore_is_dropped_if_files_were_restored_since(here: MemoryWorktrees) -> None:
    leave(here)
    here.journal.last = 2
    assert recover(here).recovered.notes == (
        f"{STOPPED}, and files were restored since: it is dropped.",
    )
    assert (here.files, here.journal.open) == ({"a": "2"}, {})


def test_a_restore_that_has_only_its_conversation_to_follow_is_not_outdated(
    here: MemoryWorktrees,
) -> None:
    leave(here, "talk")
    here.journal.last = 2
    assert recover(here).recovered.notes == (f"{STOPPED}: it is now finished.",)


def test_the_last_restore_itself_is_not_outdated(here: MemoryWorktrees) -> None:
    leave(here)
    here.journal.last = 1
    assert recover(here).recovered.notes == (f"{STOPPED}: it is now finished.",)


def test_what_the_caller_has_under_way_is_not_settled(here: MemoryWorktrees) -> None:
    leave(here)
    here.journal.nested = True
    assert recover(here).recovered.notes == ()
    assert list(here.journal.open) == ["u0"]


def test_a_journal_that_cannot_be_read_refuses_and_a_disk_that_fails_does_not(
    here: MemoryWorktrees,
) -> None:
    here.journal.error = JournalDamaged("/j")
    assert refusal(create_checkpoint(here.port()))[1].startswith("/j: this journal is damaged")
    here.journal.error = OSError(errno.EIO, "it broke", "/journal")
    assert recover(here).recovered.notes == (
        "an earlier command here was stopped halfway, and cannot be settled: /journal: it broke.",
    )
    restored(restore("c1", here.port()))


def test_a_command_without_checkpoints_recovers_a_restore_too(here: MemoryWorktrees) -> None:
    pending = PendingRestore(1, "now", leave(here))
    settled = recover_unlocked(pending, here.port(), outdated=False)
    assert settled.notes == (f"{STOPPED}: it is now finished.",)
    here.none = NoCheckpoints("there are none here.")
    settled = recover_unlocked(pending, here.port(), outdated=False)
    assert settled.refusal == f"{STOPPED}: there are none here."


# ---- checkpoints


def test_no_checkpoint_of_a_turn_is_taken_while_a_restore_of_its_session_is_unfinished(
    here: MemoryWorktrees,
) -> None:
    leave(here)
    assert refusal(create_checkpoint(here.port(), owner=CheckpointOwner("s", "c", "m2"))) == (
        "conflict",
        (
            "a restore in session s was stopped halfway; let `holdfast checkpoint create` finish it "
            "between two turns."
        ),
    )
    other = create_checkpoint(here.port(), owner=CheckpointOwner("s2", "c2", "m3", "t"))
    assert isinstance(other, Created)
    draft = other.checkpoint.draft
    assert (draft.session, draft.chat, draft.message) == ("s2", "c2", "m3")
    assert (here.log[-1].session, here.log[-1].turn, other.seq) == ("s2", "t", len(here.log))
    leave(here, target_commit="gone")
    assert isinstance(create_checkpoint(here.port(), owner=CheckpointOwner("s", "c", "m")), Created)


def test_a_checkpoint_names_those_that_were_removed_for_it(here: MemoryWorktrees) -> None:
    here.too_old = (here.take("old"),)
    created = recover(here)
    assert (created.dropped, created.checkpoint.draft.logged) == (("old",), 0)
    here.transcript.failing = "the store is away."
    assert recover(here).checkpoint.draft.logged is None


def test_checkpoints_are_listed_with_those_of_other_worktrees(here: MemoryWorktrees) -> None:
    there = CheckpointElsewhere("d1", "/w/other", "id", "then", "turn")
    here.transcript.others, here.notes_given = (there,), ("a note.",)
    [c1] = here.kept
    assert list_checkpoints(here.port()) == Listed((c1,), (there,), None, ("a note.",))
    here.transcript.failing = "the store is away."
    assert list_checkpoints(here.port()) == Listed(
        (c1,),
        (),
        "the checkpoints of other worktrees are not known: the store is away.",
        ("a note.",),
    )


@pytest.mark.parametrize(("count", "held"), [(1, "1 checkpoint"), (2, "2 checkpoints")])
def test_a_new_clone_is_told_where_its_checkpoints_are(
    here: MemoryWorktrees, count: int, held: str
) -> None:
    here.none = NoCheckpoints("there are none here.")
    assert list_checkpoints(here.port()) == Listed(())
    here.gone_here = (here.take("g1"), here.take("g2"))[:count]
    assert list_checkpoints(here.port()) == Listed(
        (),
        notes=(
            (
                f"the repository that held {held} is gone; the latest is g1, and `holdfast checkpoint "
                "restore g1` restores its files into this clone."
            ),
        ),
    )


def test_a_checkpoint_is_shown_and_compared(here: MemoryWorktrees) -> None:
    [c1] = here.kept
    shown = show_checkpoint("c1", here.port())
    assert shown == Shown(c1, here.compare("", "a=1"))
    present = replace(c1.present, head="a=0")
    here.kept = [replace(c1, present=replace(present, tree="a=0"))]
    assert show_checkpoint("c1", here.port()) == Shown(here.kept[0], ())
    here.kept = [c1]
    changed = here.compare("a=1", "a=2")
    assert compare_checkpoints("c1", None, here.port()) == Compared(c1, None, changed, "a=1 -> a=2")
    c2 = here.take("c2")
    here.files = {"a": "3"}
    assert compare_checkpoints("c1", "c2", here.port()) == Compared(c1, c2, changed, "a=1 -> a=2")
    assert refusal(compare_checkpoints("c1", "d", here.port()))[1].startswith("d: there is no")


def test_old_checkpoints_leave_the_record_and_the_worktree(here: MemoryWorktrees) -> None:
    here.take("c2")
    here.take("u1", kind="undo", target="c1")
    here.take("c3")
    here.trash = {"u1": []}
    pruned = prune_checkpoints(here.port(), 1)
    assert isinstance(pruned, CheckpointsPruned)
    left = [each.id for each in here.kept]
    assert pruned.left == len(left)
    assert set(pruned.removed) | set(left) == {"c1", "c2", "u1", "c3"}
    assert pruned.emptied == ("u1",)
    assert here.transcript.forgotten == [(pruned.removed, ("u1",))]


def test_checkpoints_of_a_session_stay_while_the_store_is_away(here: MemoryWorktrees) -> None:
    here.take("c2")
    here.transcript.failing = "the store is away."
    assert refusal(prune_checkpoints(here.port(), 1)) == ("conflict", "the store is away.")
    assert [each.id for each in here.kept] == ["c2", "c1"]
    alone = MemoryWorktrees(a="1")
    alone.take("c1")
    alone.take("c2")
    alone.transcript.failing = "the store is away."
    pruned = prune_checkpoints(alone.port(), 1)
    assert isinstance(pruned, CheckpointsPruned)
    assert (pruned.removed, pruned.left, pruned.seq) == (("c1",), 1, None)


def test_where_there_are_no_checkpoints_none_are_removed() -> None:
    empty = MemoryWorktrees()
    assert prune_checkpoints(empty.port(), 1) == CheckpointsPruned((), (), 0)
    assert empty.transcript.forgotten == []
    empty.none = NoCheckpoints("there are none here.")
    assert prune_checkpoints(empty.port(), 1) == CheckpointsPruned((), (), 0)


@pytest.mark.parametrize("scope", ["both", "files", "conversation"])
def test_only_the_same_restore_is_answered_by_one_that_was_finished(
    here: MemoryWorktrees, scope: Any
) -> None:
    leave(here)
    done = restored(restore("c1", here.port(), scope=scope))
    # The files are back, whether or not the conversation is asked for.
    assert (done.undo_checkpoint_id == "u0") == (scope != "conversation")


def test_a_finished_undo_or_another_restore_is_no_answer_to_a_restore(
    here: MemoryWorktrees,
) -> None:
    here.take("c0", **TALK)
    here.files = {"a": "1"}
    leave(here, target_id="c0", target_commit="commit of c0")
    done = restored(restore("c1", here.port()))
    assert (done.checkpoint_id, done.undo_checkpoint_id) == ("c1", "u1")
    leave(here, verb="undo", target_id="u1", target_commit="commit of u1")
    done = restored(restore("c1", here.port()))
    assert (done.verb, done.undo_checkpoint_id) == ("restore", "u2")


def test_an_agent_is_reset_again_only_if_it_was_started_again(here: MemoryWorktrees) -> None:
    here.backend.warm = True
    leave(here)
    assert recover(here).recovered.finished[0].backend_reset
    leave(here, target_commit="gone", phase="talk")
    [done] = recover(here).recovered.finished
    assert not done.backend_reset
    here.take("n1")
    leave(here, target_id="n1", target_commit="commit of n1")
    assert not recover(here).recovered.finished[0].backend_reset
    here.backend.failing = "the store is away."
    leave(here)
    assert not recover(here).recovered.finished[0].backend_reset
    assert here.backend.evicted == ["s"]


def test_a_restore_that_uses_an_undo_checkpoint_up_does_so_only_with_the_conversation(
    here: MemoryWorktrees,
) -> None:
    here.take("x1", kind="undone", **TALK)
    here.files = {"a": "9"}
    restored(restore("x1", here.port(), scope="files"))
    assert "x1" in [each.id for each in here.kept]
    assert here.transcript.exchanges[-1][4] is False
    here.files = {"a": "9"}
    restored(restore("x1", here.port()))
    assert "x1" not in [each.id for each in here.kept]
    assert here.transcript.exchanges[-1][4] is True


def test_a_restore_that_cannot_go_back_because_something_is_in_the_way_stays_open(
    here: MemoryWorktrees,
) -> None:
    prepare = here.prepare_restore

    def block_second(*words: Any, **named: Any) -> Any:
        if here.exact:
            return Blocked("p", "p: a socket is in the way")
        return prepare(*words, **named)

    here.prepare_restore = block_second  # type: ignore[method-assign]
    here.failures = [RestoreFailed("the disk is full.", unsettled=True)]
    outcome = restore("c1", here.port())
    assert isinstance(outcome, NothingDone)
    assert outcome.unsettled


def test_an_undo_goes_back_to_what_was_captured_for_the_restore(here: MemoryWorktrees) -> None:
    prepare = here.prepare_restore

    def capture_more(*words: Any, **named: Any) -> Any:
        prepared: Any = prepare(*words, **named)
        return replace(prepared, present=replace(prepared.present, branch="captured"))

    here.prepare_restore = capture_more  # type: ignore[method-assign]
    restored(restore("c1", here.port()))
    assert here.kept[0].present.branch == "captured"
