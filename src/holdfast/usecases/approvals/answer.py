"""Answer a question of a turn by its id. The first answer counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.guards.command_prefix import prefix_rule
from holdfast.usecases.approvals.ports import AnsweredBefore, AnswerRecorded
from holdfast.vocab.events import ApprovalGiven
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.usecases.approvals.ports import (
        AnswerOutcome,
        ApprovalRecord,
        CommandGrants,
        ProjectQuestions,
        TurnQuestions,
    )
    from holdfast.vocab.approvals import ApprovalAnswer, ApprovalSubject

OPTIONS: dict[ApprovalSubject, tuple[ApprovalAnswer, ...]] = {
    "command": ("once", "session", "always", "deny"),
    "access": ("once", "deny"),
    "edit": ("once", "session", "deny"),
    "protected": ("once", "session", "deny"),
    "trust": ("once", "deny"),
    "read": ("once", "session", "deny"),
    "tool": ("once", "session", "deny"),
}
"""The answers that a question offers."""


@dataclass(frozen=True, slots=True)
class PersonsAnswer:
    """What a person answers.

    `by_rule`: `always` is for every command with the same first words. `reason` is for the model if
    the answer is `deny`.
    """

    answer: ApprovalAnswer
    reason: str = ""
    by_rule: bool = False


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """The answer is on record. `rule` is what is always allowed now, "" if nothing is."""

    question: ApprovalRecord
    given: ApprovalGiven
    rule: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRefused:
    """The answer does not count; `message` says why. `question` has the answer that does."""

    message: str
    question: ApprovalRecord | None = None


def answer_question(
    wanted: str, said: PersonsAnswer, questions: ProjectQuestions, grants: CommandGrants
) -> QuestionAnswered | AnswerRefused:
    """Answer the question whose id begins with `wanted`.

    Raise OSError if the answer is on record, and what is always allowed cannot be.
    """
    found = questions.find(wanted)
    if len(found) > 1:
        return AnswerRefused(f"{wanted}: several questions start with this; type more of the id.")
    if not found:
        return AnswerRefused(
            f"{wanted}: there is no such question in this project; `holdfast approvals list` "
            "names those that wait."
        )

    (question,) = found
    refusal = _refuse(question, said)
    if refusal is not None:
        return refusal

    given = event_of(question.id, question.subject, said)
    outcome = record_answer(question.what, given, said, questions, grants)
    match outcome:
        case AnswerRecorded():
            rule = ""
            if said.answer == "always":
                rule = allowed_rule(question.subject, said)
            return QuestionAnswered(question, given, rule)
        case AnsweredBefore(record):
            return _answered_before(record)
        case _:
            return AnswerRefused(
                f"question {question.id}: nobody waits for an answer any more; turn "
                f"{question.turn} is over.",
                question,
            )


def record_answer(
    what: ApprovalSubject,
    given: ApprovalGiven,
    said: PersonsAnswer,
    questions: TurnQuestions | ProjectQuestions,
    grants: CommandGrants,
) -> AnswerOutcome:
    """Record an answer, and what is always allowed by it if the answer is the first one.

    Not before it is on record: of two that answer at once, only one counts.
    """
    outcome = questions.answer(given)
    if not isinstance(outcome, AnswerRecorded):
        return outcome

    if what == "command" and said.answer == "always":
        if said.by_rule:
            grants.add_rule(allowed_rule(given.subject, said))
        else:
            grants.add(given.subject)

    return outcome


def event_of(approval_id: str, subject: str, said: PersonsAnswer) -> ApprovalGiven:
    """Return the event of an answer."""
    reason = said.reason
    if said.by_rule:
        reason = allowed_rule(subject, said)
    return ApprovalGiven(subject, said.answer, approval_id, reason)


def allowed_rule(command: str, said: PersonsAnswer) -> str:
    """Return what `always` allows: the command itself, or the rule for its first words."""
    if said.by_rule:
        return prefix_rule(command) or command
    return command


def _refuse(question: ApprovalRecord, said: PersonsAnswer) -> AnswerRefused | None:
    """Return why this cannot be an answer to the question, or None."""
    if question.answer is not None:
        return _answered_before(question)
    if said.answer not in question.options:
        options = ", ".join(question.options)
        return AnswerRefused(
            f"question {question.id}: {said.answer} is no answer to whether this {question.what} "
            f"is allowed; answer one of {options}.",
            question,
        )
    if said.by_rule and prefix_rule(question.subject) is None:
        return AnswerRefused(
            f"question {question.id}: this command has no first words that could be allowed "
            "always; leave --prefix out to allow exactly this command.",
            question,
        )

    return None


def _answered_before(question: ApprovalRecord) -> AnswerRefused:
    return AnswerRefused(f"question {question.id}: {describe(question)}", question)


def describe(question: ApprovalRecord) -> str:
    """Return how a question was answered, as a sentence."""
    if question.answer == "cancelled":
        return f"its turn ended before it was answered, at {question.answered_at}."
    if question.answer == "nobody":
        return f"nobody could be asked when it came up, at {question.answered_at}."

    said = f"it was answered before: {question.answer}, at {question.answered_at}"
    if question.reason:
        return f"{said} ({question.reason})."

    return f"{said}."
