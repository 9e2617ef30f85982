"""A turn played in memory: a model that says what the test says, and tools that do what the test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from holdfast.loop.context.history import History
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ModelRequest,
    ReasoningPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.loop.turn import run_turn
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import Event, SentinelRaised, TurnEnded
from holdfast.vocab.tool_calls import ToolCall, ToolSpec
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import (
    AssistantSaid,
    Message,
    Sentinel,
    SystemText,
    ToolAnswered,
    UserText,
)

Pieces = Sequence[StreamPiece]
E = TypeVar("E")

SYSTEM = SystemText("You are a coding agent.")
PROMPT = "Mend the off-by-one in a.py."


def _schema(**fields: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }


SPECS = (
    ToolSpec("read_file", "Read a file.", _schema(path="string")),
    ToolSpec("search", "Search.", _schema(pattern="string")),
    ToolSpec("write_file", "Write a file.", _schema(path="string", text="string"), changes=True),
    ToolSpec("run_command", "Run a command.", _schema(command="string"), changes=True),
)


def says(text: str) -> Pieces:
    """A reply that is plain text."""
    return (TextPiece(text), FinishPiece("stop"))


def thinks(text: str) -> Pieces:
    return (ReasoningPiece(text), FinishPiece("stop"))


def calls(
    *made: tuple[str, dict[str, Any] | str], text: str = "", finish: str = "tool_calls"
) -> Pieces:
    """A reply with calls; arguments that are a string are sent as they are."""
    pieces: list[StreamPiece] = [TextPiece(text)] if text else []
    for index, (name, arguments) in enumerate(made):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        pieces.append(CallPiece(index, f"call_{index}", name, raw))
    return (*pieces, FinishPiece(finish))  # type: ignore[arg-type] # one of the words of a finish


def reads(path: str) -> Pieces:
    return calls(("read_file", {"path": path}))


def fails(kind: str, message: str = "it failed") -> Pieces:
    return (FailPiece(kind, message),)  # type: ignore[arg-type] # one of the words of a failure


def using(prompt: int, pieces: Pieces) -> Pieces:
    """The same reply, with what the server counted."""
    return (*pieces[:-1], UsagePiece(prompt, 10), pieces[-1])


EMPTY: Pieces = (FinishPiece("stop"),)
DONE = says("The off-by-one in a.py is fixed.")


@dataclass
class ScriptedModel:
    """Gives one reply after the other, the last for ever; a question without tools gets the summary, if there is one."""

    replies: Sequence[Pieces | Callable[[ModelRequest], Pieces]]
    context: int | None = None
    summary: Pieces | Callable[[ModelRequest], Pieces] | None = None
    asks: list[ModelRequest] = field(default_factory=list)
    summaries: list[ModelRequest] = field(default_factory=list)
    closed: int = 0
    name: str = "scripted"

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        reply: Pieces | Callable[[ModelRequest], Pieces]
        if not ask.tools and self.summary is not None:
            self.summaries.append(ask)
            reply = self.summary
        else:
            reply = self.replies[min(len(self.asks), len(self.replies) - 1)]
            self.asks.append(ask)
        try:
            yield from reply(ask) if callable(reply) else reply
        finally:
            self.closed += 1


@dataclass
class ScriptedTools:
    """Answers each call with `outcome`; a successful call of a tool that changes makes a new tree."""

    outcome: Callable[[ToolCall], ToolOutcome] = lambda call: ToolOutcome(
        f"ok: {json.dumps(dict(call.arguments))}"
    )
    specs: tuple[ToolSpec, ...] = SPECS
    withheld: frozenset[str] = frozenset()
    ran: list[ToolCall] = field(default_factory=list)
    looked: int = 0
    state: str = "start"

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        self.ran.append(call)
        outcome = self.outcome(call)
        if call.name == "write_file" and outcome.failure is None:
            self.state = json.dumps(dict(call.arguments))
        return outcome

    def tree(self) -> str:
        self.looked += 1
        return self.state


@dataclass
class Record:
    """Keeps every event; may do something at one of them."""

    events: list[Event] = field(default_factory=list)
    then: Callable[[Event], None] = lambda event: None

    def emit(self, event: Event) -> None:
        self.events.append(event)
        self.then(event)


class Never:
    """Nobody cancels."""

    def is_set(self) -> bool:
        return False


@dataclass
class Switch:
    """A cancel that a test sets."""

    on: bool = False

    def is_set(self) -> bool:
        return self.on


@dataclass
class Played:
    """What happened in a turn."""

    ended: TurnEnded
    events: list[Event]
    model: ScriptedModel
    tools: ScriptedTools

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def sentinels(self) -> list[Sentinel]:
        return [event.sentinel for event in self.of(SentinelRaised)]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


def play(
    replies: Sequence[Pieces | Callable[[ModelRequest], Pieces]],
    tools: ScriptedTools | None = None,
    *,
    history: History | None = None,
    context: int | None = None,
    summary: Pieces | Callable[[ModelRequest], Pieces] | None = None,
    limits: LoopLimits | None = None,
    cancel: Cancel | None = None,
    then: Callable[[Event], None] = lambda event: None,
) -> Played:
    """Play a turn to its end."""
    model = ScriptedModel(replies, context, summary)
    box, record = tools or ScriptedTools(), Record(then=then)
    start = history or History((SYSTEM, UserText(PROMPT)))
    ended = run_turn(start, model, box, record, limits or LoopLimits(), cancel or Never())
    # The end is not emitted: the use case may have something to do before it publishes it.
    assert not any(isinstance(event, TurnEnded) for event in record.events)
    return Played(ended, [*record.events, ended], model, box)


def nudges(played: Played) -> list[str]:
    """What each question said beyond what the next one still says, for questions with tools: the transient words."""
    found = []
    for ask in played.model.asks:
        text = getattr(ask.messages[-1], "text", "")
        found.append(text.partition("[Note from Holdfast, not from the user]\n")[2])
    return found


def assert_valid(messages: Iterable[Message]) -> None:
    """A payload that every server takes: roles in order, each call answered once, arguments that are JSON."""
    messages = list(messages)
    assert isinstance(messages[-1], UserText | ToolAnswered)
    for one, two in pairwise(messages):
        assert not (isinstance(one, UserText) and isinstance(two, UserText))
        assert not (isinstance(one, AssistantSaid) and isinstance(two, AssistantSaid))
        assert not isinstance(two, SystemText)
    unanswered: list[str] = []
    for message in messages:
        if isinstance(message, ToolAnswered):
            unanswered.remove(message.call_id)
            continue
        assert unanswered == []
        if isinstance(message, AssistantSaid):
            unanswered = [call.id for call in message.calls]
            assert len(set(unanswered)) == len(unanswered)
            for call in message.calls:
                assert isinstance(json.loads(json.dumps(dict(call.arguments))), dict)
    assert unanswered == []
