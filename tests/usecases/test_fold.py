"""The fold of a log, event by event."""

from __future__ import annotations

from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.events.fold import LogState, fold
from holdfast.usecases.events.ports import LoggedEvent
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved
from holdfast.vocab.events import (
    BaselineChange,
    BaselineChat,
    BaselineCheckpoint,
    BaselineTurn,
    CheckpointRestored,
    CheckpointsRemoved,
    CheckpointTaken,
    Event,
    LogBaseline,
    SessionDeleted,
    TurnEnded,
    TurnStarted,
)


def folded(*events: Event, turn: str | None = None) -> LogState:
    return fold(
        LoggedEvent(number, "now", None, turn, event.kind, event_to_json(event))
        for number, event in enumerate(events, 1)
    )


def changes(*events: Event) -> tuple[tuple[str, str], ...]:
    return folded(*events).changes


def started(turn: str, prompt: str | None, answer: str) -> TurnStarted:
    return TurnStarted("s", turn, "m", "", chat_id="c", prompt_message_id=prompt, message_id=answer)


def restored(**values: object) -> CheckpointRestored:
    named = {"verb": "restore", "scope": "both", "checkpoint_id": "k1", "undo_checkpoint_id": "u"}
    counts = {"messages_deleted": 0, "messages_brought_back": 0}
    flags = {"worktree_reset": True, "backend_reset": False}
    return CheckpointRestored(**named, **counts, **flags, **values)  # type: ignore[arg-type]


def test_a_new_change_is_the_last_and_so_is_one_that_becomes_applied() -> None:
    moved = [ChangeMoved("a", "proposed"), ChangeMoved("b", "proposed")]
    assert changes(*moved) == (("a", "proposed"), ("b", "proposed"))
    assert changes(*moved, ChangeMoved("a", "applied")) == (("b", "proposed"), ("a", "applied"))
    assert changes(*moved, ChangeMoved("a", "rejected"))[0] == ("a", "rejected")


def test_the_rest_of_a_split_has_the_place_of_the_whole_until_they_are_joined() -> None:
    before: list[Event] = [ChangeMoved("whole", "proposed"), ChangeMoved("above", "proposed")]
    split: list[Event] = [
        ChangeMoved("rest", "proposed", "whole"),
        ChangeMoved("whole", "rejected"),
        ChangeMoved("part", "proposed"),
    ]
    assert changes(*before, *split) == (
        ("rest", "proposed"),
        ("above", "proposed"),
        ("whole", "rejected"),
        ("part", "proposed"),
    )
    join: list[Event] = [ChangeMoved("whole", "proposed", "rest"), ChangesRemoved(("part", "rest"))]
    assert changes(*before, *split, *join) == (("whole", "proposed"), ("above", "proposed"))


def test_a_turn_adds_its_messages_and_ends_once() -> None:
    state = folded(started("t", "m1", "m2"), turn="t")
    assert (state.messages, state.turns) == ({"c": ("m1", "m2")}, {"t": "running"})
    over = folded(started("t", None, "m2"), TurnEnded("cap", "", 1, 1, 1), turn="t")
    assert (over.messages, over.turns) == ({"c": ("m2",)}, {"t": "stopped"})


def test_a_restore_removes_messages_and_checkpoints_and_its_undo_brings_them_back() -> None:
    before: list[Event] = [
        started("t", "m1", "m2"),
        CheckpointTaken("k1", chat_id="c"),
        CheckpointTaken("k2", chat_id="c"),
        CheckpointTaken("alone"),
    ]
    cut = restored(chat_id="c", message_ids_deleted=("m2",), checkpoint_ids_removed=("k2",))
    state = folded(*before, cut)
    assert state.messages == {"c": ("m1",)}
    assert state.checkpoints == {"c": ("k1", "u"), None: ("alone",)}
    back = CheckpointRestored(
        "undo",
        "both",
        "u",
        "v",
        0,
        1,
        worktree_reset=True,
        backend_reset=False,
        chat_id="c",
        message_ids_brought_back=("m2",),
        checkpoint_ids_removed=("u",),
        checkpoint_ids_brought_back=("k2",),
    )
    state = folded(*before, cut, back)
    assert state.messages == {"c": ("m1", "m2")}
    assert state.checkpoints == {"c": ("k1", "k2", "v"), None: ("alone",)}
    assert folded(*before, CheckpointsRemoved(("k1", "alone"))).checkpoints == {"c": ("k2",)}


def test_a_baseline_is_where_an_older_log_begins() -> None:
    baseline = LogBaseline(
        ("s",),
        (BaselineChat("c", ("m1",)), BaselineChat("empty", ())),
        (BaselineChange("b", "applied"), BaselineChange("a", "proposed")),
        (BaselineCheckpoint("k2", "c", trashed=True), BaselineCheckpoint("k1", "c")),
        (BaselineTurn("t", "done"),),
    )
    assert folded(ChangeMoved("old", "proposed"), baseline) == LogState(
        (("b", "applied"), ("a", "proposed")), {"c": ("m1",)}, {"c": ("k1",)}, {"t": "done"}
    )
    back = restored(chat_id="c", checkpoint_ids_brought_back=("k2",))
    assert folded(baseline, back).checkpoints == {"c": ("k2", "k1", "u")}


def test_a_session_that_is_deleted_takes_its_messages_turns_changes_and_checkpoints() -> None:
    other = TurnStarted("s2", "t2", "m", "", chat_id="c2", message_id="m3")
    kept = folded(
        started("t1", "m1", "m2"),
        other,
        ChangeMoved("a", "applied"),
        ChangeMoved("b", "applied"),
        CheckpointTaken("k1", chat_id="c"),
        CheckpointTaken("k2", chat_id="c2"),
        CheckpointTaken("k3"),
        SessionDeleted("s", ("c", "unknown"), ("t1", "unknown"), ("a",)),
    )
    assert kept == LogState(
        (("b", "applied"),),
        {"c2": ("m3",)},
        {"c2": ("k2",), None: ("k3",)},
        {"t2": "running"},
    )


def test_changes_that_a_restore_moves_are_the_last_in_its_order() -> None:
    moved = [ChangeMoved(name, "applied") for name in ("a", "b", "c")]
    back = (BaselineChange("b", "proposed"), BaselineChange("a", "rewound"))
    assert changes(*moved, restored(changes_restored=back)) == (
        ("c", "applied"),
        ("b", "proposed"),
        ("a", "rewound"),
    )
