"""The transcript of sessions by pages, in the store (port `TranscriptReader`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from holdfast.adapters.store.event_log import logged_event
from holdfast.adapters.store.queries.events import events_of_turns, last_event
from holdfast.adapters.store.queries.projects import find_project
from holdfast.adapters.store.sessions.session_errors import translated_sessions
from holdfast.adapters.store.tables import (
    chats,
    checkpoints,
    events,
    message_parts,
    messages,
    turns,
)
from holdfast.loop.context.ledger import Ledger
from holdfast.usecases.sessions.message_ports import (
    MessagePart,
    TranscriptMessage,
    TranscriptPage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection, RowMapping, Select

    from holdfast.adapters.store.store import Store
    from holdfast.usecases.events.ports import LoggedEvent
    from holdfast.vocab.place import Place


class StoredMessages:
    """The messages of the sessions of one project."""

    def __init__(
        self, open_store: Callable[[], Store], place: Place, *, most_parts: int = 2_000
    ) -> None:
        """Use the store that `open_store` returns; it is called for each transaction.

        A page ends with the message with which it has `most_parts` parts: a turn may have hundreds.
        """
        self._open_store = open_store
        self._place = place
        self._most_parts = most_parts

    def page(self, session: str, *, before: int | None = None, limit: int = 50) -> TranscriptPage:
        """Return the latest messages of a session with a smaller `seq` than `before`."""
        with translated_sessions():
            return self._open_store().query(self._page, session, before, limit)

    def _page(
        self, connection: Connection, session: str, before: int | None, limit: int
    ) -> TranscriptPage:
        project = find_project(connection, self._place)
        last = last_event(connection, project.id) if project else 0
        rows = _newest_rows(connection, session, before, limit)
        shown = _fitting(connection, rows[:limit], self._most_parts)
        older = shown[-1]["seq"] if len(rows) > len(shown) else None
        answer = _answer_to(connection, session, shown)
        return TranscriptPage(_with_parts(connection, shown, answer), older, last)

    def checkpoints(self, session: str) -> tuple[tuple[str, str], ...]:
        """Return each turn of a session that has a checkpoint, with it, the oldest first."""
        with translated_sessions():
            return self._open_store().query(_turn_checkpoints, session)

    def ledger(self, session: str) -> Ledger:
        """Return the files that the session has read and modified."""
        with translated_sessions():
            return self._open_store().query(_ledger, session)


def _newest_rows(
    connection: Connection, session: str, before: int | None, limit: int
) -> list[RowMapping]:
    query = (
        _messages_of(session)
        .order_by(messages.c.seq.desc())
        # One more: is there an older page?
        .limit(limit + 1)
    )
    if before is not None:
        query = query.where(messages.c.seq < before)

    return list(connection.execute(query).mappings())


def _messages_of(session: str) -> Select[Any]:
    query = select(messages).join(chats, chats.c.id == messages.c.chat_id)
    return query.where(chats.c.session_id == session, messages.c.left_with.is_(None))


def _fitting(connection: Connection, rows: Sequence[RowMapping], most: int) -> Sequence[RowMapping]:
    """Return the first of the messages, up to the one with which they have so many parts."""
    ids = [row["id"] for row in rows]
    counted = select(message_parts.c.message_id, func.count())
    of_these = counted.where(message_parts.c.message_id.in_(ids))
    counts = _pairs(connection, of_these.group_by(message_parts.c.message_id))
    total = 0
    for place, row in enumerate(rows, 1):
        total += counts.get(row["id"], 0)
        if total >= most:
            return rows[:place]

    return rows


def _answer_to(connection: Connection, session: str, rows: Sequence[RowMapping]) -> str | None:
    """Return the id of the answer to the newest message of a page, if that is a prompt."""
    if not rows or rows[0]["role"] != "user":
        return None

    query = _messages_of(session).where(messages.c.seq > rows[0]["seq"])
    newer = connection.execute(query.order_by(messages.c.seq).limit(1)).mappings().first()
    if newer is None or newer["role"] != "assistant":
        return None

    return str(newer["id"])


def _with_parts(
    connection: Connection, rows: Sequence[RowMapping], answer: str | None
) -> tuple[TranscriptMessage, ...]:
    """Return messages with all that belongs to them; `answer` is that to the newest one."""
    ids = [row["id"] for row in rows]
    parts = _parts(connection, ids)
    owners = [*ids, answer] if answer else ids
    turn_of = _turns(connection, owners)
    events_of = _events(connection, [turn_of[each] for each in ids if each in turn_of])
    checkpoint_of = _checkpoints(connection, owners)
    found: list[TranscriptMessage] = []
    for row in rows:
        # A prompt belongs to the turn that the answer after it has.
        owner = answer if row["role"] == "user" and answer else row["id"]
        message = TranscriptMessage(
            row["id"],
            row["seq"],
            row["role"],
            row["status"],
            row["created_at"].isoformat(timespec="seconds"),
            turn_of.get(owner),
            checkpoint_of.get(owner),
            tuple(parts.get(row["id"], ())),
            tuple(events_of.get(turn_of.get(row["id"], ""), ())),
        )
        answer = row["id"] if row["role"] == "assistant" else None
        found.append(message)

    return tuple(found)


def _parts(connection: Connection, ids: Sequence[str]) -> dict[str, list[MessagePart]]:
    query = (
        select(
            message_parts.c.message_id,
            message_parts.c.id,
            message_parts.c.kind,
            message_parts.c.body,
            events.c.body.label("event_body"),
            events.c.seq.label("event_seq"),
        )
        .outerjoin(events, events.c.part_id == message_parts.c.id)
        .where(message_parts.c.message_id.in_(ids))
        .order_by(message_parts.c.seq)
    )
    found: dict[str, list[MessagePart]] = {}
    for row in connection.execute(query).mappings():
        body = row["event_body"] if row["body"] is None else row["body"]
        part = MessagePart(row["id"], row["kind"], body or {}, row["event_seq"])
        found.setdefault(row["message_id"], []).append(part)

    return found


def _turns(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    query = select(turns.c.message_id, turns.c.id).where(turns.c.message_id.in_(ids))
    return _pairs(connection, query.where(turns.c.left_with.is_(None)))


def _checkpoints(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    query = select(checkpoints.c.message_id, checkpoints.c.id).where(
        checkpoints.c.message_id.in_(ids),
        checkpoints.c.left_with.is_(None),
        checkpoints.c.kind == "turn",
    )
    return _pairs(connection, query)


def _turn_checkpoints(connection: Connection, session: str) -> tuple[tuple[str, str], ...]:
    query = (
        select(turns.c.id, checkpoints.c.id)
        .join(chats, chats.c.id == turns.c.chat_id)
        .join(checkpoints, checkpoints.c.message_id == turns.c.message_id)
        .where(chats.c.session_id == session, turns.c.left_with.is_(None))
        .where(checkpoints.c.left_with.is_(None), checkpoints.c.kind == "turn")
        .order_by(checkpoints.c.seq)
    )
    return tuple((turn, checkpoint) for turn, checkpoint in connection.execute(query))


def _pairs(connection: Connection, query: Any) -> dict[str, Any]:
    return dict(connection.execute(query).all())


def _events(connection: Connection, turn_ids: Sequence[str]) -> dict[str, list[LoggedEvent]]:
    found: dict[str, list[LoggedEvent]] = {}
    for row in events_of_turns(connection, turn_ids):
        found.setdefault(row.turn_id or "", []).append(logged_event(row))
    return found


def _ledger(connection: Connection, session: str) -> Ledger:
    """Return the ledger, from the calls of the turns that have not left."""
    query = (
        select(events.c.kind, events.c.body)
        .join(turns, turns.c.id == events.c.turn_id)
        .where(events.c.session_id == session, turns.c.left_with.is_(None))
        .where(events.c.kind.in_(("call_ended", "edit_observed", "agent_call", "turn_ended")))
    )
    read: set[str] = set()
    modified: set[str] = set()
    for kind, body in connection.execute(query):
        read.update(body.get("read", ()))
        modified.update(body.get("modified", ()))
        if kind == "edit_observed":
            modified.add(body["path"])
        if kind == "turn_ended":
            modified.update(body.get("files", ()))
        if kind == "agent_call" and body.get("tool_kind") == "read":
            read.update(body.get("paths", ()))

    return Ledger(frozenset(read), frozenset(modified))
