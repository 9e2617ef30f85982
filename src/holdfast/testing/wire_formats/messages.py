"""Replies as events of Anthropic's Messages API, or as one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.testing.completion_chunks import call_id, finish_of, in_pieces, usage_of
from holdfast.testing.wire_formats.event_bytes import broken, json_bytes, typed_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.testing.replies import Reply

_STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_SIGNATURE = "c2NyaXB0ZWQ="


def events_of(reply: Reply, number: int, model: str, prompt: int) -> list[bytes]:
    """Return the parts of the stream: the beginning, one for each piece, the end."""
    if reply.chunks is not None:
        return [typed_event(chunk) for chunk in reply.chunks]

    usage = _usage(reply, prompt)
    begun = {**_frame(number, model), "usage": {**usage, "output_tokens": 1}}
    parts = [typed_event({"type": "message_start", "message": begun})]
    for place, block in enumerate(_blocks(reply, number)):
        parts.extend(_block_events(block, place))

    if reply.finish == "":
        return parts

    delta = {"stop_reason": _stop_of(reply), "stop_sequence": None}
    ended = {"output_tokens": usage["output_tokens"]}
    last = typed_event({"type": "message_delta", "delta": delta, "usage": ended})
    if reply.finish == "wrong_json":
        last = broken(last)

    return [*parts, last, typed_event({"type": "message_stop"})]


def whole_of(reply: Reply, number: int, model: str, prompt: int) -> bytes:
    """Return the reply as one JSON object."""
    body = _frame(number, model)
    for block, pieces in _blocks(reply, number):
        content = {**block}
        if content["type"] == "tool_use":
            content["input"] = _parsed("".join(pieces))
        else:
            content[content["type"]] = "".join(pieces)
        body["content"].append(content)

    body["stop_reason"] = _stop_of(reply)
    body["usage"] = _usage(reply, prompt)
    data = json_bytes(body)
    if reply.finish == "wrong_json":
        return data[: len(data) // 2]

    return data


def error_of(reply: Reply) -> dict[str, Any]:
    """Return the body of an error."""
    kind = _ERRORS.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.message}}


def _blocks(reply: Reply, number: int) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield each block of the content as it begins, and the pieces of its text."""
    if reply.reasoning:
        yield {"type": "thinking", "thinking": "", "signature": ""}, in_pieces(reply.reasoning)

    if reply.text:
        yield {"type": "text", "text": ""}, in_pieces(reply.text)

    for place, call in enumerate(reply.calls):
        block = {"type": "tool_use", "id": call_id(number, place, call), "name": call.name}
        yield {**block, "input": {}}, in_pieces(call.arguments)


def _block_events(block: tuple[dict[str, Any], list[str]], place: int) -> Iterator[bytes]:
    """Yield the events of a block, one text of bytes for each piece."""
    start, pieces = block
    kind = start["type"]
    name, field = f"{kind}_delta", kind
    if kind == "tool_use":
        name, field = "input_json_delta", "partial_json"

    head = typed_event({"type": "content_block_start", "index": place, "content_block": start})
    for piece in pieces:
        yield head + _delta(place, {"type": name, field: piece})
        head = b""

    if kind == "thinking":
        head += _delta(place, {"type": "signature_delta", "signature": _SIGNATURE})

    yield head + typed_event({"type": "content_block_stop", "index": place})


def _delta(place: int, delta: dict[str, str]) -> bytes:
    return typed_event({"type": "content_block_delta", "index": place, "delta": delta})


def _parsed(arguments: str) -> Any:
    """Return the arguments as an object; as text if they are not valid."""
    try:
        return json.loads(arguments)
    except json.JSONDecodeError:
        return arguments


def _stop_of(reply: Reply) -> str | None:
    finish = finish_of(reply)
    if finish is None:
        return None
    return _STOPS.get(finish, finish)


def _usage(reply: Reply, prompt: int) -> dict[str, int]:
    counted = usage_of(reply, prompt)
    # The API always has this field; without a count it says 0.
    if reply.usage == "none":
        counted = dict.fromkeys(counted, 0)

    return {
        "input_tokens": counted["prompt_tokens"],
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": counted["completion_tokens"],
    }


def _frame(number: int, model: str) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
