"""Approve an action: by the mode, by an earlier answer, or by asking a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, assert_never

from holdfast.guards.command_prefix import prefix_rule
from holdfast.tools.ports import Denied, NoApprover, TurnCancelled
from holdfast.tools.text_limits import clean, shorten
from holdfast.usecases.approvals.answer import OPTIONS, PersonsAnswer, event_of, record_answer
from holdfast.usecases.approvals.ports import AnsweredBefore, AnswerRecorded, NewQuestion
from holdfast.usecases.record_watch import RecordWatch
from holdfast.usecases.redaction import redact
from holdfast.vocab.events import ApprovalGiven
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.tools.ports import GateAnswer
    from holdfast.usecases.approvals.ports import (
        AllowedSubject,
        AnswerOutcome,
        ApprovalRecord,
        CommandGrants,
        TurnQuestions,
    )
    from holdfast.vocab.approvals import ApprovalSubject
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import ApprovalAsked, Event

ApprovalMode: TypeAlias = Literal["auto", "ask", "review"]

_DENIED = "the user does not allow this"
_INSTEAD = "do without it, or ask what to do instead."
_UNATTENDED = "this file may hold secrets and nobody is there to allow it; do without it."
_MOST_RECORDED = 4_000
"""How many characters of a diff are on record; the person who is asked can see all of it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for a person: the event, and `whole`, the reason or the diff in full.

    `rule` is what else `always` can allow, such as `pytest *`; None if there is no such rule.
    """

    asked: ApprovalAsked
    whole: str
    rule: str | None = None


class Asker(Protocol):
    """An interactive front end that can ask the user for approval."""

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        """Wait for the user's answer, and return it; None as soon as `over` is set.

        Then the turn is cancelled, or another front end has answered.
        """

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Show that another front end has answered first, and what."""


class EventSink(Protocol):
    """Where the events of a turn go."""

    def emit(self, event: Event) -> None:
        """Show an event that is on record."""

    def flush(self) -> None:
        """Record the events that wait."""


@dataclass(frozen=True, slots=True)
class ApprovalContext:
    """What the approvals of a turn need.

    `asker` is None if no user can answer. `cancel` ends a question. `secrets` are words that the
    record must not have.
    """

    mode: ApprovalMode
    asker: Asker | None
    grants: CommandGrants
    questions: TurnQuestions
    sink: EventSink
    cancel: Cancel
    session: str
    turn: str
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Either:
    """Set when one of two is."""

    one: Cancel
    other: Cancel

    def is_set(self) -> bool:
        return self.one.is_set() or self.other.is_set()


class Approvals:
    """The approval gate of a turn (port `ApprovalGate`).

    Without a user to ask, edits inside the root go ahead, for every turn can be undone; a command
    cannot be undone, nor what was sent to a model, nor what a protected file has made run.
    """

    def __init__(self, context: ApprovalContext) -> None:
        """Begin with what is allowed for the session; that is read at the first question."""
        self._context = context
        self._in_session: set[AllowedSubject] | None = None

    def ask(
        self,
        what: ApprovalSubject,
        subject: str,
        why: str,
        withdrawn: Cancel | None = None,
        *,
        in_auto: bool = False,
    ) -> GateAnswer:
        """Return whether it may be done, after asking if need be; not once it is `withdrawn`.

        `in_auto`: ask in the mode `auto` too.
        """
        if self._is_allowed(what, subject):
            return "yes"
        if self._context.mode == "auto" and not in_auto:
            # No user looks on, and what was sent to a model cannot be undone.
            if what == "read":
                return Denied(f"{subject}: {_UNATTENDED}")
            return "yes"

        asked = self._open(what, subject, why)
        self._context.sink.emit(asked)
        given = self._wait(asked, why, withdrawn or self._context.cancel)
        self._context.sink.emit(given)
        if given.answer == "session":
            self._session_set().add(_for_session(what, subject))

        if self._context.cancel.is_set():
            return TurnCancelled()

        return _verdict(given)

    def _is_allowed(self, what: ApprovalSubject, subject: str) -> bool:
        if what == "edit":
            if self._context.asker is None:
                return True
            if self._context.mode != "ask":
                return True

        if what == "command" and self._context.grants.has(subject):
            return True

        return _for_session(what, subject) in self._session_set()

    def _session_set(self) -> set[AllowedSubject]:
        """Return what is allowed for the session; only this turn can add to it while it runs."""
        if self._in_session is None:
            allowed = self._context.questions.allowed(self._context.session)
            self._in_session = {_for_session(what, subject) for what, subject in allowed}
        return self._in_session

    def _open(self, what: ApprovalSubject, subject: str, why: str) -> ApprovalAsked:
        context = self._context
        # What waits came before the question.
        context.sink.flush()
        recorded = redact(shorten(clean(why), _MOST_RECORDED), context.secrets)
        question = NewQuestion(
            context.session, context.turn, what, subject, recorded, OPTIONS[what]
        )
        return context.questions.open(question)

    def _wait(self, asked: ApprovalAsked, why: str, withdrawn: Cancel) -> ApprovalGiven:
        """Return how the question ended: answered here or elsewhere, cancelled, or by nobody."""
        context = self._context
        if context.asker is None:
            return self._settle(ApprovalGiven(asked.subject, "nobody", asked.approval_id))

        rule = None
        if asked.what == "command":
            rule = prefix_rule(asked.subject)

        question = Question(asked, clean(why), rule)
        with RecordWatch(lambda: context.questions.looking(asked.approval_id)) as watch:
            over = _Either(withdrawn, _Either(context.cancel, watch))
            said = context.asker.ask(question, over)

        if said is None:
            return self._settle(ApprovalGiven(asked.subject, "cancelled", asked.approval_id))

        given = event_of(asked.approval_id, asked.subject, said)
        outcome = record_answer(asked.what, given, said, context.questions, context.grants)
        return self._first(given, outcome)

    def _settle(self, given: ApprovalGiven) -> ApprovalGiven:
        """End a question without a person's answer, unless there is one."""
        return self._first(given, self._context.questions.answer(given))

    def _first(self, ours: ApprovalGiven, outcome: AnswerOutcome) -> ApprovalGiven:
        """Return the answer that counts, and show it to the user if another was first."""
        if isinstance(outcome, AnswerRecorded):
            return ours
        if not isinstance(outcome, AnsweredBefore):
            return ApprovalGiven(ours.subject, "cancelled", ours.approval_id)

        given = _given(outcome.record)
        if self._context.asker is not None:
            self._context.asker.show_other_answer(given)

        return given


def _for_session(what: ApprovalSubject, subject: str) -> AllowedSubject:
    """Return what an answer for the session allows: for one edit, all edits."""
    if what == "edit":
        return what, ""
    return what, subject


def _given(record: ApprovalRecord) -> ApprovalGiven:
    return ApprovalGiven(record.subject, record.answer or "cancelled", record.id, record.reason)


def _verdict(given: ApprovalGiven) -> GateAnswer:
    match given.answer:
        case "once" | "session" | "always":
            return "yes"
        case "nobody":
            return NoApprover()
        case "cancelled":
            return TurnCancelled()
        case "deny":
            message = f"{given.subject}: {_DENIED}; {_INSTEAD}"
            if given.reason:
                message = f"{given.subject}: {_DENIED}, and says: {given.reason}"
            return Denied(message)
        case _:
            assert_never(given.answer)
