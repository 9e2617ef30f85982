"""The diff of a landing: the one that `diff -u` makes of the two texts, wherever the edits are."""

from __future__ import annotations

import difflib
import itertools

import pytest

from holdfast import Landed, LineEdit, LineEdits, land

LINES = [f"line {n}" for n in range(1, 22)]


def marked(text: str) -> list[str]:
    """Return the lines of a diff of the text, without their marks."""
    *lines, last = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    if last:
        ended.append(f"{last}\n\\ No newline at end of file\n")
    return ended


def unified(before: str, after: str) -> str:
    """Return the hunks that the standard library makes of the two texts."""
    _, _, *hunks = difflib.unified_diff(marked(before), marked(after), "a", "b")
    return "".join(hunks)


def change(text: str, edits: dict[int, str]) -> Landed:
    """Land `edits`: for the number of each line the text that it becomes."""
    request = LineEdits(tuple(LineEdit(n, n, new) for n, new in edits.items()), shown=text)
    outcome = land(text, request)
    assert isinstance(outcome, Landed), outcome
    return outcome


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "newline"])
def test_the_diff_of_two_changes_is_the_common_one_at_any_distance(newline: str, end: str) -> None:
    text = newline.join(LINES) + end.replace("newline", newline)
    near = (1, 2, 4, 5, 9, 11, 12, 13, 14, 18, 20, 21)
    for one, other in itertools.combinations(near, 2):
        outcome = change(text, {one: f"changed\n{one}\n", other: f"changed\n{other}\n"})
        assert outcome.diff == unified(text, outcome.text)
        assert [span.line for span in outcome.spans] == [one, other]
    for line in near:
        outcome = change(text, {line: ""})
        assert outcome.diff == unified(text, outcome.text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_place_is_told_by_its_line_however_lines_end(newline: str) -> None:
    text = "".join(f"{line}{newline}" for line in LINES)
    outcome = change(text, {7: "seven\n", 19: "nineteen\n"})
    spans = [(text[span.start : span.end], span.line) for span in outcome.spans]
    assert spans == [(f"line 7{newline}", 7), (f"line 19{newline}", 19)]
    assert outcome.text == text.replace("line 7", "seven").replace("line 19", "nineteen")
    hunks = [line for line in outcome.diff.split("\n") if line.startswith("@@")]
    assert hunks == ["@@ -4,7 +4,7 @@", "@@ -16,6 +16,6 @@"]


def test_lines_that_are_added_above_move_the_lines_of_the_new_side() -> None:
    text = "".join(f"{line}\n" for line in LINES)
    outcome = change(text, {1: "one\nnext\nnext again\n", 12: "", 21: "last\n"})
    hunks = [line for line in outcome.diff.split("\n") if line.startswith("@@")]
    assert hunks == ["@@ -1,4 +1,6 @@", "@@ -9,7 +11,6 @@", "@@ -18,4 +19,4 @@"]


def test_the_diff_of_a_long_change_is_one_block() -> None:
    # Between long texts no lines are paired: that takes quadratic time.
    text = "".join(f"old {n}\n" for n in range(2_000)) + "end\n"
    new = "".join(f"new {n}\n" for n in range(2_000))
    outcome = land(text, LineEdits((LineEdit(2, 2_000, new),), shown=text))
    assert isinstance(outcome, Landed), outcome
    first, *lines = outcome.diff.split("\n")
    assert first == "@@ -1,2001 +1,2002 @@"
    assert [line[0] for line in lines[:-1]] == [" ", *"-" * 1_999, *"+" * 2_000, " "]
