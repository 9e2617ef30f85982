"""Two strings in, an outcome out: the engine works with the world switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from holdfast import (
    Landed,
    LineEdit,
    LineEdits,
    Patch,
    Refused,
    Replace,
    WriteFile,
    explain,
    land,
    locate,
    parse,
)
from holdfast.vocab.outcomes import Rung
from tests.world_off import world_off

if TYPE_CHECKING:
    from holdfast.vocab.requests import Request

TEXT = """\
import os


def load_users(path):
    \"\"\"Read the users of a file.\"\"\"
    rows = read(path)
    for row in rows:
        check(row)
    return [row for row in rows if row]


def save_users(path, users):
    for user in users:
        write(path, user)
    return len(users)
"""

DIFF = """\
--- a/users.py
+++ b/users.py
@@ -13,3 +13,3 @@
     for user in users:
-        write(path, user)
+        append(path, user)
     return len(users)
"""

REQUESTS: dict[str, Request] = {
    "exact": Replace("    rows = read(path)\n", "    rows = read(path, strict=True)\n"),
    "whitespace": Replace(
        "rows = read(path)   \nfor row in rows:\n    check(row)\n", "rows = []\n"
    ),
    "unicode": Replace("    “““Read the users of a file.”””\n", "    pass\n"),
    "mangled": Replace("    for user in users:\\n        write(path, user)\\n", "    pass\\n"),
    "elision": Replace(
        "def load_users(path):\n    # ... existing code ...\n    return [row for row in rows if row]\n",
        "def load_users(path):\n    # ... existing code ...\n    return list(rows)\n",
    ),
    "similar": Replace(
        "    rows = read(path)\n    for row in rows:\n        chekc(row)\n    return [row for row in rows if row]\n",
        "    rows = read(path)\n    for row in rows:\n        chekc(row)\n    return list(rows)\n",
    ),
    "absent": Replace("    connection = open_socket(host, port)\n", "    pass\n"),
    "ambiguous": Replace("users", "people"),
    "every": Replace("users:", "people:", every=True),
    "empty": Replace("", "x"),
    "diff": Patch(DIFF),
    "diff in a fence": Patch(f"```diff\n{DIFF}```\n"),
    "diff in a fence, unwrapped": Patch(f"```diff\n{DIFF}```\n", unwrap=True),
    "no diff": Patch("I could not do it."),
    "line edits": LineEdits((LineEdit(6, 6, "    rows = []\n", old="    rows = read(path)\n"),)),
    "line edits, never shown": LineEdits((LineEdit(6, 6, "    rows = []\n"),)),
    "line edits, shown": LineEdits((LineEdit(6, 6, "    rows = []\n"),), shown=TEXT),
    "line edits, out of bounds": LineEdits((LineEdit(600, 700, "x\n", old="y\n"),)),
    "whole file": WriteFile("import sys\n"),
    "whole file, elided": WriteFile("import sys\n# ... rest of code unchanged ...\n"),
    "syntax": Replace("def save_users(path, users):\\n", "def save_users(path users:\\n"),
}

REPLIES = {
    "diff": DIFF,
    "fenced diff": f"```diff\n{DIFF}```\n",
    "blocks": "users.py\n<<<<<<< SEARCH\n    rows = read(path)\n=======\n    rows = []\n>>>>>>> REPLACE\n",
    "patch": "*** Begin Patch\n*** Update File: users.py\n@@\n-    rows = read(path)\n+    rows = []\n*** End Patch\n",
    "json edits": '{"path": "users.py", "edits": [{"range": {"start": 6, "end": 6}, "newText": "    rows = []\\n"}]}',
    "json replace": '{"path": "users.py", "old": "    rows = read(path)\\n", "new": "    rows = []\\n"}',
    "prose": "I am sorry, I cannot help with that.",
}


@pytest.mark.parametrize("path", [None, "users.py", "users.ts"])
@pytest.mark.parametrize("name", REQUESTS)
def test_landing_touches_nothing(name: str, path: str | None) -> None:
    # The first call may import a parser or a matcher, which reads files; it also shows that the second says the same.
    first = land(TEXT, REQUESTS[name], path)
    with world_off():
        assert land(TEXT, REQUESTS[name], path) == first


def test_these_requests_land_and_are_refused() -> None:
    """The requests above reach both ends of the engine; were they all refused early, the test above would prove little."""
    outcomes = [land(TEXT, request) for request in REQUESTS.values()]
    assert {type(outcome) for outcome in outcomes} == {Landed, Refused}
    assert sum(isinstance(outcome, Landed) for outcome in outcomes) >= len(get_args(Rung))


@pytest.mark.parametrize(
    "old", ["    rows = read(path)\n", "rows = read( path )", "users", "nothing of the kind\n", ""]
)
def test_locating_touches_nothing(old: str) -> None:
    first = locate(TEXT, old)
    with world_off():
        assert locate(TEXT, old) == first


@pytest.mark.parametrize("name", REPLIES)
def test_parsing_touches_nothing(name: str) -> None:
    first = parse(REPLIES[name])
    with world_off():
        assert parse(REPLIES[name]) == first


@pytest.mark.parametrize("name", REQUESTS)
def test_explaining_touches_nothing(name: str) -> None:
    outcome = land(TEXT, REQUESTS[name])
    first = [explain(outcome, "model"), explain(outcome, "person"), explain(outcome, "json")]
    with world_off():
        assert [
            explain(outcome, "model"),
            explain(outcome, "person"),
            explain(outcome, "json"),
        ] == first
