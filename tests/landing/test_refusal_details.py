"""Details of outcomes that a model or a person acts on: line numbers, counts, the end of a file."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, land, land_reply

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


def refused(outcome: Landed | Refused) -> Refused:
    assert isinstance(outcome, Refused), outcome
    return outcome


@pytest.mark.parametrize("above", [0, 1, 2])
def test_a_hunk_without_context_whose_lines_are_there_says_at_which_line(above: int) -> None:
    text = "other\n" * above + "a new line\nand more\n"
    outcome = refused(land(text, Patch("@@\n+a new line\n"), "a.txt"))
    assert (outcome.reason, outcome.candidates) == ("already_applied", (above + 1,))


def test_a_hunk_without_context_whose_lines_are_not_there_has_no_place() -> None:
    outcome = refused(land(TEXT, Patch("@@\n+a new line\n"), "a.txt"))
    assert (outcome.reason, outcome.candidates) == ("malformed", ())


@pytest.mark.parametrize("text", ["a\nb\n", "a\r\nb\r\n", "a\nb\r\n", "a\r\nb\n", "a\rb\r\n"])
def test_only_the_last_line_ending_goes_if_a_diff_takes_it(text: str) -> None:
    diff = "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"
    outcome = land(text, Patch(diff), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.rstrip("\r\n")


@pytest.mark.parametrize(
    ("end", "old", "count"), [(3, "d = 4\n", "1 line:"), (1, "c = 3\nd = 4\n", "2 lines:")]
)
def test_a_range_and_an_old_text_of_other_lines_are_both_shown(
    end: int, old: str, count: str
) -> None:
    outcome = refused(land(TEXT, LineEdits((LineEdit(1, end, "x\n", old),))))
    shown = "\n".join(f"{number}| {line}" for number, line in enumerate(TEXT.split("\n")[:end], 1))
    assert (outcome.reason, outcome.closest) == ("conflict", shown)
    assert f"oldText has {count}\n{old}The range is:\n{shown}" in outcome.message


@pytest.mark.parametrize("blanks", [0, 1, 3])
def test_blank_lines_between_the_names_of_a_file_and_its_hunk_are_nothing(blanks: int) -> None:
    files = {"x.txt": "one\n", "y.txt": "two\n"}
    gap = "\n" * blanks
    diff = (
        f"--- a/x.txt\n+++ b/x.txt\n{gap}@@ -1,1 +1,1 @@\n-one\n+uno\n"
        f"--- a/y.txt\n+++ b/y.txt\n{gap}@@ -1,1 +1,1 @@\n-two\n+due\n"
    )
    result = land_reply(diff, files)
    assert not isinstance(result, Refused), result
    assert result.files == {"x.txt": "uno\n", "y.txt": "due\n"}


@pytest.mark.parametrize("old", ["b = 2\n", "  b = 2\n", "not there\n"])
def test_the_same_text_twice_is_no_change_wherever_it_is(old: str) -> None:
    assert refused(land(TEXT, Replace(old, old))).reason == "no_change"


@pytest.mark.parametrize(("size", "shown"), [(200, "y" * 200), (201, f"{'y' * 200}…")])
def test_a_long_line_is_shown_up_to_two_hundred_characters(size: int, shown: str) -> None:
    text = f"a = 1\n{'y' * size}\nb = 2\nc = 3\n"
    outcome = refused(land(text, Replace("a = 1\nother\nb = 2\nc = 3\n", "x\n")))
    assert outcome.closest == f"1| a = 1\n2| {shown}\n3| b = 2\n4| c = 3"
