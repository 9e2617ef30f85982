"""What a person sees of a turn, event by event."""

from __future__ import annotations

import sys

import pytest

from holdfast.cli.render.turn import TerminalTurn
from holdfast.vocab.change_events import EditLanded
from holdfast.vocab.events import (
    CallStarted,
    CheckpointTaken,
    CommandRan,
    Event,
    ModelAwaited,
    ReasoningArrived,
    Said,
    TextArrived,
    TurnEnded,
    TurnStarted,
)
from holdfast.vocab.tool_calls import ToolCall

ANSWERED = TurnEnded("done", "Done after 1 step.", 1, 5, 2)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def shown(capsys: pytest.CaptureFixture[str], *events: Event) -> str:
    turn = TerminalTurn()
    for event in events:
        turn.show(event)
    return capsys.readouterr().out


def edit(change_id: str, path: str = "a.py", *, proposed: bool = False) -> EditLanded:
    return EditLanded(path, "edit", "exact", 1.0, "", change_id=change_id, proposed=proposed)


def test_a_blank_line_is_between_reasoning_and_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = shown(
        capsys,
        ReasoningArrived("Thinking "),
        ReasoningArrived("it over."),
        TextArrived("I look."),
        Said("I look."),
    )
    assert out == "Thinking it over.\n\nI look.\n"


def test_of_a_long_output_the_end_is_shown_and_the_rest_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = "".join(f"{number}\n" for number in range(20))
    lines = shown(capsys, CommandRan("ls", 0, output)).splitlines()
    assert lines == ["  … 14 lines more", *(f"  {n}" for n in range(14, 20)), "  exit 0"]


def test_a_short_output_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, CommandRan("ls", 1, "a\nb\n")) == "  a\n  b\n  exit 1\n"


def test_a_command_without_an_exit_code_was_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, CommandRan("ls", None, "")) == "  stopped (time limit or cancelled)\n"


def test_the_last_line_break_of_an_argument_is_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    call = ToolCall("1", "edit_file", {"path": "a.py", "old": "a\nb\n", "new": "c\n"})
    assert shown(capsys, CallStarted(call)) == "> edit_file a.py old=(2 lines) new=(1 line)\n"


def test_a_mere_answer_ends_without_a_way_back(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, TurnStarted("s1", "t1", "m", "Hi."), CheckpointTaken("c1"), ANSWERED)
    assert out.splitlines()[-2:] == ["Done after 1 step.", "tokens: 5 in, 2 out."]


def test_one_proposed_change_is_named_in_the_command_that_applies_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = shown(capsys, CheckpointTaken("c1"), edit("50a0", proposed=True), ANSWERED)
    assert out.splitlines()[-1] == (
        "1 change proposed (a.py). Review: `holdfast changes list`. "
        "Apply: `holdfast changes apply 50a0`."
    )


@pytest.mark.parametrize(
    ("rung", "similarity", "match"),
    [
        ("exact", 1.0, "exact match"),
        ("whitespace", 1.0, "matched ignoring white space"),
        ("unicode", 1.0, "matched ignoring typography"),
        ("unmangled", 1.0, "matched after unescaping"),
        ("elision", 1.0, "matched around omitted lines"),
        ("similar", 0.92, "approximate match, 92 %"),
        ("similar", 0.999, "approximate match, 99 %"),
    ],
)
def test_every_rung_has_plain_words(
    capsys: pytest.CaptureFixture[str], rung: str, similarity: float, match: str
) -> None:
    landed = EditLanded("a.py", "edit", rung, similarity, "")  # type: ignore[arg-type]
    assert shown(capsys, landed) == f"edited a.py ({match})\n"


def test_a_long_wait_for_the_first_word_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, ModelAwaited(20.0)) == "waiting for the first word, 20 s\n"
