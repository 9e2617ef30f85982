"""The calls of one reply: run in order, answered one by one, and recorded in the guards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.guards import loops, mistakes, open_matters
from holdfast.guards.call_digest import digest_result
from holdfast.loop.context.summary import clip
from holdfast.loop.parse_reply import BadCall
from holdfast.vocab.events import CallEnded, CallStarted
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.guards.loops import Loops
    from holdfast.guards.mistakes import Mistakes
    from holdfast.guards.open_matters import OpenMatters
    from holdfast.loop.ports import Sink, Toolbox, TurnPorts
    from holdfast.vocab.tool_calls import ToolCall
    from holdfast.vocab.tool_outcome import ToolOutcome

NOT_RUN_CANCELLED = "Not run: the user cancelled the turn."
NOT_RUN_APPROVAL = "Not run: the turn stopped at an earlier call that needs approval."
_LEAST_ROOM = 400
_NOT_UNDERSTOOD = ("schema_reject", "tool_not_found")
"""Such a call is a mistake. It was not run, so it is not recorded as a repetition."""


@dataclass(frozen=True, slots=True)
class TurnGuards:
    """The state of the guards in a turn, and the digest of the files that they saw last.

    `matters` is what was refused or has failed so far, and was not made good.
    """

    mistakes: Mistakes
    loops: Loops
    tree: str
    matters: OpenMatters = ()


@dataclass(frozen=True, slots=True)
class ToolPhase:
    """The answer to each call of a reply, the guards after them, and why the turn stops, if so."""

    ended: tuple[CallEnded, ...]
    guards: TurnGuards
    stop: Literal["cancelled", "needs_approval"] | None = None
    stopped_at: str = ""


def run_calls(
    calls: tuple[ToolCall | BadCall, ...], world: TurnPorts, guards: TurnGuards, room: int
) -> ToolPhase:
    """Run the calls in order. Their answers together get at most about `room` characters."""
    toolbox, sink, cancel = world.toolbox, world.sink, world.cancel
    room_each = max(_LEAST_ROOM, room // max(1, len(calls)))
    changing = {spec.name for spec in toolbox.specs if spec.changes}
    ended: list[CallEnded] = []
    for at, call in enumerate(calls):
        if cancel.is_set():
            ended += _skip_calls(calls[at:], NOT_RUN_CANCELLED, sink)
            return ToolPhase(tuple(ended), guards, "cancelled")
        if isinstance(call, BadCall):
            refused = _refuse(call, toolbox)
            sink.emit(refused)
            ended.append(refused)
            guards = _record_bad(guards, refused, changes=call.name in changing)
            continue
        outcome = _run(call, world)
        answered = _answer(call, outcome, room_each)
        sink.emit(answered)
        ended.append(answered)
        if outcome.unanswered:
            ended += _skip_calls(calls[at + 1 :], NOT_RUN_APPROVAL, sink)
            return ToolPhase(tuple(ended), guards, "needs_approval", call.name)
        # A digest of the whole tree is expensive: compute it only after a call that may change it.
        tree = guards.tree
        if call.name in changing:
            tree = toolbox.tree()
            matters = open_matters.record_call(guards.matters, call, outcome)
            guards = replace(guards, matters=matters)
        guards = _record(guards, call, outcome, tree)

    if cancel.is_set():
        return ToolPhase(tuple(ended), guards, "cancelled")

    return ToolPhase(tuple(ended), guards)


def _refuse(call: BadCall, toolbox: Toolbox) -> CallEnded:
    """Return the answer to a bad call. A call of a switched-off tool is a denied call."""
    refused = CallEnded(call.id, call.name, call.message, call.failure)
    if call.failure != "tool_not_found":
        return refused
    if call.name not in toolbox.withheld:
        return refused

    offered = ", ".join(spec.name for spec in toolbox.specs)
    message = f"{call.name} is switched off in this session; the tools are: {offered}."
    return CallEnded(call.id, call.name, message, "permission_denied")


def _run(call: ToolCall, world: TurnPorts) -> ToolOutcome:
    world.sink.emit(CallStarted(call))
    outcome = world.toolbox.run(call, world.cancel)
    for event in outcome.events:
        world.sink.emit(event)
    return outcome


def _answer(call: ToolCall, outcome: ToolOutcome, room: int) -> CallEnded:
    # Some servers refuse an empty answer.
    text = clip(outcome.text, room, keep_end=0.3) or "(no output)"
    return CallEnded(
        call_id=call.id,
        name=call.name,
        text=text,
        failure=outcome.failure,
        read=outcome.read,
        modified=outcome.modified,
    )


def _record_bad(guards: TurnGuards, refused: CallEnded, *, changes: bool) -> TurnGuards:
    guards = replace(
        guards, mistakes=mistakes.record(guards.mistakes, refused.failure, refused.text)
    )
    if not changes:
        return guards

    matters = open_matters.record_bad_call(guards.matters, refused.name, refused.text)
    return replace(guards, matters=matters)


def _record(guards: TurnGuards, call: ToolCall, outcome: ToolOutcome, tree: str) -> TurnGuards:
    counted = mistakes.record(guards.mistakes, outcome.failure, _signature(call, outcome))
    if outcome.failure in _NOT_UNDERSTOOD:
        return replace(guards, mistakes=counted, tree=tree)

    result = outcome.repeat
    if result is None:
        result = outcome.text

    seen = loops.record(
        guards.loops,
        call.name,
        call.arguments,
        result,
        tree,
        read=outcome.read,
    )
    return replace(guards, mistakes=counted, loops=seen, tree=tree)


def _signature(call: ToolCall, outcome: ToolOutcome) -> str:
    """Return what tells a failure from others: the tool and the message without its arguments."""
    return f"{call.name} {outcome.failure} {digest_result(outcome.text, call.arguments)}"


def _skip_calls(calls: Sequence[ToolCall | BadCall], reason: str, sink: Sink) -> list[CallEnded]:
    """Answer the calls that are not run: servers refuse a history with an unanswered call."""
    skipped: list[CallEnded] = []
    for call in calls:
        ended = CallEnded(call.id, call.name, reason)
        sink.emit(ended)
        skipped.append(ended)
    return skipped
