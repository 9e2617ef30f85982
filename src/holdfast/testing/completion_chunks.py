"""Replies as chunks of Chat Completions, or as one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.testing.replies import Call, Reply

_PIECE = 12


def in_pieces(text: str) -> list[str]:
    """Split a text into the pieces of a stream.

    >>> in_pieces("Now I read it.")
    ['Now I read i', 't.']
    """
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def finish_of(reply: Reply) -> str | None:
    """Return the finish reason to send; None for none."""
    if reply.finish == "":
        return None
    if reply.finish not in {None, "wrong_json"}:
        return reply.finish
    if reply.calls:
        return "tool_calls"

    return "stop"


def call_id(number: int, place: int, call: Call) -> str:
    """Return the id of a call: its own, or an id that no other call of the script has."""
    if call.id:
        return call.id
    return f"call_{number}_{place}"


def usage_of(reply: Reply, prompt: int) -> dict[str, int]:
    """Return the usage to send; `prompt` is the number of tokens unless the reply has its own."""
    if reply.prompt_tokens is not None:
        prompt = reply.prompt_tokens

    text = reply.text + reply.reasoning
    for call in reply.calls:
        text += call.arguments

    completion = len(text.encode("utf-8", "replace")) // 4 + 1
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def deltas_of(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    """Yield the deltas of the stream: reasoning, text, calls."""
    for piece in in_pieces(reply.reasoning):
        yield {"reasoning_content": piece}

    for piece in in_pieces(reply.text):
        yield {"content": piece}

    for place, call in enumerate(reply.calls):
        head = {"index": place, "id": call_id(number, place, call), "type": "function"}
        if call.as_object:
            function = {"name": call.name, "arguments": json.loads(call.arguments)}
            yield {"tool_calls": [{**head, "function": function}]}
            continue
        yield {"tool_calls": [{**head, "function": {"name": call.name, "arguments": ""}}]}
        for piece in in_pieces(call.arguments):
            yield {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}


def events_of(reply: Reply, number: int, model: str, prompt: int) -> list[bytes]:
    """Return the events of the stream, as bytes."""
    if reply.chunks is not None:
        return [*map(_event, reply.chunks), b"data: [DONE]\n\n"]

    frame = _frame(number, "chat.completion.chunk", model)
    first = {"role": "assistant", "content": ""}
    events: list[bytes] = []
    for delta in (first, *deltas_of(reply, number)):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        events.append(_event({**frame, "choices": [choice]}))

    finish = finish_of(reply)
    if finish is not None:
        choice = {"index": 0, "delta": {}, "finish_reason": finish}
        last = _event({**frame, "choices": [choice]})
        if reply.finish == "wrong_json":
            last = last[: len(last) // 2] + b"\n\n"
        events.append(last)

    if reply.usage == "last":
        events.append(_event({**frame, "choices": [], "usage": usage_of(reply, prompt)}))

    return [*events, b"data: [DONE]\n\n"]


def whole_of(reply: Reply, number: int, model: str, prompt: int) -> bytes:
    """Return the reply as one JSON object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning

    calls: list[dict[str, Any]] = []
    for place, call in enumerate(reply.calls):
        function: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
        if call.as_object:
            function["arguments"] = json.loads(call.arguments)
        identity = call_id(number, place, call)
        calls.append({"id": identity, "type": "function", "function": function})

    if calls:
        message["tool_calls"] = calls

    body: dict[str, Any] = _frame(number, "chat.completion", model)
    body["choices"] = [{"index": 0, "message": message, "finish_reason": finish_of(reply)}]
    if reply.usage == "last":
        body["usage"] = usage_of(reply, prompt)

    data = json.dumps(body, ensure_ascii=False).encode()
    if reply.finish == "wrong_json":
        return data[: len(data) // 2]

    return data


def _frame(number: int, kind: str, model: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": model}


def _event(chunk: Any) -> bytes:
    text = json.dumps(chunk, ensure_ascii=False)
    data = text.encode("utf-8", "replace")
    return b"data: " + data + b"\n\n"
