"""Where a hunk goes: within the section that its header names, and up to the end of the file if it says so."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, Replace, land

CLASSES = """\
class A:
    def f(self):
        one()
        two()


class B:
    def f(self):
        one()
        two()
"""


def told(outcome: Landed | Refused) -> str | tuple[str, tuple[int, ...]]:
    """Return the new text, or the reason of the refusal and the lines it names."""
    if isinstance(outcome, Landed):
        return outcome.text
    return outcome.reason, outcome.candidates


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("@@ class A:", 4),
        ("@@ class B:", 10),
        ("@@ class B:\n@@     def f(self):", 10),
        # Git cuts long lines short.
        ("@@ class B", 10),
        # The line that git writes there, beside numbers that are off.
        ("@@ -8,3 +8,3 @@ class B:", 10),
        ("@@ -1,3 +1,3 @@ class B:", 10),
        ("@@ -9,2 +9,2 @@", 10),
        ("@@ -3,2 +3,2 @@", 4),
        # In both classes there is such a line, and a line that is nowhere says nothing.
        ("@@ def f(self):", None),
        ("@@ class", None),
        ("@@ class C:", None),
        ("@@", None),
    ],
)
def test_a_header_picks_the_block_that_it_names(header: str, line: int | None) -> None:
    lines = CLASSES.splitlines(keepends=True)
    if line is not None:
        lines[line - 1] = "        three()\n"
    diff = f"{header}\n         one()\n-        two()\n+        three()\n"
    after = "".join(lines) if line is not None else ("ambiguous", (3, 9))
    assert told(land(CLASSES, Patch(diff), "a.py")) == after


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        # The newline at the end of the file stays, or is missing as before, if the hunk says nothing of it.
        ("a\nb\nc", " b\n-c\n+d\n", "a\nb\nd"),
        ("a\nb\nc\n", " b\n-c\n+d\n", "a\nb\nd\n"),
        ("a\nb\nc", "-a\n+x\n b\n", "x\nb\nc"),
        # The hunk says that it goes, comes or stays away.
        ("a\nb\nc\n", " b\n-c\n+d\n\\ No newline at end of file\n", "a\nb\nd"),
        ("a\nb\nc", " b\n-c\n\\ No newline at end of file\n+d\n", "a\nb\nd\n"),
        ("a\nb\nc", " b\n-c\n\\ No newline at end of file\n+d\n\\ No newline at end of file\n", "a\nb\nd"),
        ("a\nb\nc", " b\n-c\n\\ No newline at end of file\n+c\n", "a\nb\nc\n"),
        ("a\nb\nc\n", " b\n-c\n+c\n\\ No newline at end of file\n", "a\nb\nc"),
        # Above the last line of the file the mark says nothing.
        ("a\nb\nc\n", " a\n-b\n+x\n\\ No newline at end of file\n", "a\nx\nc\n"),
        # A line that stays has its newline.
        ("a\nb\nc\n", "-b\n+x\n c\n\\ No newline at end of file\n", "a\nx\nc\n"),
    ],
)  # fmt: skip
def test_the_end_of_the_file_is_as_the_hunk_says(text: str, body: str, after: str) -> None:
    assert told(land(text, Patch(f"@@\n{body}"), "a.txt")) == after


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        # Each line lost a blank of its own, or its mark did: the file tells which.
        (" a()\n b()\n c()\n", " a()\n-b()\n+d()\n c()\n", " a()\n d()\n c()\n"),
        ("  a()\n  b()\n  c()\n", "  a()\n- b()\n+ d()\n  c()\n", "  a()\n  d()\n  c()\n"),
        # A line of the file that begins with another white space says nothing about the new one.
        ("build:\n\tone\n\ttwo\n \tthree\n", " build:\n \tone\n-\ttwo\n+\t2\n \tthree\n", "build:\n\tone\n\t2\n \tthree\n"),
    ],
)  # fmt: skip
def test_new_lines_of_a_hunk_have_the_white_space_of_the_file(
    text: str, body: str, after: str
) -> None:
    assert told(land(text, Patch(f"@@\n{body}"), "a.txt")) == after


TWICE = "def one():\n    s()\n    x()\n    s()\n    y()\n    a()\n    t()\n"


@pytest.mark.parametrize(
    ("old", "changes", "after"),
    [
        # A line above the change that is there twice: the nearest one is above it, whichever is meant.
        ("    s()\n    # ...\n    a()\n", {"a()": "a(1)"}, TWICE.replace("a()", "a(1)")),
        (
            "    s()\n    # ...\n    a()\n    # ...\n    t()\n",
            {"a()": "a(1)", "t()": "t(1)"},
            TWICE.replace("a()", "a(1)").replace("t()", "t(1)"),
        ),
        # If the line itself changes, it matters which one is meant.
        ("    s()\n    # ...\n    a()\n", {"s()": "s(0)"}, ("ambiguous", (2, 4))),
        ("    s()\n    # ...\n    a()\n    # ...\n    t()\n", {"s()": "s(0)", "a()": "a(1)"}, ("ambiguous", (2, 4))),
        ("    x()\n    # ...\n    y()\n    # ...\n    t()\n", {"t()": "t(1)"}, TWICE.replace("t()", "t(1)")),
        ("    x()\n    # ...\n    y()\n    a()\n    # ...\n    t()\n", {"x()": "x(1)"}, TWICE.replace("x()", "x(1)")),
    ],
)  # fmt: skip
def test_dots_between_lines_that_are_there_twice(
    old: str, changes: dict[str, str], after: str | tuple[str, tuple[int, ...]]
) -> None:
    new = old
    for was, becomes in changes.items():
        new = new.replace(was, becomes)
    assert told(land(TWICE, Replace(old, new), "a.py")) == after


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("b {\n  ...\n  z;\n}\n", "b {\n  ...\n  w;\n}\n", "a {\n  x;\n  y;\n}\nb {\n  x;\n  w;\n}\n"),
        # Another block begins between them.
        ("a {\n  ...\n  z;\n}\n", "a {\n  ...\n  w;\n}\n", ("not_found", ())),
    ],
)  # fmt: skip
def test_dots_do_not_reach_into_another_block(
    old: str, new: str, after: str | tuple[str, tuple[int, ...]]
) -> None:
    text = "a {\n  x;\n  y;\n}\nb {\n  x;\n  z;\n}\n"
    assert told(land(text, Replace(old, new), "a.css")) == after
