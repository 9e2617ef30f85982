"""Replies as events of OpenAI's Responses API, or as one object."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from holdfast.testing.completion_chunks import call_id, finish_of, in_pieces, usage_of
from holdfast.testing.wire_formats.event_bytes import broken, json_bytes, typed_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.testing.replies import Reply


def events_of(reply: Reply, number: int, model: str, prompt: int) -> list[bytes]:
    """Return the parts of the stream: the beginning, one for each piece, the end."""
    if reply.chunks is not None:
        return [typed_event(chunk) for chunk in reply.chunks]

    counter = itertools.count()

    def encoded(*events: Mapping[str, Any]) -> bytes:
        return b"".join(typed_event({**each, "sequence_number": next(counter)}) for each in events)

    items = _items(reply, number)
    begun = {**_frame(number, model), "status": "in_progress", "output": [], "usage": None}
    parts = [
        encoded(
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        )
    ]
    for place, item in enumerate(items):
        parts.extend(encoded(*events) for events in _item_events(item, place))

    if reply.finish == "":
        return parts

    ended = _response(reply, number, model, prompt, items)
    kind = "response.incomplete" if ended["status"] == "incomplete" else "response.completed"
    last = encoded({"type": kind, "response": ended})
    if reply.finish == "wrong_json":
        last = broken(last)

    return [*parts, last]


def whole_of(reply: Reply, number: int, model: str, prompt: int) -> bytes:
    """Return the reply as one JSON object."""
    data = json_bytes(_response(reply, number, model, prompt, _items(reply, number)))
    if reply.finish == "wrong_json":
        return data[: len(data) // 2]
    return data


def error_of(reply: Reply) -> dict[str, Any]:
    """Return the body of an error."""
    kind = "server_error" if reply.status >= 500 else "invalid_request_error"
    if reply.status == 429:
        kind = "rate_limit_error"
    return {"error": {"message": reply.message, "type": kind, "param": None, "code": None}}


def _items(reply: Reply, number: int) -> list[dict[str, Any]]:
    """Return the output items: reasoning, message, calls."""
    items: list[dict[str, Any]] = []
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})

    if reply.text:
        text = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "id": f"msg_{number}", "status": "completed"}
        items.append({**message, "role": "assistant", "content": [text]})

    for place, call in enumerate(reply.calls):
        item = {"type": "function_call", "id": f"fc_{number}_{place}", "status": "completed"}
        identity = call_id(number, place, call)
        items.append({**item, "call_id": identity, "name": call.name, "arguments": call.arguments})

    return items


def _item_events(item: dict[str, Any], place: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the events of an item, one list for each piece."""
    at = {"item_id": item["id"], "output_index": place}
    added = {"type": "response.output_item.added", "output_index": place}
    done = {"type": "response.output_item.done", "output_index": place, "item": item}
    match item["type"]:
        case "reasoning":
            name, text, field = (
                "response.reasoning_summary_text",
                item["summary"][0]["text"],
                "text",
            )
            part: dict[str, Any] = {**at, "summary_index": 0}
            frame = "response.reasoning_summary_part"
            empty = {**item, "summary": []}
        case "message":
            name, text, field = "response.output_text", item["content"][0]["text"], "text"
            part = {**at, "content_index": 0}
            frame = "response.content_part"
            empty = {**item, "status": "in_progress", "content": []}
        case _:
            name, text, field = "response.function_call_arguments", item["arguments"], "arguments"
            part, frame = at, ""
            empty = {**item, "status": "in_progress", "arguments": ""}

    head = [{**added, "item": empty}]
    tail = [{**part, "type": f"{name}.done", field: text}]
    if frame:
        content = (item.get("summary") or item.get("content") or [{}])[0]
        head.append({**part, "type": f"{frame}.added", "part": {**content, "text": ""}})
        tail.append({**part, "type": f"{frame}.done", "part": content})

    for piece in in_pieces(text):
        yield [*head, {**part, "type": f"{name}.delta", "delta": piece}]
        head = []

    yield [*head, *tail, done]


def _response(
    reply: Reply, number: int, model: str, prompt: int, items: list[dict[str, Any]]
) -> dict[str, Any]:
    body = {**_frame(number, model), "status": "completed", "output": items}
    if finish_of(reply) == "length":
        body["status"] = "incomplete"
        body["incomplete_details"] = {"reason": "max_output_tokens"}

    if reply.usage == "last":
        usage = usage_of(reply, prompt)
        body["usage"] = {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        }

    return body


def _frame(number: int, model: str) -> dict[str, Any]:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "model": model,
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
