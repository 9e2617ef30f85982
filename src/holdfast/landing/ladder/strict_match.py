"""Places where all the old lines are, on the strict rungs: exact, white space, typography."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, with_blanks
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, solid_numbers
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class Hint:
    """What may pick one of several equal places; it is never the truth about a single one."""

    near: int | None = None
    """The file line (0-based) that the request names for `old[0]`.

    Only an exact number selects a place.
    """
    within: range = range(0)
    """File lines: the only place that begins in them is picked."""
    reach: int = 0
    """Lines that the number may be off by, if all other places are clearly further away."""

    def lines_but(self, place: Placement) -> range:
        """Return the lines that may be named, if the place is not at the very line."""
        if self.near is None:
            return range(0)
        if stands_at(place, self.near):
            return range(0)
        return range(self.near - self.reach, self.near + self.reach + 1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on where a match may lie, taken from the request (`@@` context, line numbers)."""

    within: tuple[range, ...] | None = None
    """The place begins in one of these runs of file lines."""
    at_end: bool = False
    """Nothing but blank lines follows the place."""

    def hold(self, doc: Doc, place: Placement) -> bool:
        """Return whether the place is within the limits."""
        if self.at_end and any(doc.keys[place.last + 1 :]):
            return False
        if self.within is None:
            return True

        first = place.first
        return any(first in lines for lines in self.within)


def hint_at(line: int | None, reach: int = 0) -> Hint:
    """Return the hint of a request that names this line (1-based), or none."""
    if line is None:
        return NO_HINT
    return Hint(line - 1, reach=reach)


NO_HINT = Hint()
NO_BOUNDS = Bounds()


def find_window(
    doc: Doc, old: Sequence[str], hint: Hint = NO_HINT, bounds: Bounds = NO_BOUNDS
) -> Placement | SeveralPlaces | Nowhere:
    """Return the one place where all old lines are, blank lines and white space aside."""
    places = find_windows(doc, old, bounds)
    if not places:
        return Nowhere()

    # Only where trailing blanks are all that differs may a stricter match decide between places.
    for cut in (str, str.rstrip):
        agrees = partial(_agrees, doc, old, cut)
        strict = list(filter(agrees, places))
        if strict:
            return choose(strict, hint)

    return choose(places, hint)


def _agrees(doc: Doc, old: Sequence[str], cut: Callable[[str], object], place: Placement) -> bool:
    """Return whether the old lines are the file's, each cut in this way."""
    pairs = place.line_pairs(doc, old)
    return all(cut(line) == cut(real) for line, real in pairs)


def find_windows(doc: Doc, old: Sequence[str], bounds: Bounds = NO_BOUNDS) -> list[Placement]:
    """Return all places within the bounds where all old lines are, blank lines, white space and typography aside."""
    solid = solid_numbers(old)
    keys = [key_of(old[j]) for j in solid]
    places = []
    for start in doc.runs(keys):
        lines = doc.solid[start : start + len(solid)]
        pairs = dict(zip(solid, lines, strict=True))
        place = Placement(with_blanks(doc, old, pairs), "exact")
        if bounds.hold(doc, place):
            places.append(replace(place, rung=_rung(doc, old, place)))

    return places


def _rung(doc: Doc, old: Sequence[str], place: Placement) -> Rung:
    """Return the strictest rung on which the old lines are at the place."""
    if doc.lines[place.first : place.last + 1] == list(old):
        return "exact"

    if _agrees(doc, old, _words, place):
        return "whitespace"
    return "unicode"


# Not str.split: to that a no-break space is a blank like any other.
_BLANKS = lazy_pattern(r"[ \t]+")


def _words(line: str) -> list[str]:
    return _BLANKS.split(line.strip(" \t"))


def choose(places: Sequence[Placement], hint: Hint) -> Placement | SeveralPlaces:
    """Return the only place, or the only one that the number names and the section contains."""
    starts = [place.first for place in places]
    named = {place.first for place in places if stands_at(place, hint.near)}
    if not named:
        named = _nearest(starts, hint)
    within = set(filter(hint.within.__contains__, starts))
    picked = set(starts)
    for chosen in (named, within):
        if chosen:
            picked &= chosen
    chosen_places = [place for place in places if place.first in picked]
    if len(chosen_places) == 1:
        return chosen_places[0]

    return SeveralPlaces(tuple(starts))


_CLEARLY = 4
"""How many times as far as the nearest place all others are, where the number is off."""


def _nearest(starts: Sequence[int], hint: Hint) -> set[int]:
    """Return the line that is clearly the nearest to the named one, if that is within reach; else none."""
    near = hint.near
    if near is None or len(starts) < 2:
        return set()
    distances = sorted((abs(start - near), start) for start in starts)
    (nearest, start), (second, _) = distances[:2]
    if nearest > hint.reach:
        return set()
    if second < _CLEARLY * nearest:
        return set()
    return {start}


def stands_at(place: Placement, near: int | None) -> bool:
    """Return whether the first old line is at file line `near`, counting from the first one that is paired."""
    leading = filter(place.pairs.__contains__, range(_LEADING))
    firsts = [place.pairs[j] - j for j in leading]
    return near in firsts


# A blank line more or less above the first real line must not spoil an exact number; more than this
# is no number.
_LEADING = 3
