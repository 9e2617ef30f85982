"""How one server wants to be asked: what it can do by its kind, and what it has refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from holdfast.adapters.models.servers import ServerKind
from holdfast.loop.ports import ModelRequest

Field: TypeAlias = Literal[
    "strict", "stream_options", "tool_choice", "sampling", "max_tokens", "schema", "tools"
]
"""What can be left out of a question, or put in another way:

`strict`, `stream_options`, `tool_choice` and `sampling` are left out; `max_tokens` becomes `max_completion_tokens`;
`schema`: the tools' schemas are sent with their plain parts only; `tools`: they are told of in the system message, and
calls and answers go as text.
"""

# From what costs least to what costs most.
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
    ("max_tokens", re.compile(r"max_completion_tokens|max_tokens", re.IGNORECASE)),
    ("stream_options", re.compile(r"stream_options|include_usage", re.IGNORECASE)),
    ("tool_choice", re.compile(r"tool[_ ]choice|parallel_tool_calls", re.IGNORECASE)),
    ("sampling", re.compile(r"temperature|top_p|frequency_penalty", re.IGNORECASE)),
    ("strict", re.compile(r"\bstrict\b|additionalProperties", re.IGNORECASE)),
    ("schema", re.compile(r"schema|grammar|\$ref|\$defs|anyOf|oneOf|\bpattern\b", re.IGNORECASE)),
    ("tools", re.compile(r"\btools?\b|function|template|jinja|\broles?\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class ServerQuirks:
    """What goes into a question to a server of this kind that has refused these fields."""

    kind: ServerKind = "other"
    dropped: frozenset[Field] = frozenset()

    def without(self, field: Field) -> ServerQuirks:
        """Give the manner that leaves this out as well."""
        return replace(self, dropped=self.dropped | {field})

    @property
    def as_text(self) -> bool:
        """Whether tools are told of in text.

        llama-cpp-python takes them and says nothing of them to the model, unless it was started for the one or two
        families whose calls it knows; and no answer of it tells which it is.
        """
        return "tools" in self.dropped or self.kind == "llama_cpp_python"

    @property
    def forcing(self) -> Literal["named", "required", "schema"]:
        """How a server of this kind can be made to call one tool. docs/decisions/0010 has the table.

        `named`: `tool_choice` names it. `required`: these know no name, so it is the only tool that is offered.
        `schema`: Ollama reads no `tool_choice`; the reply as a whole is bound to the JSON of the call.
        """
        if self.kind in {"llama_cpp", "lm_studio"}:
            return "required"
        return "schema" if self.kind == "ollama" else "named"


def hinted(words: str, ask: ModelRequest, manner: ServerQuirks) -> Field | None:
    """Give what a refusal names, if it is in the question; None if it names nothing of ours."""
    found = (field for field, pattern in _HINTS if pattern.search(words))
    return next((field for field in found if _is_sent(field, ask, manner)), None)


def next_to_drop(ask: ModelRequest, manner: ServerQuirks) -> Field | None:
    """Give what costs least of all that can still be left out; None if nothing can."""
    return next(
        (field for field in _ORDER if field != "max_tokens" and _is_sent(field, ask, manner)), None
    )


def _is_sent(field: Field, ask: ModelRequest, manner: ServerQuirks) -> bool:
    if field in manner.dropped:
        return False
    match field:
        case "strict":
            return bool(ask.tools) and not manner.as_text and manner.kind in {"vllm", "hosted"}
        case "tool_choice" | "schema" | "tools":
            return bool(ask.tools) and not manner.as_text
        case "sampling":
            return ask.sampling == "changed"
        case "max_tokens":
            return ask.max_tokens is not None
        case "stream_options":
            return True
