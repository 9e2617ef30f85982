"""The scripted model in the process gives the pieces that the adapter gives for the scripted server."""

from __future__ import annotations

import threading
from threading import Event

import pytest

from holdfast.adapters.models.openai_compatible import OpenAICompatible, Timeouts
from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    Model,
    ModelRequest,
    RetryPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.testing import (
    Reply,
    ScriptedModel,
    ScriptedServer,
    call,
    calls,
    cut,
    drop,
    fail,
    hang,
    overflow,
    raw,
    say,
    slow,
    text_call,
    think,
    truncated,
    wrong_json,
)
from holdfast.vocab.transcript import UserText

HELLO = ModelRequest((UserText("hello"),))


def stream(
    model: Model, ask: ModelRequest = HELLO, cancel: Event | None = None
) -> list[StreamPiece]:
    return list(model.stream(ask, cancel or Event()))


def essence(pieces: list[StreamPiece]) -> list[object]:
    """What a reader of the port makes of it: without the sizes, the wording, and how a call was cut into pieces."""
    found: list[object] = []
    for piece in pieces:
        match piece:
            case FailPiece(kind):
                found.append(kind)
            case CallPiece(index, call_id, name, arguments):
                if found and isinstance(found[-1], CallPiece) and found[-1].index == index:
                    arguments = found.pop().arguments + arguments  # type: ignore[attr-defined]  # matched the line above
                found.append(CallPiece(index, call_id, name, arguments))
            case UsagePiece(_, completion):
                found.append(UsagePiece(0, completion))
            case _:
                found.append(piece)
    return found


@pytest.mark.parametrize(
    "reply",
    [
        say("Hello, dear world.", reasoning="Let me greet them."),
        think("hm"),
        call("read_file", path="a.py"),
        call("read_file", '{"path": '),
        calls(call("a"), call("b", n=1), text="Both."),
        text_call("read_file", path="a"),
        truncated(say("a"), 5),
        Reply(text="cut", finish="length"),
        Reply(text="quiet", usage="none"),
        Reply(text="no reason", finish=""),
        cut(say("Hello, dear world."), 1),
        wrong_json(say("a")),
        fail(500),
        fail(429),
        fail(402),
        fail(401),
        overflow(),
        drop(),
    ],
)
def test_both_give_the_same_pieces(reply: Reply) -> None:
    timeouts = Timeouts(retries=0)
    with (
        ScriptedServer([], otherwise=reply) as server,
        OpenAICompatible(server.base_url, "scripted", timeouts=timeouts) as real,
    ):
        expected = essence([piece for piece in stream(real) if not isinstance(piece, RetryPiece)])

    assert essence(stream(ScriptedModel([reply]))) == expected


def test_asks_are_kept_and_the_end_of_the_script_is_a_refusal() -> None:
    model = ScriptedModel([say("one")])
    stream(model)

    assert model.asks == [HELLO]
    assert stream(model) == [FailPiece("refused", "the script has only 1 replies.")]


def test_a_script_can_be_a_function_of_the_ask() -> None:
    model = ScriptedModel(lambda ask: say(f"{len(ask.messages)} messages"))

    assert stream(model)[0] == TextPiece("1 messages")


@pytest.mark.parametrize("spoken", [True, False])
def test_a_cancel_ends_what_is_held_back(spoken: bool) -> None:
    cancel, never = Event(), Event()
    model = ScriptedModel([slow(say("Hello, dear world."), never) if spoken else hang(never)])
    pieces = model.stream(HELLO, cancel)
    if spoken:
        next(pieces)
    threading.Thread(target=cancel.set).start()

    assert [piece.kind for piece in pieces if isinstance(piece, FailPiece)] == ["cancelled"]


def test_raw_bytes_need_a_server() -> None:
    with pytest.raises(ValueError, match="use ScriptedServer"):
        stream(ScriptedModel([raw(b"x")]))
