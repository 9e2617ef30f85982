"""The events of a session itself, and of what waits for the end of its turn."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

SessionAction: TypeAlias = Literal["created", "renamed", "archived", "unarchived", "forked"]
QueueState: TypeAlias = Literal["waiting", "begun", "removed", "refused"]
"""`begun`: a turn answers the message now. `refused`: no turn could begin."""
RejectionState: TypeAlias = Literal["waiting", "done", "refused"]
"""`waiting`: a turn runs. `refused`: the hunks could not be taken out of the files."""


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """A session was created, renamed, archived, unarchived, or forked from another one.

    The fields are what the session has now. `forked_from` is the session whose messages were
    copied; the copies are `message_ids`, in order, in the chat `chat_id`.
    """

    action: SessionAction
    session_id: str
    title: str
    agent: str = "holdfast"
    model: str | None = None
    mode: str | None = None
    archived: bool = False
    forked_from: str | None = None
    checkpoint_id: str | None = None
    chat_id: str = ""
    message_ids: tuple[str, ...] = ()
    kind: Literal["session_changed"] = "session_changed"


@dataclass(frozen=True, slots=True)
class MessageQueued:
    """A message of the user that waits for its turn, or what became of it.

    `message_id` and `turn_id` are those that the message and its turn will have. `why` says why no
    turn could begin.
    """

    message_id: str
    turn_id: str
    state: QueueState
    text: str = ""
    attachments: tuple[str, ...] = ()
    client_id: str | None = None
    why: str = ""
    kind: Literal["message_queued"] = "message_queued"


@dataclass(frozen=True, slots=True)
class RejectionQueued:
    """A rejection that waits for the end of a turn, or what became of it then.

    No `hunks` means the whole change. `why` says why it was refused.
    """

    change_id: str
    state: RejectionState
    hunks: tuple[int, ...] = ()
    reason: str = ""
    why: str = ""
    kind: Literal["rejection_queued"] = "rejection_queued"
