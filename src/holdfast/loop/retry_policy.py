"""The retry policy: use a reply, ask again, drop it with a nudge, or stop the turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.loop.classify import ReplyKind
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.guards.repetition import Repetition
    from holdfast.loop.ports import FailKind, FailPiece
    from holdfast.loop.reply import ModelReply
    from holdfast.vocab.transcript import StopReason

_NARRATIONS = 2
_CUTS = 2
_LONGEST_QUOTE = 200

EMPTY = (
    "Your last reply was empty. Go on with the task: call one of the tools, "
    "or, if nothing is left to do, answer in a sentence."
)
ONLY_THOUGHT = (
    "Your last reply contained only reasoning, which the user cannot see. "
    "Go on with the task: call one of the tools, "
    "or, if nothing is left to do, answer in a sentence."
)
CUT = (
    "Your last reply was cut off at the length limit and was dropped. "
    "Send smaller pieces: one short tool call at a time, a long file in several edits, "
    "an answer in a few sentences."
)
CHANTED = (
    "Your last call repeated the same text without end; it was cut off, and was not run. "
    "Write repeated content by a loop in code, or in several short edits."
)
CUT_CALL = (
    "Your last reply was cut off in the middle, and one of its calls was not run. "
    "Send smaller pieces: one short tool call at a time, a long file in several edits."
)


@dataclass(frozen=True, slots=True)
class Use:
    """Use the reply as it is."""


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again at once; with `changed`, use other sampling."""

    reason: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Compact:
    """Make the payload shorter, then ask again."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Drop the reply and end the step. `nudge` explains why; `counted` makes it a mistake."""

    reason: str
    nudge: str | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn."""

    reason: StopReason
    message: str


CANCELLED = Stop("cancelled", "Cancelled.")

_STOPS: Final[Mapping[FailKind, StopReason]] = {
    "unreachable": "unreachable",
    "login": "needs_login",
    "refused": "failed",
}
"""The failures that no retry can help, and the reason with which each ends the turn."""

RetryVerdict: TypeAlias = Use | Again | Compact | Drop | Stop


@dataclass(frozen=True, slots=True)
class RetryState:
    """The runs of unusable replies, reset by a call, and the retries made in this step.

    `prints` says that the last calls of the turn were printed in the text of a reply.
    """

    empty: int = 0
    narrated: int = 0
    cut: int = 0
    failed: bool = False
    repeated: bool = False
    prints: bool = False

    def next_step(self) -> RetryState:
        """Return the state for the next step, with its own retries unused."""
        return replace(self, failed=False, repeated=False)


def judge(
    kind: ReplyKind, reply: ModelReply, state: RetryState, *, calls: bool, call_line: str = ""
) -> tuple[RetryVerdict, RetryState]:
    """Return the verdict on a reply of this kind, and the state after it.

    `calls` is whether the reply contains a call, valid or not; `call_line` is the line of a reply
    without one that looks most like a call, if any.
    """
    if reply.repetition is not None:
        return _judge_repetition(reply.repetition, state)
    if kind == ReplyKind.CONTEXT_OVERFLOW:
        return Compact(), state
    if reply.failure is not None:
        # A partial reply is dropped too: a retry may return the whole reply.
        return _judge_failure(reply.failure, state)

    if kind == ReplyKind.NARRATED_INTENT and state.narrated < _NARRATIONS:
        return _judge_narration(reply, state, call_line)

    return _judge_content(kind, state, calls=calls)


def _judge_repetition(repetition: Repetition, state: RetryState) -> tuple[RetryVerdict, RetryState]:
    if state.repeated:
        nudge = None
        if repetition.channel == "arguments":
            nudge = CHANTED  # the model means to write it, and has to do so in another way
        return Drop("the model repeated itself endlessly again", nudge, counted=True), state

    again = Again("the model repeated itself endlessly", changed=True)
    return again, replace(state, repeated=True)


def _judge_failure(failure: FailPiece, state: RetryState) -> tuple[RetryVerdict, RetryState]:
    if failure.kind == "cancelled":
        return CANCELLED, state

    stop_reason = _STOPS.get(failure.kind)
    if stop_reason is not None:
        return Stop(stop_reason, failure.message), state
    if state.failed:
        return Drop(failure.message, counted=True), state

    return Again(failure.message), replace(state, failed=True)


def _judge_content(
    kind: ReplyKind, state: RetryState, *, calls: bool
) -> tuple[RetryVerdict, RetryState]:
    match kind:
        case ReplyKind.EMPTY:
            return _judge_empty("the reply was empty", EMPTY, state)
        case ReplyKind.REASONING_ONLY:
            return _judge_empty("the reply contained only reasoning", ONLY_THOUGHT, state)
        case ReplyKind.TRUNCATED if not calls:
            return _judge_cut(state)

    if calls:  # a call ends all runs of unusable replies
        state = RetryState(prints=kind == ReplyKind.TEXT_TOOL_CALLS)

    return Use(), state


def _judge_empty(reason: str, nudge: str, state: RetryState) -> tuple[RetryVerdict, RetryState]:
    more = replace(state, empty=state.empty + 1)
    if more.empty == 1:
        return Again(reason), more
    if more.empty == 2:
        return Drop(reason, nudge), more
    return Drop(reason, counted=True), more


def _judge_cut(state: RetryState) -> tuple[RetryVerdict, RetryState]:
    more = replace(state, empty=0, cut=state.cut + 1)
    drop = Drop(
        reason="the reply was cut off at the length limit",
        nudge=CUT,
        counted=more.cut > _CUTS,
    )
    return drop, more


def _judge_narration(
    reply: ModelReply, state: RetryState, call_line: str
) -> tuple[RetryVerdict, RetryState]:
    more = replace(state, empty=0, narrated=state.narrated + 1)
    quoted = _shorten(call_line)
    if not quoted:
        # Without the closing fence of a shown command: the model recognises its last words.
        last_line = reply.text.strip().rstrip("`~ \t\r\n").rpartition("\n")[2]
        quoted = last_line[-_LONGEST_QUOTE:]

    nudge = (
        f'You wrote "{quoted}" and stopped without a tool call, so nothing was done. '
        "Make the call now, as a tool call and with no other text around it; "
        "if it was an example, say so; if the task is finished, say what was done instead."
    )
    return Drop("the model announced an action and made no call", nudge), more


def _shorten(line: str) -> str:
    """Return the beginning of a line, which names the tool."""
    if len(line) <= _LONGEST_QUOTE:
        return line
    return f"{line[:_LONGEST_QUOTE]}…"
