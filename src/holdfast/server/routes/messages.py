"""The transcript by pages; send, queue, cancel, continue."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from holdfast.server import message_bodies
from holdfast.server.context import Context, Id, QueuedId
from holdfast.server.models.messages import (
    MessagePage,
    MessageSent,
    NewMessage,
    Queue,
    QueuedMessage,
    QueueEdit,
    TurnAccepted,
    TurnCancelled,
)
from holdfast.server.models.projects import Removed

router = APIRouter(tags=["messages"])


@router.get("/sessions/{id}/messages", operation_id="listMessages")
def list_messages(
    id: Id,
    context: Context,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> MessagePage:
    """Return a page of the transcript, newest first."""
    return message_bodies.page(context, id, before, limit)


@router.post("/sessions/{id}/messages", operation_id="sendMessage", status_code=202)
def send_message(id: Id, new: NewMessage, context: Context) -> MessageSent:
    """Send a message: a turn begins, or the message waits for the end of the one that runs."""
    return message_bodies.send(context, id, new)


@router.get("/sessions/{id}/queue", operation_id="listQueue")
def list_queue(id: Id, context: Context) -> Queue:
    """Return the messages that wait."""
    return message_bodies.queue(context, id)


@router.patch("/sessions/{id}/queue/{messageId}", operation_id="editQueued")
def edit_queued(
    id: Id,
    message: QueuedId,
    edit: QueueEdit,
    context: Context,
) -> QueuedMessage:
    """Replace the text of a message that waits."""
    return message_bodies.edit_queued(context, id, message, edit)


@router.delete("/sessions/{id}/queue/{messageId}", operation_id="removeQueued")
def remove_queued(id: Id, message: QueuedId, context: Context) -> Removed:
    """Remove a message that waits."""
    message_bodies.remove_queued(context, id, message)
    return Removed(outcome="removed", id=message)


@router.post("/sessions/{id}/queue/{messageId}/send", operation_id="sendQueuedNow", status_code=202)
def send_queued_now(
    id: Id,
    message: QueuedId,
    context: Context,
) -> MessageSent:
    """Stop the turn that runs, and send this message next."""
    return message_bodies.send_now(context, id, message)


@router.post("/turns/{id}/cancel", operation_id="cancelTurn")
def cancel_turn(id: Id, context: Context) -> TurnCancelled:
    """Stop a turn, in whatever process it runs."""
    return message_bodies.cancel(context, id)


@router.post("/sessions/{id}/continue", operation_id="continueSession", status_code=202)
def continue_session(id: Id, context: Context) -> TurnAccepted:
    """Go on with a session whose last turn was stopped or interrupted."""
    return message_bodies.go_on(context, id)
