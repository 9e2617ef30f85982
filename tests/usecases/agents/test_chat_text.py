"""The conversation as one text: all of it, or without the oldest output of tools."""

from __future__ import annotations

from holdfast.usecases.agents.chat_text import chat_text
from holdfast.vocab.agent_events import AgentCall
from holdfast.vocab.events import CallEnded, RepairEnded, Said
from holdfast.vocab.transcript import UserText


def call(name: str, text: str) -> AgentCall:
    return AgentCall(name, f"Run {name}", "execute", "done", text=text)


def test_who_said_and_did_what_in_order() -> None:
    past = (
        UserText("Fix it."),
        Said("I look."),
        CallEnded("1", "read_file", "x = 1"),
        AgentCall("2", "Edit a.py", "edit", "failed", diff="-x\n+y", text="no"),
        Said("Sorry."),
    )
    head, *blocks = chat_text(past).split("\n\n")
    assert head == "The conversation so far, in which you may not have taken part:"
    assert blocks == [
        "User: Fix it.",
        "Assistant: I look.",
        "Tool: read_file\nx = 1",
        "Tool: Edit a.py (failed)\n-x\n+y\nno",
        "Assistant: Sorry.",
    ]
    assert chat_text(()) == ""


def test_the_oldest_output_is_left_out_first() -> None:
    past = (UserText("Go."), call("1", "a" * 3000), call("2", "b" * 3000), Said("Done."))
    text = chat_text(past, longest=3_200)
    assert "Run 1 (done)\n[output left out]" in text
    assert "b" * 3000 in text
    assert "User: Go." in text


def test_then_the_oldest_messages() -> None:
    past = tuple(UserText(f"message {number} " + "x" * 90) for number in range(10))
    text = chat_text(past, longest=350)
    assert "[earlier messages are left out]" in text
    assert "message 6" not in text
    assert "message 9" in text
    assert len(text) < 600


def test_only_a_repair_that_changed_a_file_is_told_and_words_that_are_none_are_not() -> None:
    past = (
        Said(" \n"),
        RepairEnded("a.py", "RuleRepaired", success=True, message="", change_id="c1"),
        RepairEnded("b.py", "FirstTrySuccess", success=True, message=""),
    )
    assert chat_text(past).split("\n\n")[1:] == ["Tool: a.py was repaired after the turn"]
