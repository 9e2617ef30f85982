"""The transcript by pages, and messages that are sent or wait."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent
from holdfast.server.models.event_models import EventBody


class AttachmentJson(Sent):
    """A file of the project (`path`), or a text that goes along (`name` and `text`)."""

    path: str | None = Field(None, max_length=4096)
    name: str | None = Field(None, max_length=255)
    text: str | None = Field(None, max_length=1_000_000)


class NewMessageJson(Sent):
    """A message to send. A second one with the same `client_id` starts nothing.

    Without a `client_id` each one is new.
    """

    text: str = Field(min_length=1, max_length=1_000_000)
    attachments: list[AttachmentJson] = Field([], max_length=50)
    client_id: str | None = Field(None, min_length=1, max_length=100)


class MessageSent(AnswerBody):
    """What became of a message.

    `turn_id` and `message_id` are those of its turn and of the prompt of that turn, now or
    (`queued`) when the turn that runs has ended.
    """

    turn_id: str
    message_id: str
    queued: bool = False


class AttachedText(AnswerBody):
    """A text that goes with a message, under a name."""

    name: str
    text: str


class QueuedMessageJson(AnswerBody):
    """A message that waits for its turn, or (`refused`, with `why`) could not begin one.

    `id` and `turn_id` are those that the message and its turn will have.
    """

    id: str
    turn_id: str
    state: Literal["waiting", "begun", "removed", "refused"]
    text: str
    attachments: list[AttachedText]
    client_id: str | None
    why: str
    created_at: str


class Queue(AnswerBody):
    """The messages that wait, the first to be sent first."""

    queue: list[QueuedMessageJson]


class QueueEdit(Sent):
    """The new text of a message that waits; attachments stay unless they are named."""

    text: str = Field(min_length=1, max_length=1_000_000)
    attachments: list[AttachmentJson] | None = Field(None, max_length=50)


class MessageJson(AnswerBody):
    """A message of the transcript.

    `text` is what the user wrote, or what the assistant said in all steps. `state` is that of its
    turn: `done`, `running`, `stopped`, `cancelled`, `interrupted`. `events` are those of the turn
    as the stream has them, for an assistant's message; pieces of text and reasoning that a later
    `said` repeats are left out. `checkpoint_id` is the checkpoint before the turn, of the prompt
    and of the answer: restore it to go back to here.
    """

    id: str
    seq: int
    role: Literal["user", "assistant"]
    state: str
    text: str
    turn_id: str | None
    checkpoint_id: str | None
    created_at: str
    events: list[EventBody]


class MessagePage(AnswerBody):
    """Messages, newest first. `before` is the cursor of the next page, None at the end.

    `seq` is the number of the last event that is in it: follow the events after that one.
    """

    messages: list[MessageJson]
    before: int | None
    queue: list[QueuedMessageJson]
    seq: int


class Timeline(AnswerBody):
    """What happened in a session, newest first.

    Events of the kinds `checkpoint_taken`, `change_moved`, `turn_ended`, `restored`, `worktree`.
    `before` is the cursor of the next page, None at the end.
    """

    events: list[EventBody]
    before: int | None


class TurnAccepted(AnswerBody):
    """A turn that goes on with a session."""

    turn_id: str
    message_id: str


class TurnCancelledJson(AnswerBody):
    """The turn is over."""

    outcome: Literal["cancelled", "nothing_running"]
    turn_id: str
    message: str
