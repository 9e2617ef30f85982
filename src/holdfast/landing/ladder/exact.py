"""The exact rung: the old text is in the file, character for character.

A match that begins or ends inside a line is a window of whole lines, with the rest of its first and its last line added
to the old and to the new text. As such it is judged by the rules for lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.edit_script import common_ends
from holdfast.landing.text.endings import plain_endings
from holdfast.landing.text.languages import opens_block
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import TOKEN_JOINT, WORD_JOINT, cuts_token
from holdfast.landing.text.lines import contents_of, is_blank, solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import re

    from holdfast.landing.occurrence import Occurrence
    from holdfast.vocab.requests import Replace


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """The old text in the file's line endings, and where it is."""

    old: str
    hits: list[int]


def find_exactly(text: str, request: Replace) -> ExactMatch | None:
    """Return the places of the old text; None where it is missing, or only a piece of other words."""
    for old in _in_file_newlines(text, request.old):
        hits = whole_hits(text, old, every=request.every)
        if not hits:
            hits = _hits_in_context(text, old, request)
        if not hits:
            continue
        lacks_newline = hits[-1] + len(old) > len(text)
        if lacks_newline and (request.every or request.near_line):
            return None
        return ExactMatch(old, hits)

    return None


def is_line_but_indent(hit: Occurrence) -> bool:
    """Return whether the match is whole lines but for the indentation of the first, and new lines need one.

    A second old line shows by its own indentation that only the first one lost it; so does a new line that is the
    file's.
    """
    old, new = hit.old, hit.new
    first = contents_of(old)[0]
    indent = indent_before(hit.text, hit.at)
    if is_blank(first) or not indent:
        return False

    ends_line = old.endswith(("\n", "\r"))
    if not ends_line and hit.rest[:1].strip("\r\n"):
        return False
    if not new:
        return ends_line
    # Without the newline at its end the new text is joined with the next line: it is no whole line.
    if ends_line and not new.endswith(("\n", "\r")):
        return False
    # The rest of an indentation that the old text has a part of would be put before another line.
    if indent_of(first):
        return True
    is_only_line = len(solid_lines(contents_of(old))) == 1
    return is_only_line and _lack_indent(indent, first, contents_of(new))


def _lack_indent(indent: str, first: str, new_lines: list[str]) -> bool:
    """Return whether the new lines may all lack the indentation that the first old line lacks."""
    if len(new_lines) < 2:
        return False
    if indent + first not in new_lines:
        return True
    # The line below one that opens a block would be no deeper.
    first_new, *others = new_lines
    below = solid_lines(others)
    if opens_block(key_of(first_new)) and set(map(indent_of, below[:1])) == {indent}:
        return True
    # A line that is wrapped may be as deep as the file's by chance.
    if first_new == first:
        return False
    return not all(line.startswith(indent) for line in below)


def joins_lines(hit: Occurrence) -> bool:
    """Return whether a newline that only the old text has at an end joins new text with a line around the match.

    A blank at the end of the new text, or an old text that differs by nothing else, says that it is meant.
    """
    text, at, old, new = hit.text, hit.at, hit.old, hit.new
    if not new.strip():
        return False
    if old.strip("\r\n") == new.strip("\r\n"):
        return False

    stop = at + len(old)
    # Where the line above is blank, it would be lost.
    if old[0] in _NEWLINES and new[0] not in _NEWLINES:
        return True
    if old[-1] not in _NEWLINES:
        return False
    if stop >= len(text):
        return False
    # A literal `\\n` is undone later.
    return not new[-1].isspace() and not new.endswith("\\n")


_NEWLINES = frozenset(("\r", "\n"))


def parts_line(hit: Occurrence) -> bool:
    """Return whether new lines go below the last old line, of which the file has more: its end would come behind them."""
    if hit.old.endswith(("\n", "\r")):
        return False
    if not hit.rest.strip():
        return False

    lines = contents_of(hit.old)
    above = hit.text[hit.text.rfind("\n", 0, hit.at) + 1 : hit.at]
    if len(lines) <= 1 and above.strip():
        return False
    return lines[-1] in contents_of(hit.new)[:-1]


def indent_before(text: str, at: int) -> str:
    """Return what is before `at` on its line, if that is white space alone; else ""."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    before = text[start:at]
    if before.strip():
        return ""
    return before


def whole_hits(text: str, old: str, *, every: bool = False) -> list[int]:
    """Return where `old` is without cutting an identifier or a number in two at its edges.

    Beside another place, the end of a file counts that lacks only the last newline of `old`. Where every place is
    meant, a hyphen is an edge.
    """
    joint = TOKEN_JOINT
    if every:
        joint = WORD_JOINT
    hits = _uncut(text, old, _hits(text, old), joint)

    lines = old.rstrip("\r\n")
    lacks_newline = lines != old and text.endswith(lines)
    if hits and lacks_newline:
        hits += _uncut(text, lines, [len(text) - len(lines)], joint)
    return hits


def _uncut(text: str, old: str, hits: list[int], joint: re.Pattern[str] = TOKEN_JOINT) -> list[int]:
    """Return the hits that have no joint at an edge."""
    size = len(old)
    return [at for at in hits if not any(cuts_token(text, at, at + size, joint))]


def _hits(text: str, old: str) -> list[int]:
    """Return where `old` is; of places that overlap each other, enough to show that there are several.

    To look at the next character after each of 100,000 overlapping places takes 20 seconds.
    """
    hits: list[int] = []
    end = 0
    at = text.find(old)
    while at >= 0:
        hits.append(at)
        step = 1
        if at < end:
            step = len(old)
        end = at + len(old)
        at = text.find(old, at + step)

    return hits


def _in_file_newlines(text: str, old: str) -> list[str]:
    """Return the old text as it is, and with the file's own line endings where those are others."""
    newline = "\n"
    # A single character is found ten times as fast as two: most files have no carriage return.
    if "\r" in text:
        newline = next(filter(text.__contains__, ("\r\n", "\n", "\r")))

    same = newline.join(plain_endings(old).split("\n"))
    return list(dict.fromkeys((old, same)))


def _hits_in_context(text: str, old: str, request: Replace) -> list[int]:
    """Return where `old` is once, if each cut line is one that the request keeps and the file does not have as a whole.

    Then the old text was copied from the middle of a line to the middle of another. A cut number is another number.
    """
    hits = _hits(text, old)
    if len(hits) != 1:
        return []

    lines = contents_of(request.old)
    cuts = cuts_token(text, hits[0], hits[0] + len(old))
    kept = common_ends(lines, contents_of(request.new))
    known = set(map(str.strip, contents_of(text)))
    for end, is_cut, is_kept in zip((0, -1), cuts, kept, strict=True):
        if not is_cut:
            continue
        if not is_kept:
            return []
        if old[end].isdigit():
            return []
        if lines[end].strip() in known:
            return []

    return hits
