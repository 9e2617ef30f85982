from __future__ import annotations

import pytest

from holdfast.loop.context.ledger import EMPTY, render
from holdfast.loop.context.summary import (
    _latest,
    clip,
    compose_summary,
    request_summary,
    summarise_without_model,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, UserText

ROOM = 100
INTRO = "The conversation so far was longer than fits; this stands for its beginning."
OUTRO = "Go on with the task from here. Read a file again before you edit it."


def composed(task: str, summary: str) -> str:
    parts = (INTRO, f"# Task\n{task}", f"# Summary\n{summary}", render(EMPTY, ROOM), OUTRO)
    return "\n\n".join(parts)


def cut(letter: str, first: int, left_out: int, last: int) -> str:
    return f"{letter * first}\n[{left_out} characters left out]\n{letter.upper() * last}"


@pytest.mark.parametrize(
    ("prompts", "task"),
    [
        ((), "(see the summary)"),
        (("Fix it.", "Go on."), "Fix it.\n\nGo on."),
        (("p" * 100, "P" * 50), "p" * 100 + "\n\n" + "P" * 50),
        (("p" * 100 + "P" * 51,), cut("p", 83, 33, 35)),
        (
            ("p" * 60 + "P" * 40, "between", "q" * 60 + "Q" * 40),
            f"{cut('p', 13, 82, 5)}\n\n[1 messages of the user left out]\n\n{cut('q', 30, 57, 13)}",
        ),
    ],
)
def test_the_task_is_verbatim_if_it_fits_and_else_its_ends_are(
    prompts: tuple[str, ...], task: str
) -> None:
    assert compose_summary(" Done. ", prompts, EMPTY, ROOM) == composed(task, "Done.")


def test_a_long_summary_loses_its_middle() -> None:
    body = "s" * 100 + "S" * 100
    summary = cut("s", 48, 132, 20)
    assert compose_summary(body, ("Fix it.",), EMPTY, ROOM) == composed("Fix it.", summary)


@pytest.mark.parametrize(
    ("room", "expected"),
    [(50, "a" * 50), (49, cut("a", 17, 33, 0)), (32, cut("a", 0, 50, 0)), (0, cut("a", 0, 50, 0))],
)
def test_a_text_is_clipped_only_if_it_is_longer_than_the_room(room: int, expected: str) -> None:
    assert clip("a" * 50, room, keep_end=0.0) == expected


def test_without_a_model_the_latest_calls_that_fit_are_named() -> None:
    calls = tuple(ToolCall(str(number), "read_file", {"path": f"f{number}"}) for number in range(9))
    # Each line has 16 characters and its end, and half of the room is for them.
    summary = summarise_without_model([AssistantSaid("", calls)], room=2 * 3 * 17)
    assert summary == (
        "## Progress\n### Done\n- read_file f6: \n- read_file f7: \n- read_file f8: "
    )


def test_a_request_for_a_summary_keeps_both_ends_of_the_conversation_most_of_its_end() -> None:
    head = [UserText("FIRST"), *[UserText(f"number {each}") for each in range(400)]]
    request = request_summary(head, EMPTY, 1_000, 200)
    text = request.messages[1].text
    conversation = text.partition("\n</conversation>")[0]
    assert "FIRST" in conversation
    assert "number 399" in conversation
    assert conversation.count("number 39") > conversation.count("number 1\n")
    assert len(conversation) < 1_100
    assert request.max_tokens == 200


@pytest.mark.parametrize(("room", "expected"), [(8, "abc\ndef"), (7, "def"), (4, "def"), (3, "")])
def test_the_last_lines_that_fit_are_kept_each_with_its_line_break(
    room: int, expected: str
) -> None:
    assert _latest(["abc", "def"], room) == expected
    assert _latest(["def", "abc", "def"], room) == expected
