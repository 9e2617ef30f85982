"""Places where all the old lines are, on the strict rungs: exact, white space, typography."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, with_blanks
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class Hint:
    """What may pick one of several equal places; it is never the truth about a single one."""

    near: int | None = None
    """The file line (0-based) that the request names for `old[0]`.

    Only an exact number selects a place.
    """
    within: range | None = None
    """File lines: the only place that begins in them is picked."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on where a match may lie, taken from the request (`@@` context, line numbers)."""

    within: tuple[range, ...] | None = None
    """The place begins in one of these runs of file lines."""
    at_end: bool = False
    """Nothing but blank lines follows the place."""

    def hold(self, doc: Doc, place: Placement) -> bool:
        """Return whether the place is within the limits."""
        if self.within is not None and not any(place.first in lines for lines in self.within):
            return False
        return not self.at_end or not any(doc.keys[place.last + 1 :])


NO_HINT = Hint()
NO_BOUNDS = Bounds()


def find_window(
    doc: Doc, old: Sequence[str], hint: Hint = NO_HINT, bounds: Bounds = NO_BOUNDS
) -> Placement | SeveralPlaces | Nowhere:
    """Return the one place where all old lines are, blank lines and white space aside."""
    places = [place for place in find_windows(doc, old) if bounds.hold(doc, place)]
    if not places:
        return Nowhere()
    # Only where trailing blanks are all that differs may a stricter match decide between places.
    for agree in (_same, _same_but_trailing):
        strict = [place for place in places if agree(doc, old, place)]
        if strict:
            return _choose(strict, hint)
    return _choose(places, hint)


def find_windows(doc: Doc, old: Sequence[str]) -> list[Placement]:
    """Return all places where all old lines are, blank lines, white space and typography aside."""
    solid = [j for j, line in enumerate(old) if not is_blank(line)]
    starts = doc.runs([key_of(old[j]) for j in solid])
    return [_placement(doc, old, solid, start) for start in starts]


def _placement(doc: Doc, old: Sequence[str], solid: Sequence[int], start: int) -> Placement:
    pairs = with_blanks(doc, old, {j: doc.solid[start + n] for n, j in enumerate(solid)})
    return Placement(pairs, _rung(doc, old, pairs))


# Not str.split: to that a no-break space is a blank like any other.
_BLANKS = re.compile(r"[ \t]+")


def _rung(doc: Doc, old: Sequence[str], pairs: Sequence[int | None]) -> Rung:
    rung: Rung = "exact"
    for j, i in enumerate(pairs):
        if i is None:
            rung = "whitespace" if rung == "exact" else rung
        elif doc.lines[i] != old[j]:
            if _BLANKS.split(doc.lines[i].strip(" \t")) != _BLANKS.split(old[j].strip(" \t")):
                return "unicode"
            rung = "whitespace"
    present = [i for i in pairs if i is not None]
    if rung == "exact" and present != list(range(present[0], present[-1] + 1)):
        return "whitespace"
    return rung


def _same(doc: Doc, old: Sequence[str], place: Placement) -> bool:
    return all(i is None or doc.lines[i] == old[j] for j, i in enumerate(place.pairs))


def _same_but_trailing(doc: Doc, old: Sequence[str], place: Placement) -> bool:
    return all(
        i is None or doc.lines[i].rstrip() == old[j].rstrip() for j, i in enumerate(place.pairs)
    )


def _choose(places: Sequence[Placement], hint: Hint) -> Placement | SeveralPlaces:
    if len(places) == 1:
        return places[0]
    near, within = hint.near, hint.within
    named = [place for place in places if near is not None and stands_at(place, near)]
    inside = [place for place in places if within is not None and place.first in within]
    picked = named or inside
    if len(picked) == 1 and (not inside or picked[0] in inside):
        return picked[0]
    return SeveralPlaces(tuple(place.first for place in places))


def stands_at(place: Placement, near: int) -> bool:
    """Return whether the first old line is at file line `near`, counting from the first one that is paired."""
    return any(i is not None and i - j == near for j, i in list(enumerate(place.pairs))[:_LEADING])


# A blank line more or less above the first real line must not spoil an exact number; more than this
# is no number.
_LEADING = 3
