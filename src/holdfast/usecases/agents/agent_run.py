"""The part of a turn in which the agent works: its updates recorded, its end judged."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.tools.text_limits import sendable, shorten
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentLoginNeeded,
    AgentStartError,
    AgentTimeout,
    AgentUsage,
)
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.redaction import map_texts, redact
from holdfast.vocab.agent_events import AgentCall, AgentStateChanged
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.events import ReasoningArrived, Said, TextArrived
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.usecases.agents.permissions import Permissions
    from holdfast.usecases.agents.ports import (
        AgentPrompt,
        AgentTurnResult,
        AgentUpdate,
        ExternalAgent,
    )
    from holdfast.usecases.turns.recorded_turn import RecordedTurn
    from holdfast.vocab.agent_events import AgentStatus
    from holdfast.vocab.events import Event
    from holdfast.vocab.transcript import StopReason

_TICK = 0.1
_LONGEST_TEXT = 100_000
"""How many characters of one text of an agent are on record."""
_LONGEST_STDERR = 2_000


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """How the agent's work ended. `status` is the state of the agent after it."""

    stop_reason: StopReason
    message: str
    status: AgentStatus
    usage: AgentUsage = AgentUsage()

    @property
    def stays(self) -> bool:
        """Whether the agent can take the next turn with what it remembers."""
        return self.status == "warm"


class AgentRun:
    """The work of one agent in one turn."""

    def __init__(self, name: str, agent: ExternalAgent, turn: RecordedTurn) -> None:
        """Let `agent` work, on record in `turn`."""
        self._name = name
        self._agent = agent
        self._turn = turn
        self._text = ""
        self._reasoning = ""
        self._calls: set[str] = set()
        self.problem: TurnStopped | RecordsUnavailable | LogUnavailable | None = None
        """Why the turn cannot be recorded any more: then the agent is to stop."""

    def run(self, prompt: AgentPrompt, permissions: Permissions) -> AgentOutcome:
        """Start the agent if it is not warm, run its turn, and return how that ended."""
        outcome = self._run(prompt, permissions)
        if permissions.unanswered is None or self._is_to_stop():
            return outcome
        why = f"{permissions.unanswered} needs approval, and no user is present to ask."
        return replace(outcome, stop_reason="needs_approval", message=why)

    def _run(self, prompt: AgentPrompt, permissions: Permissions) -> AgentOutcome:
        fresh = not self._agent.alive
        try:
            if fresh:
                self._tell("starting", fresh=True)
                with self._watching(self._agent.close, lambda: False):
                    self._agent.start()
            self._tell("busy", fresh=fresh)
            with self._watching(self._agent.cancel, lambda: permissions.unanswered is not None):
                result = self._agent.turn(prompt, self._receive, permissions.decide)
        except AgentStartError as error:
            return self._not_started(error)
        except AgentCrashed as error:
            message = _with_stderr(f"{self._name} ended unexpectedly: {error}", error.stderr)
            return self._broken_off(message)
        except AgentTimeout as error:
            return self._broken_off(f"{self._name} was ended: {error}")
        finally:
            self._settle()

        return self._judge(result)

    def emit(self, event: Event) -> None:
        """Record and show an event; what cannot be recorded stops the agent."""
        try:
            self._turn.recorder.emit(event)
        except (TurnStopped, RecordsUnavailable, LogUnavailable) as error:
            self.problem = self.problem or error

    def tell_state(self, outcome: AgentOutcome) -> None:
        """Record the state that the agent is left in."""
        message = ""
        if outcome.status == "crashed":
            message = outcome.message
        self._tell(outcome.status, message=message)

    def _tell(self, status: AgentStatus, *, fresh: bool = False, message: str = "") -> None:
        transport = self._agent.transport
        self.emit(AgentStateChanged(self._name, transport, status, fresh, self._clean(message)))

    @contextmanager
    def _watching(self, stop: Callable[[], None], also: Callable[[], bool]) -> Iterator[None]:
        """Call `stop` in a thread of its own once the turn is to end, until it has ended.

        A call that comes before the agent has begun has no effect.
        """
        over = threading.Event()

        def watch() -> None:
            while not over.wait(_TICK):
                if self._is_to_stop() or also():
                    stop()

        thread = threading.Thread(target=watch, name="agent-stop", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _is_to_stop(self) -> bool:
        return self.problem is not None or self._turn.watch.is_set()

    # ------------------------------------------------------------------------------------- updates

    def _receive(self, update: AgentUpdate) -> None:
        """Record and show what the agent tells."""
        update = redact(map_texts(update, _bounded), self._turn.context.secrets)
        match update:
            case TextArrived(text):
                self._text += text
            case ReasoningArrived(text):
                self._reasoning += text
            case AgentCall() if update.call_id not in self._calls:
                self._calls.add(update.call_id)
                self._settle()
            case _:
                pass

        self.emit(update)

    def _settle(self) -> None:
        """Record what the agent has said since its last call as a part of the transcript."""
        if not self._text.strip():
            return
        said = Said(_bounded(self._text), _bounded(self._reasoning))
        self._text = self._reasoning = ""
        self.emit(said)

    def _clean(self, text: str) -> str:
        return redact(sendable(text), self._turn.context.secrets)

    # ---------------------------------------------------------------------------------------- ends

    def _not_started(self, error: AgentStartError) -> AgentOutcome:
        if self._is_to_stop():
            return AgentOutcome("cancelled", "Cancelled.", "closed")
        message = self._clean(_with_stderr(str(error), error.stderr))
        if isinstance(error, AgentLoginNeeded):
            return AgentOutcome("needs_login", message, "closed")
        return AgentOutcome("failed", message, "crashed")

    def _broken_off(self, message: str) -> AgentOutcome:
        if self._is_to_stop():
            return AgentOutcome("cancelled", "Cancelled.", "closed")
        return AgentOutcome("failed", self._clean(message), "crashed")

    def _judge(self, result: AgentTurnResult) -> AgentOutcome:
        outcome = AgentOutcome("done", "Done.", self._status(), result.usage)
        if result.cancelled or result.stop_reason == "cancelled" or self._is_to_stop():
            return replace(outcome, stop_reason="cancelled", message="Cancelled.")
        if result.stop_reason == "done":
            return outcome

        message = _ENDS[result.stop_reason].format(self._name)
        if result.message:
            message = f"{message}: {result.message}"

        return replace(outcome, stop_reason=result.stop_reason, message=self._clean(message))

    def _status(self) -> AgentStatus:
        """Return the state of an agent that has ended its turn.

        A turn that another command has stopped may be followed by a restore: nothing is to write,
        and to remember, then.
        """
        was_stopped = self.problem is not None or self._turn.watch.sentence is not None
        if was_stopped or not self._agent.alive:
            return "closed"
        return "warm"


_ENDS: dict[str, str] = {
    "failed": "{} failed",
    "refused": "{} refused to go on",
    "max_tokens": "{} stopped: its model has reached the limit of tokens",
    "cap": "{} stopped: it has reached the limit of its steps",
}
"""Ends of an agent's turn, in words."""


def _bounded(text: str) -> str:
    return shorten(sendable(text), _LONGEST_TEXT)


def _with_stderr(message: str, stderr: str) -> str:
    end = stderr.strip()[-_LONGEST_STDERR:]
    if not end or end in message:
        return message
    return f"{message}\nThe end of its standard error:\n{end}"
