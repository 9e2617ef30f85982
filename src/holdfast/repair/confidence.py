"""The judgement of a model's confidence in its proposal."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

THRESHOLD: Final = 0.75


@dataclass(frozen=True, slots=True)
class Sure:
    """A confidence that reaches the threshold."""

    confidence: float


@dataclass(frozen=True, slots=True)
class Unsure:
    """A confidence below the threshold."""

    confidence: float
    threshold: float


@dataclass(frozen=True, slots=True)
class NoConfidence:
    """A value that is no confidence; `message` is the reason."""

    message: str


ConfidenceVerdict: TypeAlias = Sure | Unsure | NoConfidence


def judge_confidence(value: object, threshold: float = THRESHOLD) -> ConfidenceVerdict:
    """Judge the confidence that a proposer reported; the threshold itself is enough.

    >>> judge_confidence(0.75)
    Sure(confidence=0.75)
    >>> judge_confidence(0.75, 0.9)
    Unsure(confidence=0.75, threshold=0.9)
    >>> judge_confidence(True)
    NoConfidence(message='the confidence is true or false, not a number from 0 to 1.')
    """
    # A bool is no number here, although it is an int in Python.
    if isinstance(value, bool):
        return NoConfidence("the confidence is true or false, not a number from 0 to 1.")
    if not isinstance(value, int | float):
        what = "not a number"
        if value is None:
            what = "missing"
        return NoConfidence(f"the confidence is {what}; expected a number from 0 to 1.")
    if isinstance(value, float) and math.isnan(value):
        return NoConfidence("the confidence is NaN; expected a number from 0 to 1.")
    if not 0 <= value <= 1:
        return NoConfidence("the confidence is outside of 0 to 1.")
    if value >= threshold:
        return Sure(float(value))

    return Unsure(float(value), threshold)
