"""Marks that no line of a file of this kind has: what is around, before or between lines that a model sends."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from holdfast.landing.formats.surrounding_text import END_TOKEN, WRAPPER_TAG
from holdfast.landing.ladder.line_pair import CARRIER
from holdfast.landing.text.code_spans import code_spans
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import contents_of, solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.file_kinds import FileKind


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a line has, and the kinds of file in which that may be content."""

    seen: re.Pattern[str]
    content_in: frozenset[FileKind] = frozenset()


def _mark(seen: str, *content_in: FileKind) -> _Mark:
    return _Mark(re.compile(seen), frozenset(content_in))


_MARKS = (
    # A fence, also behind the last line.
    _mark(r"^\s*(?:`{3}|~{3})|(?:`{3}|~{3})\s*$", "prose"),
    # Marks of a block, of a diff and of `*** Begin Patch`.
    _mark(r"^\s*(?:[<-]{5,9} ?SEARCH|[<>+]{5,9}(?: ?[A-Z]+)?\s*$|={5,9}\s*$)", "prose"),
    _mark(r"^(?:@@ -\d|diff --git |--- [ab/]|\+\+\+ [ab/])|^\*\*\* (?:Begin|End|Update|Add|Delete)\b", "prose"),
    _mark(r"^\+", "prose"),
    # Tags of a tool, and what is like them.
    _mark(rf"^\s*(?:{WRAPPER_TAG.pattern})|{CARRIER.pattern}$", "prose", "markup", "mixed"),
    _mark(r"^\s*(?:<!\[CDATA\[|<{3}\w+|\[/?code\])\s*$|(?:\]\]>|\w>{3}|\[/code\])\s*$", "prose", "markup"),
    # The number of a line.
    _mark(r"^\s*(?:L|line )?\d+ ?(?:[|\u2502\u2192]|\t)", "prose", "data"),
    _mark(END_TOKEN.pattern),
)  # fmt: skip
"""The table of foreign marks: each is refused among several new lines, if the file has no line with it."""


def find_foreign_mark(text: str, lines: Sequence[str], known: Sequence[str], path: str | None) -> str:
    """Return a line with a mark that no line of this text nor a known one has, or "".

    A single new line may be meant so.
    """
    own = frozenset((*contents_of(text), *known))
    fresh = [line for line in lines if line not in own]
    if len(solid_lines(fresh)) < _SEVERAL or str(path).endswith((".diff", ".patch")):
        return ""
    for mark in _MARKS:
        marked = list(filter(mark.seen.search, fresh))
        if not marked or kind_of(path) in mark.content_in:
            continue
        if any(map(mark.seen.search, own)) or _is_in_string(lines, marked[0], path):
            continue
        return marked[0]
    return ""


_SEVERAL = 2


def _is_in_string(lines: Sequence[str], line: str, path: str | None) -> bool:
    """Return whether the line begins inside a string or a comment of the lines."""
    sizes = (len(each) + 1 for each in lines)
    starts = dict(zip(reversed(lines), reversed([0, *accumulate(sizes)][:-1]), strict=True))
    return code_spans("\n".join(lines), language_of(path)).covers(starts[line] - 1)
