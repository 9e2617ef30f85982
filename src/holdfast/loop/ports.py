"""What a turn needs of the world: a model, tools, somebody who listens, and a way to be cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.cancellation import Cancel

if TYPE_CHECKING:
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall, ToolSpec
    from holdfast.vocab.tool_outcome import ToolOutcome
    from holdfast.vocab.transcript import Message


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. `sampling` is `changed` after a reply that went round in circles.

    `force` names a tool that has to be called: a server that can, constrains what the model writes to its schema.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    sampling: Literal["usual", "changed"] = "usual"
    force: str | None = None


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More of what the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """More of what the model thinks."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """More of the call number `index`. `id` and `name` are what is known so far, whole; `arguments` is what to add."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """Tokens as the server counts them."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class RetryPiece:
    """The server failed before it said anything, and is asked again."""

    reason: str


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """The reply is whole, or (`length`) cut by the limit on tokens."""

    reason: Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


@dataclass(frozen=True, slots=True)
class FailPiece:
    """There is no more, and the reply is not whole. The last piece; retries that could help were tried.

    `unreachable`: nothing listens. `login`: it refuses our key, or wants one. `overflow`: the payload is too long.
    `cut`: the stream ended in the middle. `bad`: what came is no reply. `refused`: the server will not (4xx).
    `server`: it fails (429, 5xx, timeout). `cancelled`: we were told to stop.
    """

    kind: Literal[
        "unreachable", "login", "overflow", "cut", "bad", "refused", "server", "cancelled"
    ]
    message: str


StreamPiece: TypeAlias = (
    TextPiece | ReasoningPiece | CallPiece | UsagePiece | RetryPiece | FinishPiece | FailPiece
)


class Model(Protocol):
    """A model behind some API. What can go wrong comes as a `FailPiece`; no exception of the API escapes."""

    @property
    def name(self) -> str:
        """What the model is called."""
        ...

    @property
    def context(self) -> int | None:
        """How many tokens it can hold, if the server says so."""
        ...

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Ask, and give the reply as it comes. To close the iterator ends the request."""
        ...


class Toolbox(Protocol):
    """The tools of one turn. It judges each call (path, command, policy) and runs it."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the model is offered, always in the same order."""
        ...

    @property
    def withheld(self) -> frozenset[str]:
        """The names of tools that there are, but not in this session: to call one is not allowed."""
        ...

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        """Judge and run a call; whatever goes wrong is an outcome."""
        ...

    def tree(self) -> str:
        """Give a digest of the files as they are now: equal if and only if no file that matters differs."""
        ...


class Sink(Protocol):
    """Whoever keeps and shows what happens."""

    def emit(self, event: Event) -> None:
        """Take one fact. It is on record when this returns."""
        ...
