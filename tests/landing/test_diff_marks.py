"""Diffs whose changed lines have their mark twice, a blank behind it, a character like it, or none."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, land

JS = "function f(a) {\n  g(a);\n  h(a);\n}\n"
HEAD = "--- a/a.js\n+++ b/a.js\n@@ -1,4 +1,5 @@\n function f(a) {\n"


def test_the_second_mark_of_all_changed_lines_is_undone() -> None:
    for marks, wanted in [
        ("--  g(a);\n++  i(a);\n   h(a);\n", JS.replace("g(a)", "i(a)")),
        ("--  g(a);\n   h(a);\n", JS.replace("  g(a);\n", "")),
    ]:
        outcome = land(JS, Patch(f"{HEAD}{marks} }}\n"), "a.js")
        assert isinstance(outcome, Landed), outcome
        assert (outcome.text, outcome.rung) == (wanted, "unmangled")
        assert "doubled marks" in (outcome.warning or "")


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.js", "let i = 1;\nlet j = 2;\n", "++i;"),
        ("a.diff", "+ one\n- two\n", "+ three"),
        ("a.md", "# One\n\n", "+ an item"),
    ],
)
def test_a_plus_that_may_be_content_stays(path: str, text: str, line: str) -> None:
    first = text.split("\n", 1)[0]
    outcome = land(text, Patch(f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n {first}\n+{line}\n"), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace(f"{first}\n", f"{first}\n{line}\n")


def test_items_of_a_list_to_remove_are_content() -> None:
    text = "a:\n- one\n- two\n"
    outcome = land(
        text, Patch("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a:\n-- one\n - two\n"), "a.yaml"
    )
    assert isinstance(outcome, Landed)
    assert outcome.text == "a:\n- two\n"


def test_new_lines_with_a_second_mark_that_no_removed_line_proves_are_refused() -> None:
    outcome = land(JS, Patch(f"{HEAD}   g(a);\n++  i(a);\n   h(a);\n }}\n"), "a.js")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"


def test_one_line_with_one_mark_is_no_doubled_mark() -> None:
    diff = f"{HEAD}--  g(a);\n+  i(a);\n   h(a);\n }}\n"
    assert isinstance(land(JS, Patch(diff), "a.js"), Refused)


def test_context_lines_may_have_their_blank_twice_too() -> None:
    """Its twin has one blank before context lines."""
    text = "<a>\n  <b/>\n  <c/>\n</a>\n"
    want = text.replace("  <c/>\n", "  <d/>\n")
    for blanks in ("  ", " "):
        diff = f"--- a/x\n+++ b/x\n@@ -2,2 +2,2 @@\n{blanks}  <b/>\n--  <c/>\n++  <d/>\n"
        outcome = land(text, Patch(diff), "a.xml")
        assert isinstance(outcome, Landed), outcome
        assert outcome.text == want


@pytest.mark.parametrize("dash", ["\u2212", "\u2013", "\u2010", "\uff0d"])
@pytest.mark.parametrize("header", ["@@ -1,3 +1,3 @@", "@@ -1,9 +1,9 @@", "@@"])
def test_a_dash_that_is_like_a_minus_marks_a_line_that_is_removed(dash: str, header: str) -> None:
    text = "# one must be here\n# two must be there\nthree()\n"
    diff = (
        f"{header}\n # one must be here\n{dash}# two must be there\n+# two may be there\n three()\n"
    )
    outcome = land(text, Patch(diff), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("two must", "two may")
    only = land(
        text, Patch(f"{header}\n # one must be here\n{dash}# two must be there\n three()\n")
    )
    assert isinstance(only, Landed), only
    assert only.text == text.replace("# two must be there\n", "")


def test_a_dash_before_a_line_that_the_file_does_not_have_is_refused() -> None:
    text = "# one must be here\n# two must be there\nthree()\n"
    diff = "@@\n # one must be here\n\u2212# two must be their\n+# two may be there\n three()\n"
    outcome = land(text, Patch(diff), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"


def test_a_dash_that_the_line_of_the_file_begins_with_is_content() -> None:
    text = "\u2013 one\n\u2013 two\nthree\n"
    diff = "@@\n\u2013 one\n\u2013 two\n-three\n+four\n"
    outcome = land(text, Patch(diff), "a.md")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("three", "four")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("-   g(a);\n+   i(a);\n   h(a);\n", JS.replace("g(a)", "i(a)")),
        (
            "   g(a);\n+   if (b) {\n+     i(a);\n+   }\n   h(a);\n",
            JS.replace("  h(a)", "  if (b) {\n    i(a);\n  }\n  h(a)"),
        ),
    ],
)
def test_a_blank_behind_each_mark_is_undone(body: str, wanted: str) -> None:
    text, wanted = JS + "// a\n    b();\n", wanted + "// a\n    b();\n"
    outcome = land(text, Patch(f"{HEAD}{body} }}\n"), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (wanted, "unmangled")
    assert "a blank behind each mark" in (outcome.warning or "")


@pytest.mark.parametrize(
    "body",
    [
        "-  g(a);\n+   i(a);\n   h(a);\n",
        "   g(a);\n+   i(a);\n   h(a);\n",
        "-   g(a);\n+  i(a);\n   h(a);\n",
    ],
)
def test_a_line_that_is_one_blank_off_the_levels_of_the_file_is_refused(body: str) -> None:
    text = JS + "/*\n   b\n*/\n"
    outcome = land(text, Patch(f"{HEAD}{body} }}\n"), "a.js")
    assert isinstance(outcome, Refused), outcome
    assert "the file indents by 2 blanks" in outcome.message


@pytest.mark.parametrize("header", ["@@ -1,4 +1,5 @@", "@@ -1,4 +1,6 @@", "@@"])
def test_a_context_line_beside_a_new_one_that_is_not_in_the_file_is_asked_for(header: str) -> None:
    diff = f"--- a/a.js\n+++ b/a.js\n{header}\n function f(a) {{\n   g(a);\n+  i(a);\n   j(a);\n   h(a);\n }}\n"
    outcome = land(JS, Patch(diff), "a.js")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, "write + before it" in outcome.message) == ("malformed", True)


@pytest.mark.parametrize("removed", ["# cursor = jasper", "; cursor = jasper", "1cursor = jasper"])
def test_a_removed_line_with_another_first_character_is_another_line(removed: str) -> None:
    text = "[daily]\nvolume = 845\ncursor = jasper\nhost = a\n"
    diff = f"@@ -1,4 +1,3 @@\n [daily]\n volume = 845\n-{removed}\n host = a\n"
    assert isinstance(land(text, Patch(diff), "a.ini"), Refused)
    doubled = diff.replace(f"-{removed}", "--cursor = jasper")
    outcome = land(text, Patch(doubled), "a.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("cursor = jasper\n", "")
