"""Marks that no line of a file of this kind has: what is around, before or between lines that a model sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.formats.surrounding_text import WRAPPER_TAG
from holdfast.landing.ladder.line_pair import CARRIER, CLOSING_TAG
from holdfast.landing.text.code_spans import code_spans
from holdfast.landing.text.file_kinds import FileKind, kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import UNSEEN
from holdfast.landing.text.lines import contents_of
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence


FileFormat: TypeAlias = Literal["markdown"] | FileKind


def format_of(path: str | None) -> FileFormat:
    """Return the kind of file, and "markdown" for a text for people in which fences and tags are content."""
    kind = kind_of(path)
    if kind == "prose" and not str(path).lower().endswith(_PLAIN_TEXT):
        return "markdown"
    return kind


_PLAIN_TEXT = (".txt", ".rst", ".tex", ".org", ".srt")


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a line has, and the formats in which that may be content."""

    seen: re.Pattern[str]
    content_in: frozenset[FileFormat] = frozenset()


def _mark(seen: str, *content_in: FileFormat) -> _Mark:
    return _Mark(lazy_pattern(seen), frozenset(content_in))


_MARKS_OF_ONE_LINE = (
    # The mark of a new line in a diff, and what closes the field of a call.
    _mark(r"^\+(?!\+\w)", "markdown", "prose"),
    _mark(rf"\S.*{CLOSING_TAG.pattern}", "markdown", "markup", "mixed"),
    # The number of a line; `1 | 2 =>` is a pattern.
    _mark(r"^\s*\d+ ?(?:[\u2502\u2192]|\|(?! ?-?\d))", "markdown", "prose", "data"),
)
"""Those that are foreign before and behind a single line too."""
_MARKS = (
    *_MARKS_OF_ONE_LINE,
    # A fence, also behind the last line.
    _mark(r"^\s*`{3}|[\w)\]};](?:`{3}|~{3})\s*$", "markdown"),
    _mark(r"^\s*~{3}", "markdown", "prose"),
    # Marks of a block, of a diff and of `*** Begin Patch`.
    _mark(r"^\s*(?:[<-]{5,9} ?SEARCH|[<>+]{5,9}(?: ?[A-Z]+)?\s*$|={5,9}\s*$)", "markdown", "prose"),
    _mark(
        r"^(?:@@ -\d|diff --git |--- [ab/]|\+\+\+ [ab/])|^\*\*\* (?:Begin|End|Update|Add|Delete)\b",
        "markdown",
        "prose",
    ),
    # Tags of a tool, and what is like them.
    _mark(rf"^\s*(?:{WRAPPER_TAG.pattern})|^{CARRIER.pattern}$", "markdown", "markup", "mixed"),
    _mark(r"^\s*<!\[CDATA\[\s*$|\]\]>\s*$", "markup"),
    _mark(r"^\s*(?:<{3}\w+|\[/?code\])\s*$|(?:\w>{3}|\[/code\])\s*$", "markdown", "markup"),
    # The number of a line.
    _mark(r"^\s*(?:(?:L|line )\d+ ?[|\u2502\u2192]|\d+ ?\t)", "markdown", "prose", "data"),
    _mark(r"(?:<\|\w+\|>|</s>|<eos>|<end_of_turn>|^(?!.*\[INST\]).*\[/INST\])\s*$", "markup"),
)
"""The table of foreign marks: each is refused in new lines, if the file has no line with it."""
_LEFT_OVER = (
    *_MARKS,
    _mark(r"^[ \t]*[+>]"),
    # In lines that were mangled: a literal line break, an escaped quote, an invisible character.
    _mark(rf'\\[n"]|[{"".join(UNSEEN)}]'),
)


def find_foreign_mark(
    before: str, after: str, path: str | None, *, single: bool, mangled: bool
) -> str:
    """Return a new line with a mark that no line of the file has, or "".

    A `single` line that is sent alone may be meant so. `mangled` says that the request was: what has one mark may have another
    one, in an order that was not undone.
    """
    head, tail = shared_ends(before, after)
    start = after.rfind("\n", 0, head) + 1
    stop = after.find("\n", len(after) - tail)
    if stop < 0:
        stop = len(after)
    changed = contents_of(after[start:stop])
    if mangled:
        return _marked_line(before, changed, _LEFT_OVER)
    if str(path).endswith((".diff", ".patch")):
        return ""
    marks: Sequence[_Mark] = _MARKS
    if single:
        marks = _MARKS_OF_ONE_LINE
    format_ = format_of(path)
    foreign = [mark for mark in marks if format_ not in mark.content_in]
    line = _marked_line(before, changed, foreign)
    if not line:
        return ""
    spans = code_spans(after, language_of(path))
    if spans.covers(after.index(line, start) - 1):
        return ""
    return line


def _marked_line(before: str, changed: Sequence[str], marks: Sequence[_Mark]) -> str:
    """Return a changed line with one of the marks that no line of the text before has, or ""."""
    for mark in marks:
        marked = list(filter(mark.seen.search, changed))
        if not marked:
            continue
        if not any(map(mark.seen.search, contents_of(before))):
            return marked[0]
    return ""
