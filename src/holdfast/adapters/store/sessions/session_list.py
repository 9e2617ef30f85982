"""The sessions of a project as a list shows them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import String, cast, func, or_, select

from holdfast.adapters.store.queries.projects import find_project
from holdfast.adapters.store.tables import (
    approvals,
    changes,
    chats,
    events,
    message_parts,
    messages,
    queued_messages,
    sessions,
    turns,
    worktrees,
)
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.usecases.sessions.session_records import SessionState, SessionSummary, WorkingPlace
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, RowMapping, Select

    from holdfast.usecases.sessions.session_records import SessionQuery
    from holdfast.vocab.place import Place

ARCHIVED: Literal["archived"] = "archived"
"""The status of a session that was put away."""
_LAST_WORDS = 200
_SAID = "said"


def list_sessions(
    connection: Connection, place: Place, query: SessionQuery, is_dead: Callable[[str, Any], bool]
) -> tuple[SessionSummary, ...]:
    """Return the sessions of a project, newest first.

    `is_dead` returns whether no process runs a turn, from its id and its metadata.
    """
    project = find_project(connection, place)
    if project is None:
        return ()

    rows = _rows(connection, project.id, query)
    ids = [row["id"] for row in rows]
    facts = _facts(connection, project.id, ids)
    found = []
    for row in rows:
        summary = _summary(row, facts, is_dead)
        if query.state in {None, summary.state}:
            found.append(summary)

    if query.text:
        having = _sessions_with_text(connection, found, query.text)
        found = [each for each in found if each.id in having]

    found = found[: query.limit]
    return tuple(_with_last_words(connection, each) for each in found)


def _rows(connection: Connection, project_id: str, query: SessionQuery) -> list[RowMapping]:
    wanted = (
        select(
            sessions.c.id,
            sessions.c.title,
            sessions.c.status,
            sessions.c.agent,
            sessions.c.model,
            sessions.c.mode,
            sessions.c.created_at,
            worktrees.c.path,
            worktrees.c.branch,
        )
        .outerjoin(worktrees, worktrees.c.id == sessions.c.worktree_id)
        .where(sessions.c.project_id == project_id)
        .order_by(sessions.c.created_at.desc(), sessions.c.id)
    )
    if query.archived is not None:
        is_archived = sessions.c.status == ARCHIVED
        wanted = wanted.where(is_archived if query.archived else ~is_archived)

    if query.id is not None:
        wanted = wanted.where(sessions.c.id == query.id)

    return list(connection.execute(wanted).mappings())


@dataclass(frozen=True, slots=True)
class _Facts:
    """What other tables have of sessions, by their ids."""

    messages: dict[str, int]
    turns: dict[str, int]
    last_turns: dict[str, RowMapping]
    files: dict[str, set[str]]
    proposed: dict[str, int]
    approvals: dict[str, int]
    queued: dict[str, int]


def _facts(connection: Connection, project_id: str, ids: list[str]) -> _Facts:
    of_these = chats.c.session_id.in_(ids)
    return _Facts(
        messages=_counts(connection, _per_session(messages).where(of_these)),
        turns=_counts(connection, _per_session(turns).where(of_these)),
        last_turns=_last_turns(connection, ids),
        files=_changed_files(connection, project_id, ids),
        proposed=_counts(connection, _proposed_changes(ids)),
        approvals=_counts(connection, _open_questions()),
        queued=_counts(connection, _waiting_messages()),
    )


def _per_session(table: Any) -> Select[Any]:
    query = select(chats.c.session_id, func.count()).join(table, chats.c.id == table.c.chat_id)
    return query.where(table.c.left_with.is_(None)).group_by(chats.c.session_id)


def _open_questions() -> Select[Any]:
    """Count the questions that nobody has answered, of turns that run."""
    is_open = (approvals.c.answer.is_(None), turns.c.status == RUNNING, turns.c.left_with.is_(None))
    query = select(approvals.c.session_id, func.count())
    query = query.join(turns, turns.c.id == approvals.c.turn_id)
    return query.where(*is_open).group_by(approvals.c.session_id)


def _waiting_messages() -> Select[Any]:
    query = select(queued_messages.c.session_id, func.count())
    return query.where(queued_messages.c.state == "waiting").group_by(queued_messages.c.session_id)


def _counts(connection: Connection, query: Select[Any]) -> dict[str, int]:
    return dict(connection.execute(query).all())


def _last_turns(connection: Connection, ids: list[str]) -> dict[str, RowMapping]:
    latest = (turns.c.started_at.desc(), turns.c.id)
    place = func.row_number().over(partition_by=chats.c.session_id, order_by=latest)
    ordered = (
        select(
            chats.c.session_id,
            turns.c.id,
            turns.c.status,
            turns.c.stop_reason,
            turns.c.metadata,
            turns.c.started_at,
            place.label("place"),
        )
        .join(chats, chats.c.id == turns.c.chat_id)
        .where(turns.c.left_with.is_(None), chats.c.session_id.in_(ids))
        .subquery()
    )
    rows = connection.execute(select(ordered).where(ordered.c.place == 1)).mappings()
    return {row["session_id"]: row for row in rows}


def _changed_files(connection: Connection, project_id: str, ids: list[str]) -> dict[str, set[str]]:
    query = select(changes.c.session_id, changes.c.paths).where(
        changes.c.project_id == project_id,
        changes.c.state == "applied",
        changes.c.left_with.is_(None),
        changes.c.session_id.in_(ids),
        changes.c.paths.is_not(None),
    )
    files: dict[str, set[str]] = {}
    for session, paths in connection.execute(query):
        named = (path.strip("/") for path in paths.split("//"))
        files.setdefault(session, set()).update(filter(None, named))

    return files


def _proposed_changes(ids: list[str]) -> Select[Any]:
    query = select(changes.c.session_id, func.count()).where(
        changes.c.session_id.in_(ids),
        changes.c.state == "proposed",
        changes.c.left_with.is_(None),
    )
    return query.group_by(changes.c.session_id)


def _summary(row: RowMapping, facts: _Facts, is_dead: Callable[[str, Any], bool]) -> SessionSummary:
    session = row["id"]
    turn = facts.last_turns.get(session)
    updated = row["created_at"]
    status = turn_id = stop_reason = None
    model = row["model"]
    if turn is not None:
        updated, status = turn["started_at"], turn["status"]
        turn_id, stop_reason = turn["id"], turn["stop_reason"]
        model = model or turn["metadata"].get("model")
        if status == RUNNING and is_dead(turn["id"], turn["metadata"]):
            status = "interrupted"

    state = _state(status, facts.approvals.get(session, 0))
    place: WorkingPlace = "worktree" if row["branch"] else "in_place"
    return SessionSummary(
        id=session,
        title=row["title"],
        agent=row["agent"],
        created_at=row["created_at"].isoformat(timespec="seconds"),
        messages=facts.messages.get(session, 0),
        turns=facts.turns.get(session, 0),
        last_turn=status,
        state=state,
        model=model,
        mode=row["mode"],
        updated_at=updated.isoformat(timespec="milliseconds"),
        files_changed=len(facts.files.get(session, ())),
        approvals=facts.approvals.get(session, 0),
        queued=facts.queued.get(session, 0),
        place=place,
        root=row["path"] or "",
        branch=row["branch"] or None,
        archived=row["status"] == ARCHIVED,
        turn_id=turn_id,
        stop_reason=stop_reason,
        can_continue=state == "stopped",
        chosen_model=row["model"],
        proposed=facts.proposed.get(session, 0),
    )


def _state(status: str | None, open_questions: int) -> SessionState:
    if status == RUNNING:
        return "waiting" if open_questions else "running"
    if status in {None, "done"}:
        return "done"
    return "stopped"


def _with_last_words(connection: Connection, summary: SessionSummary) -> SessionSummary:
    said = (events.c.session_id == summary.id, events.c.kind == _SAID)
    query = select(events.c.body).where(*said).order_by(events.c.seq.desc()).limit(10)
    for body in connection.execute(query).scalars():
        words = " ".join(str(body.get("text", "")).split())
        if words:
            return replace(summary, last_words=_end_of(words))

    return summary


def _sessions_with_text(
    connection: Connection, listed: list[SessionSummary], text: str
) -> frozenset[str]:
    """Return those of the sessions whose title or messages have a text, without regard to case."""
    wanted = text.casefold()
    having = {each.id for each in listed if wanted in each.title.casefold()}
    ids = [each.id for each in listed if each.id not in having]
    query = (
        select(chats.c.session_id, message_parts.c.body, events.c.body)
        .join(messages, messages.c.chat_id == chats.c.id)
        .join(message_parts, message_parts.c.message_id == messages.c.id)
        .outerjoin(events, events.c.part_id == message_parts.c.id)
        .where(chats.c.session_id.in_(ids), messages.c.left_with.is_(None))
        .where(message_parts.c.kind.in_(("text", _SAID)))
    )
    piece = _ascii_piece(text)
    if piece:
        # JSON has other characters as escapes, so that only these can be looked for in it.
        bodies = (message_parts.c.body, events.c.body)
        query = query.where(
            or_(*(cast(body, String).icontains(piece, autoescape=True) for body in bodies))
        )

    for session, own_body, event_body in connection.execute(query):
        body = event_body if own_body is None else own_body
        if wanted in str(body.get("text", "")).casefold():
            having.add(session)

    return frozenset(having)


def _ascii_piece(text: str) -> str:
    """Return the longest piece of a text that JSON writes as it is."""
    return max(re.split(r'[^ -~]|["\\]', text), key=len)


def _end_of(words: str) -> str:
    """Return the end of a text, from a whole word on; the page's fold makes the same of it.

    >>> _end_of("alpha " * 40)[:13]
    '…alpha alpha '
    """
    if len(words) <= _LAST_WORDS:
        return words
    end = words[-_LAST_WORDS:]
    _, _, whole = end.partition(" ")
    return f"…{whole or end}"
