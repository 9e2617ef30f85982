"""What a model calls, what it may call, and what comes of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from holdfast.vocab.events import Event

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


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call. `text` is what the model is told; `failure` is None for a success.

    `read` and `modified` are paths for the ledger. `events` are facts for people, in order. `unanswered` says that
    somebody had to be asked and nobody is there: the turn ends with the stop reason `needs_approval`.
    `repeat` is the text that tells one result from another, where that is not `text` (a listing without its times).
    """

    text: str
    failure: FailureKind | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    unanswered: bool = False
    repeat: str | None = None
