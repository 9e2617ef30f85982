"""The arbiter: at most one intervention after a step, whatever number of guards ask for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.guards.loops import Trip


@dataclass(frozen=True, slots=True)
class StopAtCap:
    """Stop: all steps of the turn are used."""


@dataclass(frozen=True, slots=True)
class StopLoop:
    """Stop: the model repeats itself again after a nudge about that."""

    trip: Trip


@dataclass(frozen=True, slots=True)
class StopMistakes:
    """Stop: errors continued after a nudge."""


@dataclass(frozen=True, slots=True)
class NudgeLoop:
    """Nudge: the model repeats itself."""

    trip: Trip


@dataclass(frozen=True, slots=True)
class NudgeMistakes:
    """Nudge: several errors in a row."""


@dataclass(frozen=True, slots=True)
class NudgeReply:
    """Nudge: the reply was unusable; `text` explains why."""

    text: str


Intervention: TypeAlias = (
    StopAtCap | StopLoop | StopMistakes | NudgeLoop | NudgeMistakes | NudgeReply
)


def decide(  # noqa: PLR0911 - the order of the interventions is read as one list
    cap: Literal["soft", "hard"] | None,
    trip: Trip | None,
    mistakes: Literal["nudge", "escalate"] | None,
    reply: str | None,
) -> Intervention | None:
    """Return the most urgent intervention, or None: any stop comes before any nudge.

    Stops in order: cap, loop, mistakes. Nudges in order: loop, mistakes, the text about the reply.

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
    if reply is not None:
        return NudgeReply(reply)

    return None
