"""Diffs whose changed lines have their mark twice."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, land

JS = "function f(a) {\n  g(a);\n  h(a);\n}\n"
HEAD = "--- a/a.js\n+++ b/a.js\n@@ -1,4 +1,5 @@\n function f(a) {\n"


def test_the_second_mark_of_all_changed_lines_is_undone() -> None:
    for marks, wanted in [
        ("   g(a);\n++  i(a);\n   h(a);\n", JS.replace("  h(", "  i(a);\n  h(")),
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


def test_one_line_with_one_mark_is_no_doubled_mark() -> None:
    diff = f"{HEAD}--  g(a);\n+  i(a);\n   h(a);\n }}\n"
    assert isinstance(land(JS, Patch(diff), "a.js"), Refused)


def test_context_lines_may_have_their_blank_twice_too() -> None:
    """Its twin has one blank before context lines."""
    text = "<a>\n  <b/>\n  <c/>\n</a>\n"
    want = text.replace("  <c/>\n", "  <d/>\n  <c/>\n")
    for blanks in ("  ", " "):
        diff = f"--- a/x\n+++ b/x\n@@ -2,2 +2,3 @@\n{blanks}  <b/>\n++  <d/>\n{blanks}  <c/>\n"
        outcome = land(text, Patch(diff), "a.xml")
        assert isinstance(outcome, Landed), outcome
        assert outcome.text == want
