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


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\n", "a\r\nc\r\n"),
        ("a\r\nb\nc\n", "a\nb\nd\n", "a\r\nb\nd\n"),
        ("a\nb\n", "a\nc", "a\nc\n"),
        ("a\nb", "a\nc\n", "a\nc"),
        ("a\nb\n", "\ufeffa\nc\n", "a\nc\n"),
    ],
)
def test_the_file_keeps_its_own_conventions(before: str, new: str, after: str) -> None:
    outcome = land(before, WriteFile(new))
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.warning) == (after, None)


CS = (
    "class S\n{\n    int A()\n    {\n        var a = 1;\n        return a;\n    }\n\n"
    "    int B()\n    {\n        var b = 2;\n        return b;\n    }\n\n"
    "    int C()\n    {\n        var c = 3;\n        return c;\n    }\n}\n"
)
B_BLOCK = CS[CS.index("    int B") : CS.index("    int C")]


def test_a_comment_in_the_place_of_a_block_is_a_placeholder() -> None:
    new = CS.replace(B_BLOCK, "    // unchanged\n").replace("a = 1", "a = 9")
    outcome = land(CS, WriteFile(new), "a.cs")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "elision"
    without = CS.replace(B_BLOCK, "").replace("a = 1", "a = 9")
    assert isinstance(land(CS, WriteFile(without), "a.cs"), Landed)
    # A comment where a block is replaced by another is about that block.
    other = CS.replace(B_BLOCK, "    // one line\n    int D() { return 4; }\n\n")
    assert isinstance(land(CS, WriteFile(other), "a.cs"), Landed)


def test_a_comment_is_about_new_lines_or_about_a_line_that_it_comments_out() -> None:
    checks = "def test():\n    with a:\n        b()\n    with c:\n        d()\n    e()\n"
    new = "def test():\n    # it returns an error now\n    x = b()\n    y = d()\n    f(x, y)\n"
    assert isinstance(land(checks, WriteFile(new), "a.py"), Landed)
    text = "a: 1\ngithub: x\nb: 2\n"
    assert isinstance(land(text, WriteFile(text.replace("github", "# github")), "a.yml"), Landed)


def test_words_in_brackets_for_rows_of_data_are_a_placeholder() -> None:
    csv = "id,name\n" + "".join(f"{n},x{n}\n" for n in range(9))
    new = "id,name\n0,z\n1,x1\n(rest unchanged)\n7,x7\n8,x8\n"
    assert isinstance(land(csv, WriteFile(new), "a.csv"), Refused)
    assert isinstance(land(csv, WriteFile(new.replace("(rest unchanged)\n", "")), "a.csv"), Landed)


def test_the_last_of_several_newlines_at_the_end_is_kept_unless_it_is_all_that_changes() -> None:
    text = "a = 1\nb = 2\n\n"
    changed = land(text, WriteFile("a = 9\nb = 2\n"), "a.py")
    assert isinstance(changed, Landed)
    assert changed.text == "a = 9\nb = 2\n\n"
    # Its twins: only the newline goes; another line is the last one.
    alone = land(text, WriteFile("a = 1\nb = 2\n"), "a.py")
    assert isinstance(alone, Landed)
    assert alone.text == "a = 1\nb = 2\n"
    other = land(text, WriteFile("a = 9\nb = 3\n"), "a.py")
    assert isinstance(other, Landed)
    assert other.text == "a = 9\nb = 3\n"
