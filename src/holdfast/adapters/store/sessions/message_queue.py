"""The messages that wait for their turn, in the store (port `MessageQueue`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.projects import lock_project
from holdfast.adapters.store.queries.statements import add, next_seq, record, records
from holdfast.adapters.store.rows import QueuedRow
from holdfast.adapters.store.sessions.session_errors import translated_sessions
from holdfast.adapters.store.tables import queued_messages
from holdfast.usecases.sessions.message_ports import Attachment, QueuedMessage
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.session_events import MessageQueued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.store.store import Store
    from holdfast.usecases.sessions.message_ports import NewMessage
    from holdfast.vocab.place import Place

_THERE = queued_messages.c.state.in_(("waiting", "refused"))


class StoredQueue:
    """The messages that wait for turns of the sessions of one project."""

    def __init__(self, open_store: Callable[[], Store], place: Place) -> None:
        """Use the store that `open_store` returns; it is called for each transaction."""
        self._open_store = open_store
        self._place = place

    def add(self, session: str, new: NewMessage) -> tuple[QueuedMessage, bool]:
        """Add a message after the last one, unless one of its `client_id` is there."""
        with translated_sessions():
            return self._open_store().run(_add, self._place, session, new)

    def waiting(self, session: str) -> tuple[QueuedMessage, ...]:
        """Return the messages that wait or were refused, in order."""
        with translated_sessions():
            return self._open_store().query(_waiting, session)

    def get(self, session: str, message: str) -> QueuedMessage | None:
        """Return the message with this id, whatever became of it."""
        with translated_sessions():
            return self._open_store().query(_get, session, message)

    def edit(
        self, session: str, message: str, text: str, attachments: Sequence[Attachment] | None = None
    ) -> QueuedMessage | None:
        """Replace the text of a message that waits or was refused."""
        with translated_sessions():
            return self._open_store().run(_edit, self._place, session, message, text, attachments)

    def remove(self, session: str, message: str) -> bool:
        """Remove a message that waits or was refused; return whether there was one."""
        with translated_sessions():
            return self._open_store().run(_remove, self._place, session, message)

    def first(self, session: str) -> QueuedMessage | None:
        """Return the first message that waits, or None."""
        with translated_sessions():
            return self._open_store().query(_first, session)

    def refuse(self, message: QueuedMessage, why: str) -> None:
        """Mark a message as refused: its turn could not begin."""
        with translated_sessions():
            self._open_store().run(_refuse, self._place, message, why)


def _add(
    connection: Connection, place: Place, session: str, new: NewMessage
) -> tuple[QueuedMessage, bool]:
    # Whoever adds, takes or removes one locks the project: they come one after the other.
    project = lock_project(connection, place)
    if new.client_id is not None:
        query = _of(session).where(queued_messages.c.client_id == new.client_id)
        found = record(connection, QueuedRow, query)
        if found is not None:
            return _message(found), False

    row = add(
        connection,
        QueuedRow,
        queued_messages,
        id=new_id(),
        session_id=session,
        seq=next_seq(queued_messages.c.seq, queued_messages.c.session_id, session),
        client_id=new.client_id,
        turn_id=new_id(),
        state="waiting",
        body=_body(new.text, new.attachments),
    )
    message = _message(row)
    publish(connection, project.id, [_event(message)])
    return message, True


def _waiting(connection: Connection, session: str) -> tuple[QueuedMessage, ...]:
    rows = records(connection, QueuedRow, _of(session).where(_THERE))
    return tuple(map(_message, rows))


def _get(connection: Connection, session: str, message: str) -> QueuedMessage | None:
    row = record(connection, QueuedRow, _of(session).where(queued_messages.c.id == message))
    return None if row is None else _message(row)


def _edit(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    session: str,
    message: str,
    text: str,
    attachments: Sequence[Attachment] | None,
) -> QueuedMessage | None:
    project = lock_project(connection, place)
    found = _get(connection, session, message)
    if found is None:
        return None

    kept = found.attachments if attachments is None else tuple(attachments)
    values = {"body": _body(text, kept), "state": "waiting", "why": None}
    changed = _change(connection, session, message, **values)
    if changed is not None:
        publish(connection, project.id, [_event(changed)])

    return changed


def _remove(connection: Connection, place: Place, session: str, message: str) -> bool:
    project = lock_project(connection, place)
    removed = _change(connection, session, message, state="removed")
    if removed is None:
        return False
    publish(connection, project.id, [_event(removed)])
    return True


def _first(connection: Connection, session: str) -> QueuedMessage | None:
    query = _of(session).where(queued_messages.c.state == "waiting").limit(1)
    row = record(connection, QueuedRow, query)
    return None if row is None else _message(row)


def begin_queued(connection: Connection, message: QueuedMessage) -> MessageQueued | None:
    """Mark a message as begun, in the transaction that begins its turn; return the event.

    Return None, and do nothing, if the message does not wait any more, or has another text now.
    """
    there = _get(connection, message.session, message.id)
    if there != message:
        return None
    begun = _change(connection, message.session, message.id, state="begun")
    return None if begun is None else _event(begun).event  # type: ignore[return-value]  # of this kind


def _refuse(connection: Connection, place: Place, message: QueuedMessage, why: str) -> None:
    project = lock_project(connection, place)
    if _get(connection, message.session, message.id) != message:
        # Somebody has edited or removed it meanwhile, or another process answers it.
        return

    refused = _change(connection, message.session, message.id, state="refused", why=why)
    if refused is not None:
        publish(connection, project.id, [_event(refused)])


def _of(session: str) -> Any:
    query = select(queued_messages).where(queued_messages.c.session_id == session)
    return query.order_by(queued_messages.c.seq)


def _change(
    connection: Connection, session: str, message: str, **values: Any
) -> QueuedMessage | None:
    """Set columns of a message that waits or was refused; None if it is not there."""
    this = (queued_messages.c.session_id == session, queued_messages.c.id == message, _THERE)
    change = update(queued_messages).where(*this).values(values).returning(queued_messages)
    row = record(connection, QueuedRow, change)
    return None if row is None else _message(row)


def _body(text: str, attachments: Sequence[Attachment]) -> dict[str, Any]:
    named = [{"name": each.name, "text": each.text} for each in attachments]
    return {"text": text, "attachments": named}


def _message(row: QueuedRow) -> QueuedMessage:
    attachments = tuple(Attachment(**each) for each in row.body["attachments"])
    return QueuedMessage(
        row.id,
        row.session_id,
        row.turn_id,
        row.state,  # type: ignore[arg-type]  # only these are written
        row.body["text"],
        attachments,
        row.client_id,
        row.why or "",
        row.created_at.isoformat(timespec="seconds"),
    )


def _event(message: QueuedMessage) -> OwnedEvent:
    event = MessageQueued(
        message.id,
        message.turn_id,
        message.state,
        message.text,
        tuple(each.name for each in message.attachments),
        message.client_id,
        message.why,
    )
    return OwnedEvent(event, message.session)
