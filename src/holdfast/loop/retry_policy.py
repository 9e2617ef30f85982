"""What is done with a reply that is no use as it is: ask again, say what was wrong, count it, or stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.loop.classify import Class
from holdfast.loop.reply import ModelReply
from holdfast.vocab.transcript import StopReason

_NARRATIONS = 2
_CUTS = 2

EMPTY = (
    "Your last reply was empty. Go on with the task: call one of the tools, "
    "or, if nothing is left to do, answer in a sentence."
)
ONLY_THOUGHT = (
    "Your last reply had thoughts only, and nobody can see them. Go on with the task: call one of the tools, "
    "or, if nothing is left to do, answer in a sentence."
)
CUT = (
    "Your last reply was cut off at the limit on its length, and nothing of it was kept. Send smaller pieces: "
    "one short tool call at a time, a long file in several edits, an answer in a few sentences."
)
CUT_CALL = (
    "Your last reply was cut off in the middle, and a call of it was not run. Send smaller pieces: "
    "one short tool call at a time, a long file in several edits."
)


@dataclass(frozen=True, slots=True)
class Use:
    """Take the reply as it is."""


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again at once; `changed` asks for other sampling."""

    reason: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Compact:
    """Make the payload shorter, then ask again."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Drop the reply and end the step. `nudge` says what was wrong with it; `counted` makes it a mistake."""

    reason: str
    nudge: str | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn."""

    reason: StopReason
    message: str


CANCELLED = Stop("cancelled", "Cancelled.")


RetryVerdict: TypeAlias = Use | Again | Compact | Drop | Stop


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """What was borne so far: runs of replies without use, which calls end, and the second tries of this step."""

    empty: int = 0
    narrated: int = 0
    cut: int = 0
    failed: bool = False
    chanted: bool = False

    def next_step(self) -> RetryPolicy:
        """Give what is left of it when a new step starts."""
        return replace(self, failed=False, chanted=False)


def judge(
    kind: Class, reply: ModelReply, patience: RetryPolicy, *, calls: bool
) -> tuple[RetryVerdict, RetryPolicy]:
    """Say what is done with a reply of this class; `calls` says that there is a call in it, good or bad."""
    if reply.failure is not None and reply.failure.kind == "cancelled":
        return CANCELLED, patience
    if reply.chant is not None:
        return _chanted(patience)
    if kind == Class.CONTEXT_OVERFLOW:
        return Compact(), patience
    if reply.failure is not None or kind == Class.API_ERROR:
        # Whatever came before the failure: another try may give it whole.
        return _failed(reply, patience)
    match kind:
        case Class.EMPTY | Class.REASONING_ONLY:
            return _empty(kind, patience)
        case Class.TRUNCATED if not calls:
            return _cut(patience)
        case Class.NARRATED_INTENT if patience.narrated < _NARRATIONS:
            told = replace(patience, empty=0, narrated=patience.narrated + 1)
            return Drop(
                "the model said what it would do and did not do it", _narrated(reply.text)
            ), told
        case _:
            return Use(), RetryPolicy() if calls else patience


def _chanted(patience: RetryPolicy) -> tuple[RetryVerdict, RetryPolicy]:
    if patience.chanted:
        return Drop("the model repeated itself without end again", counted=True), patience
    return Again("the model repeated itself without end", changed=True), replace(
        patience, chanted=True
    )


def _failed(reply: ModelReply, patience: RetryPolicy) -> tuple[RetryVerdict, RetryPolicy]:
    failure = reply.failure
    why = failure.message if failure is not None else "the reply is no reply"
    if failure is not None and failure.kind == "unreachable":
        return Stop("unreachable", why), patience
    if failure is not None and failure.kind == "login":
        return Stop("needs_login", why), patience
    if failure is not None and failure.kind == "refused":
        return Stop("failed", why), patience
    if patience.failed:
        return Drop(why, counted=True), patience
    return Again(why), replace(patience, failed=True)


def _empty(kind: Class, patience: RetryPolicy) -> tuple[RetryVerdict, RetryPolicy]:
    more = replace(patience, empty=patience.empty + 1)
    only_thought = kind == Class.REASONING_ONLY
    why = "the reply had thoughts only" if only_thought else "the reply was empty"
    if more.empty == 1:
        return Again(why), more
    if more.empty == 2:
        return Drop(why, ONLY_THOUGHT if only_thought else EMPTY), more
    return Drop(why, counted=True), more


def _cut(patience: RetryPolicy) -> tuple[RetryVerdict, RetryPolicy]:
    more = replace(patience, empty=0, cut=patience.cut + 1)
    return Drop("the reply was cut at the limit on its length", CUT, counted=more.cut > _CUTS), more


def _narrated(text: str) -> str:
    # The fence around what was shown says nothing.
    end = text.strip().rstrip("`~ \t\r\n").rpartition("\n")[2][-200:]
    return (
        f'You wrote "{end}" and stopped without a tool call, so nothing was done. Make the call now; '
        "if the task is finished, say what was done instead."
    )
