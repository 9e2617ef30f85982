from __future__ import annotations

import threading
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.tools.ports import ApprovalSubject, Denied, NoApprover
from holdfast.usecases.turns.approvals import ApprovalAnswer, ApprovalMode, Approvals
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ApprovalAsked, ApprovalGiven, Event


class _Person:
    def __init__(self, *answers: ApprovalAnswer) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def ask(self, asked: ApprovalAsked, cancel: Cancel) -> ApprovalAnswer:
        self.asked.append(asked.subject)
        return self.answers.pop(0)


def _gate(
    tmp_path: Path,
    mode: ApprovalMode,
    person: _Person | None = None,
    seen: list[Event] | None = None,
) -> Approvals:
    return Approvals(
        mode,
        person,
        DiskGrants(tmp_path, "here"),
        (seen if seen is not None else []).append,
        threading.Event(),
    )


@pytest.mark.parametrize(
    ("mode", "what", "verdict"),
    [
        ("auto", "edit", "yes"),
        ("auto", "command", "yes"),
        ("ask", "edit", "yes"),
        ("ask", "protected", NoApprover()),
        ("ask", "command", NoApprover()),
        ("ask", "read", NoApprover()),
        ("ask", "trust", NoApprover()),
        ("review", "edit", "yes"),
        ("review", "protected", NoApprover()),
        ("auto", "protected", "yes"),
        ("auto", "trust", "yes"),
        ("review", "command", NoApprover()),
        ("review", "read", NoApprover()),
    ],
)
def test_without_somebody_to_ask_edits_go_ahead_and_commands_wait(
    tmp_path: Path, mode: ApprovalMode, what: ApprovalSubject, verdict: object
) -> None:
    assert _gate(tmp_path, mode).ask(what, "x", "why") == verdict


def test_in_auto_mode_a_secret_is_not_read(tmp_path: Path) -> None:
    denied = _gate(tmp_path, "auto").ask("read", ".env", "why")
    assert isinstance(denied, Denied)
    assert denied.message.startswith(".env: this file may hold secrets")


@pytest.mark.parametrize("what", ["edit", "protected", "command", "read"])
def test_once_is_asked_again(tmp_path: Path, what: ApprovalSubject) -> None:
    person = _Person("once", "deny")
    gate = _gate(tmp_path, "ask", person)
    assert gate.ask(what, "x", "why") == "yes"
    assert gate.ask(what, "x", "why") == Denied(
        "x: the user does not allow this; do without it, or ask what to do instead."
    )


def test_a_command_for_this_session_is_that_command_only(tmp_path: Path) -> None:
    person = _Person("session", "deny")
    gate = _gate(tmp_path, "ask", person)
    verdicts = [gate.ask("command", each, "why") for each in ("make", "make", "rm x")]
    assert verdicts[:2] == ["yes", "yes"]
    assert verdicts[2] == Denied(
        "rm x: the user does not allow this; do without it, or ask what to do instead."
    )
    assert person.asked == ["make", "rm x"]


def test_edits_for_this_session_are_all_edits(tmp_path: Path) -> None:
    person = _Person("session")
    gate = _gate(tmp_path, "ask", person)
    assert [gate.ask("edit", each, "why") for each in ("a.py", "b.py")] == ["yes", "yes"]
    assert person.asked == ["a.py"]


def test_always_this_command_outlives_the_session_and_is_of_this_project(tmp_path: Path) -> None:
    assert _gate(tmp_path, "ask", _Person("always")).ask("command", "make", "why") == "yes"
    assert _gate(tmp_path, "ask").ask("command", "make", "why") == "yes"
    assert _gate(tmp_path, "ask").ask("command", "make install", "why") == NoApprover()
    grants = DiskGrants(tmp_path, "other")
    other = Approvals("ask", None, grants, lambda _: None, threading.Event())
    assert other.ask("command", "make", "why") == NoApprover()


def test_in_review_mode_edits_are_not_asked_about_for_they_wait_anyway(tmp_path: Path) -> None:
    assert _gate(tmp_path, "review", _Person()).ask("edit", "a.py", "why") == "yes"


def test_question_and_answer_are_on_record(tmp_path: Path) -> None:
    seen: list[Event] = []
    _gate(tmp_path, "ask", _Person("deny"), seen).ask("command", "make", "why")
    _gate(tmp_path, "ask", None, seen).ask("command", "make", "why")
    assert seen == [
        ApprovalAsked("command", "make", "why"),
        ApprovalGiven("make", "deny"),
        ApprovalAsked("command", "make", "why"),
        ApprovalGiven("make", "nobody"),
    ]
