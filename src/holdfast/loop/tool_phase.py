"""The calls of one reply: run in their order, answered each, and told to the guards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from holdfast.guards import loops, mistakes
from holdfast.guards.loops import Loops
from holdfast.guards.mistakes import Mistakes
from holdfast.loop.context.summary import clip
from holdfast.loop.parse_reply import BadCall
from holdfast.loop.ports import Sink, Toolbox
from holdfast.loop.turn_ports import TurnPorts
from holdfast.vocab.events import CallEnded, CallStarted
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome

NOT_RUN_CANCELLED = "Not run: the user cancelled the turn."
NOT_RUN_APPROVAL = "Not run: the turn stopped at an earlier call that needs approval."
_LEAST_ROOM = 400
_NOT_UNDERSTOOD = ("schema_reject", "tool_not_found")
"""A call that was not understood is a mistake; it was not run, so there is nothing that it could repeat."""


@dataclass(frozen=True, slots=True)
class TurnGuards:
    """What the guards know of a turn, and the digest of the files that they were told last."""

    mistakes: Mistakes
    loops: Loops
    tree: str


@dataclass(frozen=True, slots=True)
class ToolPhase:
    """What came of the calls of a reply: an answer for each, what the guards know now, and whether the turn stops."""

    ended: tuple[CallEnded, ...]
    watch: TurnGuards
    stop: Literal["cancelled", "needs_approval"] | None = None
    stopped_at: str = ""


def run_calls(
    calls: tuple[ToolCall | BadCall, ...], world: TurnPorts, watch: TurnGuards, room: int
) -> ToolPhase:
    """Run the calls in order. `room` is how many characters their answers may have together."""
    toolbox, sink, cancel = world.toolbox, world.sink, world.cancel
    each = max(_LEAST_ROOM, room // max(1, len(calls)))
    changing = {spec.name for spec in toolbox.specs if spec.changes}
    ended: list[CallEnded] = []
    for at, call in enumerate(calls):
        if cancel.is_set():
            return ToolPhase(
                (*ended, *_leave(calls[at:], NOT_RUN_CANCELLED, sink)), watch, "cancelled"
            )
        if isinstance(call, BadCall):
            ended.append(_end(sink, _refuse(call, toolbox)))
            watch = replace(watch, mistakes=mistakes.record(watch.mistakes, ended[-1].failure))
            continue
        outcome = _run(call, world)
        # Some servers refuse an answer without a word in it.
        answer = clip(outcome.text, each, keep_end=0.3) or "(no output)"
        ended.append(
            _end(
                sink,
                CallEnded(
                    call.id, call.name, answer, outcome.failure, outcome.read, outcome.modified
                ),
            )
        )
        if outcome.unanswered:
            rest = _leave(calls[at + 1 :], NOT_RUN_APPROVAL, sink)
            return ToolPhase((*ended, *rest), watch, "needs_approval", call.name)
        # To look at the whole tree costs: only a call that may change it is a reason to.
        watch = _observe(
            watch, call, outcome, toolbox.tree() if call.name in changing else watch.tree
        )
    return ToolPhase(tuple(ended), watch, "cancelled" if cancel.is_set() else None)


def _refuse(call: BadCall, toolbox: Toolbox) -> CallEnded:
    """Answer a call that cannot be run; one of a tool that is switched off was understood, and is not allowed."""
    if call.failure == "tool_not_found" and call.name in toolbox.withheld:
        offered = ", ".join(spec.name for spec in toolbox.specs)
        told = f"{call.name} is switched off in this session; the tools are: {offered}."
        return CallEnded(call.id, call.name, told, "permission_denied")
    return CallEnded(call.id, call.name, call.message, call.failure)


def _run(call: ToolCall, world: TurnPorts) -> ToolOutcome:
    world.sink.emit(CallStarted(call))
    outcome = world.toolbox.run(call, world.cancel)
    for event in outcome.events:
        world.sink.emit(event)
    return outcome


def _observe(watch: TurnGuards, call: ToolCall, outcome: ToolOutcome, tree: str) -> TurnGuards:
    counted = mistakes.record(watch.mistakes, outcome.failure)
    if outcome.failure in _NOT_UNDERSTOOD:
        return TurnGuards(counted, watch.loops, tree)
    result = outcome.text if outcome.repeat is None else outcome.repeat
    seen = loops.record(watch.loops, call.name, call.arguments, result, tree, read=outcome.read)
    return TurnGuards(counted, seen, tree)


def _leave(calls: tuple[ToolCall | BadCall, ...], why: str, sink: Sink) -> list[CallEnded]:
    """Answer the calls that are not run: a history with an unanswered call is refused by servers."""
    return [_end(sink, CallEnded(call.id, call.name, why)) for call in calls]


def _end(sink: Sink, ended: CallEnded) -> CallEnded:
    sink.emit(ended)
    return ended
