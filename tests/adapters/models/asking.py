"""Short ways to ask a model and to look at what comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

from holdfast.adapters.models.openai_compatible import OpenAICompatible, Timeouts
from holdfast.loop.ports import FailPiece, ModelRequest, RetryPiece, StreamPiece
from holdfast.testing import FixedClock, Reply, ScriptedServer
from holdfast.vocab.tool_calls import ToolSpec
from holdfast.vocab.transcript import UserText

READ = ToolSpec(
    "read_file",
    "Reads a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
WRITE = ToolSpec(
    "write_file",
    "Writes a file.",
    {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}]}}},
)
HELLO = ModelRequest((UserText("hello"),))
WITH_TOOLS = ModelRequest((UserText("hello"),), (READ, WRITE))


@contextmanager
def serving(
    script: Sequence[Reply] | Any, *, server: Any = None, **options: Any
) -> Iterator[tuple[OpenAICompatible, ScriptedServer]]:
    """A model that asks a scripted server. It sleeps by a clock that stands."""
    options.setdefault("sleep", FixedClock().sleep)
    with (
        ScriptedServer(script, **(server or {})) as listening,
        OpenAICompatible(listening.base_url, "m", **options) as model,
    ):
        yield model, listening


def ask(model: OpenAICompatible, question: ModelRequest = HELLO) -> list[StreamPiece]:
    """All pieces of the reply."""
    return list(model.stream(question, Event()))


def pieces_of(reply: Reply, question: ModelRequest = HELLO, **options: Any) -> list[StreamPiece]:
    """The pieces that one answer of a server becomes, however often it is asked."""
    options.setdefault("timeouts", Timeouts(retries=0))
    with serving([], server={"otherwise": reply}, **options) as (model, _):
        return ask(model, question)


def last(pieces: list[StreamPiece]) -> FailPiece:
    """The last piece, which has to be a failure."""
    failure = pieces[-1]
    assert isinstance(failure, FailPiece), pieces
    return failure


def retries(pieces: list[StreamPiece]) -> list[RetryPiece]:
    return [piece for piece in pieces if isinstance(piece, RetryPiece)]
