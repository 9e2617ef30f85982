"""One turn: ask the model and run its calls until it is done, stuck, stopped or out of steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from holdfast.guards import loops, mistakes, open_matters, step_cap
from holdfast.guards.mistakes import Mistakes
from holdfast.loop import sentinels
from holdfast.loop.arbiter import (
    NudgeLoop,
    NudgeMistakes,
    NudgeReply,
    StopAtCap,
    StopLoop,
    StopMistakes,
    decide,
)
from holdfast.loop.classify import ReplyKind
from holdfast.loop.context.history import History, as_message, note
from holdfast.loop.context.model_context import ModelContext
from holdfast.loop.context.payload import merge_nudge
from holdfast.loop.context.token_count import weigh_text
from holdfast.loop.example_call import has_words_behind
from holdfast.loop.parse_reply import BadCall, ParsedReply
from holdfast.loop.ports import Model, ModelRequest, Sink, Toolbox, TurnPorts
from holdfast.loop.retry_policy import CANCELLED, CUT_CALL, Again, Compact, Drop, RetryState, Stop
from holdfast.loop.step import InterpretedReply, ask_model, interpret_reply
from holdfast.loop.tool_phase import TurnGuards, run_calls
from holdfast.vocab.cancellation import Interruption
from holdfast.vocab.events import (
    Retried,
    Said,
    SentinelRaised,
    StepStarted,
    TextArrived,
    TurnEnded,
    UsageReported,
)
from holdfast.vocab.transcript import Sentinel, ToolAnswered

if TYPE_CHECKING:
    from holdfast.loop.limits import LoopLimits
    from holdfast.loop.reply import ModelReply
    from holdfast.vocab.cancellation import Cancel

LAST_WORDS = (
    "You have used all the steps of this turn and no tool is available now. "
    "Say in a few sentences what is done, what is not, and what the next step would be."
)
_TOO_LONG = (
    "The conversation no longer fits into the model's context and could not be made shorter. "
    "Start a new session, or use a model with a larger context."
)
_COMPACTIONS = 3  # the most compactions for one request before the turn fails
_ANSWERS = 0.35  # share of the budget that the answers of one step may take together


def run_turn(  # noqa: PLR0917 - what a turn needs of the world, each by its own port
    history: History, model: Model, toolbox: Toolbox, sink: Sink, limits: LoopLimits, cancel: Cancel
) -> TurnEnded:
    """Run a turn on this history; emit every event to the sink and return the last, `TurnEnded`.

    The history ends with a user message or a tool's answer.
    The guards start with no memory of earlier turns.
    """
    return _Turn(history, limits, TurnPorts(model, toolbox, sink, cancel)).run()


class _Turn:
    """The state of a turn while it runs."""

    def __init__(self, history: History, limits: LoopLimits, world: TurnPorts) -> None:
        self._world = world
        self._caps = limits.caps
        self._specs = world.toolbox.specs
        self._context = ModelContext(history, limits, world.model.context, self._specs)
        tree = world.toolbox.tree()
        self._guards = TurnGuards(Mistakes(), loops.begin(tree), tree)
        self._retries = RetryState()
        self._nudge: str | None = None
        self._force: str | None = None
        self._rejected = ""
        self._drop_reason: str | None = None
        self._steps = self._prompt_tokens = self._completion_tokens = 0
        self._files: set[str] = set()
        self._asked_about_open = False
        self._answer: InterpretedReply | None = None
        self._explanation = ""

    def run(self) -> TurnEnded:
        """Run step after step until there is a reason to stop."""
        stop = None
        while stop is None:
            stop = self._step()

        return TurnEnded(
            stop.reason,
            self._message(stop),
            self._steps,
            self._prompt_tokens,
            self._completion_tokens,
            tuple(sorted(self._files)),
            unresolved=self._guards.matters,
        )

    def _message(self, stop: Stop) -> str:
        """Return the sentence of the end, followed by what the turn has left open."""
        still_open = open_matters.describe(self._guards.matters)
        if not still_open:
            return stop.message

        if not self._files:
            still_open += "; no file changed"

        if stop.reason == "done":
            return f"Ended after {_count(self._steps)}, not all done: {still_open}."

        return f"{stop.message} Left open: {still_open}."

    def _step(self) -> Stop | None:
        if _forbids_step(self._world.cancel):
            if self._answer is not None:
                return self._end_with(self._answer, CANCELLED)
            return CANCELLED

        if self._context.is_full():
            self._compact(forced=False)

        self._steps += 1
        self._world.sink.emit(StepStarted(self._steps))
        self._retries = self._retries.next_step()
        interpreted = self._ask_until_settled()
        # A nudge and a forced tool are for one payload only, whatever the reply is.
        self._nudge = None
        self._force = None
        answer, self._answer = self._answer, None
        match interpreted.verdict:
            case Stop() | Drop() as verdict if answer is not None:
                return self._end_with(answer, verdict)
            case Stop() as stop:
                self._keep_unfinished(interpreted)
                return stop
            case Drop() as drop:
                self._keep_explanation(interpreted)
                return self._drop(drop)
            case _:
                self._drop_reason = None
                return self._use(interpreted)

    def _drop(self, drop: Drop) -> Stop | None:
        self._world.sink.emit(Retried(drop.reason))
        self._drop_reason = drop.reason
        if drop.counted:
            counted = mistakes.record(self._guards.mistakes, "api_error")
            self._guards = replace(self._guards, mistakes=counted)
        return self._intervene(drop.nudge)

    # ------------------------------------------------------------------------------------ the reply

    def _ask_until_settled(self) -> InterpretedReply:
        """Ask until the verdict is to use the reply, drop it, or stop. Each retry is made once."""
        changed_sampling = False
        compactions = 0
        while True:
            reply = self._ask(changed=changed_sampling)
            interpreted, self._retries = interpret_reply(
                reply, self._specs, self._retries, step=self._steps
            )
            match interpreted.verdict:
                case Again(reason, changed):
                    if reply.repetition is not None:
                        self._raise(sentinels.repetition(reply.repetition.channel))
                    changed_sampling = changed_sampling or changed
                    self._world.sink.emit(Retried(reason))
                case Compact():
                    compactions += 1
                    if compactions > _COMPACTIONS or not self._compact(forced=True):
                        return replace(interpreted, verdict=self._stop_too_long())
                    reason = "the conversation was too long for the model and was made shorter"
                    self._world.sink.emit(Retried(reason))
                case _:
                    return interpreted

    def _stop_too_long(self) -> Stop:
        if self._world.cancel.is_set():
            return CANCELLED
        return Stop("failed", _TOO_LONG)

    def _ask(self, *, changed: bool) -> ModelReply:
        request = ModelRequest(
            messages=merge_nudge(self._context.messages, self._nudge),
            tools=self._specs,
            max_tokens=self._context.gauge.output,
            force=self._force,
        )
        if changed:
            request = replace(request, sampling="changed")

        reply = ask_model(self._world.model, request, self._world.cancel, self._world.sink)
        nudge_weight = weigh_text(self._nudge or "")
        expected = self._context.gauge.tokens(self._context.weight + nudge_weight)
        self._report_usage(reply, expected)
        if reply.usage is not None:
            self._context.calibrate(nudge_weight, reply.usage.prompt)

        return reply

    def _report_usage(self, reply: ModelReply, expected: int) -> None:
        """Emit the tokens used: as the server reports them, else estimated."""
        written = weigh_text(reply.text) + weigh_text(reply.reasoning)
        for call in reply.calls:
            written += weigh_text(call.arguments)

        if reply.usage is not None:
            used = UsageReported(reply.usage.prompt, reply.usage.completion)
        elif reply.failure is None or written:
            used = UsageReported(expected, written, estimated=True)
        else:
            return

        self._prompt_tokens += used.prompt
        self._completion_tokens += used.completion
        self._world.sink.emit(used)

    def _keep_unfinished(self, interpreted: InterpretedReply) -> None:
        """Keep the text that arrived before a cancel, which the user has read; drop its calls."""
        if interpreted.verdict != CANCELLED:
            return
        text = interpreted.parsed.text.strip()
        if text:
            self._record(Said(text, interpreted.parsed.reasoning))

    def _keep_explanation(self, interpreted: InterpretedReply) -> None:
        """Keep a dropped reply that may explain the call in it: the next one may confirm that."""
        text = interpreted.parsed.text
        if interpreted.kind == ReplyKind.NARRATED_INTENT and has_words_behind(text):
            self._explanation = text
            self._show_rest(interpreted.reply)

    def _answer_text(self, text: str) -> str:
        """Return the text of an answer, behind the explanation that it only confirms.

        A text as long as the explanation is an answer of its own.
        """
        if len(text) >= len(self._explanation):
            return text
        return f"{self._explanation.strip()}\n\n{text}"

    def _record(self, said: Said) -> None:
        self._world.sink.emit(said)
        self._context.add(as_message(said))

    # ------------------------------------------------------------------------------------ the calls

    def _use(self, interpreted: InterpretedReply) -> Stop | None:
        parsed, kind = interpreted.parsed, interpreted.kind
        self._show_rest(interpreted.reply)
        if not parsed.calls and self._asks_about_open(kind):
            self._answer = interpreted
            return None

        if kind == ReplyKind.FINAL:
            parsed = replace(parsed, text=self._answer_text(parsed.text))

        self._explanation = ""
        self._record(Said(parsed.text, parsed.reasoning, parsed.calls_for_history()))
        if not parsed.calls:
            return self._finish(kind)

        stop = self._run_calls(parsed)
        if stop is not None:
            return stop

        self._consider_force(kind, parsed)
        refused = any(isinstance(call, BadCall) for call in parsed.calls)
        if refused and kind == ReplyKind.TRUNCATED:
            return self._intervene(CUT_CALL)

        return self._intervene(None)

    def _show_rest(self, reply: ModelReply) -> None:
        """Show the end of the text, which was held back because it might have been a call."""
        if reply.unshown:
            self._world.sink.emit(TextArrived(reply.unshown))

    def _run_calls(self, parsed: ParsedReply) -> Stop | None:
        room = self._context.gauge.room(_ANSWERS)
        phase = run_calls(parsed.calls, self._world, self._guards, room)
        self._guards = phase.guards
        for ended in phase.ended:
            self._context.add(ToolAnswered(ended.call_id, ended.name, ended.text))
            self._context.ledger = note(self._context.ledger, ended)
            self._files.update(ended.modified)

        if phase.stop is None:
            return None
        if phase.stop == "cancelled":
            return CANCELLED

        self._raise(sentinels.needs_approval(phase.stopped_at))
        message = f"{phase.stopped_at} needs approval, and no user is present to ask."
        return Stop("needs_approval", message)

    def _asks_about_open(self, kind: ReplyKind) -> bool:
        """Ask the model once about what is open, and drop the reply that would end the turn."""
        matters = self._guards.matters
        if not matters or self._asked_about_open or kind == ReplyKind.NARRATED_INTENT:
            return False

        progress = self._guards.loops.since_progress
        if step_cap.judge(self._steps, progress, self._caps) is not None:
            return False

        self._asked_about_open = True
        self._world.sink.emit(Retried(f"the turn would end, but {open_matters.describe(matters)}"))
        self._nudge = _frame(open_matters.question(matters))
        return True

    def _end_with(self, answer: InterpretedReply, verdict: Stop | Drop) -> Stop:
        """End the turn with the answer that was dropped: the question about it got no reply."""
        self._record(Said(answer.parsed.text, answer.parsed.reasoning))
        if verdict == CANCELLED:
            return CANCELLED
        return self._finish(answer.kind)

    def _finish(self, kind: ReplyKind) -> Stop:
        """Return the end of a turn whose last reply has no call.

        A reply that only announces an action is not an answer, and ends the turn as a mistake.
        """
        if kind != ReplyKind.NARRATED_INTENT:
            return Stop("done", f"Done after {_count(self._steps)}.")
        run = self._guards.mistakes.run
        self._raise(sentinels.announcements(run, self._retries.narrated + 1))
        message = "Stopped: the model kept announcing actions without making a call."
        return Stop("mistakes", message)

    def _consider_force(self, kind: ReplyKind, parsed: ParsedReply) -> None:
        """Force a tool if the only call of two replies in a row was rejected for its arguments.

        Forcing makes a server constrain the output to the tool's schema.
        """
        rejected = self._rejected_tool(kind, parsed)
        self._force = None
        if rejected and rejected == self._rejected:
            self._force = rejected
        self._rejected = rejected

    def _rejected_tool(self, kind: ReplyKind, parsed: ParsedReply) -> str:
        """Return the tool whose arguments were rejected, if its call was the only one; else ""."""
        # A truncated call is too long rather than wrong; forced, it would be too long again.
        if kind == ReplyKind.TRUNCATED:
            return ""

        offered = {spec.name for spec in self._specs}
        match parsed.calls:
            case [BadCall(name=name, failure="schema_reject")] if name in offered:
                return name

        return ""

    # ----------------------------------------------------------------------------------- the guards

    def _intervene(self, about_reply: str | None) -> Stop | None:
        """Carry out the intervention that the arbiter picks, if any."""
        guards = self._guards
        chosen = decide(
            cap=step_cap.judge(self._steps, guards.loops.since_progress, self._caps),
            trip=loops.detect(guards.loops),
            mistakes=mistakes.detect(guards.mistakes),
            reply=about_reply,
        )
        match chosen:
            case None:
                return None
            case StopAtCap():
                return self._end_at_cap()
            case StopLoop(trip):
                self._raise(sentinels.doom_loop(trip))
                message = "Stopped: the model kept repeating itself after a note about it."
                return Stop("loop", message)
            case StopMistakes():
                return self._end_at_mistakes()
            case NudgeLoop(trip):
                self._raise(sentinels.doom_loop(trip))
                self._nudge = _frame(loops.guidance(trip))
                self._guards = replace(guards, loops=loops.nudged(guards.loops))
            case NudgeMistakes():
                self._raise(sentinels.mistake_recovery(guards.mistakes.run, escalated=False))
                self._nudge = _frame(mistakes.guidance(guards.mistakes.run))
                self._guards = replace(guards, mistakes=mistakes.nudged(guards.mistakes))
            case NudgeReply(text):
                self._nudge = _frame(text)
            case _:
                assert_never(chosen)

        return None

    def _end_at_mistakes(self) -> Stop:
        self._raise(sentinels.mistake_recovery(self._guards.mistakes.run, escalated=True))
        message = "Stopped: errors continued after the model got recovery guidance."
        if self._drop_reason is not None:
            # No reply came at all: the user has to look at the server.
            message += f" The last error: {self._drop_reason.rstrip('.')}."
        return Stop("mistakes", message)

    def _end_at_cap(self) -> Stop:
        """Ask the model for a status report, without tools, and stop."""
        messages = merge_nudge(self._context.messages, _frame(LAST_WORDS))
        request = ModelRequest(messages, max_tokens=self._context.gauge.output)
        reply = ask_model(self._world.model, request, self._world.cancel, self._world.sink)
        self._report_usage(reply, self._context.gauge.tokens(self._context.weight))
        interpreted, _ = interpret_reply(reply, (), RetryState())
        text = interpreted.parsed.text.strip()
        if text and reply.repetition is None:
            self._show_rest(interpreted.reply)
            self._record(Said(text, interpreted.parsed.reasoning))

        self._raise(sentinels.cap_hit(self._steps))
        if self._world.cancel.is_set():
            return CANCELLED

        return Stop("cap", f"Stopped after {_count(self._steps)}, the most allowed.")

    def _raise(self, sentinel: Sentinel) -> None:
        self._world.sink.emit(SentinelRaised(sentinel))

    # ------------------------------------------------------------------------------- the compaction

    def _compact(self, *, forced: bool) -> bool:
        """Compact the history and return whether it became shorter.

        `forced` means that the server rejected the payload as too long.
        """
        was_off = self._context.off
        self._context.limit_window(self._world.model.context)
        done = self._context.compact(self._ask_for_summary, forced=forced)
        if done is not None:
            self._world.sink.emit(done)
            self._raise(sentinels.compaction(done))

        if self._context.off and not was_off:
            self._raise(sentinels.compaction_off())

        return done is not None

    def _ask_for_summary(self, request: ModelRequest) -> str | None:
        """Return the model's summary, "" where it failed, or None after a cancel."""
        reply = ask_model(self._world.model, request, self._world.cancel, None)
        expected = sum(weigh_text(message.text) for message in request.messages)
        self._report_usage(reply, expected)
        if self._world.cancel.is_set():
            return None
        if reply.failure is not None or reply.repetition is not None:
            return ""

        interpreted, _ = interpret_reply(reply, (), RetryState())
        return interpreted.parsed.text


def _count(steps: int) -> str:
    if steps == 1:
        return "1 step"
    return f"{steps} steps"


def _frame(text: str) -> str:
    """Mark a note as ours: it is appended to a message of the user or a tool."""
    return f"[Note from Holdfast, not from the user]\n{text}"


def _forbids_step(cancel: Cancel) -> bool:
    """Return whether no further step may begin: the turn is to end, or its process is."""
    if cancel.is_set():
        return True
    return isinstance(cancel, Interruption) and cancel.interrupts
