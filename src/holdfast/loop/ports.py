"""The ports of a turn: a model, tools, a sink for events, and a cancel signal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall, ToolSpec
    from holdfast.vocab.tool_outcome import ToolOutcome
    from holdfast.vocab.transcript import Message


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model. `sampling` is `changed` after a reply that repeated itself.

    `force` names a tool that must be called. A server with constrained decoding then limits the
    output to the tool's schema.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    sampling: Literal["usual", "changed"] = "usual"
    force: str | None = None


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More text of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """More of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """More of call number `index`: `id` and `name` as known so far, `arguments` to append."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """Token counts reported by the server."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class RetryPiece:
    """The server failed before it sent any content; the request is sent again."""

    reason: str


@dataclass(frozen=True, slots=True)
class WaitPiece:
    """Nothing of the reply has come yet; the server has been silent for this many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """The end of the reply; with `length`, the token limit cut the reply off."""

    reason: Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


FailKind: TypeAlias = Literal[
    "unreachable", "login", "overflow", "cut", "bad", "refused", "server", "cancelled"
]


@dataclass(frozen=True, slots=True)
class FailPiece:
    """The last piece of an incomplete reply. Retries that could help were made already.

    - `unreachable`: no server accepts the connection.
    - `login`: the server rejects our key, or requires one.
    - `overflow`: the payload is too long.
    - `cut`: the stream ended in the middle.
    - `bad`: the response is not a valid reply.
    - `refused`: the server rejects the request (4xx).
    - `server`: the server fails (429, 5xx, timeout).
    - `cancelled`: the user cancelled the turn.
    """

    kind: FailKind
    message: str


StreamPiece: TypeAlias = (
    TextPiece
    | ReasoningPiece
    | CallPiece
    | UsagePiece
    | RetryPiece
    | WaitPiece
    | FinishPiece
    | FailPiece
)


class Model(Protocol):
    """A model behind some API. Errors arrive as a `FailPiece`; no exception of the API escapes."""

    @property
    def name(self) -> str:
        """The name of the model."""

    @property
    def context(self) -> int | None:
        """The size of the model's context in tokens, or None if the server does not report it."""

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Send the request and yield the reply as it arrives. Closing the iterator ends it."""


class Toolbox(Protocol):
    """The tools of one turn. It judges each call (path, command, policy) and runs it."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the model is offered, always in the same order."""

    @property
    def withheld(self) -> frozenset[str]:
        """The names of tools that exist but are switched off in this session."""

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        """Judge and run a call. Every failure is an outcome."""

    def tree(self) -> str:
        """Return a digest of the current files: equal if and only if no relevant file differs."""


class Sink(Protocol):
    """The receiver of events."""

    def emit(self, event: Event) -> None:
        """Record one event. It is stored when this returns."""


@dataclass(frozen=True, slots=True)
class TurnPorts:
    """The four ports of a turn."""

    model: Model
    toolbox: Toolbox
    sink: Sink
    cancel: Cancel
