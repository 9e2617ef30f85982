"""Which of the changes that are on record has left a file as it is now."""

from __future__ import annotations

import pytest

from holdfast.changes.change import Change, ChangeState, RequestedEdits
from holdfast.changes.plan import ChangePlan
from holdfast.changes.swaps import LINK, Content, Swap
from holdfast.usecases.turns.observed_files import ObservedFile, is_recorded

OLD, NEW = Content(b"old"), Content(b"new")


def change_of(state: ChangeState, *swaps: Swap) -> Change:
    return Change("id", state, "run", RequestedEdits(), ChangePlan((), swaps, ()))


def now(content: Content | None) -> ObservedFile:
    return ObservedFile("a.py", Content(b"whatever"), content)


@pytest.mark.parametrize(
    ("state", "content", "recorded"),
    [
        ("applied", NEW, True),
        ("applied", OLD, False),
        ("applied", None, False),
        ("rewound", OLD, True),
        ("rewound", NEW, False),
        ("rejected", NEW, False),
        ("rejected", OLD, False),
    ],
)
def test_a_change_has_left_what_its_state_says(
    state: ChangeState, content: Content | None, recorded: bool
) -> None:
    change = change_of(state, Swap("b.py", NEW, OLD), Swap("a.py", OLD, NEW))
    assert is_recorded(now(content), [change]) is recorded


def test_a_file_that_a_change_deleted_or_made_is_missing_or_there() -> None:
    deleted = change_of("applied", Swap("a.py", OLD, None))
    assert is_recorded(now(None), [deleted])
    assert not is_recorded(now(OLD), [deleted])
    made = change_of("rewound", Swap("a.py", None, NEW))
    assert is_recorded(now(None), [made])
    assert not is_recorded(now(NEW), [made])


def test_a_link_is_not_the_file_with_the_same_bytes() -> None:
    change = change_of("applied", Swap("a.py", OLD, NEW))
    assert not is_recorded(now(Content(b"new", LINK)), [change])


def test_no_change_of_another_file_and_any_of_several_counts() -> None:
    other = change_of("applied", Swap("b.py", OLD, NEW))
    assert not is_recorded(now(NEW), [other])
    assert is_recorded(now(NEW), [other, change_of("applied", Swap("a.py", OLD, NEW))])
