"""The real lines closest to what a request had in mind."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from holdfast.landing.text.align import align, is_telling, start_of
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 8
_WORTH_SHOWING = 45.0


def closest_lines(
    doc: Doc, old: Sequence[str], region: tuple[int, int] | None = None
) -> tuple[str, int]:
    """Return up to eight numbered lines most like the old ones, and the first one's number (0-based); "" if none is."""
    start = region[0] if region else _closest_start(doc, old)
    if start is None:
        return "", 0
    stop = min(
        len(doc.lines),
        start + min(_SHOWN, max(len(old), (region[1] - region[0]) if region else 0, 1)),
    )
    return numbered(doc, start, stop), start


def numbered(doc: Doc, start: int, stop: int) -> str:
    """Return the file's lines from `start` up to `stop` (0-based), with their numbers."""
    return "\n".join(f"{i + 1}| {_short(doc.lines[i])}" for i in range(start, stop))


_WIDTH = 200


def _short(line: str) -> str:
    return line if len(line) <= _WIDTH else line[:_WIDTH] + "\u2026"


def _closest_start(doc: Doc, old: Sequence[str]) -> int | None:
    """Return where the lines most like the old ones begin.

    By lines they share, else by the old text's longest line.
    """
    solid = [line for line in old if not is_blank(line)]
    if not solid or not doc.solid:
        return None
    alignments = [found for found in align(doc, solid) if is_telling(doc, solid, found)]
    if alignments:
        return doc.solid[start_of(alignments[0])]
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - native, imported when needed

    at = max(range(len(solid)), key=lambda j: min(len(solid[j]), _WIDTH))
    keys = [key[:_WIDTH] for key in doc.solid_keys]
    found = process.extractOne(
        key_of(solid[at])[:_WIDTH], keys, scorer=fuzz.ratio, score_cutoff=_WORTH_SHOWING
    )
    if found is None:
        return None
    return doc.solid[max(0, found[2] - at)]


def first_difference(doc: Doc, old: Sequence[str], start: int) -> str:
    """Return one sentence on the first line that differs, naming what differs.

    Lines are compared with the lines that the alignment pairs them with, or with the next ones from `start` where it
    pairs none. "" if nothing can be said.
    """
    solid = [line for line in old if not is_blank(line)]
    below = [i for i in doc.solid if i >= start]
    alignments = align(doc, solid)
    pairs = {pair.j: doc.solid[pair.i] for pair in alignments[0].pairs} if alignments else {}
    shift = 0
    for n, line in enumerate(solid):
        moved = bisect_left(below, pairs[n]) - n if n in pairs else shift
        # A line that is paired far away belongs to another place.
        if abs(moved - shift) <= len(solid) // 2:
            shift = moved
        at = n + shift
        if not 0 <= at < len(below):
            return ""
        if line != doc.lines[below[at]]:
            return f"Line {below[at] + 1} differs first: {_name(line, doc.lines[below[at]])}. "
    return ""


def _name(line: str, real: str) -> str:
    if key_of(line) != key_of(real):
        return f"the request has `{_short(line.strip())}`, the file `{_short(real.strip())}`"
    mine, theirs = indent_of(line), indent_of(real)
    if mine != theirs:
        return f"{_say(theirs)}, where the request has {_say(mine)}"
    return "white space or typographic characters inside the line"


def _say(indent: str) -> str:
    if not indent:
        return "no indentation"
    tabs, blanks = indent.count("\t"), indent.count(" ")
    parts = [
        f"{n} {word}{'s' if n > 1 else ''}" for n, word in ((tabs, "tab"), (blanks, "space")) if n
    ]
    return " and ".join(parts)
