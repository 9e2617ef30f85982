"""What a model calls, and what it may call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

FailureKind: TypeAlias = Literal[
    "schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"
]
"""How a call, or a whole reply, can fail. A command that exits non-zero has not failed: that is information."""
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model wrote it. Nothing is checked: `arguments` may be no JSON, `name` no tool, `id` empty."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that can be run: the name is that of a tool, the arguments are a JSON object with the tool's fields.

    `note` says what was mended on the way, for people; None if nothing was.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it. `schema` is the JSON Schema of its arguments.

    `changes` says that a call may change something: such a call is never run from a reply that was cut short.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    changes: bool = False
