"""The port to an external agent, whatever its transport.

What an agent's protocol says ends in `adapters/agents`: what passes here is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.agent_events import AgentCall, AgentNote, PlanStated, Transport
from holdfast.vocab.events import ReasoningArrived, TextArrived, UsageReported
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.vocab.cancellation import Cancel

AgentUpdate: TypeAlias = (
    TextArrived | ReasoningArrived | AgentCall | PlanStated | UsageReported | AgentNote
)
"""What an agent tells while a turn runs."""

AgentStop: TypeAlias = Literal["done", "cancelled", "failed", "refused", "max_tokens", "cap"]
PermissionAnswer: TypeAlias = Literal["once", "session", "deny", "cancelled"]

TRANSCRIPT_END = "--- End of the conversation so far. The message to act on: ---"
"""The line between the transcript and the message, where both are one text."""


class AgentStartError(Exception):
    """The agent could not be started: not installed, wrong settings. The message has the cure.

    `stderr` is the end of what the agent wrote to its standard error.
    """

    def __init__(self, message: str, stderr: str = "") -> None:
        """Keep the end of the agent's standard error beside the message."""
        super().__init__(message)
        self.stderr = stderr


class AgentLoginNeeded(AgentStartError):  # noqa: N818 - the word for it
    """The agent wants a login first; the message says which command makes it."""


class AgentCrashed(Exception):  # noqa: N818 - the word for it
    """The process or the connection of the agent ended in the middle of a turn."""

    def __init__(self, message: str, stderr: str = "") -> None:
        """Keep the end of the agent's standard error beside the message."""
        super().__init__(message)
        self.stderr = stderr


class AgentTimeout(Exception):  # noqa: N818 - the word for it
    """The agent was silent for too long, or its turn took too long; it was ended."""


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    """What a turn asks of an agent.

    `transcript` is the conversation before `text`, bounded; "" if there is none. The transport
    sends it along only if the agent is fresh, that is, has no memory of the chat.
    """

    text: str
    transcript: str = ""

    def for_fresh_agent(self) -> str:
        """Return the one text to send to an agent without memory: the transcript, the message."""
        if not self.transcript:
            return self.text
        return f"{self.transcript}\n\n{TRANSCRIPT_END}\n{self.text}"


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """An agent asks whether it may do this. `call` is the whole state of the call, as it is known.

    `command` is the command line if the call runs one.
    """

    call: AgentCall
    command: str | None = None


Decide: TypeAlias = "Callable[[PermissionRequest, Cancel], PermissionAnswer]"
"""Answers a permission request. The second argument is set once the answer is of no use any more:
the turn was cancelled, or the agent has ended. Then the function should return soon."""


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """The tokens of a turn as the agent counts them; 0 where it does not say."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class AgentTurnResult:
    """How a turn of an agent ended. A turn whose agent reports an error is `failed`.

    `message` is the agent's own word for what went wrong. `fresh`: the transcript was sent along.
    """

    stop_reason: AgentStop
    cancelled: bool = False
    usage: AgentUsage = AgentUsage()
    fresh: bool = False
    message: str = ""


class ExternalAgent(Protocol):
    """One agent for one chat, in one worktree. `turn` may be called from any thread, one at a time.

    `cancel` and `close` may be called from another thread while a turn runs.
    """

    @property
    def transport(self) -> Transport:
        """How the agent is reached."""

    @property
    def alive(self) -> bool:
        """Whether the agent can take a turn with what it remembers."""

    def start(self) -> None:
        """Start the agent if it is not running.

        Raise `AgentStartError`, or `AgentLoginNeeded`.
        """

    def turn(
        self,
        prompt: AgentPrompt,
        sink: Callable[[AgentUpdate], None],
        decide: Decide,
    ) -> AgentTurnResult:
        """Run one turn to its end.

        `sink` and `decide` are called in the thread that called `turn`. Raise `AgentCrashed` or
        `AgentTimeout`; the agent is then not alive.
        """

    def cancel(self) -> None:
        """Ask the running turn to end; end the agent's processes if it has not after 5 seconds."""

    def close(self) -> None:
        """End the agent and every process that it has started."""


@dataclass(frozen=True, slots=True)
class ChatMemory:
    """What an agent must remember to take a turn: the last turn of the chat, in this generation.

    An agent that remembers something else has missed a restore, or a turn of somebody else.
    """

    generation: int
    last_turn: str | None


class ReservedAgent(Protocol):
    """The agent of a chat, for one turn."""

    def take(self, memory: ChatMemory) -> ExternalAgent:
        """Return the warm agent if it remembers just this; else end it, and return a new one."""

    def keep(self, memory: ChatMemory) -> None:
        """Leave the agent warm for the next turn; without this call it is ended."""


class WarmAgents(Protocol):
    """The agents of this process that stay warm between turns."""

    def reserve(
        self, chat: str, agent: str, make: Callable[[], ExternalAgent], cancel: Cancel
    ) -> AbstractContextManager[ReservedAgent]:
        """Wait until no other turn uses the agent of this chat, and reserve it.

        Raise `ReservationCancelled` as soon as `cancel` is set.
        """


class ReservationCancelled(Exception):  # noqa: N818 - the word for it
    """The turn was cancelled while it waited for its agent."""


class AgentRecords(Protocol):
    """What the store knows about the agents of sessions; may raise `RecordsUnavailable`."""

    def ask_for(self, session: str, agent: str) -> AgentRequest | None:
        """Record that an agent is asked for a turn; None if there is no such session."""


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """A turn that an agent is asked for: its chat, and the generation of its session then."""

    session: str
    chat: str
    generation: int
