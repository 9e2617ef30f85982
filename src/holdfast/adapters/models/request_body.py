"""A question as the bytes that are sent: `messages` last, and what was sent before is sent again byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, assert_never

from holdfast.adapters.models.json_schema import fits_strict, plain
from holdfast.adapters.models.server_quirks import ServerQuirks
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.tool_calls import ToolCall, ToolSpec
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

# After a reply that went round in circles. Otherwise the server's own settings rule: it knows its model.
_CHANGED = {"temperature": 0.9, "top_p": 0.95, "frequency_penalty": 0.4}

_TEXT_TOOLS = """

# Tools

To call a tool, write this, with its name and arguments, and nothing after it; the answer comes in the next message:
<tool_call>
{"name": "...", "arguments": {...}}
</tool_call>

The tools, each with the JSON Schema of its arguments:
"""


class RequestBody:
    """Writes the questions to one model.

    The bytes made of a message are kept as long as each next question holds the same object, so that a step costs
    what it adds, and a server finds the prompt it has cached.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._as_text = False
        self._kept: dict[tuple[int, ...], tuple[tuple[Message, ...], bytes]] = {}

    def body(self, ask: ModelRequest, manner: ServerQuirks) -> bytes:
        """Give the body of the request. That of a later ask begins with this one, up to its closing brackets."""
        if manner.as_text is not self._as_text:
            self._as_text = manner.as_text
            self._kept = {}
        head = _encode(self._head(ask, manner)).removesuffix(b"}")
        return head + b',"messages":[' + b",".join(self._fragments(ask, manner)) + b"]}"

    def _head(self, ask: ModelRequest, manner: ServerQuirks) -> dict[str, Any]:
        head: dict[str, Any] = {"model": self._model, "stream": True}
        if "stream_options" not in manner.dropped:
            head["stream_options"] = {"include_usage": True}
        if ask.max_tokens is not None:
            head["max_completion_tokens" if "max_tokens" in manner.dropped else "max_tokens"] = (
                ask.max_tokens
            )
        if ask.sampling == "changed" and "sampling" not in manner.dropped:
            head |= _CHANGED
        if ask.tools and not manner.as_text:
            head |= _tool_fields(ask, manner)
        return head

    def _fragments(self, ask: ModelRequest, manner: ServerQuirks) -> list[bytes]:
        kept: dict[tuple[int, ...], tuple[tuple[Message, ...], bytes]] = {}
        fragments = []
        for group in _groups(ask.messages, manner):
            key = tuple(
                map(id, group)
            )  # the messages are kept with it, so no other object can have these ids
            entry = self._kept.get(key) or (group, b",".join(map(_encode, _write(group, manner))))
            kept[key] = entry
            fragments.append(entry[1])
        self._kept = kept
        if manner.as_text and ask.tools:
            fragments[:1] = _with_tools(ask, fragments)
        return [fragment for fragment in fragments if fragment]


def _tool_fields(ask: ModelRequest, manner: ServerQuirks) -> dict[str, Any]:
    named = manner.forcing == "named" and "tool_choice" not in manner.dropped
    only = [tool for tool in ask.tools if tool.name == ask.force]
    offered = only if only and not named else ask.tools
    fields: dict[str, Any] = {"tools": [_tool(tool, manner) for tool in offered]}
    if only and manner.forcing == "schema" and "schema" not in manner.dropped:
        fields["response_format"] = _call_format(only[0])
    if "tool_choice" in manner.dropped:
        return fields
    if not only:
        # The default by the book, but some servers make no call unless it is said.
        fields["tool_choice"] = "auto"
    elif named:
        fields["tool_choice"] = {"type": "function", "function": {"name": ask.force}}
    else:
        fields["tool_choice"] = "required"
    return fields


def _tool(tool: ToolSpec, manner: ServerQuirks) -> dict[str, Any]:
    schema = plain(tool.schema) if "schema" in manner.dropped else tool.schema
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema,
    }
    # A hosted service refuses `strict` for a schema with optional fields; vLLM takes any.
    if "strict" not in manner.dropped and (
        manner.kind == "vllm" or (manner.kind == "hosted" and fits_strict(tool.schema))
    ):
        function["strict"] = True
    return {"type": "function", "function": function}


def _call_format(tool: ToolSpec) -> dict[str, Any]:
    call = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": [tool.name]},
            "arguments": plain(tool.schema),
        },
        "required": ["name", "arguments"],
    }
    return {"type": "json_schema", "json_schema": {"name": "call", "schema": call}}


def _groups(messages: tuple[Message, ...], manner: ServerQuirks) -> Iterator[tuple[Message, ...]]:
    """Give the messages that go as one: as text, answers are a user's, and those must not follow each other."""
    if not manner.as_text:
        yield from ((message,) for message in messages)
        return
    for of_user, run in groupby(
        messages, lambda message: isinstance(message, UserText | ToolAnswered)
    ):
        group = tuple(run)
        yield from (group,) if of_user else ((message,) for message in group)


def _write(group: tuple[Message, ...], manner: ServerQuirks) -> Iterator[dict[str, Any]]:
    if manner.as_text:
        role = {SystemText: "system", AssistantSaid: "assistant"}.get(type(group[0]), "user")
        yield {"role": role, "content": "\n\n".join(map(_as_text, group))}
        return
    for message in group:
        yield _native(message)


def _native(message: Message) -> dict[str, Any]:
    match message:
        case SystemText(text):
            return {"role": "system", "content": text}
        case UserText(text):
            return {"role": "user", "content": text}
        case ToolAnswered(call_id, _, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case AssistantSaid(text, calls):
            # "" and not null beside calls: templates that join strings fail on null, and no server refuses "".
            said: dict[str, Any] = {"role": "assistant", "content": text}
            if calls:
                said["tool_calls"] = [_call(call) for call in calls]
            return said
        case _:
            assert_never(message)


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _json(call.arguments)},
    }


def _as_text(message: Message) -> str:
    match message:
        case SystemText(text) | UserText(text):
            return text
        case ToolAnswered(_, name, text):
            return f"<tool_response>\n{name}:\n{text}\n</tool_response>"
        case AssistantSaid(text, calls):
            written = [
                f"<tool_call>\n{_json({'name': c.name, 'arguments': c.arguments})}\n</tool_call>"
                for c in calls
            ]
            return "\n".join([text, *written] if text else written)
        case _:
            assert_never(message)


def _with_tools(ask: ModelRequest, fragments: list[bytes]) -> list[bytes]:
    """Give the first fragment with the tools told of in the system message, which is made if there is none."""
    first = ask.messages[0] if ask.messages else None
    rules = first.text if isinstance(first, SystemText) else ""
    told = "\n".join(
        f"- {tool.name}: {tool.description}\n  {_json(plain(tool.schema))}" for tool in ask.tools
    )
    system = _encode({"role": "system", "content": (rules + _TEXT_TOOLS + told).lstrip("\n")})
    return [system] if isinstance(first, SystemText) else [system, *fragments[:1]]


def _json(value: Any) -> str:
    """Write JSON that is the same for the same value, whatever the order of its keys."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, default=_open)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, sort_keys=True)


def _encode(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_open)
    return text.encode(
        "utf-8", "replace"
    )  # half a surrogate pair is no text that a server could read


def _open(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _finite(value: Any) -> Any:
    """Put null in the place of NaN and infinity, which Python reads and JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in {float("inf"), float("-inf")}):  # noqa: PLR0124 - NaN
        return None
    return value
