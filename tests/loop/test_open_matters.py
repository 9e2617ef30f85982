"""A turn that ends with something refused or failed: the model is asked once, and the end says it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast.guards.open_matters import question
from holdfast.guards.step_cap import StepCaps
from holdfast.loop.limits import LoopLimits
from holdfast.vocab.events import CommandRan, EditRefused, Event, OpenMatter, Retried, Said
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from tests.loop.playing import (
    DONE,
    EMPTY,
    Pieces,
    Played,
    ScriptedTools,
    Switch,
    calls,
    fails,
    nudges,
    play,
    reads,
    says,
)

WRITE = ("write_file", {"path": "a.py", "text": "x"})
OTHER = ("write_file", {"path": "b.py", "text": "x"})
TEST = ("run_command", {"command": "pytest  -q"})
REFUSED = OpenMatter("edit", "a.py", "a.py: the old text is not there.")
FAILED = OpenMatter("command", "pytest -q", "exit code 1")


def _refuse(path: str) -> ToolOutcome:
    message = f"{path}: the old text is not there."
    return ToolOutcome(message, "exec_error", events=(EditRefused(path, "not_found", message),))


def _ran(call: ToolCall, exit_code: int | None) -> ToolOutcome:
    line = call.arguments["command"]
    return ToolOutcome(f"Exit code {exit_code}.", events=(CommandRan(line, exit_code, ""),))


def _tools(*outcomes: Callable[[ToolCall], ToolOutcome]) -> ScriptedTools:
    """Tools whose calls have these outcomes, one after the other."""
    left = iter(outcomes)

    def outcome(call: ToolCall) -> ToolOutcome:
        return next(left)(call)

    return ScriptedTools(outcome)


def _refused(call: ToolCall) -> ToolOutcome:
    return _refuse(call.arguments["path"])


def _landed(call: ToolCall) -> ToolOutcome:
    return ToolOutcome("Written.", modified=(call.arguments["path"],))


def _fails(call: ToolCall) -> ToolOutcome:
    return _ran(call, 1)


def _passes(call: ToolCall) -> ToolOutcome:
    return _ran(call, 0)


def _end(played: Played) -> tuple[str, str]:
    return played.ended.stop_reason, played.ended.message


def test_a_refused_edit_is_asked_about_once_and_the_end_says_it() -> None:
    played = play([calls(WRITE), says("I have fixed a.py."), says("Fixed.")], _tools(_refused))
    assert nudges(played) == ["", "", question((REFUSED,))]
    assert [said.text for said in played.of(Said)] == ["", "Fixed."]
    assert _end(played) == (
        "done",
        "Ended after 3 steps, not all done: 1 edit was refused and not retried; no file changed.",
    )
    assert played.ended.unresolved == (REFUSED,)
    assert [retried.reason for retried in played.of(Retried)] == [
        "the turn would end, but 1 edit was refused and not retried"
    ]


@pytest.mark.parametrize("reply", [fails("refused"), fails("server"), EMPTY])
def test_a_question_without_a_reply_ends_the_turn_with_the_answer_there_was(reply: Pieces) -> None:
    played = play([calls(WRITE), says("I have fixed a.py."), reply], _tools(_refused))
    assert [said.text for said in played.of(Said)] == ["", "I have fixed a.py."]
    assert (played.ended.stop_reason, played.ended.unresolved) == ("done", (REFUSED,))


def test_a_cancel_during_the_question_keeps_the_answer() -> None:
    switch = Switch()

    def cancel(event: Event) -> None:
        switch.on = switch.on or isinstance(event, Retried)

    replies = [calls(WRITE), says("I have fixed a.py."), DONE]
    played = play(replies, _tools(_refused), cancel=switch, then=cancel)
    assert [said.text for said in played.of(Said)] == ["", "I have fixed a.py."]
    assert (played.ended.stop_reason, played.ended.unresolved) == ("cancelled", (REFUSED,))


def test_an_edit_that_lands_after_the_question_leaves_nothing_open() -> None:
    replies = [calls(WRITE), says("Fixed."), calls(WRITE), says("Fixed now.")]
    played = play(replies, _tools(_refused, _landed))
    assert _end(played) == ("done", "Done after 4 steps.")
    assert played.ended.unresolved == ()


def test_an_edit_that_was_retried_with_success_is_not_asked_about() -> None:
    played = play([calls(WRITE), calls(WRITE), DONE], _tools(_refused, _landed))
    assert len(played.model.asks) == 3
    assert _end(played) == ("done", "Done after 3 steps.")


def test_a_refused_edit_stays_open_when_another_file_is_edited() -> None:
    played = play([calls(WRITE), calls(OTHER), DONE], _tools(_refused, _landed))
    assert played.ended.unresolved == (REFUSED,)
    assert played.ended.message == (
        "Ended after 4 steps, not all done: 1 edit was refused and not retried."
    )


def test_an_edit_that_is_refused_again_is_one_matter_with_two_tries() -> None:
    played = play([calls(WRITE), calls(WRITE), DONE], _tools(_refused, _refused))
    (matter,) = played.ended.unresolved
    assert (matter.subject, matter.tries) == ("a.py", 2)
    assert "1 edit was refused and did not land" in played.ended.message


def test_an_edit_that_a_command_has_made_is_not_open() -> None:
    def by_command(call: ToolCall) -> ToolOutcome:
        ran = CommandRan(call.arguments["command"], 0, "")
        return ToolOutcome("Exit code 0.", modified=("a.py",), events=(ran,))

    played = play([calls(WRITE), calls(TEST), DONE], _tools(_refused, by_command))
    assert played.ended.unresolved == ()


def test_a_file_that_is_already_as_requested_is_not_open() -> None:
    def already(call: ToolCall) -> ToolOutcome:
        refused = EditRefused(call.arguments["path"], "already_applied", "already so")
        return ToolOutcome("already so", events=(refused,))

    played = play([calls(WRITE), calls(WRITE), DONE], _tools(_refused, already))
    assert played.ended.unresolved == ()


def test_a_failed_command_is_asked_about_and_named() -> None:
    played = play([calls(TEST), says("All tests pass.")], _tools(_fails))
    assert nudges(played) == ["", "", question((FAILED,))]
    assert played.ended.unresolved == (FAILED,)
    assert played.ended.message == (
        "Ended after 3 steps, not all done: 1 command failed; no file changed."
    )


def test_a_command_that_succeeds_later_is_not_open() -> None:
    again = ("run_command", {"command": "pytest -q"})
    played = play([calls(TEST), calls(again), DONE], _tools(_fails, _passes))
    assert len(played.model.asks) == 3
    assert played.ended.unresolved == ()


def test_a_command_that_only_reads_leaves_nothing_open() -> None:
    search = ("run_command", {"command": "grep -n nothing a.py"})
    played = play([calls(search), DONE], _tools(_fails))
    assert len(played.model.asks) == 2
    assert played.ended.unresolved == ()


def test_a_call_that_is_denied_is_open_with_the_reason() -> None:
    def deny(_: ToolCall) -> ToolOutcome:
        return ToolOutcome("The user does not allow this.", "permission_denied")

    played = play([calls(TEST), calls(WRITE), DONE], _tools(deny, deny))
    why = "The user does not allow this."
    assert played.ended.unresolved == (
        OpenMatter("command", "pytest -q", why, denied=True),
        OpenMatter("edit", "a.py", why, denied=True),
    )


def test_a_rejected_call_is_closed_by_the_next_call_of_the_same_tool() -> None:
    bad = calls(("write_file", {"wrong": 1}))
    left = play([bad, DONE])
    assert [(each.what, each.subject) for each in left.ended.unresolved] == [("call", "write_file")]
    assert play([bad, calls(WRITE), DONE]).ended.unresolved == ()


def test_a_failed_read_leaves_nothing_open() -> None:
    missing = ToolOutcome("there is no a.py", "exec_error")
    played = play([reads("a.py"), DONE], ScriptedTools(lambda _: missing))
    assert len(played.model.asks) == 2
    assert played.ended.unresolved == ()


def test_nothing_is_asked_at_the_last_step_and_the_end_still_says_it() -> None:
    limits = LoopLimits(StepCaps(2, 2))
    played = play([calls(OTHER), DONE], _tools(_refused), limits=limits)
    assert len(played.model.asks) == 2
    assert played.ended.stop_reason == "done"
    assert [each.subject for each in played.ended.unresolved] == ["b.py"]


def test_an_end_for_another_reason_says_what_is_open_too() -> None:
    limits = LoopLimits(StepCaps(1, 1))
    played = play([calls(WRITE), says("It is not done.")], _tools(_refused), limits=limits)
    assert played.ended.stop_reason == "cap"
    assert played.ended.message == (
        "Stopped after 1 step, the most allowed. "
        "Left open: 1 edit was refused and not retried; no file changed."
    )
