"""The lines that a notation opens with: what a reply is written in shows there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import starts_file
from holdfast.landing.formats.hunk_body import is_change
from holdfast.landing.formats.surrounding_text import EDIT_OPENING
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_MARKER = 400
"""A marker, with a path behind it, is no longer; a line of megabytes is not read for one."""

BLOCK_OPENER = lazy_pattern(
    r"(<{5,}(?= ?(?i:search|original)\b)|-{5,9}(?= ?SEARCH\b)) ?\w+>?[ \t:]*"
)

_OPENINGS = (
    *(
        "@@",
        "--- ",
        "diff -",
        "index ",
        "old mode",
        "new mode",
        "new file",
        "deleted file",
    ),
    *("similarity", "dissimilarity", "rename ", "copy ", "<<<", "-----", "*** "),
)


_OPENING = lazy_pattern(rf"@@|{EDIT_OPENING.pattern}|{BLOCK_OPENER.pattern}")


def opens_block(line: str) -> bool:
    """Return whether this line begins a SEARCH/REPLACE block.

    >>> opens_block("<<<<<<< SEARCH"), opens_block("------- SEARCH"), opens_block("<<<<<<< HEAD")
    (True, True, False)
    """
    return BLOCK_OPENER.match(line[:LONGEST_MARKER]) is not None


def opens_notation(lines: Sequence[str], at: int) -> bool:
    """Return whether an edit, in any of the notations that have lines of their own, begins at this line."""
    line = lines[at]
    # The cheap question first: there may be millions of lines.
    if not line.startswith(_OPENINGS):
        return False
    if _OPENING.match(line[:LONGEST_MARKER]):
        return True
    return starts_file(lines, at)


_RESEMBLING = lazy_pattern(
    r"""\s*(?:
      [<>]{5}|(?:[<>]{3,}|[-+]{5,})\s*(?i:search|original|replace|updated)\b|(?:SEARCH|REPLACE)\s*:?\s*$
    | @{1,2}[ ]-[0-9]|(?:-{2,3}|\+{2,3})\s+[ab]/
    | \*{2,4}\s+(?:Begin[ ]Patch|(?:Add|Update|Delete)[ ]File:)
    | [\[{\s]*"(?:path|file_?[pP]ath|edits|(?:old|new)(?:_?[tT]ext|_?[sS]tr(?:ing)?)?)"\s*:
    )""",
    re.VERBOSE,
)


def resembles_edit(line: str) -> bool:
    """Return whether a line that no notation has read may be part of an edit: to skip it would land half of a reply.

    >>> list(map(resembles_edit, ["<<<< SEARCH", "  @@ -1 +1 @@", '{"path": "a.py",', "** Update File: a.py"]))
    [True, True, True, True]
    >>> list(map(resembles_edit, [">>> print(1)", "**Update File: a.py**", "- a/b", "See @@.", "Search:"]))
    [False, False, False, False, False]
    """
    return _RESEMBLING.match(line[:LONGEST_MARKER]) is not None


def may_be_edit(lines: Sequence[str], at: int) -> bool:
    """Return whether a line outside of all edits that were read begins another one, or may be part of one."""
    line = lines[at]
    if is_change(line):
        return True
    if resembles_edit(line):
        return True
    return opens_notation(lines, at)
