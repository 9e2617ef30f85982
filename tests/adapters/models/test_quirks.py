"""Every server has its own way to stream. Each is played by a server over HTTP, and comes out as the same pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.adapters.models.openai_compatible import Timeouts
from holdfast.loop.ports import (
    CallPiece,
    FinishPiece,
    ReasoningPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.testing import Call, FixedClock, Reply, call, chunks, raw, say, think, whole
from tests.adapters.models.asking import WITH_TOOLS, last, pieces_of

STOP, CALLS = FinishPiece("stop"), FinishPiece("tool_calls")


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call_delta(**fields: Any) -> dict[str, Any]:
    function = {name: fields.pop(name) for name in ("name", "arguments") if name in fields}
    return delta(tool_calls=[{**fields, "function": function}])


END = delta("stop")
USAGE = {"prompt_tokens": 7, "completion_tokens": 3}

SAID: dict[str, tuple[list[dict[str, Any]], list[StreamPiece]]] = {
    "usage missing": ([delta(content="a"), END], [TextPiece("a"), STOP]),
    "usage in a trailing chunk with empty choices": (
        [delta(content="a"), END, {"choices": [], "usage": USAGE}],
        [TextPiece("a"), UsagePiece(7, 3), STOP],
    ),
    "usage in the last chunk": ([delta(content="a"), {**END, "usage": USAGE}], [TextPiece("a"), UsagePiece(7, 3), STOP]),
    "usage in every chunk, null first": (
        [{**delta(content="a"), "usage": None}, {**delta(content="b"), "usage": {"prompt_tokens": 7, "completion_tokens": 1}}, {**END, "usage": USAGE}],
        [TextPiece("a"), TextPiece("b"), UsagePiece(7, 3), STOP],
    ),
    "usage that counts nothing": ([delta(content="a"), {**END, "usage": {"prompt_tokens": 0}}], [TextPiece("a"), STOP]),
    "a delta with the role only": ([delta(role="assistant"), delta(content="a"), END], [TextPiece("a"), STOP]),
    "null content": ([delta(role="assistant", content=None), delta(content="a"), END], [TextPiece("a"), STOP]),
    "content as a list of parts": (
        [delta(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, "c"]), END],
        [TextPiece("a"), TextPiece("b"), TextPiece("c"), STOP],
    ),
    "thinking as a part of the content": (
        [delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]), delta(content="a"), END],
        [ReasoningPiece("hm"), TextPiece("a"), STOP],
    ),
    "reasoning_content": ([delta(reasoning_content="hm"), delta(content="a"), END], [ReasoningPiece("hm"), TextPiece("a"), STOP]),
    "reasoning": ([delta(reasoning="hm"), END], [ReasoningPiece("hm"), STOP]),
    "reasoning twice in one delta": ([delta(reasoning="hm", reasoning_content="hm"), END], [ReasoningPiece("hm"), STOP]),
    "think tags stay in the text": ([delta(content="<think>hm</think>a"), END], [TextPiece("<think>hm</think>a"), STOP]),
    "a null delta": ([{"choices": [{"index": 0, "delta": None}]}, delta(content="a"), END], [TextPiece("a"), STOP]),
    "no finish reason": ([delta(content="a")], [TextPiece("a"), STOP]),
    "tool_calls as the finish, with none": ([delta(content="a"), delta("tool_calls")], [TextPiece("a"), STOP]),
    "another name for the end": ([delta(content="a"), delta("eos")], [TextPiece("a"), STOP]),
    "another name for the limit": ([delta(content="a"), delta("max_tokens")], [TextPiece("a"), FinishPiece("length")]),
    "a limit on the output": ([delta(content="a"), delta("max_output_tokens")], [TextPiece("a"), FinishPiece("length")]),
    "a reply that is incomplete": ([delta(content="a"), delta("incomplete")], [TextPiece("a"), FinishPiece("length")]),
    "the whole message beside the last delta": (
        [delta(content="a"), {"choices": [{"index": 0, "delta": {}, "message": {"content": "a"}, "finish_reason": "stop"}]}],
        [TextPiece("a"), STOP],
    ),
    "a second choice that nobody asked for": (
        [delta(content="a"), {"choices": [{"index": 1, "delta": {"content": "b"}}]}, END],
        [TextPiece("a"), STOP],
    ),
    "a legacy completion": ([{"choices": [{"text": "a", "finish_reason": "stop"}]}], [TextPiece("a"), STOP]),
    "nothing at all": ([delta("stop", content="")], [STOP]),
}  # fmt: skip

ARGUMENTS = '{"path": "a"}'
CALLED: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, str]]]] = {
    "by the book": (
        [call_delta(index=0, id="x", name="read_file", arguments=""), call_delta(index=0, arguments='{"path": '), call_delta(index=0, arguments='"a"}')],
        [("x", "read_file", ARGUMENTS)],
    ),
    "id and name in every delta": (
        [call_delta(index=0, id="x", name="read_file", arguments='{"path": '), call_delta(index=0, id="x", name="read_file", arguments='"a"}')],
        [("x", "read_file", ARGUMENTS)],
    ),
    "the name in pieces": (
        [call_delta(index=0, id="x", name="read"), call_delta(index=0, name="_file"), call_delta(index=0, arguments=ARGUMENTS)],
        [("x", "read_file", ARGUMENTS)],
    ),
    "the name growing": (
        [call_delta(index=0, id="x", name="read"), call_delta(index=0, name="read_file"), call_delta(index=0, arguments=ARGUMENTS)],
        [("x", "read_file", ARGUMENTS)],
    ),
    "no index": (
        [call_delta(id="x", name="read_file", arguments='{"path": '), call_delta(arguments='"a"}'), call_delta(id="y", name="write_file", arguments="{}")],
        [("x", "read_file", ARGUMENTS), ("y", "write_file", "{}")],
    ),
    "neither index nor id": (
        [call_delta(name="read_file", arguments=ARGUMENTS), call_delta(name="read_file", arguments='{"path": "b"}'), call_delta(name="write_file", arguments="{}")],
        [("", "read_file", ARGUMENTS), ("", "read_file", '{"path": "b"}'), ("", "write_file", "{}")],
    ),
    "neither index nor id, the name in every delta": (
        [call_delta(name="read_file", arguments='{"path": '), call_delta(name="read_file", arguments='"a"}')],
        [("", "read_file", ARGUMENTS)],
    ),
    "several in one list without an index": (
        [delta(tool_calls=[{"id": "x", "function": {"name": "read_file", "arguments": ARGUMENTS}}, {"id": "y", "function": {"name": "write_file", "arguments": "{}"}}])],
        [("x", "read_file", ARGUMENTS), ("y", "write_file", "{}")],
    ),
    "the same index, another id": (
        [call_delta(index=0, id="x", name="read_file", arguments=ARGUMENTS), call_delta(index=0, id="y", name="write_file", arguments="{}")],
        [("x", "read_file", ARGUMENTS), ("y", "write_file", "{}")],
    ),
    "another id in each delta of one call": (
        [call_delta(index=0, id="x", name="read_file", arguments='{"path": '), call_delta(index=0, id="y", arguments='"a"}')],
        [("x", "read_file", ARGUMENTS)],
    ),
    "arguments as an object": ([call_delta(index=0, id="x", name="read_file", arguments={"path": "a"})], [("x", "read_file", ARGUMENTS)]),
    "arguments as an empty object": ([call_delta(index=0, id="x", name="list_dir", arguments={})], [("x", "list_dir", "{}")]),
    "an empty object before the arguments": (
        [call_delta(index=0, id="x", name="read_file", arguments={}), call_delta(index=0, arguments=ARGUMENTS)],
        [("x", "read_file", ARGUMENTS)],
    ),
    "null arguments": ([call_delta(index=0, id="x", name="read_file", arguments=None), call_delta(index=0, arguments=ARGUMENTS)], [("x", "read_file", ARGUMENTS)]),
    "a call without a list": ([delta(tool_calls={"id": "x", "function": {"name": "read_file", "arguments": ARGUMENTS}})], [("x", "read_file", ARGUMENTS)]),
    "name and arguments without a function": ([delta(tool_calls=[{"id": "x", "name": "read_file", "arguments": ARGUMENTS}])], [("x", "read_file", ARGUMENTS)]),
    "the legacy function_call": ([delta(function_call={"name": "read_file", "arguments": ARGUMENTS})], [("", "read_file", ARGUMENTS)]),
    "two calls in turns": (
        [
            call_delta(index=0, id="x", name="read_file"), call_delta(index=1, id="y", name="write_file"),
            call_delta(index=0, arguments='{"path": '), call_delta(index=1, arguments="{"), call_delta(index=0, arguments='"a"}'), call_delta(index=1, arguments="}"),
        ],
        [("x", "read_file", ARGUMENTS), ("y", "write_file", "{}")],
    ),
    "indices that start at one": (
        [call_delta(index=1, id="x", name="read_file", arguments=ARGUMENTS), call_delta(index=2, id="y", name="write_file", arguments="{}")],
        [("x", "read_file", ARGUMENTS), ("y", "write_file", "{}")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "expected"), SAID.values(), ids=SAID)
def test_what_a_server_says_comes_out_the_same(
    sent: list[dict[str, Any]], expected: list[StreamPiece]
) -> None:
    assert pieces_of(chunks(*sent)) == expected


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call", "tool_use"])
@pytest.mark.parametrize(("sent", "expected"), CALLED.values(), ids=CALLED)
def test_a_call_is_put_together(
    sent: list[dict[str, Any]], expected: list[tuple[str, str, str]], finish: str
) -> None:
    pieces = pieces_of(chunks(*sent, delta(finish)), WITH_TOOLS)

    assert put_together(pieces) == expected
    assert pieces[-1] == CALLS


def put_together(pieces: list[StreamPiece]) -> list[tuple[str, str, str]]:
    """The calls as a reader of the port does it: the last id and name, and all the arguments."""
    found: dict[int, tuple[str, str, str]] = {}
    for piece in pieces:
        if isinstance(piece, CallPiece):
            found[piece.index] = (
                piece.id,
                piece.name,
                found.get(piece.index, ("", "", ""))[2] + piece.arguments,
            )
    assert list(found) == list(range(len(found)))
    return list(found.values())


def test_a_call_that_was_cut_by_the_limit_keeps_that_finish() -> None:
    sent = [call_delta(index=0, id="x", name="read_file", arguments='{"pa'), delta("length")]

    assert pieces_of(chunks(*sent))[-1] == FinishPiece("length")


@pytest.mark.parametrize(
    "reply",
    [
        say("Hello.", reasoning="hm"),
        call("read_file", path="a"),
        think("hm"),
        Reply(text="a", calls=(Call("b", "{}"),)),
    ],
)
def test_an_answer_that_is_not_streamed_says_the_same(reply: Reply) -> None:
    streamed, at_once = pieces_of(reply), pieces_of(whole(reply))

    assert joined(at_once) == joined(streamed)
    assert at_once[-1] == streamed[-1]


def joined(pieces: list[StreamPiece]) -> tuple[str, str, list[tuple[str, str, str]]]:
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    reasoning = "".join(piece.text for piece in pieces if isinstance(piece, ReasoningPiece))
    return text, reasoning, put_together(pieces)


def test_arguments_as_an_object_in_an_answer_that_is_not_streamed() -> None:
    reply = whole(Reply(calls=(Call("read_file", '{"path": "a"}', as_object=True),)))

    assert put_together(pieces_of(reply)) == [("call_0_0", "read_file", '{"path": "a"}')]


# ---------------------------------------------------------------------------------------------------------- bytes

A = json.dumps(delta(content="ä")).encode()
FINISHED = json.dumps(END).encode()
BYTES = {
    "no space after the colon": b"data:" + A + b"\n\ndata:" + FINISHED + b"\n\ndata:[DONE]\n\n",
    "CRLF": b"data: " + A + b"\r\n\r\ndata: " + FINISHED + b"\r\n\r\ndata: [DONE]\r\n\r\n",
    "comments and keep-alives": b": hi\n\n:\n\ndata: "
    + A
    + b"\n\n: ping\n\ndata: "
    + FINISHED
    + b"\n\ndata: [DONE]\n\n",
    "no [DONE]": b"data: " + A + b"\n\ndata: " + FINISHED + b"\n\n",
    "no end of the last line": b"data: " + A + b"\n\ndata: " + FINISHED,
    "no empty lines": b"data: " + A + b"\ndata: " + FINISHED + b"\ndata: [DONE]\n",
    "more after [DONE]": b"data: "
    + A
    + b"\n\ndata: "
    + FINISHED
    + b"\n\ndata: [DONE]\n\ndata: junk\n\n",
}


@pytest.mark.parametrize("body", BYTES.values(), ids=BYTES)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_stream_can_be_written_and_cut_in_any_way(body: bytes, size: int) -> None:
    parts = [body[at : at + size] for at in range(0, len(body), size)]

    assert pieces_of(raw(*parts)) == [TextPiece("ä"), STOP]


HTML = b"<!doctype html><html><head><title>Sign in</title></head></html>"
NOT_REPLIES = {
    "an HTML page": (HTML, "bad", "an HTML page: Sign in"),
    "nothing": (b"", "bad", "an empty answer"),
    "only comments": (b": ping\n\n", "bad", "an empty answer"),
    "a role and then nothing": (b"data: " + json.dumps(delta(role="assistant")).encode() + b"\n\n", "bad", "ends before it begins"),
    "JSON cut short": (b'{"choices": [', "bad", "answers with invalid JSON"),
    "JSON of something else": (b'{"status": "ok"}', "bad", "answers with other JSON"),
    "an error with status 200": (b'{"error": {"message": "out of memory"}}', "server", "out of memory"),
    "an error as a text": (b'{"error": "out of memory"}', "server", "out of memory"),
    "an error in the stream": (b'data: {"error": {"message": "out of memory", "type": "server_error"}}\n\n', "server", "out of memory"),
    "an overflow in the stream": (b'data: {"error": {"code": 400, "message": "the request exceeds the available context size"}}\n\n', "overflow", "exceed the context of m"),
    "an event that is no JSON": (b"data: {oops\n\ndata: [DONE]\n\n", "bad", "an event that is not JSON"),
    "an event that is no object": (b"data: [1]\n\n", "bad", "an event that is not an object"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "words"), NOT_REPLIES.values(), ids=NOT_REPLIES)
def test_what_is_no_reply_is_said_to_be_none(body: bytes, kind: str, words: str) -> None:
    failure = last(pieces_of(raw(body)))

    assert failure.kind == kind
    assert words in failure.message


SPOKEN = b"data: " + A + b"\n\n"
HALVES = {
    "the end without a sign of one": SPOKEN,
    "an error": SPOKEN + b'data: {"error": {"message": "out of memory", "code": 500}}\n\n',
    "a finish that says error": SPOKEN + b"data: " + json.dumps(delta("error")).encode() + b"\n\n",
}


@pytest.mark.parametrize("body", HALVES.values(), ids=HALVES)
def test_a_reply_that_stops_in_the_middle_is_cut_and_not_asked_for_again(body: bytes) -> None:
    pieces = pieces_of(raw(body), timeouts=Timeouts(retries=3))

    assert pieces[0] == TextPiece("ä")
    assert len(pieces) == 2
    assert last(pieces).kind == "cut"


def test_a_server_that_holds_the_connection_after_the_end_is_not_waited_for() -> None:
    import threading

    from holdfast.testing import slow
    from tests.adapters.models.asking import ask, serving

    body = (b": start\n\n", SPOKEN + b"data: " + FINISHED + b"\n\n", b"data: [DONE]\n\n")
    clock = FixedClock(step=1.0)
    with serving([slow(raw(*body), threading.Event())], clock=clock) as (model, _):
        assert ask(model) == [TextPiece("ä"), STOP]


def test_a_string_full_of_braces_is_one_call_where_only_the_name_tells() -> None:
    written = json.dumps({"text": 'if (a) { b["}"]; } \\' * 20})
    sent = [call_delta(name="write_file", arguments=piece) for piece in written]

    assert put_together(pieces_of(chunks(*sent, sent[0], delta("tool_calls")))) == [
        ("", "write_file", written),
        ("", "write_file", "{"),
    ]
