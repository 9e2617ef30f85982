"""Whole files."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, WriteFile, land


def test_a_whole_file_replaces_the_text_and_shows_what_changed() -> None:
    outcome = land("a\nb\nc\n", WriteFile("a\nx\nc\n"))
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.rung) == ("a\nx\nc\n", "exact")
    assert outcome.diff == "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("\ufeffa\n", "b\n", "\ufeffb\n"),
        ("", "b\n", "b\n"),
        ("a\n", "", ""),
    ],
)
def test_the_files_newlines_and_byte_order_mark_stay(before: str, new: str, after: str) -> None:
    outcome = land(before, WriteFile(new))
    assert isinstance(outcome, Landed)
    assert outcome.text == after


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of code unchanged ...",
        "// ... existing code ...",
        "/* ... */",
        "<!-- rest of the page stays the same -->",
        "    # (rest of the methods remain unchanged)",
    ],
)
def test_a_placeholder_for_code_is_refused(line: str) -> None:
    outcome = land("a\nb\nc\n", WriteFile(f"a\n{line}\n"))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "elision"
    assert line.strip() in outcome.message


def test_a_placeholder_that_the_file_has_already_is_content() -> None:
    assert isinstance(
        land("a\n# ... existing code ...\n", WriteFile("b\n# ... existing code ...\n")), Landed
    )


def test_an_ellipsis_that_is_code_is_no_placeholder() -> None:
    assert isinstance(
        land("", WriteFile("class P(Protocol):\n    def f(self) -> int:\n        ...\n")), Landed
    )


def test_the_same_text_is_no_change() -> None:
    outcome = land("a\n", WriteFile("a\n"))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "no_change"


def test_a_fence_around_the_whole_file_is_refused_except_in_markdown() -> None:
    outcome = land("a = 1\n", WriteFile("```python\na = 2\n```\n"), path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert isinstance(land("x\n", WriteFile("```sh\nmake\n```\n"), path="a.md"), Landed)
