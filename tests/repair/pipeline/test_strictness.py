"""The strictness table, whole, and the judge of confidence."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.confidence import NoConfidence, Sure, Unsure, judge_confidence
from holdfast.repair.strictness import DEFAULT, TABLE, Allowed, RepairPolicy, Strictness


def test_the_table_is_the_designs() -> None:
    assert dict(TABLE) == {
        "sketch": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unsafe_fixes=True,
        ),
        "development": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unsafe_fixes=True,
        ),
        "production": Allowed(
            fresh_model_calls=False,
            rules_applied="pinned",
            new_rules=False,
            unsafe_fixes=False,
        ),
    }
    assert set(TABLE) == set(get_args(Strictness))


def test_development_is_the_default_with_two_attempts() -> None:
    assert (DEFAULT, RepairPolicy()) == (
        "development",
        RepairPolicy("development", strict=False, max_attempts=2),
    )


@given(st.floats(0, 1), st.booleans())
def test_a_number_from_0_to_1_is_sure_from_the_threshold_on(
    confidence: float, strict: bool
) -> None:
    threshold = 0.90 if strict else 0.75
    judged = judge_confidence(confidence, 0.9 if strict else 0.75)
    assert judged == (
        Sure(confidence) if confidence >= threshold else Unsure(confidence, threshold)
    )


def _with(values: st.SearchStrategy[object], message: str) -> st.SearchStrategy[tuple[object, str]]:
    return st.tuples(values, st.just(message))


@given(
    st.one_of(
        _with(
            st.one_of(
                st.floats(max_value=-1e-9),
                st.floats(min_value=1.0000001),
                st.integers(min_value=2),
                st.integers(max_value=-1),
            ),
            "the confidence is outside of 0 to 1.",
        ),
        _with(
            st.just(float("nan")),
            "the confidence is NaN; expected a number from 0 to 1.",
        ),
        _with(st.booleans(), "the confidence is true or false, not a number from 0 to 1."),
        _with(
            st.one_of(st.text(), st.lists(st.floats())),
            "the confidence is not a number; expected a number from 0 to 1.",
        ),
        _with(st.none(), "the confidence is missing; expected a number from 0 to 1."),
    )
)
def test_anything_else_is_no_confidence(case: tuple[object, str]) -> None:
    confidence, message = case
    assert judge_confidence(confidence) == NoConfidence(message)
