"""Answers to the questions of turns, given by id: which count, and why others do not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from holdfast.usecases.approvals.answer import (
    AnswerRefused,
    PersonsAnswer,
    QuestionAnswered,
    answer_question,
)
from holdfast.usecases.approvals.ports import (
    AnsweredBefore,
    AnswerOutcome,
    AnswerRecorded,
    ApprovalRecord,
    NobodyWaits,
)
from holdfast.vocab.approvals import ApprovalEnd
from holdfast.vocab.events import ApprovalGiven

WAITING = ApprovalRecord(
    "a1", "s", "t", "command", "pytest -q", "", ("once", "always", "deny"), "now", waits=True
)


@dataclass
class Questions:
    """Questions in memory (port `ProjectQuestions`); `outcome` is what becomes of an answer."""

    records: tuple[ApprovalRecord, ...] = (WAITING,)
    outcome: AnswerOutcome = field(default_factory=AnswerRecorded)
    given: list[ApprovalGiven] = field(default_factory=list)

    def list(self, session: str | None, *, answered: bool) -> tuple[ApprovalRecord, ...]:
        return self.records

    def find(self, wanted: str) -> tuple[ApprovalRecord, ...]:
        return tuple(each for each in self.records if each.id.startswith(wanted))[:2]

    def answer(self, given: ApprovalGiven) -> AnswerOutcome:
        self.given.append(given)
        return self.outcome


@dataclass
class Grants:
    """What is always allowed (port `CommandGrants`)."""

    commands: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    def has(self, command: str) -> bool:
        return command in self.commands

    def add(self, command: str) -> None:
        self.commands.append(command)

    def add_rule(self, rule: str) -> None:
        self.rules.append(rule)


def refusal(said: PersonsAnswer, questions: Questions, wanted: str = "a1") -> str:
    """Return why the answer does not count; nothing may be allowed by it."""
    grants = Grants()
    refused = answer_question(wanted, said, questions, grants)
    assert isinstance(refused, AnswerRefused)
    assert grants == Grants()
    return refused.message


@pytest.mark.parametrize(
    ("said", "reason", "rule", "grants"),
    [
        (PersonsAnswer("once"), "", "", Grants()),
        (PersonsAnswer("deny", "not now"), "not now", "", Grants()),
        (PersonsAnswer("always"), "", "pytest -q", Grants(["pytest -q"])),
        (PersonsAnswer("always", by_rule=True), "pytest *", "pytest *", Grants([], ["pytest *"])),
    ],
)
def test_only_always_allows_a_command_from_now_on(
    said: PersonsAnswer, reason: str, rule: str, grants: Grants
) -> None:
    questions, allowed = Questions(), Grants()
    answered = answer_question("a", said, questions, allowed)
    given = ApprovalGiven("pytest -q", said.answer, "a1", reason)
    assert answered == QuestionAnswered(WAITING, given, rule)
    assert (questions.given, allowed) == ([given], grants)


def test_always_for_what_is_no_command_allows_no_command() -> None:
    question = replace(WAITING, what="edit", subject="a.py")
    grants = Grants()
    answer_question("a1", PersonsAnswer("always"), Questions((question,)), grants)
    assert grants == Grants()


def test_an_id_must_mean_exactly_one_question() -> None:
    both = Questions((WAITING, replace(WAITING, id="a2")))
    said = PersonsAnswer("once")
    assert refusal(said, both, "a") == (
        "a: several questions start with this; type more of the id."
    )
    assert refusal(said, both, "b") == (
        "b: there is no such question in this project; `holdfast approvals list` names those that "
        "wait."
    )


def test_an_answer_that_is_not_offered_is_refused_with_those_that_are() -> None:
    assert refusal(PersonsAnswer("session"), Questions()) == (
        "question a1: session is no answer to whether this command is allowed; answer one of once, "
        "always, deny."
    )


def test_a_command_without_first_words_cannot_be_allowed_by_them() -> None:
    question = replace(WAITING, subject="a && b")
    questions = Questions((question,))
    assert refusal(PersonsAnswer("always", by_rule=True), questions) == (
        "question a1: this command has no first words that could be allowed always; leave --prefix "
        "out to allow exactly this command."
    )
    assert questions.given == []


@pytest.mark.parametrize(
    ("answer", "reason", "told"),
    [
        ("once", "", "it was answered before: once, at noon."),
        ("deny", "no need", "it was answered before: deny, at noon (no need)."),
        ("cancelled", "", "its turn ended before it was answered, at noon."),
        ("nobody", "", "nobody could be asked when it came up, at noon."),
    ],
)
def test_the_first_answer_counts_and_the_second_is_told_it(
    answer: ApprovalEnd, reason: str, told: str
) -> None:
    record = replace(WAITING, answer=answer, reason=reason, answered_at="noon", waits=False)
    known = Questions((record,))
    assert refusal(PersonsAnswer("once"), known) == f"question a1: {told}"
    assert known.given == []
    meanwhile = Questions(outcome=AnsweredBefore(record))
    assert refusal(PersonsAnswer("always"), meanwhile) == f"question a1: {told}"


def test_nobody_is_told_that_an_answer_counts_where_the_turn_is_over() -> None:
    questions = Questions(outcome=NobodyWaits())
    assert refusal(PersonsAnswer("always"), questions) == (
        "question a1: nobody waits for an answer any more; turn t is over."
    )
