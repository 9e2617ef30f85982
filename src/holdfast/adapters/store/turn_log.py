"""The record of a project's turns in the store (port `TurnRecords`)."""

from __future__ import annotations

import platform
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from holdfast.adapters.processes.process_identity import this_process
from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.queries.agent_sessions import (
    ask_for_agent,
    generation_of,
    set_agent_state,
)
from holdfast.adapters.store.queries.approvals import close_questions
from holdfast.adapters.store.queries.chats import add_chat, chats_of
from holdfast.adapters.store.queries.events import (
    NewEvent,
    events_below,
    events_of_turn,
    last_event,
)
from holdfast.adapters.store.queries.messages import append_message, append_parts, parts_of_events
from holdfast.adapters.store.queries.projects import find_project, lock_project, lock_project_by_id
from holdfast.adapters.store.queries.sessions import (
    add_session,
    session_by_id,
    set_agent,
    set_worktree,
)
from holdfast.adapters.store.queries.statements import append
from holdfast.adapters.store.queries.turns import begin_turn, end_turn, lock_turns
from holdfast.adapters.store.queries.worktrees import worktree_at, worktree_by_id
from holdfast.adapters.store.sessions.message_queue import begin_queued
from holdfast.adapters.store.sessions.rejections import take_reasons
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.tables import chats, message_parts, messages, sessions, turns
from holdfast.adapters.store.tables import events as event_rows
from holdfast.adapters.store.turn_fence import LOOK, RUNNING, TurnFence
from holdfast.usecases.agents.ports import AgentRequest
from holdfast.usecases.events.event_json import (
    event_from_json,
    is_transcript,
    kept_from_json,
)
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.sessions.message_ports import Attachment
from holdfast.usecases.turns.ports import (
    BeginOutcome,
    TurnBegun,
    TurnNotBegun,
    TurnRequest,
)
from holdfast.vocab.agent_events import AgentCall, AgentStateChanged
from holdfast.vocab.events import Event, RepairEnded, Said, SentinelRaised, TurnEnded
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.session_events import SessionChanged
from holdfast.vocab.transcript import UserText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.rows import WorktreeRow
    from holdfast.adapters.store.store import Store
    from holdfast.usecases.changes.ports import Rejection
    from holdfast.usecases.record_watch import Look
    from holdfast.usecases.turns.ports import PastEvents
    from holdfast.vocab.place import Place
    from holdfast.vocab.session_events import MessageQueued

OURS = "holdfast"
"""The name of the agent of a turn whose model Holdfast itself asks."""
_GO_ON = "Continue."
_LONGEST_TITLE = 80
_NOT_WAITING = "this message does not wait any more, or was edited just now; look at the queue."


class StoredTurnLog:
    """The turns of one project; those that begin work in one of its worktrees."""

    def __init__(self, store: Store, place: Place, locks: TurnLocks) -> None:
        """Take a store that is open."""
        self._store = store
        self._place = place
        self._locks = locks

    def begin(
        self, opening: TurnRequest, announce: Callable[[TurnBegun], Sequence[Event]]
    ) -> BeginOutcome:
        """Record a turn as running."""
        turn = new_id()
        if opening.queued is not None:
            turn = opening.queued.turn_id

        with _translated():
            # Before the row: a running turn without a lock counts as dead.
            self._locks.take(turn)
            begun = self._store.run(self._begin, opening, turn, announce)

        if isinstance(begun, TurnNotBegun):
            self._locks.drop(turn)
        else:
            self._store.fence = TurnFence(turn)

        return begun

    def ask_for(self, session: str, agent: str) -> AgentRequest | None:
        """Record that an agent is asked for a turn (port `AgentRecords`)."""
        with _translated():
            return self._store.run(_ask_for, self._place, session, agent)

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> int:
        """Publish events, and add those of the transcript to the assistant's message."""
        with _translated():
            return self._store.run_unchecked(_keep, begun, events, TurnFence(begun.turn))

    def recorded(self, begun: TurnBegun, after: int) -> Sequence[tuple[int, Event]]:
        """Return the events of the turn that are on record after a number, in order."""
        with _translated():
            rows = self._store.query(events_of_turn, begun.project, begun.turn, after)

        found = []
        for seq, kind, body in rows:
            event = event_from_json(kind, body)
            if event is not None:
                found.append((seq, event))

        return found

    @contextmanager
    def looking(self, begun: TurnBegun) -> Iterator[Look[str]]:
        """Yield a function that returns the sentence with which the turn is to stop, or None."""
        fence = TurnFence(begun.turn)
        with _translated(), self._store.looking(LOOK, begun.turn) as look:
            yield lambda: fence.stop(look())

    def end(self, begun: TurnBegun, events: Sequence[Event], ended: TurnEnded) -> int:
        """Publish the last events, and record that the turn is over."""
        with _translated():
            try:
                return self._store.run_unchecked(_end, begun, events, ended)
            finally:
                self._store.fence = None
                # Also if that is not on record: the turn is over, and the next command is to find
                # it so.
                self._locks.drop(begun.turn)

    def mark_interrupted(self, events: Sequence[Event], ended: TurnEnded) -> tuple[str, ...]:
        """End the turns of dead processes."""
        with _translated():
            running = self._store.query(_running, self._place)
            dead = [begun for begun in running if not self._locks.is_locked(begun.turn)]
            for begun in dead:
                self._store.run(_end, begun, events, ended, by_owner=False)
                self._locks.drop(begun.turn)

        return tuple(begun.session for begun in dead)

    def _begin(
        self,
        connection: Connection,
        opening: TurnRequest,
        turn: str,
        announce: Callable[[TurnBegun], Sequence[Event]],
    ) -> BeginOutcome:
        project = lock_project(connection, self._place)
        worktree = worktree_at(connection, self._place, project_id=project.id).id
        if opening.session is None:
            opened = _open_session(connection, project.id, worktree, opening)
        else:
            opened = self._go_on(connection, project.id, worktree, opening)
        if isinstance(opened, TurnNotBegun):
            return opened

        queued = _take_queued(connection, opening)
        if isinstance(queued, TurnNotBegun):
            return queued

        begun = self._record(connection, project.id, opened, opening, turn)
        named = _name_session(connection, begun.session, begun.prompt)
        events = [*queued, *named, *announce(begun)]
        last = _keep(connection, begun, events)
        return replace(begun, seq=last - len(events))

    def _go_on(
        self, connection: Connection, project_id: str, worktree: str, opening: TurnRequest
    ) -> _OpenedChat | TurnNotBegun:
        """Return the chat of the session that goes on, or why it cannot."""
        found = _find(connection, project_id, opening.session or "")
        if isinstance(found, TurnNotBegun):
            return found

        session, chat = found
        refused = _refuse_restored(connection, session, opening)
        if refused is not None:
            return refused

        busy = _turn_at_work(connection, chat)
        if busy is not None and self._locks.is_locked(busy):
            return TurnNotBegun(
                f"session {session}: a turn of it is still running; wait for its end, or stop "
                f"it: holdfast cancel {session}"
            )

        system = opening.system
        if opening.agent == OURS:
            system = _system(connection, session, opening)
        set_worktree(connection, session, worktree)
        return _OpenedChat(session, chat, system)

    def _record(
        self,
        connection: Connection,
        project_id: str,
        opened: _OpenedChat,
        opening: TurnRequest,
        turn: str,
    ) -> TurnBegun:
        """Write the user's message, the empty answer, and the turn between them."""
        session, chat = opened.session, opened.chat
        set_agent(connection, session, opening.agent)
        last_turn = _last_turn(connection, chat)
        past = _past(connection, chat, prompted=bool(opening.prompt))
        told = take_reasons(connection, session, turn)
        prompt = _prompt(opening.prompt, told, past)
        prompt_message = None
        if prompt:
            prompt_message = _append_prompt(connection, chat, prompt, opening)
            past = (*past, UserText(prompt))

        answer = append_message(connection, chat, role="assistant", status=RUNNING)
        begin_turn(
            connection,
            chat,
            turn_id=turn,
            message_id=answer.id,
            metadata={
                "model": opening.model,
                "agent": opening.agent,
                "host": platform.node(),
                "root": self._place.worktree_root,
            },
            owner=str(this_process()),
        )
        return TurnBegun(
            session,
            chat,
            turn,
            answer.id,
            opened.system,
            past,
            project_id,
            prompt_message,
            prompt or "",
            last_turn,
        )


@dataclass(frozen=True, slots=True)
class _OpenedChat:
    """Where a turn is recorded, and what its model is told first."""

    session: str
    chat: str
    system: str


def _open_session(
    connection: Connection, project_id: str, worktree: str, opening: TurnRequest
) -> _OpenedChat | TurnNotBegun:
    """Add a session for the turn, with its chat."""
    if not opening.prompt:
        return TurnNotBegun("there is no prompt; say what is to be done.")

    session = add_session(
        connection,
        project_id,
        session_id=opening.new_session,
        title=opening.prompt[:_LONGEST_TITLE],
        metadata={"system": opening.system, "tools": opening.tools},
        worktree_id=worktree,
    ).id
    return _OpenedChat(session, add_chat(connection, session).id, opening.system)


def _append_prompt(connection: Connection, chat: str, prompt: str, opening: TurnRequest) -> str:
    """Append the user's message, and return its id."""
    reserved = opening.queued.id if opening.queued else None
    message = append_message(connection, chat, role="user", message_id=reserved).id
    append_parts(connection, message, [("text", {"text": prompt})])
    return message


def _prompt(
    asked: str | None, told: Sequence[Rejection], past: tuple[PastEvents, ...]
) -> str | None:
    """Return the text of the user's message, with the reasons of rejections; None: no message."""
    prompt = asked
    if not prompt and (told or _has_nothing_to_answer(past)):
        prompt = _GO_ON

    if told:
        review = Attachment("review", "\n".join(map(str, told)))
        prompt = f"{prompt}\n\n{review}"

    return prompt


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store and the disk raise as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise RecordsUnavailable(str(error)) from error
    except OSError as error:
        message = f"{error.strerror}; make room, or name another HOLDFAST_STATE_DIR."
        if error.filename:
            message = f"{error.filename}: {message}"
        raise RecordsUnavailable(message) from error


def _name_session(
    connection: Connection, session: str, prompt: str | None
) -> tuple[SessionChanged, ...]:
    """Name a session without a title after the first prompt; return the event."""
    row = session_by_id(connection, session)
    if row is None or row.title or not prompt:
        return ()

    row = replace(row, title=prompt[:_LONGEST_TITLE])
    this = update(sessions).where(sessions.c.id == session)
    connection.execute(this.values(title=row.title))
    return (SessionChanged("renamed", row.id, row.title, row.agent, row.model, row.mode),)


def _take_queued(
    connection: Connection, opening: TurnRequest
) -> tuple[MessageQueued, ...] | TurnNotBegun:
    """Take the message of a turn from the queue, if it is from there; return the event."""
    if opening.queued is None:
        return ()
    taken = begin_queued(connection, opening.queued)
    if taken is None:
        return TurnNotBegun(_NOT_WAITING)
    return (taken,)


def _find(connection: Connection, project_id: str, wanted: str) -> tuple[str, str] | TurnNotBegun:
    """Return the session that begins so, and its chat."""
    query = select(sessions.c.id).where(
        sessions.c.project_id == project_id, sessions.c.id.startswith(wanted, autoescape=True)
    )
    found = list(connection.execute(query.limit(2)).scalars())
    if len(found) > 1:
        return TurnNotBegun(f"{wanted}: several sessions start with this; type more of the id.")
    if not found or not wanted:
        return TurnNotBegun(
            f"{wanted}: there is no such session in this project; begin one without --continue."
        )

    return found[0], chats_of(connection, found[0])[-1].id


def _ask_for(connection: Connection, place: Place, wanted: str, agent: str) -> AgentRequest | None:
    project = lock_project(connection, place)
    found = _find(connection, project.id, wanted)
    if isinstance(found, TurnNotBegun):
        return None
    session, chat = found
    return AgentRequest(session, chat, ask_for_agent(connection, session, chat, agent))


def agent_of_session(connection: Connection, place: Place, wanted: str) -> str | None:
    """Return the agent with which the session that begins so goes on; None if there is none."""
    project = find_project(connection, place)
    found = _find(connection, project.id if project else "", wanted)
    if isinstance(found, TurnNotBegun):
        return None
    session = session_by_id(connection, found[0])
    return session.agent if session else None


def worktree_of_session(
    connection: Connection, place: Place, wanted: str
) -> WorktreeRow | TurnNotBegun | None:
    """Return the worktree of the session that begins so, None if that is not on record."""
    project = find_project(connection, place)
    found = _find(connection, project.id if project else "", wanted)
    if isinstance(found, TurnNotBegun):
        return found

    session = session_by_id(connection, found[0])
    if session is None or session.worktree_id is None:
        return None

    return worktree_by_id(connection, session.worktree_id)


def _system(connection: Connection, session_id: str, opening: TurnRequest) -> str:
    """Return what the session's model was told first, or record what it is told from now on."""
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


def _past(connection: Connection, chat_id: str, *, prompted: bool) -> tuple[PastEvents, ...]:
    """Return what the model has seen of a chat, and the repairs, of which it hears next.

    Not the sentinels, and not a prompt whose answer a restore has taken out if another prompt came
    after it. `prompted`: another one comes now.
    """
    query = (
        select(
            messages.c.left_with,
            messages.c.role,
            message_parts.c.kind,
            message_parts.c.body,
            event_rows.c.body,
        )
        .join(message_parts, message_parts.c.message_id == messages.c.id, isouter=True)
        .outerjoin(event_rows, event_rows.c.part_id == message_parts.c.id)
        .where(messages.c.chat_id == chat_id)
        .order_by(messages.c.seq, message_parts.c.seq)
    )
    past: list[PastEvents] = []
    is_open = False
    for left_with, role, kind, own_body, event_body in connection.execute(query):
        if left_with is not None:
            is_open = bool(past) and isinstance(past[-1], UserText)
            continue
        if kind is None:
            continue
        body = event_body if own_body is None else own_body
        kept = UserText(body["text"]) if role == "user" else kept_from_json(kind, body)
        if kept is None or isinstance(kept, SentinelRaised):
            continue
        if is_open and role == "user":
            past.pop()
        is_open = False
        past.append(kept)

    if is_open and prompted:
        past.pop()

    return tuple(past)


def _last_turn(connection: Connection, chat_id: str) -> str | None:
    query = select(turns.c.id).where(turns.c.chat_id == chat_id, turns.c.left_with.is_(None))
    return connection.execute(query.order_by(turns.c.started_at.desc()).limit(1)).scalar()


def _refuse_restored(
    connection: Connection, session: str, opening: TurnRequest
) -> TurnNotBegun | None:
    """Return why a turn does not begin that was asked for before a restore of its session."""
    if opening.generation in {None, generation_of(connection, session)}:
        return None
    return TurnNotBegun(
        f"session {session} was restored after this turn was asked for, so it did not begin; look "
        "at the files, and send the message again."
    )


def _has_nothing_to_answer(past: Sequence[object]) -> bool:
    """Whether the model had the last word.

    Then somebody has to say something before it can go on.
    """
    for last in reversed(past):
        if isinstance(last, RepairEnded):
            continue
        if isinstance(last, AgentCall):
            return True
        return isinstance(last, Said) and not last.calls

    return True


def _keep(
    connection: Connection,
    begun: TurnBegun,
    events: Sequence[Event],
    fence: TurnFence | None = None,
) -> int:
    new = [_new_event(begun, event) for event in events]
    if not new:
        return last_event(connection, begun.project)

    batches = [events_below(begun.project, new)]
    for event in events:
        if isinstance(event, AgentStateChanged):
            set_agent_state(connection, begun.session, begun.chat, event)

    parts = [(event.part_id, event.kind) for event in new if event.part_id is not None]
    if parts:
        batches.append(parts_of_events(begun.message, parts))

    return append(connection, *batches, fence=fence)[0]


def _new_event(begun: TurnBegun, event: Event) -> NewEvent:
    """Return an event of a turn to append; one of the transcript is a part of the message too."""
    part_id = None
    if is_transcript(event):
        part_id = new_id()
    return NewEvent(event.kind, event_to_json(event), begun.session, begun.turn, part_id)


def _end(
    connection: Connection,
    begun: TurnBegun,
    events: Sequence[Event],
    ended: TurnEnded,
    *,
    by_owner: bool = True,
) -> int:
    """End a turn; record nothing if another process has ended the turn before."""
    lock_turns(connection, [begun.turn])
    lock_project_by_id(connection, begun.project)
    values = {"status": ended.status, "stop_reason": ended.stop_reason}
    over = end_turn(connection, begun.turn, **values, by_owner=by_owner)
    if over is None:
        return last_event(connection, begun.project)

    this = messages.c.id == begun.message
    connection.execute(update(messages).where(this).values(status=ended.status))
    closed = [owned.event for owned in close_questions(connection, [begun.turn])]
    return _keep(connection, begun, [*events, *closed, ended])


def _running(connection: Connection, place: Place) -> tuple[TurnBegun, ...]:
    """Return the turns of a project that are on record as running on this machine."""
    project = find_project(connection, place)
    if project is None:
        return ()

    query = (
        select(sessions.c.id, chats.c.id, turns.c.id, turns.c.message_id, turns.c.metadata)
        .join(chats, chats.c.session_id == sessions.c.id)
        .join(turns, turns.c.chat_id == chats.c.id)
        .where(sessions.c.project_id == project.id, turns.c.status == RUNNING)
    )
    # The locks of another machine that shares the store cannot be seen from here.
    running: list[TurnBegun] = []
    for session, chat, turn, message, metadata in connection.execute(query):
        if metadata.get("host") != platform.node():
            continue
        running.append(TurnBegun(session, chat, turn, message or "", "", (), project.id))

    return tuple(running)
