"""Where a text is in another, without changing anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.closest import closest_lines
from holdfast.landing.ladder.exact import whole_hits
from holdfast.landing.ladder.ladder import attempts
from holdfast.landing.ladder.strict_match import NO_BOUNDS, Hint, hint_at
from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces
from holdfast.landing.projection.splices import lines_at
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, contents_of
from holdfast.landing.type_check import check_type
from holdfast.vocab.outcomes import Ambiguous, Exact, Fuzzy, Match, NotFound, Span

if TYPE_CHECKING:
    from holdfast.landing.ladder.ladder import FoundPlace


def locate(text: str, old: str, near_line: int | None = None, path: str | None = None) -> Match:
    r"""Return where `old` is.

    Once and exactly, once on a looser rung, in several places, or nowhere.

    `near_line` (1-based) picks one of several equal places, if it is exact. `path` selects the language.

    >>> locate("a = 1\nb = 2\n", "b = 2")
    Exact(span=Span(start=6, end=11, line=2))
    >>> locate("x()\n\ty()\n\tz()\n", "    y()\n    z()")
    Fuzzy(span=Span(start=4, end=13, line=2), rung='whitespace', similarity=1.0)
    >>> locate("a\nb\na\n", "a")
    Ambiguous(candidates=(1, 3))
    """
    check_type("locate", "text", text, str)
    check_type("locate", "old", old, str)
    if not key_of(old):
        return NotFound("")

    hits = whole_hits(text, old)
    if hits:
        return _among(text, old, hits, near_line)

    doc, lines = Doc(text, language_of(path)), contents_of(old)
    found = _climb(doc, lines, hint_at(near_line))
    match found:
        case Placement():
            span = _span(doc, found, ends=old.endswith(("\n", "\r")))
            return Fuzzy(span, found.rung, found.similarity)
        case SeveralPlaces(places):
            return Ambiguous(tuple(line + 1 for line in places))
        case Nowhere(region):
            return NotFound(closest_lines(doc, lines, region)[0])


def _among(text: str, old: str, hits: list[int], near_line: int | None) -> Match:
    lines = lines_at(text, hits)
    n = 0
    if len(hits) > 1:
        named = near_line or 0
        if lines.count(named) != 1:
            return Ambiguous(tuple(lines))
        n = lines.index(named)

    return Exact(Span(hits[n], hits[n] + len(old), lines[n]))


def _climb(doc: Doc, lines: list[str], hint: Hint) -> FoundPlace:
    """Return the place on the rungs below exact."""
    place: FoundPlace = Nowhere()
    for attempt in attempts(doc, script_of(lines, lines), hint):
        if not attempt.decides:
            continue
        place = attempt.find(doc, attempt.script, attempt.hint, NO_BOUNDS)
        if isinstance(place, Placement):
            return replace(place, rung=attempt.rung or place.rung)
        if isinstance(place, SeveralPlaces):
            return place

    return place


def _span(doc: Doc, place: Placement, *, ends: bool) -> Span:
    end = doc.offset(place.last + 1)
    if not ends:
        end -= len(doc.ends[place.last])
    return Span(doc.offset(place.first), end, place.first + 1)
