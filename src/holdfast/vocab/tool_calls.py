"""Tool calls, and the tools that a model may call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

FailureKind: TypeAlias = Literal[
    "schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"
]
"""How a call, or a whole reply, can fail. A command that exits non-zero has not failed."""
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model wrote it, unchecked.

    `arguments` may not be JSON, `name` may not be a tool, `id` may be empty.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that can be executed: `name` is a tool, `arguments` match its schema.

    `note` says, for people, what was corrected in the call, or is None.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The description of a tool for a model. `schema` is the JSON Schema of its arguments.

    `changes` says that a call may change something: such a call is never executed from a reply that
    was cut short.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    changes: bool = False
