"""The difference of two trees as a plan."""

from __future__ import annotations

from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap
from holdfast.changes.tree_difference import plan_of_difference


def test_only_directories_that_the_first_tree_lacks_are_made() -> None:
    before = {"d/a": (b"a\n", 0o644)}
    after = before | {"d/b": (b"b\n", 0o644), "e/f/c": (b"c\n", 0o644)}
    assert plan_of_difference(before, after).makes == ("e", "e/f")


def test_files_that_come_go_and_change_their_mode() -> None:
    before = {"gone": (b"g\n", 0o644), "mode": (b"m\n", 0o644), "same": (b"s\n", 0o600)}
    after = {"new": (b"n\n", 0o755), "mode": (b"m\n", 0o755), "same": (b"s\n", 0o600)}
    assert plan_of_difference(before, after) == ChangePlan(
        (
            FileLanded(
                "gone", "delete", "exact", 1.0, "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"
            ),
            FileLanded("mode", "edit", "exact", 1.0, "old mode 644\nnew mode 755\n"),
            FileLanded(
                "new", "create", "exact", 1.0, "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n"
            ),
        ),
        (
            Swap("new", None, Content(b"n\n", 0o755)),
            Swap("mode", Content(b"m\n", 0o644), Content(b"m\n", 0o755), modes=True),
            Swap("gone", Content(b"g\n", 0o644), None),
        ),
        (),
    )
