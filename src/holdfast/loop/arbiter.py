"""The arbiter: what is done about a step. At most one thing, however many guards have something to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.guards.loops import Trip


@dataclass(frozen=True, slots=True)
class StopAtCap:
    """The budget of steps is spent."""


@dataclass(frozen=True, slots=True)
class StopLoop:
    """The model goes round in circles and was told so before."""

    trip: Trip


@dataclass(frozen=True, slots=True)
class StopMistakes:
    """Errors went on after a nudge."""


@dataclass(frozen=True, slots=True)
class NudgeLoop:
    """The model goes round in circles."""

    trip: Trip


@dataclass(frozen=True, slots=True)
class NudgeMistakes:
    """One error came after another."""


@dataclass(frozen=True, slots=True)
class NudgeReply:
    """The reply itself could not be used; `text` says what was wrong with it."""

    text: str


Intervention: TypeAlias = (
    StopAtCap | StopLoop | StopMistakes | NudgeLoop | NudgeMistakes | NudgeReply
)


def decide(
    cap: Literal["soft", "hard"] | None,
    trip: Trip | None,
    mistakes: Literal["nudge", "escalate"] | None,
    reply: str | None,
) -> Intervention | None:
    """Pick one: cap > loop stop > mistake escalate > loop nudge > mistake nudge > a word about the reply.

    >>> decide(None, None, "nudge", "Your reply was empty.")
    NudgeMistakes()
    """
    if cap is not None:
        return StopAtCap()
    if trip is not None and trip.escalated:
        return StopLoop(trip)
    if mistakes == "escalate":
        return StopMistakes()
    if trip is not None:
        return NudgeLoop(trip)
    if mistakes == "nudge":
        return NudgeMistakes()
    return NudgeReply(reply) if reply is not None else None
