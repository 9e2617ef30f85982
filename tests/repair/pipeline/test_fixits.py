"""The compiler's own fixes, applied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.syntax.fixits import Lines, apply_fixits, drops_explained_code
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Severity, TextEdit


def said(*fixits: FixIt, severity: Severity = "error", path: str = "a.c") -> Diagnostic:
    return Diagnostic("gcc", "12", "", severity, "m", "m", (), path, None, fixits)


def edit(
    line: int, column: int, end_line: int, end_column: int, text: str, path: str = "a.c"
) -> TextEdit:
    return TextEdit(path, Area(line, column, end_line, end_column), text)


def safe(*edits: TextEdit) -> FixIt:
    return FixIt("fix", edits, safe=True)


def test_edits_of_several_fixes_are_made_together() -> None:
    fixes = [said(safe(edit(1, 1, 1, 2, "A"))), said(safe(edit(2, 2, 2, 2, "!")))]
    assert apply_fixits("ab\ncd\n", "a.c", fixes, guessed=False) == "Ab\nc!d\n"


def test_a_fix_that_touches_another_is_left_for_the_next_round() -> None:
    fixes = [said(safe(edit(1, 1, 1, 3, "x"))), said(safe(edit(1, 2, 1, 4, "y")))]
    assert apply_fixits("abcd\n", "a.c", fixes, guessed=False) == "xcd\n"


def test_two_insertions_at_one_place_are_not_guessed_an_order_for() -> None:
    fixes = [said(safe(edit(1, 3, 1, 3, ";"))), said(safe(edit(1, 3, 1, 3, ")")))]
    assert apply_fixits("ab\n", "a.c", fixes, guessed=False) == "ab;\n"


def test_only_the_first_fix_of_a_complaint_is_taken() -> None:
    assert (
        apply_fixits(
            "a\n",
            "a.c",
            [said(safe(edit(1, 1, 1, 2, "x")), safe(edit(1, 2, 1, 2, "y")))],
            guessed=False,
        )
        == "x\n"
    )


def test_what_is_not_called_safe_waits_for_leave() -> None:
    fixes = [said(FixIt("maybe", (edit(1, 1, 1, 2, "x"),)))]
    assert apply_fixits("a\n", "a.c", fixes, guessed=False) is None
    assert apply_fixits("a\n", "a.c", fixes, guessed=True) == "x\n"


def test_a_warning_and_another_files_fix_are_left_alone() -> None:
    fix = safe(edit(1, 1, 1, 2, "x"))
    assert apply_fixits("a\n", "a.c", [said(fix, severity="warning")], guessed=True) is None
    elsewhere = safe(edit(1, 1, 1, 2, "x"), edit(1, 1, 1, 2, "y", "b.h"))
    assert apply_fixits("a\n", "a.c", [said(elsewhere)], guessed=True) is None


def test_a_place_that_is_not_in_the_text_is_no_fix() -> None:
    for area in [(9, 1, 9, 1), (1, 9, 1, 9), (0, 1, 1, 1), (1, 2, 1, 1), (1, 0, 1, 1)]:
        assert apply_fixits("a\n", "a.c", [said(safe(edit(*area, "x")))], guessed=True) is None


def test_new_lines_are_the_files_own() -> None:
    assert (
        apply_fixits("a\r\nb\r\n", "a.c", [said(safe(edit(2, 1, 2, 1, "x\n")))], guessed=True)
        == "a\r\nx\r\nb\r\n"
    )


def test_the_end_of_the_text_is_a_place() -> None:
    assert (
        apply_fixits("a\n", "a.c", [said(safe(edit(2, 1, 2, 1, "b\n")))], guessed=True) == "a\nb\n"
    )
    assert apply_fixits("a", "a.c", [said(safe(edit(1, 2, 1, 2, ";")))], guessed=True) == "a;"


@given(st.text(st.sampled_from("ab\n\r\f")), st.integers(-1, 6), st.integers(-1, 6))
def test_any_place_is_in_the_text_or_none(text: str, line: int, column: int) -> None:
    span = Lines(text).span(Area(line, column, line, column))
    assert span is None or 0 <= span[0] == span[1] <= len(text)


@pytest.mark.parametrize(
    ("after", "dropped"),
    [
        ("import sys\n", True),
        ("import os\nimport sys\n", False),
        ("import os  # for its effect\n", False),
    ],
)
def test_code_with_a_comment_that_explains_it_is_not_dropped(after: str, dropped: bool) -> None:
    before = "import os  # for its effect\nimport sys\n"
    assert drops_explained_code(before, after, "python") is dropped
