"""The transcript by pages; send, queue, cancel, continue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from holdfast.landing.encoding import decode
from holdfast.server.context import Context, Id, QueuedId, ServerContext
from holdfast.server.event_frames import event_body
from holdfast.server.models.messages import (
    AttachedText,
    AttachmentJson,
    MessagePage,
    MessageSent,
    NewMessageJson,
    Queue,
    QueuedMessageJson,
    QueueEdit,
    Timeline,
    TurnAccepted,
    TurnCancelledJson,
)
from holdfast.server.models.projects import Removed
from holdfast.server.problems import ApiError, encode, not_found
from holdfast.server.project_list import ServedProject
from holdfast.server.session_files import read_below
from holdfast.usecases.sessions import message_ports as transcript
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.sessions.stop_turns import StopRefused, stop_turns
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.wiring.projects.session_turns import queue_message

if TYPE_CHECKING:
    from collections.abc import Sequence

router = APIRouter(tags=["messages"])

_BEGIN_SECONDS = 120
"""How long a turn without a prompt may take to begin: an agent may have to start."""
_MILESTONES = ("checkpoint_taken", "change_moved", "turn_ended", "restored", "worktree")
_STOPPED = "Stopped by the user."
_LARGEST_ATTACHMENT = 1_000_000


@router.get("/sessions/{id}/messages", operation_id="listMessages", response_model=MessagePage)
def list_messages(
    id: Id,
    context: Context,
    before: Annotated[int | None, Query(ge=0, le=2**31)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """Return a page of the transcript, newest first."""
    project = context.projects.of_session(id)
    page = project.messages.page(id, before=before, limit=limit)
    body = {
        "messages": [_message(each) for each in page.messages],
        "before": page.before,
        "queue": [each.model_dump() for each in _queue(project, id)],
        "seq": page.seq,
    }
    # Not checked against the model: a page has thousands of events, which have its form already.
    return Response(encode(body), media_type="application/json")


@router.get("/sessions/{id}/timeline", operation_id="listTimeline", response_model=Timeline)
def list_timeline(
    id: Id,
    context: Context,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Return checkpoints, changes, ends of turns, restores and merges as events, newest first."""
    project = context.projects.of_session(id)
    # One more: is there an older page?
    found = project.events.latest(id, _MILESTONES, before=before, limit=limit + 1)
    events = found[:limit]
    older = events[-1].seq if len(found) > limit else None
    body = {"events": [event_body(each) for each in events], "before": older}
    return Response(encode(body), media_type="application/json")


@router.post("/sessions/{id}/messages", operation_id="sendMessage", status_code=202)
def send_message(id: Id, new: NewMessageJson, context: Context) -> MessageSent:
    """Send a message: a turn begins, or the message waits for the end of the one that runs."""
    project = context.projects.of_session(id)
    attachments = _attachments(project, id, new.attachments)
    message = transcript.NewMessage(new.text, attachments, new.client_id)
    waited = project.queue.waiting(id)
    is_running = project.session(id).state in {"running", "waiting"}
    queued, is_new = queue_message(project, id, message, project.settings())
    if is_new:
        context.turns.work_on_queue(project, id)
        return _sent(queued, queued_=is_running or bool(waited))

    return _sent(queued, queued_=queued.state == "waiting" and is_running)


@router.get("/sessions/{id}/queue", operation_id="listQueue")
def list_queue(id: Id, context: Context) -> Queue:
    """Return the messages that wait."""
    return Queue(queue=_queue(context.projects.of_session(id), id))


@router.patch("/sessions/{id}/queue/{messageId}", operation_id="editQueued")
def edit_queued(id: Id, message: QueuedId, edit: QueueEdit, context: Context) -> QueuedMessageJson:
    """Replace the text of a message that waits."""
    project = context.projects.of_session(id)
    attachments = None
    if edit.attachments is not None:
        attachments = _attachments(project, id, edit.attachments)

    edited = project.queue.edit(id, message, edit.text, attachments)
    if edited is None:
        raise _not_waiting(message)

    return _queued(edited)


@router.delete("/sessions/{id}/queue/{messageId}", operation_id="removeQueued")
def remove_queued(id: Id, message: QueuedId, context: Context) -> Removed:
    """Remove a message that waits."""
    if not context.projects.of_session(id).queue.remove(id, message):
        raise _not_waiting(message)
    return Removed(outcome="removed", id=message)


@router.post("/sessions/{id}/queue/{messageId}/send", operation_id="sendQueuedNow", status_code=202)
def send_queued_now(id: Id, message: QueuedId, context: Context) -> MessageSent:
    """Stop the turn that runs, and send this message next."""
    project = context.projects.of_session(id)
    found = project.queue.get(id, message)
    if found is None or found.state not in {"waiting", "refused"}:
        raise _not_waiting(message)

    if found.state == "refused":
        project.queue.edit(id, message, found.text)

    context.turns.work_on_queue(project, id, first=message)
    _stop(context, project, id)
    return _sent(found, queued_=False)


@router.post("/turns/{id}/cancel", operation_id="cancelTurn")
def cancel_turn(id: Id, context: Context) -> TurnCancelledJson:
    """Stop a turn, in whatever process it runs."""
    for project in context.projects.all():
        turn = project.sessions.turn(id)
        if turn is None:
            continue
        outcome: Literal["cancelled", "nothing_running"] = "nothing_running"
        message = "The turn was over already."
        if turn.runs:
            _stop(context, project, turn.session)
            outcome, message = "cancelled", _STOPPED
        return TurnCancelledJson(outcome=outcome, turn_id=id, message=message)

    raise not_found(f"{id}: there is no such turn.")


@router.post("/sessions/{id}/continue", operation_id="continueSession", status_code=202)
def continue_session(id: Id, context: Context) -> TurnAccepted:
    """Go on with a session whose last turn was stopped or interrupted."""
    project = context.projects.of_session(id)
    summary = project.session(id)
    if summary.state in {"running", "waiting"}:
        raise ApiError(409, "turn_running", "A turn of this session runs already.")
    if not summary.can_continue:
        message = "The last turn of this session was done; there is nothing to go on with."
        raise ApiError(409, "nothing_to_continue", message, "Send a message.")

    try:
        begun = context.turns.go_on(project, id).result(_BEGIN_SECONDS)
    except TimeoutError:
        raise ApiError(503, "unavailable", "The turn has not begun in time.") from None

    if isinstance(begun, NotSent):
        raise ApiError(409, "not_sent", begun.message)

    return TurnAccepted(turn_id=begun.turn, message_id=begun.message_id)


def _stop(context: ServerContext, project: ServedProject, session: str) -> None:
    """Stop the turn of a session, and wait for its end. Raise `ApiError` if it does not end."""
    context.turns.expect_end(session)
    stopped = stop_turns(StopScope(session), _STOPPED, project.running_turns)
    if isinstance(stopped, StopRefused):
        raise ApiError(409, "conflict", stopped.message)


def _sent(message: transcript.QueuedMessage, *, queued_: bool) -> MessageSent:
    return MessageSent(turn_id=message.turn_id, message_id=message.id, queued=queued_)


def _not_waiting(message: str) -> ApiError:
    return not_found(f"{message}: no message with this id waits.", "Its turn may have begun.")


def _attachments(
    project: ServedProject, session: str, attached: Sequence[AttachmentJson]
) -> tuple[transcript.Attachment, ...]:
    """Return the texts that go with a message; a path is read below the session's folder."""
    found = []
    for each in attached:
        if each.path is not None and each.text is None:
            text = _read(project, session, each.path)
            found.append(transcript.Attachment(each.path, text))
        elif each.text is not None and each.path is None:
            found.append(transcript.Attachment(each.name or "attachment", each.text))
        else:
            message = "an attachment has a `path`, or a `name` and a `text`."
            raise ApiError(422, "invalid", message)

    return tuple(found)


def _read(project: ServedProject, session: str, path: str) -> str:
    data = read_below(project, project.folder_of(session), path)
    if len(data) > _LARGEST_ATTACHMENT:
        raise ApiError(413, "too_large", f"{path}: the file has more than 1 MB.")
    return decode(data).text


def _queue(project: ServedProject, session: str) -> list[QueuedMessageJson]:
    return [_queued(each) for each in project.queue.waiting(session)]


def _queued(message: transcript.QueuedMessage) -> QueuedMessageJson:
    return QueuedMessageJson(
        id=message.id,
        turn_id=message.turn_id,
        state=message.state,
        text=message.text,
        attachments=[AttachedText(name=each.name, text=each.text) for each in message.attachments],
        client_id=message.client_id,
        why=message.why,
        created_at=message.created_at,
    )


def _message(message: transcript.TranscriptMessage) -> dict[str, Any]:
    """Return the JSON of a `Message`."""
    said = [part.body.get("text") for part in message.parts if part.kind in {"text", "said"}]
    return {
        "id": message.id,
        "seq": message.seq,
        "role": message.role,
        "state": message.state,
        "text": "\n\n".join(filter(None, said)),
        "turn_id": message.turn_id,
        "checkpoint_id": message.checkpoint_id,
        "created_at": message.created_at,
        "events": [event_body(each) for each in message.events],
    }
