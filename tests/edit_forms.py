"""Forms of the same edit, for the tools and for the command line."""

from __future__ import annotations

from typing import Any

FOURTH_LINE: dict[str, dict[str, Any]] = {
    "the form of the docs": {
        "path": "a.py",
        "edits": [{"range": {"start": 4, "end": 4}, "oldText": "b", "newText": "B"}],
    },
    "without the old text": {
        "path": "a.py",
        "edits": [{"range": {"start": 4, "end": 4}, "newText": "B"}],
    },
    "a path in each edit": {
        "edits": [{"path": "a.py", "range": {"start": 4, "end": 4}, "old": "b", "new": "B"}]
    },
    "the path on top and in the edit": {
        "path": "a.py",
        "edits": [{"path": "./a.py", "range": {"start": 4, "end": 4}, "new": "B"}],
    },
    "flat numbers under a path": {
        "path": "a.py",
        "edits": [{"start": 4, "end": 4, "oldText": "b", "newText": "B"}],
    },
    "one number": {"path": "a.py", "edits": [{"start": 4, "new": "B"}]},
    "a list for the range": {"path": "a.py", "edits": [{"range": [4, 4], "newText": "B"}]},
    "text with a line near it": {
        "path": "a.py",
        "edits": [{"old": "b", "new": "B", "near_line": 4}],
    },
    "other names for the numbers": {
        "path": "a.py",
        "edits": [{"start_line": 4, "end_line": 4, "old": "b", "new": "B"}],
    },
    "camel case": {
        "filePath": "a.py",
        "edits": [{"startLine": 4, "endLine": 4, "oldText": "b", "newText": "B"}],
    },
    "a list for the range, and the old text": {
        "path": "a.py",
        "edits": [{"range": [4, 4], "old": "b", "new": "B"}],
    },
    "another name for the range": {
        "path": "a.py",
        "edits": [{"line_range": [4, 4], "old": "b", "new": "B"}],
    },
    "other names inside the range": {
        "path": "a.py",
        "edits": [{"range": {"start_line": 4, "end_line": 4}, "old": "b", "new": "B"}],
    },
    "other names, a path in each edit": {
        "changes": [
            {"file": "a.py", "first_line": 4, "last_line": 4, "find": "b", "replacement": "B"}
        ]
    },
    "text with another name for the line near it": {
        "path": "a.py",
        "edits": [{"search": "b", "replace": "B", "line": 4}],
    },
}
"""Edits of the fourth line of `a b c b e`, as a call of `apply_edits` or a reply for `holdfast apply`."""
