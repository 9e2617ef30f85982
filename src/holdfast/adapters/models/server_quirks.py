"""Quirks of one server: its abilities by its kind, and the fields that it has refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.adapters.models.servers import ServerKind
    from holdfast.loop.ports import ModelRequest

Field: TypeAlias = Literal[
    "strict", "stream_options", "tool_choice", "sampling", "max_tokens", "schema", "tools"
]
"""A part of a request that can be left out or replaced:

`strict`, `stream_options`, `tool_choice` and `sampling` are left out; `max_tokens` becomes
`max_completion_tokens`; `schema`: the schemas of tools are sent with their plain parts only;
`tools`: the system message describes the tools, and calls and answers are sent as text.
"""

Forcing: TypeAlias = Literal["named", "required", "schema"]

_FORCING: dict[ServerKind, Forcing] = {
    "llama_cpp": "required",
    "lm_studio": "required",
    "ollama": "schema",
}
# From the field that costs least to the field that costs most.
_ORDER: tuple[Field, ...] = (
    "strict",
    "stream_options",
    "tool_choice",
    "sampling",
    "max_tokens",
    "schema",
    "tools",
)
_HINTS: tuple[tuple[Field, re.Pattern[str]], ...] = (
    ("max_tokens", lazy_pattern(r"max_completion_tokens|max_tokens", re.IGNORECASE)),
    ("stream_options", lazy_pattern(r"stream_options|include_usage", re.IGNORECASE)),
    ("tool_choice", lazy_pattern(r"tool[_ ]choice|parallel_tool_calls", re.IGNORECASE)),
    ("sampling", lazy_pattern(r"temperature|top_p|frequency_penalty", re.IGNORECASE)),
    ("strict", lazy_pattern(r"\bstrict\b|additionalProperties", re.IGNORECASE)),
    ("schema", lazy_pattern(r"schema|grammar|\$ref|\$defs|anyOf|oneOf|\bpattern\b", re.IGNORECASE)),
    ("tools", lazy_pattern(r"\btools?\b|function|template|jinja|\broles?\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class ServerQuirks:
    """The kind of a server, and the fields that are left out of requests to it."""

    kind: ServerKind = "other"
    dropped: frozenset[Field] = frozenset()

    def without(self, field: Field) -> ServerQuirks:
        """Return a copy that leaves out this field, too."""
        return replace(self, dropped=self.dropped | {field})

    @property
    def as_text(self) -> bool:
        """Whether tools are described in text.

        llama-cpp-python accepts tools, but does not show them to the model unless it was started
        for one of a few families of models, and no answer reveals that.
        """
        return "tools" in self.dropped or self.kind == "llama_cpp_python"

    @property
    def forcing(self) -> Forcing:
        """How to force one tool call with this kind of server. docs/decisions/0010 has the table.

        `named`: `tool_choice` names the tool. `required`: `tool_choice` cannot name it, so no other
        tool is offered. `schema`: Ollama ignores `tool_choice`; the whole reply is constrained to
        the JSON of the call.
        """
        return _FORCING.get(self.kind, "named")


def hinted(words: str, request: ModelRequest, quirks: ServerQuirks) -> Field | None:
    """Return the field of the request that a refusal names; None if it names none."""
    for field, pattern in _HINTS:
        if pattern.search(words) and _is_sent(field, request, quirks):
            return field
    return None


def next_to_drop(request: ModelRequest, quirks: ServerQuirks) -> Field | None:
    """Return the cheapest field that can still be left out; None if there is none."""
    for field in _ORDER:
        if field != "max_tokens" and _is_sent(field, request, quirks):
            return field
    return None


def _is_sent(field: Field, request: ModelRequest, quirks: ServerQuirks) -> bool:
    if field in quirks.dropped:
        return False

    has_tools = bool(request.tools) and not quirks.as_text
    match field:
        case "strict":
            return has_tools and quirks.kind in {"vllm", "hosted"}
        case "tool_choice" | "schema" | "tools":
            return has_tools
        case "sampling":
            return request.sampling == "changed"
        case "max_tokens":
            return request.max_tokens is not None
        case "stream_options":
            return True
