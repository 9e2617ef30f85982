"""The real lines closest to what a request had in mind."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from holdfast.landing.text.align import align, is_telling, start_of
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.lines import Doc, solid_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 8
_WORTH_SHOWING = 45.0


def closest_lines(
    doc: Doc, old: Sequence[str], region: tuple[int, int] | None = None
) -> tuple[str, int]:
    """Return up to eight numbered lines most like the old ones, and the first one's number (0-based); "" if none is."""
    if region is None:
        region = _closest_region(doc, old)
    if region is None:
        return "", 0

    start, stop = region
    size = max(len(old), stop - start, 1)
    return numbered(doc, start, start + min(size, _SHOWN)), start


def numbered(doc: Doc, start: int, stop: int) -> str:
    """Return the file's lines from `start` up to `stop` (0-based), with their numbers."""
    lines = range(len(doc.lines))[max(0, start) : max(0, stop)]
    return "\n".join(f"{i + 1}| {_short(doc.lines[i])}" for i in lines)


_WIDTH = 200


def _short(line: str) -> str:
    if len(line) <= _WIDTH:
        return line
    return line[:_WIDTH] + "\u2026"


def _closest_region(doc: Doc, old: Sequence[str]) -> tuple[int, int] | None:
    """Return where the lines most like the old ones begin, twice.

    By lines they share, else by the old text's longest line.
    """
    solid = solid_lines(old)
    if not solid:
        return None

    for alignment in align(doc, solid):
        if is_telling(doc, solid, alignment):
            start = doc.solid[start_of(alignment)]
            return start, start

    from rapidfuzz import fuzz, process  # noqa: PLC0415 - native, imported when needed

    at = max(range(len(solid)), key=lambda j: min(len(solid[j]), _WIDTH))
    keys = [key[:_WIDTH] for key in doc.solid_keys]
    found = process.extractOne(
        key_of(solid[at])[:_WIDTH], keys, scorer=fuzz.ratio, score_cutoff=_WORTH_SHOWING
    )
    if found is None:
        return None

    start = doc.solid[max(0, found[2] - at)]
    return start, start


def first_difference(doc: Doc, old: Sequence[str], start: int) -> str:
    """Return one sentence on the first line that differs, naming what differs.

    Lines are compared with the lines that the alignment pairs them with, or with the next ones from `start` where it
    pairs none. "" if nothing can be said.
    """
    solid = solid_lines(old)
    below = doc.solid[bisect_left(doc.solid, start) :]
    pairs: dict[int, int] = {}
    for alignment in align(doc, solid)[:1]:
        pairs = {pair.j: doc.solid[pair.i] for pair in alignment.pairs}

    shift = 0
    for n, line in enumerate(solid):
        if n in pairs:
            moved = bisect_left(below, pairs[n]) - n
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

    parts = []
    for char, word in (("\t", "tab"), (" ", "space")):
        count = indent.count(char)
        if count == 1:
            parts.append(f"1 {word}")
        elif count:
            parts.append(f"{count} {word}s")

    return " and ".join(parts)
