"""The setup command of a project: judged, approved, run once in a new worktree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from holdfast.guards.commands import CommandRules
from holdfast.tools.ports import CommandDone
from holdfast.usecases.approvals.answer import PersonsAnswer
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.turns.approvals import Question
from holdfast.usecases.worktrees.ports import SetupOutcome
from holdfast.usecases.worktrees.setup import ProjectSetup
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ApprovalGiven
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.sandbox import SandboxKind, SandboxStatus
from tests.usecases.test_answer import Grants
from tests.usecases.worktrees.test_session_worktrees import MINE


class Machine:
    """Runs nothing, and says what it was asked for (ports `Commands`, `Asker` and `EventLog`)."""

    def __init__(self) -> None:
        self.sandbox = SandboxStatus("bubblewrap")
        self.done = CommandDone(0, "made with sk-12345678")
        self.ran: list[dict[str, Any]] = []
        self.answer: PersonsAnswer | None = PersonsAnswer("once")
        self.asked: list[Question] = []
        self.events: list[OwnedEvent] = []
        self.away = ""

    def run(self, argv: Sequence[str], level: str, **named: Any) -> CommandDone:
        assert not named["cancel"].is_set()
        self.ran.append({"argv": tuple(argv), "level": level, **named})
        return self.done

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        assert not over.is_set()
        self.asked.append(question)
        return self.answer

    def show_other_answer(self, given: ApprovalGiven) -> None:
        raise NotImplementedError

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        if self.away:
            raise EventsUnavailable(self.away)
        self.events += events
        return len(self.events)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def setup(machine: Machine, command: str = "npm install", **changed: Any) -> ProjectSetup:
    made = ProjectSetup(
        command,
        CommandRules(),
        Grants(),
        machine,
        lambda _: cast("Any", machine),
        cast("Any", machine),
        60.0,
        secrets=("sk-12345678",),
    )
    return replace(made, **changed)


def denied(made: ProjectSetup) -> str:
    outcome = made.run(MINE)
    assert outcome == SetupOutcome(made.command, None, why=outcome.why)
    return outcome.why


def test_a_command_that_is_allowed_runs_in_the_worktree_and_is_on_record(machine: Machine) -> None:
    outcome = setup(machine, network=True).run(MINE)
    assert outcome == SetupOutcome("npm install", 0, "made with sk-12345678")
    [ran] = machine.ran
    assert (ran["level"], ran["cwd"], ran["timeout"], ran["network"]) == (
        "write",
        "/w/s1",
        60.0,
        True,
    )
    assert ran["git"] == "read"
    [event] = machine.events
    assert (event.session, "sk-12345678" in repr(event)) == ("s1", False)
    [question] = machine.asked
    assert question.asked.subject == "npm install"
    assert question.asked.why.startswith(
        "the project's [worktree] setup runs it in the new worktree; "
    )


def test_what_ended_or_blocked_the_command_is_said(machine: Machine) -> None:
    machine.done = CommandDone(None, "", timed_out=True, blocked="no network.")
    assert setup(machine).run(MINE).why == "it was ended after 60 seconds"
    machine.done = CommandDone(1, "", blocked="no network.")
    assert setup(machine).run(MINE).why == "no network."
    machine.away = "the log is away."
    assert setup(machine).run(MINE).why == "no network. the log is away."


def test_a_command_that_the_user_allows_or_has_granted_is_not_asked_for(machine: Machine) -> None:
    assert setup(machine, rules=CommandRules(("npm *",))).run(MINE).exit_code == 0
    assert setup(machine, grants=Grants(["npm install"])).run(MINE).exit_code == 0
    assert machine.asked == []


@pytest.mark.parametrize(
    ("said", "grants"),
    [
        (PersonsAnswer("once"), Grants()),
        (PersonsAnswer("session"), Grants()),
        (PersonsAnswer("always"), Grants(["npm install"])),
        (PersonsAnswer("always", by_rule=True), Grants([], ["npm install *"])),
    ],
)
def test_only_always_is_remembered(machine: Machine, said: PersonsAnswer, grants: Grants) -> None:
    machine.answer = said
    allowed = Grants()
    assert setup(machine, grants=allowed).run(MINE).exit_code == 0
    assert allowed == grants


def test_a_command_that_only_reads_is_asked_for_as_it_would_run_by_the_projects_settings(
    machine: Machine,
) -> None:
    why = denied(setup(machine, "git status", asker=None))
    assert why == "nobody is there to allow it; run it yourself in the worktree"
    assert setup(machine, "git status").run(MINE).exit_code == 0
    assert [question.asked.subject for question in machine.asked] == ["git status"]


@pytest.mark.parametrize("said", [None, PersonsAnswer("deny")])
def test_a_command_that_a_person_does_not_allow_does_not_run(
    machine: Machine, said: PersonsAnswer | None
) -> None:
    machine.answer = said
    assert denied(setup(machine)) == "the user does not allow it"
    assert machine.ran == []


@pytest.mark.parametrize(
    ("kind", "unattended", "weak", "runs"),
    [
        ("bubblewrap", True, False, True),
        ("bubblewrap", False, False, False),
        ("landlock", True, False, False),
        ("landlock", True, True, True),
        ("none", True, True, False),
    ],
)
def test_without_a_person_only_a_sandbox_that_holds_lets_a_command_run(
    machine: Machine, kind: SandboxKind, unattended: bool, weak: bool, runs: bool
) -> None:
    machine.sandbox = SandboxStatus(kind)
    made = setup(machine, asker=None, unattended=unattended, weak_sandbox=weak)
    if runs:
        assert made.run(MINE).exit_code == 0
        return
    why = denied(made)
    assert why.startswith("nobody is there to allow it")
    assert why.endswith("; run it yourself in the worktree")
    assert ("although" in why) == unattended


def test_the_gaps_of_the_sandbox_are_in_the_question(machine: Machine) -> None:
    machine.sandbox = SandboxStatus("landlock")
    setup(machine).run(MINE)
    assert "files with secrets in the project can be read" in machine.asked[0].asked.why
