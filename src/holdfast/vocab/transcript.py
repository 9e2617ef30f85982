"""Messages for a model, and messages only for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.tool_calls import ToolCall


@dataclass(frozen=True, slots=True)
class SystemText:
    """The system prompt: the first message, and the only one of its role."""

    text: str


@dataclass(frozen=True, slots=True)
class UserText:
    """A user message, or a summary that replaces the earlier messages."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantSaid:
    """One reply of the model: its text and its calls. `reasoning` is not sent back."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """The result of the tool call with this id."""

    call_id: str
    name: str
    text: str


Message: TypeAlias = SystemText | UserText | AssistantSaid | ToolAnswered
"""One message of a payload.

In history a call's arguments are always valid JSON, and each call has its answer.
"""

SentinelKind: TypeAlias = Literal[
    "mistake_recovery",
    "doom_loop",
    "cap_hit",
    "compaction",
    "compaction_off",
    "chant",
    "interrupted",
    "needs_approval",
]


@dataclass(frozen=True, slots=True)
class Sentinel:
    """A message for people: stored, shown, never sent to a model.

    `body` has the fields that are the contract of its kind (`failure_kinds`, `count`,
    `escalated`, `can_continue`, `pattern`, `steps`); `text` is what people read.
    """

    kind: SentinelKind
    text: str
    body: Mapping[str, Any]


StopReason: TypeAlias = Literal[
    "done",
    "mistakes",
    "loop",
    "cap",
    "unreachable",
    "needs_approval",
    "needs_login",
    "cancelled",
    "failed",
    "interrupted",
    "refused",
    "max_tokens",
]
"""Why a turn ended. `refused` and `max_tokens` are ends of external agents."""
