"""What an agent asks for, as a question of its turn."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from holdfast.guards.commands import CommandRules
from holdfast.testing.memory_edit_guard import MemoryEditGuard
from holdfast.tools.ports import Denied, GateAnswer, NoApprover, TurnCancelled
from holdfast.usecases.agents.permissions import Permissions
from holdfast.usecases.agents.ports import PermissionRequest
from holdfast.vocab.agent_events import AgentCall, AgentNote

ROOT = "/work/tree"


class Gate:
    """A gate that answers always the same, and keeps the questions."""

    def __init__(self, answer: GateAnswer) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def ask(self, what: str, subject: str, _why: str, _withdrawn: object) -> GateAnswer:
        self.asked.append((what, subject))
        return self.answer


PROTECTED = {"hooks/x": "git runs it"}


class Desk:
    """Permissions with a gate, and the notes."""

    def __init__(self, answer: GateAnswer = "yes") -> None:
        self.gate = Gate(answer)
        self.notes: list[AgentNote] = []
        rules = CommandRules(allow=("make test",), deny=("curl",))
        self.permissions = Permissions(
            cast("Any", self.gate),
            rules,
            ROOT,
            MemoryEditGuard(PROTECTED),
            ("sk-123456",),
            self.notes.append,
        )

    def decide(self, call: AgentCall, command: str | None = None) -> str:
        return self.permissions.decide(PermissionRequest(call, command), threading.Event())


def edit(*paths: str) -> AgentCall:
    return AgentCall("1", "Write it", "edit", paths=paths, diff="+x")


RUN = AgentCall("1", "Run it", "execute")


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (edit("a.py"), ("edit", "a.py")),
        (edit("/work/tree/src/a.py"), ("edit", "src/a.py")),
        (edit(".github/workflows/ci.yml"), ("protected", ".github/workflows/ci.yml")),
        (edit("/work/tree/hooks/x"), ("protected", "hooks/x")),
        (edit("/etc/passwd"), ("tool", "Write it: /etc/passwd")),
        (edit("../other/a.py"), ("tool", "Write it: ../other/a.py")),
        (AgentCall("1", "Fetch a page", "fetch"), ("tool", "Fetch a page")),
    ],
)
def test_a_call_is_asked_for_by_what_it_does(call: AgentCall, asked: tuple[str, str]) -> None:
    desk = Desk()
    assert desk.decide(call) == "once"
    assert desk.gate.asked == [asked]


def test_rules_decide_about_commands_before_anybody_is_asked() -> None:
    desk = Desk(Denied("no"))
    assert desk.decide(RUN, "make test") == "once"
    assert desk.decide(RUN, "ls") == "once"
    assert desk.gate.asked == []
    assert desk.decide(RUN, "curl example.invalid") == "deny"
    assert desk.gate.asked == []
    assert "forbids" in desk.notes[0].body["message"]
    assert desk.decide(RUN, "make install") == "deny"
    assert desk.gate.asked == [("command", "make install")]


def test_a_request_that_nobody_can_answer_is_kept_and_the_agent_is_told_to_stop() -> None:
    desk = Desk(NoApprover())
    assert desk.decide(RUN, "make install") == "cancelled"
    assert desk.permissions.unanswered == "make install"
    assert Desk(TurnCancelled()).decide(RUN, "make install") == "cancelled"


def test_a_key_of_holdfast_is_not_in_the_question() -> None:
    desk = Desk()
    desk.decide(RUN, "make KEY=sk-123456")
    assert "sk-123456" not in desk.gate.asked[0][1]
