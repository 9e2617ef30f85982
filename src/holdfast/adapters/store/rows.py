"""What the store gives back.

One frozen record for each kind of row, its fields named as the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A folder that Holdfast works in."""

    id: str
    root: str
    created_at: datetime
    identity: str | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """Work on a project: chats, the agents that take part, and the log of events."""

    id: str
    project_id: str
    title: str
    status: str
    metadata: Mapping[str, Any]
    created_at: datetime
    worktree_id: str | None
    agent: str
    model: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class WorktreeRow:
    """A working tree of a project, on a branch of its own."""

    id: str
    project_id: str
    path: str
    branch: str
    base_sha: str
    created_at: datetime
    identity: str | None


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One transcript of a session."""

    id: str
    session_id: str
    title: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message of a chat. The transcript is in the order of `seq`."""

    id: str
    chat_id: str
    seq: int
    role: str
    status: str
    metadata: Mapping[str, Any]
    created_at: datetime
    left_with: str | None = None


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a message: a text, a tool call, what a tool answered."""

    id: str
    message_id: str
    seq: int
    kind: str
    body: Any


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One user message to its end.

    `message_id` is the assistant's message, which may have been removed.
    """

    id: str
    chat_id: str
    message_id: str | None
    status: str
    stop_reason: str | None
    metadata: Mapping[str, Any]
    started_at: datetime
    ended_at: datetime | None
    owner: str | None
    generation: int
    stop_asked_at: datetime | None
    stop_message: str | None
    left_with: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedRow:
    """A message that waits for its turn, or what became of it."""

    id: str
    session_id: str
    seq: int
    client_id: str | None
    turn_id: str
    state: str
    body: Any
    why: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RejectionRow:
    """A rejection of hunks of a change, and what became of it."""

    id: str
    session_id: str
    seq: int
    change_id: str
    state: str
    body: Any
    why: str | None
    told_in: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApprovalRow:
    """A question of a turn, and how it ended; `answer` is None while it is open."""

    id: str
    session_id: str
    turn_id: str
    what: str
    subject: str
    why: str
    options: Sequence[str]
    asked_at: datetime
    answer: str | None
    reason: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """The tree before a turn, and the message it precedes.

    Without a chat it was taken outside of a session. The message may have left; `message_seq` is
    where the transcript is cut all the same. `left_with` names the undo checkpoint of the restore
    that took the row out, here and in the other records.
    """

    id: str
    chat_id: str | None
    session_id: str | None
    worktree_id: str | None
    message_id: str | None
    message_seq: int | None
    commit_sha: str
    label: str
    kind: str
    seq: int
    created_at: datetime
    project_id: str | None
    left_with: str | None = None


@dataclass(frozen=True, slots=True)
class AgentSessionRow:
    """The memory of an external agent about a session."""

    id: str
    session_id: str
    agent: str
    backend: str
    status: str
    metadata: Mapping[str, Any]
    created_at: datetime
    chat_id: str | None = None
    generation: int = 0


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in the log of a project. `seq` counts from 1 without a gap in each project.

    The session and the turn are those that the event belongs to; they may be gone.
    """

    project_id: str
    seq: int
    session_id: str | None
    turn_id: str | None
    kind: str
    body: Any
    created_at: datetime
    part_id: str | None
