"""The step budget of a turn: a soft cap that progress lifts, and a hard cap."""

from __future__ import annotations

from typing import Literal

from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StepCaps:
    """How many steps a turn may take.

    Beyond `soft` it continues while one of the last `recent` calls made progress.
    """

    soft: int = 60
    hard: int = 200
    recent: int = 12


def judge(steps: int, since_progress: int, caps: StepCaps) -> Literal["soft", "hard"] | None:
    """Return which cap ends the turn after `steps` steps.

    `since_progress` counts the calls since the last progress.

    >>> judge(60, 11, StepCaps()), judge(60, 12, StepCaps()), judge(59, 40, StepCaps()), judge(200, 0, StepCaps())
    (None, 'soft', None, 'hard')
    """
    if steps >= caps.hard:
        return "hard"
    if steps >= caps.soft and since_progress >= caps.recent:
        return "soft"
    return None
