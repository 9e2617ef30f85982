"""The edges of an edit: line endings, context of the diff, blank lines, what moved since it was shown."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land

NINE = "".join(f"line {n}\n" for n in range(1, 10))


def test_a_diff_has_three_lines_of_context_on_both_sides() -> None:
    outcome = land(NINE, Replace("line 5\n", "LINE 5\n"))
    assert isinstance(outcome, Landed)
    assert outcome.diff == (
        "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+LINE 5\n line 6\n line 7\n line 8\n"
    )


@pytest.mark.parametrize(
    ("at", "now", "expected"),
    [
        (1, "zero\none\ntwo\n", None),
        (1, "one\ntwo\nthree\n", "new\none\ntwo\nthree\n"),
        (2, "zero\none\ntwo\n", "zero\none\nnew\ntwo\n"),
        (3, "zero\none\ntwo\n", "zero\none\ntwo\nnew\n"),
        (3, "one\ntwo\nthree\n", None),
    ],
)
def test_an_insertion_follows_its_neighbours_but_not_past_an_end_that_grew(
    at: int, now: str, expected: str | None
) -> None:
    """What is new at the top or at the bottom may be this very insertion."""
    outcome = land(now, LineEdits((LineEdit(at, at - 1, "new\n"),), shown="one\ntwo\n"))
    if expected is None:
        assert isinstance(outcome, Refused)
        assert outcome.reason == "stale"
        return
    assert isinstance(outcome, Landed)
    assert outcome.text == expected


@pytest.mark.parametrize(
    ("end", "new_end", "expected"),
    [
        ("\n\n\n", "\n\n", "\n\n"),
        ("\n\n\n", "\n", "\n"),
        ("\n\n\n", "", "\n"),
        ("\n", "\n\n\n", "\n"),
        ("", "\n", ""),
        ("\n", "", "\n"),
    ],
)
def test_a_whole_file_whose_last_line_is_new_ends_in_no_more_blank_lines_than_the_file(
    end: str, new_end: str, expected: str
) -> None:
    outcome = land(f"a = 1\nb = 2{end}", WriteFile(f"a = 1\nb = 3{new_end}"), "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == f"a = 1\nb = 3{expected}"


def test_edits_with_only_blank_lines_between_are_one_and_others_stay_apart() -> None:
    text = "a\n\nb\nkept one\nkept two\nkept three\nc\n\nd\nkept four\n"
    old = text
    new = "A\n\nB\nkept one\nkept two\nkept three\nC\n\nD\nkept four\n"
    outcome = land(text.replace("kept two", "kept  two"), Replace(old, new))
    assert isinstance(outcome, Landed)
    assert outcome.text == new.replace("kept two", "kept  two")


def test_a_line_of_a_file_with_mixed_endings_keeps_its_own() -> None:
    outcome = land("a\r\nb\nc\r\nd\n", Replace("b\nc\n", "B\nC\n"))
    assert isinstance(outcome, Landed)
    assert outcome.text == "a\r\nB\nC\r\nd\n"


def test_a_name_is_no_line_to_insert_below_where_text_stands_before_it() -> None:
    """`value` is a word in its line: what is added behind it stays in that line's place."""
    outcome = land("x = value + 1\n", Replace("value", "value\n    other"), "a.txt")
    assert isinstance(outcome, Landed)
    assert outcome.text == "x = value\n    other + 1\n"


def test_numbers_before_the_old_lines_may_be_missing_on_blank_ones() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return 3\n"
    old = "1\tdef f():\n2\t    return 1\n\n4\t\n5\tdef g():\n"
    outcome = land(text, Replace(old, "def f():\n    return 2\n\n\ndef g():\n"), "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("return 1", "return 2")


def test_a_mark_around_the_new_text_of_a_line_edit_is_judged_by_the_lines_of_its_range() -> None:
    text = "def f():\n    return 1\n"
    fenced = LineEdits((LineEdit(2, 2, "```\n    return 2\n```"),), shown=text)
    outcome = land(text, fenced, "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == "def f():\n    return 2\n"
    page = "# Run\n```\nmake\n```\n"
    honest = LineEdits((LineEdit(2, 4, "```\nmake run\n```\n"),), shown=page)
    landed = land(page, honest, "a.md")
    assert isinstance(landed, Landed)
    assert landed.text == "# Run\n```\nmake run\n```\n"


def test_the_name_of_a_block_may_follow_the_marks_of_a_hunk_without_a_blank() -> None:
    text = "class A:\n    x = 1\n\n\nclass B:\n    x = 1\n"
    outcome = land(text, Patch("--- a/a.py\n+++ b/a.py\n@@class B:\n-    x = 1\n+    x = 2\n"))
    assert isinstance(outcome, Landed)
    assert outcome.text == "class A:\n    x = 1\n\n\nclass B:\n    x = 2\n"


def test_only_the_first_of_two_byte_order_marks_is_the_files() -> None:
    text = "\ufeff\ufeffa = 1\n"
    outcome = land(text, LineEdits((LineEdit(1, 1, "b = 2\n"),), shown=text))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "\ufeffb = 2\n"


def test_what_is_left_of_a_line_that_the_file_had_is_no_foreign_mark() -> None:
    outcome = land("11\u00a0", Replace("11", ""))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "\u00a0"


def test_a_newline_more_than_a_part_of_an_indented_line_has_is_an_empty_line() -> None:
    outcome = land("  load()\n", Replace(" load()", "save()\n"))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text.split("\n")[1:] == ["", ""]
