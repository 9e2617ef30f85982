"""One turn: the model is asked, its calls are run, again, until it is done, stuck, stopped or out of steps."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from holdfast.guards import loops, mistakes, step_cap
from holdfast.guards.mistakes import MISTAKE_THRESHOLD, Mistakes
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
from holdfast.loop.classify import Class
from holdfast.loop.context.history import History, as_message, note
from holdfast.loop.context.model_context import ModelContext
from holdfast.loop.context.payload import merge_nudge
from holdfast.loop.context.token_count import weigh_text
from holdfast.loop.limits import LoopLimits
from holdfast.loop.parse_reply import BadCall, Normalised
from holdfast.loop.ports import Model, ModelRequest, Sink, Toolbox
from holdfast.loop.reply import ModelReply
from holdfast.loop.retry_policy import CANCELLED, CUT_CALL, Again, Compact, Drop, RetryPolicy, Stop
from holdfast.loop.step import Heard, listen, understand
from holdfast.loop.tool_phase import TurnGuards, run_calls
from holdfast.loop.turn_ports import TurnPorts
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import (
    CallEnded,
    Retried,
    Said,
    SentinelRaised,
    StepStarted,
    TurnEnded,
    UsageReported,
)
from holdfast.vocab.tool_calls import FailureKind
from holdfast.vocab.transcript import Sentinel, ToolAnswered

LAST_WORDS = (
    "You have used all the steps of this turn and no tool is available now. Say in a few sentences what is done, "
    "what is not, and what the next step would be."
)
_SQUEEZES = 3  # as often a payload is made shorter for one question before we give up
_ANSWERS = 0.35  # share of the budget that the answers of one step may take together


def run_turn(  # noqa: PLR0917 - what a turn needs of the world, each by its own port
    history: History, model: Model, toolbox: Toolbox, sink: Sink, limits: LoopLimits, cancel: Cancel
) -> TurnEnded:
    """Carry the last message of the history to its end; every fact goes to the sink, `TurnEnded` last.

    The history ends with the user's message or with a tool's answer (see `History.waits`). Guards start fresh.
    """
    return _Turn(history, limits, TurnPorts(model, toolbox, sink, cancel)).run()


class _Turn:
    """The state of a turn while it runs."""

    def __init__(self, history: History, limits: LoopLimits, world: TurnPorts) -> None:
        self._world = world
        self._caps = limits.caps
        self._specs = world.toolbox.specs
        self._memory = ModelContext(history, limits, world.model.context, self._specs)
        tree = world.toolbox.tree()
        self._watch = TurnGuards(Mistakes(), loops.begin(tree), tree)
        self._patience = RetryPolicy()
        self._nudge: str | None = None
        self._force: str | None = None
        self._rejected = ""
        self._dropped: str | None = None
        self._steps = self._prompt_tokens = self._completion_tokens = 0
        self._files: set[str] = set()

    def run(self) -> TurnEnded:
        """Go on step by step until there is a reason to stop."""
        stop = None
        while stop is None:
            stop = self._step()
        ended = TurnEnded(
            stop.reason,
            stop.message,
            self._steps,
            self._prompt_tokens,
            self._completion_tokens,
            tuple(sorted(self._files)),
        )
        self._world.sink.emit(ended)
        return ended

    def _step(self) -> Stop | None:
        if self._world.cancel.is_set():
            return CANCELLED
        if self._memory.is_full():
            self._squeeze(forced=False)
        self._steps += 1
        self._world.sink.emit(StepStarted(self._steps))
        self._patience = self._patience.next_step()
        heard = self._hear()
        # A nudge and a forced tool are for one payload only, whatever came of it.
        self._nudge = self._force = None
        match heard.verdict:
            case Stop() as stop:
                self._keep_unfinished(heard)
                return stop
            case Drop(reason, nudge, counted):
                self._world.sink.emit(Retried(reason))
                self._dropped = reason
                if counted:
                    self._watch = replace(
                        self._watch, mistakes=mistakes.record(self._watch.mistakes, "api_error")
                    )
                return self._intervene(nudge)
            case _:
                self._dropped = None
                return self._take(heard)

    # ------------------------------------------------------------------------------------------- the reply

    def _hear(self) -> Heard:
        """Ask until the reply can be used, dropped, or is a reason to stop. Each second try is made once."""
        changed_sampling = False
        squeezes = 0
        while True:
            reply = self._listen(changed=changed_sampling)
            heard, self._patience = understand(reply, self._specs, self._patience, step=self._steps)
            match heard.verdict:
                case Again(reason, changed):
                    if reply.chant is not None:
                        self._raise(sentinels.chant(reply.chant.channel))
                    changed_sampling = changed_sampling or changed
                    self._world.sink.emit(Retried(reason))
                case Compact():
                    squeezes += 1
                    if squeezes > _SQUEEZES or not self._squeeze(forced=True):
                        if self._world.cancel.is_set():
                            return replace(heard, verdict=CANCELLED)
                        return replace(heard, verdict=Stop("failed", _TOO_LONG))
                    self._world.sink.emit(
                        Retried("the conversation was too long for the model and was made shorter")
                    )
                case _:
                    return heard

    def _listen(self, *, changed: bool) -> ModelReply:
        messages = merge_nudge(self._memory.messages, self._nudge)
        ask = ModelRequest(
            messages,
            self._specs,
            self._memory.gauge.output,
            "changed" if changed else "usual",
            self._force,
        )
        reply = listen(self._world.model, ask, self._world.cancel, self._world.sink)
        nudge = weigh_text(self._nudge) if self._nudge else 0
        self._report_usage(reply, self._memory.gauge.tokens(self._memory.weight + nudge))
        if reply.usage is not None:
            self._memory.measure(nudge, reply.usage.prompt)
        return reply

    def _report_usage(self, reply: ModelReply, expected: int) -> None:
        written = weigh_text(reply.text) + weigh_text(reply.reasoning)
        written += sum(weigh_text(call.arguments) for call in reply.calls)
        if reply.usage is not None:
            used = UsageReported(reply.usage.prompt, reply.usage.completion)
        elif reply.failure is None or written:
            used = UsageReported(expected, written, estimated=True)
        else:
            return
        self._prompt_tokens += used.prompt
        self._completion_tokens += used.completion
        self._world.sink.emit(used)

    def _keep_unfinished(self, heard: Heard) -> None:
        """Keep what was said before a cancel: people have read it. A call that was being written is dropped."""
        text = heard.normalised.text.strip()
        if heard.verdict == CANCELLED and text:
            self._say(Said(text, heard.normalised.reasoning))

    def _say(self, said: Said) -> None:
        self._world.sink.emit(said)
        self._memory.add(as_message(said))

    # ------------------------------------------------------------------------------------------- the calls

    def _take(self, heard: Heard) -> Stop | None:
        normalised = heard.normalised
        calls = tuple(
            call.as_call() if isinstance(call, BadCall) else call for call in normalised.calls
        )
        self._say(Said(normalised.text, normalised.reasoning, calls))
        if not calls:
            return self._finish(heard.kind)
        room = self._memory.gauge.room(_ANSWERS)
        phase = run_calls(normalised.calls, self._world, self._watch, room)
        self._watch = phase.watch
        for ended in phase.ended:
            self._memory.add(ToolAnswered(ended.call_id, ended.name, ended.text))
            self._note(ended)
        if phase.stop == "cancelled":
            return CANCELLED
        if phase.stop == "needs_approval":
            self._raise(sentinels.needs_approval(phase.stopped_at))
            return Stop(
                "needs_approval", f"{phase.stopped_at} needs approval and nobody is there to ask."
            )
        self._consider_force(heard.kind, normalised)
        refused = any(isinstance(call, BadCall) for call in normalised.calls)
        return self._intervene(CUT_CALL if refused and heard.kind == Class.TRUNCATED else None)

    def _finish(self, kind: Class) -> Stop:
        """End the turn with the reply as the answer. One that only announces what it will do is none, told or not."""
        if kind != Class.NARRATED_INTENT:
            return Stop("done", f"Done after {_count(self._steps)}.")
        kind_of_it: FailureKind = "api_error"
        self._raise(sentinels.mistake_recovery((kind_of_it,) * MISTAKE_THRESHOLD, escalated=True))
        return Stop(
            "mistakes", "Stopped: the model went on saying what it would do, and did not do it."
        )

    def _note(self, ended: CallEnded) -> None:
        self._memory.ledger = note(self._memory.ledger, ended)
        self._files.update(ended.modified)

    def _consider_force(self, kind: Class, normalised: Normalised) -> None:
        """Hold the model to the schema of a tool whose arguments it got wrong twice in a row, and did nothing else.

        Not after a reply that was cut: that one was too long, not wrong, and would only be too long again.
        """
        only = normalised.calls[0] if len(normalised.calls) == 1 else None
        rejected = ""
        if (
            isinstance(only, BadCall)
            and only.failure == "schema_reject"
            and kind != Class.TRUNCATED
        ):
            rejected = only.name if any(spec.name == only.name for spec in self._specs) else ""
        self._force = rejected if rejected and rejected == self._rejected else None
        self._rejected = rejected

    # ------------------------------------------------------------------------------------------ the guards

    def _intervene(self, about_reply: str | None) -> Stop | None:
        """Do the one thing that the arbiter picks."""
        watch = self._watch
        chosen = decide(
            step_cap.judge(self._steps, loops.since_progress(watch.loops), self._caps),
            loops.detect(watch.loops),
            mistakes.detect(watch.mistakes),
            about_reply,
        )
        match chosen:
            case None:
                return None
            case StopAtCap():
                return self._end_at_cap()
            case StopLoop(trip):
                self._raise(sentinels.doom_loop(trip))
                return Stop(
                    "loop", "Stopped: the model went on repeating itself after it was told so."
                )
            case StopMistakes():
                self._raise(sentinels.mistake_recovery(watch.mistakes.run, escalated=True))
                # Where no reply came at all, it is the server that somebody must look at.
                last = "" if self._dropped is None else f" The last: {self._dropped.rstrip('.')}."
                return Stop(
                    "mistakes",
                    f"Stopped: errors went on after the model was told how to recover.{last}",
                )
            case NudgeLoop(trip):
                self._raise(sentinels.doom_loop(trip))
                self._nudge = _frame(loops.guidance(trip))
                self._watch = replace(watch, loops=loops.nudged(watch.loops, trip))
            case NudgeMistakes():
                self._raise(sentinels.mistake_recovery(watch.mistakes.run, escalated=False))
                self._nudge = _frame(mistakes.guidance(watch.mistakes.run))
                self._watch = replace(watch, mistakes=mistakes.nudged(watch.mistakes))
            case NudgeReply(text):
                self._nudge = _frame(text)
            case _:
                assert_never(chosen)
        return None

    def _end_at_cap(self) -> Stop:
        """Let the model say where things stand, without tools, and stop."""
        messages = merge_nudge(self._memory.messages, _frame(LAST_WORDS))
        ask = ModelRequest(messages, max_tokens=self._memory.gauge.output)
        reply = listen(self._world.model, ask, self._world.cancel, self._world.sink)
        self._report_usage(reply, self._memory.gauge.tokens(self._memory.weight))
        heard, _ = understand(reply, (), RetryPolicy())
        text = heard.normalised.text.strip()
        if text and reply.chant is None:
            self._say(Said(text, heard.normalised.reasoning))
        self._raise(sentinels.cap_hit(self._steps))
        if self._world.cancel.is_set():
            return CANCELLED
        return Stop("cap", f"Stopped after {_count(self._steps)}, the most allowed.")

    def _raise(self, sentinel: Sentinel) -> None:
        self._world.sink.emit(SentinelRaised(sentinel))

    # -------------------------------------------------------------------------------------- the compaction

    def _squeeze(self, *, forced: bool) -> bool:
        """Make the history shorter, if that is any use; `forced` where the server has said that it must be."""
        was_off = self._memory.off
        self._memory.learn(self._world.model.context)
        done = self._memory.squeeze(self._ask_for_summary, forced=forced)
        if done is not None:
            self._world.sink.emit(done)
            self._raise(sentinels.compaction(done))
        if self._memory.off and not was_off:
            self._raise(sentinels.compaction_off())
        return done is not None

    def _ask_for_summary(self, ask: ModelRequest) -> str | None:
        reply = listen(self._world.model, ask, self._world.cancel, None)
        self._report_usage(reply, sum(weigh_text(message.text) for message in ask.messages))
        if self._world.cancel.is_set():
            return None
        if reply.failure is not None or reply.chant is not None:
            return ""
        return understand(reply, (), RetryPolicy())[0].normalised.text


_TOO_LONG = (
    "The conversation no longer fits into the model's context and could not be made shorter. "
    "Start a new session, or use a model with a larger context."
)


def _count(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _frame(text: str) -> str:
    """Say whose words these are: they stand at the end of somebody else's."""
    return f"[Note from Holdfast, not from the user]\n{text}"
