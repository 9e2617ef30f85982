"""The diff of a file: its names, a rename, and hunks unless one side is no text."""

from __future__ import annotations

import pytest

from holdfast.changes.diff import diff_of
from holdfast.changes.swaps import Content
from holdfast.vocab.outcomes import Landed

OLD, NEW = Content(b"a\n"), Content(b"b\n")
HUNK = "@@ -1 +1 @@\n-a\n+b\n"
RENAME = "diff --git a/x b/y\nrename from x\nrename to y\n"


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "diff"),
    [
        ("x", "x", OLD, NEW, f"--- a/x\n+++ b/x\n{HUNK}"),
        ("x", "y", OLD, NEW, f"{RENAME}--- a/x\n+++ b/y\n{HUNK}"),
        ("x", "y", OLD, OLD, RENAME),
        ("x", "x", OLD, OLD, ""),
        ("x", "x", None, NEW, "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"),
        ("x", "x", OLD, None, "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        ("x", "x", None, Content(b""), ""),
        ("x", "x", OLD, Content(b"\0"), "--- a/x\n+++ b/x\nBinary files differ\n"),
        ("x", "x", Content(b"\0"), NEW, "--- a/x\n+++ b/x\nBinary files differ\n"),
        ("x", "x", Content(b"\0"), None, "--- a/x\n+++ /dev/null\nBinary files differ\n"),
    ],
)
def test_a_diff_names_its_file_and_shows_text_only(
    old: str, new: str, before: Content | None, after: Content | None, diff: str
) -> None:
    assert diff_of(old, new, before, after) == diff


def test_the_hunks_of_a_landing_are_shown_only_if_it_did_all_of_it_alone() -> None:
    alone = Landed("b\n", "@@ its own @@\n", "exact", 1.0, ())
    without = Landed("b\n", "", "exact", 1.0, ())
    assert diff_of("x", "x", OLD, NEW, [alone]) == "--- a/x\n+++ b/x\n@@ its own @@\n"
    assert diff_of("x", "x", OLD, NEW, [alone, alone]) == f"--- a/x\n+++ b/x\n{HUNK}"
    assert diff_of("x", "x", OLD, NEW, [without]) == f"--- a/x\n+++ b/x\n{HUNK}"
