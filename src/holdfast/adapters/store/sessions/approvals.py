"""The questions of turns, in the store (ports `TurnQuestions` and `ProjectQuestions`)."""

from __future__ import annotations

import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.approvals import (
    add_question,
    allowed_in_session,
    approval_by_id,
    questions_of_project,
    settle_question,
)
from holdfast.adapters.store.queries.projects import find_project, lock_project_by_id
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.turns import lock_turns, turns_by_id
from holdfast.adapters.store.store_errors import Gone, StoreError
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.usecases.approvals.ports import (
    AnsweredBefore,
    AnswerRecorded,
    ApprovalRecord,
    NobodyWaits,
)
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.vocab.events import ApprovalAsked, ApprovalGiven
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.rows import ApprovalRow
    from holdfast.adapters.store.store import Store
    from holdfast.usecases.approvals.ports import AllowedSubject, AnswerOutcome, NewQuestion
    from holdfast.usecases.record_watch import Look
    from holdfast.vocab.place import Place

_LOOK = "SELECT subject, answer, reason FROM approvals WHERE id = ?"
_REPLACED = "\ufffd"


class StoredApprovals:
    """The questions of the turns of one project."""

    def __init__(self, store: Callable[[], Store], place: Place, locks: TurnLocks) -> None:
        """Use the store that `store` returns; it is called for each transaction."""
        self._store = store
        self._place = place
        self._locks = locks

    def open(self, question: NewQuestion) -> ApprovalAsked:
        """Record a question, and return its event."""
        with _translated():
            return self._store().run(_open, question)

    def answer(self, given: ApprovalGiven) -> AnswerOutcome:
        """Record an answer if it is the first one of its question."""
        with _translated():
            return self._store().run(self._answer, given)

    @contextmanager
    def looking(self, approval_id: str) -> Iterator[Look[ApprovalGiven]]:
        """Yield a function that returns the answer of a question, None while it is open."""
        with _translated(), self._store().looking(_LOOK, approval_id) as look:
            yield lambda: _found(approval_id, look())

    def allowed(self, session: str) -> frozenset[AllowedSubject]:
        """Return what is allowed for the rest of a session."""
        with _translated():
            found: Any = self._store().query(allowed_in_session, session)
        # A character that a database refuses is stored as this one: two commands could look alike.
        return frozenset(each for each in found if _REPLACED not in each[1])

    def list(self, session: str | None, *, answered: bool) -> tuple[ApprovalRecord, ...]:
        """Return the questions that wait for an answer, or all."""
        with _translated():
            found = self._store().query(self._list, session, only_open=not answered)
        if answered:
            return found
        return tuple(each for each in found if each.waits)

    def find(self, wanted: str) -> tuple[ApprovalRecord, ...]:
        """Return the questions whose ids start with a prefix, at most two."""
        with _translated():
            return self._store().query(self._find, wanted)

    def _list(
        self, connection: Connection, session: str | None, *, only_open: bool
    ) -> tuple[ApprovalRecord, ...]:
        project = find_project(connection, self._place)
        if project is None:
            return ()
        rows = questions_of_project(connection, project.id, session=session, only_open=only_open)
        return tuple(self._record(connection, row) for row in rows)

    def _find(self, connection: Connection, wanted: str) -> tuple[ApprovalRecord, ...]:
        project = find_project(connection, self._place)
        if project is None or not wanted:
            return ()
        rows = questions_of_project(connection, project.id, begins=wanted)
        return tuple(self._record(connection, row) for row in rows[:2])

    def _answer(self, connection: Connection, given: ApprovalGiven) -> AnswerOutcome:
        row = approval_by_id(connection, given.approval_id)
        if row is None:
            return NobodyWaits()

        # In this order, as everywhere: turn, project. Two that answer at once wait here for each
        # other, so the question is read again.
        lock_turns(connection, [row.turn_id])
        project_id = _project_of(connection, row.session_id)
        lock_project_by_id(connection, project_id)
        row = approval_by_id(connection, given.approval_id)
        if row is None:
            return NobodyWaits()
        if row.answer is not None:
            return AnsweredBefore(self._record(connection, row))
        if not self._is_awaited(connection, row.turn_id):
            return NobodyWaits()

        settle_question(connection, given)
        publish(connection, project_id, [OwnedEvent(given, row.session_id, row.turn_id)])
        return AnswerRecorded()

    def _record(self, connection: Connection, row: ApprovalRow) -> ApprovalRecord:
        waits = row.answer is None and self._is_awaited(connection, row.turn_id)
        answered_at = None
        if row.answered_at is not None:
            answered_at = row.answered_at.isoformat(timespec="seconds")

        values: dict[str, Any] = {"what": row.what, "answer": row.answer}
        return ApprovalRecord(
            id=row.id,
            session=row.session_id,
            turn=row.turn_id,
            subject=row.subject,
            why=row.why,
            options=tuple(row.options),  # type: ignore[arg-type]  # as `NewQuestion` had them
            asked_at=row.asked_at.isoformat(timespec="seconds"),
            reason=row.reason or "",
            answered_at=answered_at,
            waits=waits,
            **values,
        )

    def _is_awaited(self, connection: Connection, turn_id: str) -> bool:
        """Return whether a process runs the turn.

        The locks of another machine cannot be seen from here; a SQLite store is never shared.
        """
        for turn in turns_by_id(connection, [turn_id]):
            if turn.status != RUNNING:
                return False
            is_here = turn.metadata.get("host") == platform.node()
            if is_here or isinstance(self._store().address, SqliteFile):
                return self._locks.is_locked(turn_id)
            return True

        return False


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise RecordsUnavailable(str(error)) from error


def _open(connection: Connection, question: NewQuestion) -> ApprovalAsked:
    project_id = _project_of(connection, question.session)
    lock_project_by_id(connection, project_id)
    row = add_question(connection, question)
    asked = ApprovalAsked(question.what, question.subject, question.why, row.id, question.options)
    publish(connection, project_id, [OwnedEvent(asked, question.session, question.turn)])
    return asked


def _project_of(connection: Connection, session_id: str) -> str:
    session = session_by_id(connection, session_id)
    if session is None:
        raise Gone("session", session_id)
    return session.project_id


def _found(approval_id: str, row: Any) -> ApprovalGiven | None:
    """Return the answer in a row; a question that is gone with its session is cancelled."""
    if row is None:
        return ApprovalGiven("", "cancelled", approval_id)
    subject, answer, reason = row
    if answer is None:
        return None
    return ApprovalGiven(subject, answer, approval_id, reason or "")
