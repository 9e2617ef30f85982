"""What the landing of a whole reply has: the text of each file, and an outcome for each edit of a text."""

from __future__ import annotations

import pytest

from holdfast import Landed, ReplyLanded, land_reply
from holdfast.vocab.outcomes import Span

RENAME = "diff --git a/x.py b/y.py\nsimilarity index 100%\nrename from x.py\nrename to y.py\n"
DELETED_LINE = Landed(
    text="", diff="@@ -1 +0,0 @@\n-a\n", rung="exact", similarity=1.0, spans=(Span(0, 2, 1),)
)


@pytest.mark.parametrize(
    ("reply", "landed"),
    [
        # Where no text is edited there is no outcome.
        (RENAME, ReplyLanded({"x.py": None, "y.py": "a\n"}, ())),
        ('{"path": "x.py", "delete": true}', ReplyLanded({"x.py": None}, ())),
        # A diff of a file to delete takes its lines away.
        (
            "--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            ReplyLanded({"x.py": None}, (("x.py", DELETED_LINE),)),
        ),
    ],
)
def test_a_reply_that_moves_or_deletes_a_file(reply: str, landed: ReplyLanded) -> None:
    assert land_reply(reply, {"x.py": "a\n"}) == landed
