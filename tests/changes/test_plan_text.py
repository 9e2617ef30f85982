"""The plan of a text that was judged before: for exactly the bytes that it was made for."""

from __future__ import annotations

import pytest

from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_text import plan_text
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit
from holdfast.changes.swaps import Content, Swap
from holdfast.testing import MemoryFiles

DIFF = "--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n"


def test_the_new_bytes_take_the_place_of_the_old_and_the_mode_stays() -> None:
    files = MemoryFiles({"a.c": b"a\n"})
    found = files.look("a.c")
    assert isinstance(found, FileFound)
    swap = Swap("a.c", Content(b"a\n", found.mode), Content(b"b\n", found.mode))
    assert plan_text("a.c", b"a\n", b"b\n", files) == ChangePlan(
        (FileLanded("a.c", "edit", "exact", 1.0, DIFF),), (swap,), ()
    )


@pytest.mark.parametrize("there", [{"a.c": b"c\n"}, {}])
def test_a_file_that_has_changed_or_is_gone_is_left_as_it_is(there: dict[str, bytes]) -> None:
    files = MemoryFiles(there)
    assert isinstance(files.look("a.c"), FileFound | FileMissing | FileUnfit)
    refused = plan_text("a.c", b"a\n", b"b\n", files)
    assert isinstance(refused, FileRefused)
    assert (refused.path, refused.refused.reason, refused.refused.message) == (
        "a.c",
        "conflict",
        "a.c: this changed while it was repaired, and was left as it is; run this again.",
    )
