"""The ports to the record of questions, and to the commands that are always allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.usecases.record_watch import Look
    from holdfast.vocab.approvals import ApprovalAnswer, ApprovalEnd, ApprovalSubject
    from holdfast.vocab.events import ApprovalAsked, ApprovalGiven

AllowedSubject: TypeAlias = "tuple[ApprovalSubject, str]"
"""Something that is allowed: what it is, and its subject."""


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """A question that a turn is about to ask."""

    session: str
    turn: str
    what: ApprovalSubject
    subject: str
    why: str
    options: tuple[ApprovalAnswer, ...]


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """A question on record. `answer` and `answered_at` are None while the question is open.

    The moments are ISO texts. `waits`: the question is open, and a process waits for the answer.
    """

    id: str
    session: str
    turn: str
    what: ApprovalSubject
    subject: str
    why: str
    options: tuple[ApprovalAnswer, ...]
    asked_at: str
    answer: ApprovalEnd | None = None
    reason: str = ""
    answered_at: str | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class AnswerRecorded:
    """The answer is on record; it was the first one."""


@dataclass(frozen=True, slots=True)
class AnsweredBefore:
    """Another answer was first; `record` has it."""

    record: ApprovalRecord


@dataclass(frozen=True, slots=True)
class NobodyWaits:
    """The question has no answer, and its turn has ended or its process has died."""


AnswerOutcome: TypeAlias = AnswerRecorded | AnsweredBefore | NobodyWaits


class TurnQuestions(Protocol):
    """The record of the questions of turns.

    Each call is one transaction, in which its event is published, and may raise
    `RecordsUnavailable`. A turn that is to stop gets `TurnStopped`.
    """

    def open(self, question: NewQuestion) -> ApprovalAsked:
        """Record a question, and return its event."""

    def answer(self, given: ApprovalGiven) -> AnswerOutcome:
        """Record an answer if it is the first one of its question."""

    def looking(self, approval_id: str) -> AbstractContextManager[Look[ApprovalGiven]]:
        """Return the function that returns the answer of a question, None while it is open.

        If the record cannot be read, `RecordsUnavailable` is raised where the context is left.
        """

    def allowed(self, session: str) -> frozenset[AllowedSubject]:
        """Return what is allowed for the rest of a session.

        What was allowed in a turn that a restore took out is not in it.
        """


class ProjectQuestions(Protocol):
    """The questions of one project. A call may raise `RecordsUnavailable`."""

    def list(self, session: str | None, *, answered: bool) -> tuple[ApprovalRecord, ...]:
        """Return the questions that wait for an answer, the oldest first.

        If `session` is not None, return only those of sessions whose ids start with it. With
        `answered`, return all questions but those of turns that a restore removed.
        """

    def find(self, wanted: str) -> tuple[ApprovalRecord, ...]:
        """Return the questions whose ids start with a prefix, at most two."""

    def answer(self, given: ApprovalGiven) -> AnswerOutcome:
        """Record an answer if it is the first one of its question."""


class CommandGrants(Protocol):
    """The commands that the user has always allowed in this project."""

    def has(self, command: str) -> bool:
        """Return whether this command was allowed, itself or by a rule."""

    def add(self, command: str) -> None:
        """Allow exactly this command from now on; raise OSError if that cannot be recorded."""

    def add_rule(self, rule: str) -> None:
        """Allow the commands that a rule such as `pytest *` covers; may raise OSError."""
