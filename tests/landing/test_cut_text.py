"""Texts that stop before their end, each with a twin that ends cleanly."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, WriteFile, land

PY = (
    "def a():\n    return 1\n\n\ndef b():\n    x = 2\n    y = 3\n    return x + y\n\n\n"
    "def c():\n    z = 4\n    return z\n"
)
JSON = '{\n  "a": {\n    "x": 1\n  },\n  "b": {\n    "x": 3\n  }\n}\n'
NOTES = "# Shop\n\nOne line.\n\n## Use\n\nCall it once.\n\n## Why\n\nIt is slow.\n\nAnd so on.\n"


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.py", PY, PY[: PY.index("urn x + y")].replace("x = 2", "x = 5")),
        ("a.py", PY, PY.replace("y = 3", "yy = load(3)")[: PY.index("= 3") + 5]),
        ("a.json", JSON, JSON[: JSON.index('x": 3')].replace("1", "7")),
        ("a.json", JSON, JSON[: JSON.index('    "x": 3')].replace("1", "7")),
        ("a.md", NOTES, NOTES[: NOTES.index(" slow")].replace("once", "twice")),
        ("a.md", NOTES.removesuffix("\n"), NOTES[: NOTES.index(" slow")].replace("once", "twice")),
    ],
)
def test_a_whole_file_that_was_cut_off_is_refused(path: str, text: str, new: str) -> None:
    outcome = land(text, WriteFile(new), path)
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert "cut off" in outcome.message


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.py", PY, PY[: PY.index("\n\ndef c")].replace("x = 2", "x = 5")),
        ("a.py", PY, PY[: PY.index("\n\n\ndef c")].replace("x = 2", "x = 5")),
        ("a.json", JSON, '{\n  "a": {\n    "x": 1\n  }\n}\n'),
        ("a.md", NOTES, NOTES[: NOTES.index("## Why")] + "See the source.\n"),
        ("a.md", NOTES, "# Shop\n\nGone"),
        ("a.py", PY, PY[: PY.index("    z = 4")].replace("x = 2", "x = 5") + "    return 4"),
        ("a.py", PY, "print(1)"),
    ],
)
def test_a_tail_that_is_deleted_cleanly_is_deleted(path: str, text: str, new: str) -> None:
    outcome = land(text, WriteFile(new), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new.removesuffix("\n") + "\n"


HUNK = "--- a/a.py\n+++ b/a.py\n@@ -5,9 +5,12 @@\n def b():\n     x = 2\n-    y = 3\n"


ADDING = "--- a/a.py\n+++ b/a.py\n@@ -5,2 +5,{} @@\n def b():\n     x = 2\n+    z = 4\n+    y = th"


@pytest.mark.parametrize(
    "diff",
    [
        HUNK + "+    y = compute_th",
        HUNK.replace("-5,9 +5,12", "-5,3 +5,9") + "+    y = 4",
        ADDING.format(9),
        ADDING.format(6),
        "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,9 @@\n+a = 1\n+b = 2",
    ],
)
def test_a_diff_that_was_cut_off_is_refused(diff: str) -> None:
    outcome = land(PY, Patch(diff), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert "stops in the middle of a hunk" in outcome.message


@pytest.mark.parametrize(
    "diff",
    [
        HUNK + "+    y = 4\n",
        HUNK + "+    y = 4\n     return x + y",
        HUNK.replace("-5,9 +5,12", "-5,3 +5,3") + "+    y = 4",
        HUNK.replace("-5,9 +5,12", "-5,3 +5,9") + "+    y = 4\n",
        HUNK.replace("-5,9 +5,12", "") + "+    y = 4",
    ],
)
def test_a_diff_with_wrong_counts_or_without_its_last_newline_lands(diff: str) -> None:
    outcome = land(PY, Patch(diff), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == PY.replace("y = 3", "y = 4")


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.R", "f <- 1\n", "f <- 1\ng <- function(a) {\n  attr(c"),
        ("a.tf", 'a {\n  b = "c"\n}\n', 'a {\n  b = "c"\n}\n\nd {\n  e = "emp'),
        ("a.ini", '[a]\nb = "c"\n', '[a]\nb = "c"\nd = "emp'),
        ("a.toml", "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6", "a = 1\nb = 2\nconv"),
    ],
)
def test_a_text_that_stops_in_a_bracket_or_a_quote_was_cut_also_if_it_adds_lines(
    path: str, text: str, new: str
) -> None:
    outcome = land(text, WriteFile(new), path)
    assert isinstance(outcome, Refused), outcome
    assert "was cut off" in outcome.message


@pytest.mark.parametrize(
    ("path", "last"), [("a.css", ".send-large-cursor {"), ("a.graphql", "type DecodeBucket {")]
)
def test_a_whole_file_that_adds_lines_and_stops_in_a_lost_line_was_cut(
    path: str, last: str
) -> None:
    text = f"first {{\n  one: 1\n}}\n\n{last}\n  two: 2\n}}\n"
    added = "more {\n  three: 3\n  four: 4\n  five: 5\n  six: 6\n}\n\n"
    whole = text.replace(last, f"{added}{last}")
    cut = whole[: whole.index(last) + len(last) - 6]
    outcome = land(text, WriteFile(cut), path)
    assert isinstance(outcome, Refused), outcome
    assert outcome.message.endswith("it was cut off. Send the whole file.")
    assert isinstance(land(text, WriteFile(whole), path), Landed)


@pytest.mark.parametrize("fence", ["```toml\n", "`toml`\n", "toml\n"])
def test_a_whole_file_that_stops_in_a_line_was_cut_also_below_half_a_fence(fence: str) -> None:
    """What was undone had put a newline behind the last line."""
    text = "a = 1\nserver = 'one'\nc = 3\nd = 4\ne = 5\nserver = 'one'\n"
    outcome = land(text, WriteFile(f"{fence}a = 2\nserver = 'one'\nc = 3\nserv"), "a.toml")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"
