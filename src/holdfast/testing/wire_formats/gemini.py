"""Replies as events of Gemini's `streamGenerateContent`, or as one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.testing.completion_chunks import call_id, finish_of, in_pieces, usage_of
from holdfast.testing.wire_formats.event_bytes import broken, data_event, json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.testing.replies import Call, Reply

_STOPS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}
_MALFORMED = "MALFORMED_FUNCTION_CALL"
_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def events_of(reply: Reply, number: int, model: str, prompt: int) -> list[bytes]:
    """Return the parts of the stream: an empty beginning, one for each piece, the end."""
    if reply.chunks is not None:
        return [data_event(chunk) for chunk in reply.chunks]

    pieces = [data_event(_chunk(number, model, [part])) for part in _parts(reply, number)]
    parts = [b"", *pieces]
    if reply.finish == "":
        return parts

    last = _chunk(number, model, [], _stop_of(reply))
    if reply.usage == "last":
        last["usageMetadata"] = _usage(reply, prompt)

    event = data_event(last)
    if reply.finish == "wrong_json":
        event = broken(event)

    return [*parts, event]


def whole_of(reply: Reply, number: int, model: str, prompt: int) -> bytes:
    """Return the reply as one JSON object."""
    body = _chunk(number, model, list(_parts(reply, number)), _stop_of(reply))
    if reply.usage == "last":
        body["usageMetadata"] = _usage(reply, prompt)

    data = json_bytes(body)
    if reply.finish == "wrong_json":
        return data[: len(data) // 2]

    return data


def error_of(reply: Reply) -> dict[str, Any]:
    """Return the body of an error."""
    status = _ERRORS.get(reply.status, "INTERNAL")
    return {"error": {"code": reply.status, "message": reply.message, "status": status}}


def _parts(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    for piece in in_pieces(reply.reasoning):
        yield {"text": piece, "thought": True}

    for piece in in_pieces(reply.text):
        yield {"text": piece}

    for place, call in enumerate(reply.calls):
        arguments = _arguments(call)
        # As the API does: a call whose arguments are not an object is a reason to stop, no part.
        if arguments is None:
            return
        identity = call_id(number, place, call)
        yield {"functionCall": {"id": identity, "name": call.name, "args": arguments}}


def _arguments(call: Call) -> dict[str, Any] | None:
    try:
        value = json.loads(call.arguments)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _stop_of(reply: Reply) -> str | None:
    if any(_arguments(call) is None for call in reply.calls):
        return _MALFORMED
    finish = finish_of(reply)
    if finish is None:
        return None
    return _STOPS.get(finish, finish)


def _usage(reply: Reply, prompt: int) -> dict[str, int]:
    counted = usage_of(reply, prompt)
    return {
        "promptTokenCount": counted["prompt_tokens"],
        "candidatesTokenCount": counted["completion_tokens"],
        "totalTokenCount": counted["total_tokens"],
    }


def _chunk(
    number: int, model: str, parts: Sequence[dict[str, Any]], finish: str | None = None
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": model, "responseId": f"gem_{number}"}
