"""The bytes of a request: `messages` last, and earlier messages always as the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, assert_never

from holdfast.adapters.models.json_schema import fits_strict, plain
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

if TYPE_CHECKING:
    from holdfast.adapters.models.server_quirks import ServerQuirks
    from holdfast.loop.ports import ModelRequest
    from holdfast.vocab.tool_calls import ToolCall, ToolSpec

# For the retry of a repetitive reply. Otherwise the settings of the server apply.
_CHANGED = {"temperature": 0.9, "top_p": 0.95, "frequency_penalty": 0.4}

_TEXT_TOOLS = """

# Tools

To call a tool, write this, with its name and arguments, and nothing after it; \
the answer comes in the next message:
<tool_call>
{"name": "...", "arguments": {...}}
</tool_call>

The tools, each with the JSON Schema of its arguments:
"""


class RequestBody:
    """The encoder of requests to one model.

    The bytes of a message are cached while each next request has the same message object, so that
    a step costs what it adds, and the server finds the prompt that it has cached.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._as_text = False
        self._cache: dict[tuple[int, ...], tuple[tuple[Message, ...], bytes]] = {}

    def body(self, request: ModelRequest, quirks: ServerQuirks) -> bytes:
        """Return the body of a request.

        The body of a later request with more messages begins with the same bytes, up to the
        closing brackets.
        """
        if quirks.as_text is not self._as_text:
            self._as_text = quirks.as_text
            self._cache = {}
        head = _encode(self._head(request, quirks)).removesuffix(b"}")
        messages = b",".join(self._fragments(request, quirks))
        return head + b',"messages":[' + messages + b"]}"

    def _head(self, request: ModelRequest, quirks: ServerQuirks) -> dict[str, Any]:
        head: dict[str, Any] = {"model": self._model, "stream": True}
        if "stream_options" not in quirks.dropped:
            head["stream_options"] = {"include_usage": True}

        if request.max_tokens is not None:
            name = "max_tokens"
            if "max_tokens" in quirks.dropped:
                name = "max_completion_tokens"
            head[name] = request.max_tokens

        if request.sampling == "changed" and "sampling" not in quirks.dropped:
            head |= _CHANGED

        if request.tools and not quirks.as_text:
            head |= _tool_fields(request, quirks)

        return head

    def _fragments(self, request: ModelRequest, quirks: ServerQuirks) -> list[bytes]:
        """Return the encoded messages, and cache them for the next request."""
        cache: dict[tuple[int, ...], tuple[tuple[Message, ...], bytes]] = {}
        fragments: list[bytes] = []
        for group in _groups(request.messages, quirks):
            # The cache refers to the messages, so that no other object can have these ids.
            key = tuple(map(id, group))
            cached = self._cache.get(key)
            if cached is None:
                cached = (group, _encode_group(group, quirks))
            cache[key] = cached
            fragments.append(cached[1])

        self._cache = cache
        if quirks.as_text and request.tools:
            fragments[:1] = _with_tools(request, fragments)

        return [fragment for fragment in fragments if fragment]


def _tool_fields(request: ModelRequest, quirks: ServerQuirks) -> dict[str, Any]:
    """Return the fields for tools, of which `request.force` names one that must be called."""
    has_choice = "tool_choice" not in quirks.dropped
    tools = request.tools
    # The default of the protocol, but some servers make no call without it.
    choice: Any = "auto"
    extra: dict[str, Any] = {}
    forced = tuple(tool for tool in request.tools if tool.name == request.force)
    if forced and has_choice and quirks.forcing == "named":
        choice = {"type": "function", "function": {"name": request.force}}
    elif forced:
        tools = forced
        choice = "required"
        if quirks.forcing == "schema" and "schema" not in quirks.dropped:
            extra["response_format"] = _call_format(forced[0])

    fields = {"tools": [_tool(tool, quirks) for tool in tools], **extra}
    if has_choice:
        fields["tool_choice"] = choice

    return fields


def _tool(tool: ToolSpec, quirks: ServerQuirks) -> dict[str, Any]:
    schema = tool.schema
    if "schema" in quirks.dropped:
        schema = plain(schema)

    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema,
    }
    if _is_strict(tool, quirks):
        function["strict"] = True

    return {"type": "function", "function": function}


def _is_strict(tool: ToolSpec, quirks: ServerQuirks) -> bool:
    if "strict" in quirks.dropped:
        return False
    if quirks.kind == "vllm":
        return True
    # A hosted service refuses `strict` for a schema with optional fields; vLLM accepts any.
    return quirks.kind == "hosted" and fits_strict(tool.schema)


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


def _groups(messages: tuple[Message, ...], quirks: ServerQuirks) -> Iterator[tuple[Message, ...]]:
    """Yield the messages that are sent as one.

    As text, answers of tools are messages of the user, and these must not follow each other.
    """
    if not quirks.as_text:
        for message in messages:
            yield (message,)
        return

    for is_user, run in groupby(messages, _is_user):
        if is_user:
            yield tuple(run)
            continue
        for message in run:
            yield (message,)


def _is_user(message: Message) -> bool:
    return isinstance(message, UserText | ToolAnswered)


def _encode_group(group: tuple[Message, ...], quirks: ServerQuirks) -> bytes:
    if not quirks.as_text:
        return b",".join(_encode(_native(message)) for message in group)
    role = {SystemText: "system", AssistantSaid: "assistant"}.get(type(group[0]), "user")
    text = "\n\n".join(_as_text(message) for message in group)
    return _encode({"role": role, "content": text})


def _native(message: Message) -> dict[str, Any]:
    match message:
        case SystemText(text):
            return {"role": "system", "content": text}
        case UserText(text):
            return {"role": "user", "content": text}
        case ToolAnswered(call_id, _, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case AssistantSaid(text, calls):
            # Not null beside calls: templates that join strings fail on null, and every server
            # accepts "".
            fields: dict[str, Any] = {"role": "assistant", "content": text}
            if calls:
                fields["tool_calls"] = [_call(call) for call in calls]
            return fields
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
            parts = [text] if text else []
            for call in calls:
                fields = {"name": call.name, "arguments": call.arguments}
                parts.append(f"<tool_call>\n{_json(fields)}\n</tool_call>")
            return "\n".join(parts)
        case _:
            assert_never(message)


def _with_tools(request: ModelRequest, fragments: list[bytes]) -> list[bytes]:
    """Return the first fragment with the tools described in the system message, added if needed."""
    rules = ""
    others = fragments[:1]
    first = next(iter(request.messages), None)
    if isinstance(first, SystemText):
        rules = first.text
        others = []

    described = [
        f"- {tool.name}: {tool.description}\n  {_json(plain(tool.schema))}"
        for tool in request.tools
    ]
    text = rules + _TEXT_TOOLS + "\n".join(described)
    system = _encode({"role": "system", "content": text.lstrip("\n")})
    return [system, *others]


def _json(value: Any) -> str:
    """Return JSON that does not depend on the order of keys."""
    try:
        return json.dumps(
            value, ensure_ascii=False, sort_keys=True, allow_nan=False, default=_to_dict
        )
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, sort_keys=True)


def _encode(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_to_dict)
    # Half of a surrogate pair is not a character, and no server could read it.
    return text.encode("utf-8", "replace")


def _to_dict(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON does not have, by null."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None

    return value
