"""The changes as they were at a checkpoint, from the event log."""

from __future__ import annotations

from typing import Any

from holdfast.usecases.events.changes_at_checkpoint import ChangesAt, changes_at
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.vocab.change_events import ChangeMoved
from holdfast.vocab.events import CheckpointTaken

KNOWN = frozenset({"one", "two"})


def log() -> list[tuple[int, str, dict[str, Any]]]:
    events: tuple[ChangeMoved | CheckpointTaken, ...] = (
        ChangeMoved("one", "applied"),
        CheckpointTaken("named"),
        ChangeMoved("one", "rewound"),
        ChangeMoved("two", "applied"),
    )
    return [(number, each.kind, event_to_json(each)) for number, each in enumerate(events, 5)]


def test_the_log_names_the_checkpoint() -> None:
    assert changes_at("named", log(), 8) == ChangesAt({"one": "applied"}, KNOWN)


def test_a_checkpoint_whose_process_was_killed_before_it_was_recorded_is_found_by_its_number() -> (
    None
):
    assert changes_at("unnamed", log(), 5) == ChangesAt({"one": "applied"}, KNOWN)
    assert changes_at("unnamed", log(), 7) == ChangesAt({"one": "rewound"}, KNOWN)
    assert changes_at("unnamed", log(), 4) == ChangesAt({}, KNOWN)


def test_without_a_name_and_a_number_the_changes_are_not_known() -> None:
    assert changes_at("unnamed", log()) is None


def test_a_checkpoint_that_was_recorded_late_has_the_changes_of_when_it_was_taken() -> None:
    # Its process was killed; the first restore of it recorded it, after other changes.
    late = [
        *log(),
        (9, "checkpoint_taken", event_to_json(CheckpointTaken("late"))),
        (10, "change_moved", event_to_json(ChangeMoved("two", "rewound"))),
    ]
    assert changes_at("late", late, 6) == ChangesAt({"one": "applied"}, KNOWN)
