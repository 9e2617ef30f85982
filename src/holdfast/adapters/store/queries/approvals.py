"""Questions of turns, and how they ended. The first answer stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from holdfast.adapters.store.plain.column_values import now
from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.rows import ApprovalRow
from holdfast.adapters.store.tables import approvals, sessions, turns
from holdfast.vocab.events import ApprovalGiven
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from holdfast.usecases.approvals.ports import NewQuestion


def add_question(connection: Connection, question: NewQuestion) -> ApprovalRow:
    """Add an open question."""
    return add(
        connection,
        ApprovalRow,
        approvals,
        session_id=question.session,
        turn_id=question.turn,
        what=question.what,
        subject=question.subject,
        why=question.why,
        options=list(question.options),
    )


def approval_by_id(connection: Connection, approval_id: str) -> ApprovalRow | None:
    """Return a question, if it is on record."""
    query = select(approvals).where(approvals.c.id == approval_id)
    return record(connection, ApprovalRow, query)


def settle_question(connection: Connection, given: ApprovalGiven) -> None:
    """Set the answer of a question if it is open."""
    is_open = (approvals.c.id == given.approval_id, approvals.c.answer.is_(None))
    values = {"answer": given.answer, "reason": given.reason or None, "answered_at": now()}
    connection.execute(update(approvals).where(*is_open).values(values))


def close_questions(connection: Connection, turn_ids: Collection[str]) -> tuple[OwnedEvent, ...]:
    """Set the answer of the open questions of turns that end to `cancelled`; return the events."""
    is_open = (approvals.c.turn_id.in_(turn_ids), approvals.c.answer.is_(None))
    values = {"answer": "cancelled", "answered_at": now()}
    change = update(approvals).where(*is_open).values(values).returning(approvals)
    events = []
    for row in records(connection, ApprovalRow, change):
        given = ApprovalGiven(row.subject, "cancelled", row.id)
        events.append(OwnedEvent(given, row.session_id, row.turn_id))

    return tuple(events)


def questions_of_project(
    connection: Connection,
    project_id: str,
    *,
    session: str | None = None,
    begins: str | None = None,
    only_open: bool = False,
) -> tuple[ApprovalRow, ...]:
    """Return the questions of a project, the oldest first.

    `session` and `begins` are beginnings of ids: that of the session, and that of the question.
    Questions of turns that a restore took out are not in it.
    """
    query = (
        select(approvals)
        .join(sessions, sessions.c.id == approvals.c.session_id)
        .join(turns, turns.c.id == approvals.c.turn_id)
        .where(sessions.c.project_id == project_id, turns.c.left_with.is_(None))
    )
    if session is not None:
        query = query.where(sessions.c.id.startswith(session, autoescape=True))

    if begins is not None:
        query = query.where(approvals.c.id.startswith(begins, autoescape=True))

    if only_open:
        query = query.where(approvals.c.answer.is_(None))

    return records(connection, ApprovalRow, query.order_by(approvals.c.asked_at, approvals.c.id))


def allowed_in_session(connection: Connection, session_id: str) -> tuple[tuple[str, str], ...]:
    """Return what was allowed for the rest of a session: what it is, and its subject."""
    query = (
        select(approvals.c.what, approvals.c.subject)
        .join(turns, turns.c.id == approvals.c.turn_id)
        .where(
            approvals.c.session_id == session_id,
            approvals.c.answer == "session",
            turns.c.left_with.is_(None),
        )
    )
    return tuple((what, subject) for what, subject in connection.execute(query))
