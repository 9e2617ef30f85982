"""A reply as the chunks of Chat Completions, and as one whole object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from holdfast.testing.replies import Call, Reply

_PIECE = 12


def in_pieces(text: str) -> list[str]:
    """Split a text as a stream would come.

    >>> in_pieces("Now I read it.")
    ['Now I read i', 't.']
    """
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def finish_of(reply: Reply) -> str | None:
    """Give the finish reason that is sent."""
    if reply.finish is None or reply.finish == "wrong_json":
        return "tool_calls" if reply.calls else "stop"
    return reply.finish or None


def call_id(number: int, place: int, call: Call) -> str:
    """Give the id of a call: its own, or one that no other call of the script has."""
    return call.id or f"call_{number}_{place}"


def usage_of(reply: Reply, prompt: int) -> dict[str, int]:
    """Give the figures that are sent."""
    prompt = prompt if reply.prompt_tokens is None else reply.prompt_tokens
    said = reply.text + reply.reasoning + "".join(call.arguments for call in reply.calls)
    completion = len(said.encode("utf-8", "replace")) // 4 + 1
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def deltas_of(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    """Give what the model says, piece by piece."""
    yield from ({"reasoning_content": piece} for piece in in_pieces(reply.reasoning))
    yield from ({"content": piece} for piece in in_pieces(reply.text))
    for place, call in enumerate(reply.calls):
        head = {"index": place, "id": call_id(number, place, call), "type": "function"}
        if call.as_object:
            yield {
                "tool_calls": [
                    {
                        **head,
                        "function": {"name": call.name, "arguments": json.loads(call.arguments)},
                    }
                ]
            }
            continue
        yield {"tool_calls": [{**head, "function": {"name": call.name, "arguments": ""}}]}
        for piece in in_pieces(call.arguments):
            yield {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}


def events_of(reply: Reply, number: int, model: str, prompt: int) -> list[bytes]:
    """Give the events of the stream, as they go over the wire."""
    if reply.chunks is not None:
        return [*map(_event, reply.chunks), b"data: [DONE]\n\n"]
    frame = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
    }
    first = {"role": "assistant", "content": ""}
    deltas: list[dict[str, Any]] = [first, *deltas_of(reply, number)]
    events = [
        _event({**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        for delta in deltas
    ]
    if (finish := finish_of(reply)) is not None:
        last = _event({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        events.append(last if reply.finish != "wrong_json" else last[: len(last) // 2] + b"\n\n")
    if reply.usage == "last":
        events.append(_event({**frame, "choices": [], "usage": usage_of(reply, prompt)}))
    return [*events, b"data: [DONE]\n\n"]


def whole_of(reply: Reply, number: int, model: str, prompt: int) -> bytes:
    """Give the reply as one object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call_id(number, place, call),
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.loads(call.arguments) if call.as_object else call.arguments,
                },
            }
            for place, call in enumerate(reply.calls)
        ]
    body: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
    }
    body["choices"] = [{"index": 0, "message": message, "finish_reason": finish_of(reply)}]
    if reply.usage == "last":
        body["usage"] = usage_of(reply, prompt)
    data = json.dumps(body, ensure_ascii=False).encode()
    return data if reply.finish != "wrong_json" else data[: len(data) // 2]


def _event(chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode("utf-8", "replace") + b"\n\n"
