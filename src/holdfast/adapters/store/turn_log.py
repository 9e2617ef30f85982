"""The record of a project's turns in the store (port `TurnRecords`)."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.column_types import new_id
from holdfast.adapters.store.errors import StoreError
from holdfast.adapters.store.queries.chats import add_chat, chats_of
from holdfast.adapters.store.queries.events import events_below
from holdfast.adapters.store.queries.messages import append_message, append_parts, parts_below
from holdfast.adapters.store.queries.projects import find_project, project_at
from holdfast.adapters.store.queries.sessions import add_session
from holdfast.adapters.store.queries.statements import append
from holdfast.adapters.store.queries.turns import RUNNING, begin_turn, end_turn
from holdfast.adapters.store.tables import chats, message_parts, messages, sessions, turns
from holdfast.usecases.events.event_json import TRANSCRIPT_EVENTS, event_to_json, kept_from_json
from holdfast.usecases.turns.ports import (
    BeginOutcome,
    RecordsUnavailable,
    TurnBegun,
    TurnNotBegun,
    TurnRequest,
)
from holdfast.vocab.events import Event, RepairEnded, Said, SentinelRaised, TurnEnded
from holdfast.vocab.transcript import Sentinel, StopReason, UserText

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.store import Store
    from holdfast.usecases.turns.ports import PastEvents

_GO_ON = "Continue."
_INTERRUPTED = "The process ended in the middle of this turn."


class StoredTurnLog:
    """The turns of the project at one root."""

    def __init__(self, store: Store, root: Path, locks: TurnLocks) -> None:
        """Take a store that is open."""
        self._store = store
        self._root = root
        self._locks = locks

    def begin(self, opening: TurnRequest) -> BeginOutcome:
        """Record a turn as running."""
        turn = new_id()
        with _told():
            # Before the row: whoever sees a running turn without a lock takes it for dead.
            self._locks.take(turn)
            begun = self._store.run(self._begin, opening, turn)
        if isinstance(begun, TurnNotBegun):
            self._locks.drop(turn)
        return begun

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> None:
        """Add facts to the log and to the transcript."""
        with _told():
            self._store.run(_keep, begun, events)

    def end(self, begun: TurnBegun, events: Sequence[Event], stop_reason: StopReason) -> None:
        """Record the last facts and that the turn is over."""
        with _told():
            try:
                self._store.run(_end, begun, events, stop_reason)
            finally:
                # Also if that is not on record: the turn is over, and whoever comes next is to find it so.
                self._locks.drop(begun.turn)

    def mark_interrupted(self) -> tuple[str, ...]:
        """Record the turns of dead processes as interrupted."""
        with _told():
            running = self._store.query(_running, self._root)
            dead = [begun for begun in running if not self._locks.is_locked(begun.turn)]
            for begun in dead:
                self._store.run(_end, begun, _last_words(), "interrupted")
                self._locks.drop(begun.turn)
        return tuple(begun.session for begun in dead)

    def _begin(self, connection: Connection, opening: TurnRequest, turn: str) -> BeginOutcome:
        project = project_at(connection, self._root)
        if opening.session is None:
            if not opening.prompt:
                return TurnNotBegun("there is no prompt; say what is to be done.")
            told = {"system": opening.system, "tools": opening.tools}
            session = add_session(
                connection, project.id, title=opening.prompt[:80], metadata=told
            ).id
            chat = add_chat(connection, session).id
            system = opening.system
        else:
            found = _find(connection, project.id, opening.session)
            if isinstance(found, TurnNotBegun):
                return found
            session, chat = found
            busy = _turn_at_work(connection, chat)
            if busy is not None and self._locks.is_locked(busy):
                return TurnNotBegun(
                    f"session {session}: a turn of it is still running; wait for its end, or cancel it."
                )
            system = _system(connection, session, opening)
        past = _past(connection, chat)
        prompt = opening.prompt or (_GO_ON if _has_nothing_to_answer(past) else None)
        if prompt:
            message = append_message(connection, chat, role="user")
            append_parts(connection, message.id, [("text", {"text": prompt})])
            past = (*past, UserText(prompt))
        answer = append_message(connection, chat, role="assistant", status=RUNNING)
        metadata = {"model": opening.model, "host": platform.node()}
        begin_turn(connection, chat, turn_id=turn, message_id=answer.id, metadata=metadata)
        return TurnBegun(session, chat, turn, answer.id, system, past)


@contextmanager
def _told() -> Iterator[None]:
    """Say what the store and the disk say in the words of the port."""
    try:
        yield
    except StoreError as error:
        raise RecordsUnavailable(str(error)) from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise RecordsUnavailable(
            f"{where}{error.strerror}; make room, or name another HOLDFAST_STATE_DIR."
        ) from error


def _find(connection: Connection, project_id: str, wanted: str) -> tuple[str, str] | TurnNotBegun:
    """Give the session that begins so, and its chat."""
    query = select(sessions.c.id).where(
        sessions.c.project_id == project_id, sessions.c.id.startswith(wanted, autoescape=True)
    )
    found = list(connection.execute(query.limit(2)).scalars())
    if len(found) > 1:
        return TurnNotBegun(f"{wanted}: several sessions begin so; give more of the id.")
    if not found or not wanted:
        return TurnNotBegun(
            f"{wanted}: there is no such session in this project; begin one without --continue."
        )
    return found[0], chats_of(connection, found[0])[-1].id


def _system(connection: Connection, session_id: str, opening: TurnRequest) -> str:
    """Give what the session's model was told first, or record what it is told from now on."""
    this = sessions.c.id == session_id
    metadata = connection.execute(select(sessions.c.metadata).where(this)).scalar_one()
    if metadata.get("tools") == opening.tools and metadata.get("system"):
        return str(metadata["system"])
    told = {**metadata, "system": opening.system, "tools": opening.tools}
    connection.execute(update(sessions).where(this).values(metadata=told))
    return opening.system


def _turn_at_work(connection: Connection, chat_id: str) -> str | None:
    query = select(turns.c.id).where(turns.c.chat_id == chat_id, turns.c.status == RUNNING)
    return connection.execute(query.limit(1)).scalar()


def _past(connection: Connection, chat_id: str) -> tuple[PastEvents, ...]:
    """Give what the model has seen of a chat, and the repairs, of which it hears next: not the sentinels."""
    query = (
        select(messages.c.role, message_parts.c.kind, message_parts.c.body)
        .join(message_parts, message_parts.c.message_id == messages.c.id)
        .where(messages.c.chat_id == chat_id)
        .order_by(messages.c.seq, message_parts.c.seq)
    )
    past: list[PastEvents] = []
    for role, kind, body in connection.execute(query):
        kept = UserText(body["text"]) if role == "user" else kept_from_json(kind, body)
        if kept is not None and not isinstance(kept, SentinelRaised):
            past.append(kept)
    return tuple(past)


def _has_nothing_to_answer(past: Sequence[object]) -> bool:
    """Whether the model had the last word: then somebody has to say something before it can go on."""
    last = next((each for each in reversed(past) if not isinstance(each, RepairEnded)), None)
    return last is None or (isinstance(last, Said) and not last.calls)


def _keep(connection: Connection, begun: TurnBegun, events: Sequence[Event]) -> None:
    bodies = [(event.kind, event_to_json(event)) for event in events]
    parts = [
        body
        for body, event in zip(bodies, events, strict=True)
        if isinstance(event, TRANSCRIPT_EVENTS)
    ]
    append(connection, parts_below(begun.message, parts), events_below(begun.session, bodies))


def _end(
    connection: Connection, begun: TurnBegun, events: Sequence[Event], stop_reason: StopReason
) -> None:
    _keep(connection, begun, events)
    status = stop_reason if stop_reason in {"done", "interrupted"} else "stopped"
    connection.execute(update(messages).where(messages.c.id == begun.message).values(status=status))
    end_turn(connection, begun.turn, status=status, stop_reason=stop_reason)


def _running(connection: Connection, root: Path) -> tuple[TurnBegun, ...]:
    """Give the turns of a project that are on record as running on this machine."""
    project = find_project(connection, root)
    if project is None:
        return ()
    query = (
        select(sessions.c.id, chats.c.id, turns.c.id, turns.c.message_id, turns.c.metadata)
        .join(chats, chats.c.session_id == sessions.c.id)
        .join(turns, turns.c.chat_id == chats.c.id)
        .where(sessions.c.project_id == project.id, turns.c.status == RUNNING)
    )
    # The locks of another machine that shares the store cannot be seen from here.
    return tuple(
        TurnBegun(session, chat, turn, message or "", "", ())
        for session, chat, turn, message, metadata in connection.execute(query)
        if metadata.get("host") == platform.node()
    )


def _last_words() -> tuple[Event, ...]:
    body: dict[str, Any] = {"can_continue": True}
    return (
        SentinelRaised(Sentinel("interrupted", _INTERRUPTED, body)),
        TurnEnded("interrupted", _INTERRUPTED, 0, 0, 0),
    )
