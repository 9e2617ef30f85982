"""Whether a model is sure enough of what it proposes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

THRESHOLD: Final = 0.75
STRICT_THRESHOLD: Final = 0.90


@dataclass(frozen=True, slots=True)
class Sure:
    """Sure enough."""

    confidence: float


@dataclass(frozen=True, slots=True)
class Unsure:
    """Less sure than is asked for."""

    confidence: float
    threshold: float


@dataclass(frozen=True, slots=True)
class NoConfidence:
    """What was given is no confidence at all; `message` says why."""

    message: str


Judged: TypeAlias = Sure | Unsure | NoConfidence


def judge_confidence(given: object, *, strict: bool = False) -> Judged:
    """Judge what a proposer gave as its confidence; the threshold itself is sure enough.

    >>> judge_confidence(0.75)
    Sure(confidence=0.75)
    >>> judge_confidence(0.75, strict=True)
    Unsure(confidence=0.75, threshold=0.9)
    >>> judge_confidence(True)
    NoConfidence(message='the confidence is true or false, not a number from 0 to 1.')
    """
    if given is None:
        return NoConfidence("no confidence is given; a number from 0 to 1 is asked for.")
    # Before the numbers: in Python True is one.
    if isinstance(given, bool):
        return NoConfidence("the confidence is true or false, not a number from 0 to 1.")
    if not isinstance(given, int | float):
        return NoConfidence("the confidence is no number; a number from 0 to 1 is asked for.")
    if isinstance(given, float) and math.isnan(given):
        return NoConfidence(
            "the confidence is not a number (NaN); a number from 0 to 1 is asked for."
        )
    if not 0 <= given <= 1:
        return NoConfidence("the confidence is outside of 0 to 1.")
    threshold = STRICT_THRESHOLD if strict else THRESHOLD
    return Sure(float(given)) if given >= threshold else Unsure(float(given), threshold)
