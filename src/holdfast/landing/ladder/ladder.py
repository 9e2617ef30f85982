"""The ladder.

From the strictest comparison to the loosest, until one says where the old lines are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.ladder.elision import find_elided
from holdfast.landing.ladder.escapes import share_mangling
from holdfast.landing.ladder.mark_columns import without_diff_marks
from holdfast.landing.ladder.similar import find_similar
from holdfast.landing.ladder.strict_match import (
    NO_BOUNDS,
    NO_HINT,
    Bounds,
    Hint,
    find_window,
    find_windows,
)
from holdfast.landing.ladder.unmangle import readings, unwrapped, with_single_spacing
from holdfast.landing.occurrence import Occurrence, occurrence_of_lines
from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces
from holdfast.landing.projection.projection import UnclearProjection, project
from holdfast.landing.projection.splices import splice_of
from holdfast.landing.text.line_keys import indent_of
from holdfast.landing.text.lines import Doc, contents_of, is_blank, text_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.landing.projection.splices import Splice
    from holdfast.landing.text.edit_script import EditScript
    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class LadderPlan:
    """What to splice, and on which rung its place was found."""

    splices: tuple[Splice, ...]
    rung: Rung
    lines: range
    """The file lines that the old lines are."""
    occurrence: Occurrence
    similarity: float = 1.0
    known: frozenset[int] = frozenset()
    """The file lines that are old lines; there may be others between them."""
    named: range = range(0)
    """The file lines that the request names, where the place is not there."""


LadderOutcome: TypeAlias = LadderPlan | SeveralPlaces | Nowhere | UnclearProjection


def climb(
    doc: Doc, script: EditScript, hint: Hint = NO_HINT, bounds: Bounds = NO_BOUNDS
) -> LadderOutcome:
    """Return where and how the script lands. A hint picks one of equal places, bounds rule places out."""
    found: LadderOutcome = Nowhere()
    for attempt in attempts(doc, script, hint):
        place = attempt.find(doc, attempt.script, attempt.hint, bounds)
        found = plan_at(doc, attempt.script, place, attempt.hint)
        if isinstance(found, LadderPlan):
            return replace(found, rung=attempt.rung or found.rung)
        if not attempt.decides:
            continue
        if not isinstance(found, Nowhere):
            return found

    return found


FoundPlace: TypeAlias = Placement | SeveralPlaces | Nowhere


@dataclass(frozen=True, slots=True)
class Attempt:
    """A reading of the request, and how its place is searched."""

    script: EditScript
    find: Callable[[Doc, EditScript, Hint, Bounds], FoundPlace]
    hint: Hint
    rung: Rung | None = None
    """The rung of a landing, where the place alone does not show it."""
    decides: bool = True
    """Whether a doubt about the place ends the climb: a reading that may be none needs a clear place."""


def attempts(doc: Doc, script: EditScript, hint: Hint) -> Iterator[Attempt]:
    """Yield the steps of the ladder, the strictest first."""
    # Before the strict rungs: there the blank before each line would be indentation, and blank lines count for nothing.
    bare = without_diff_marks(doc, script.old, script.new)
    if bare is not None:
        for find in (_find_strictly, _find_loosely):
            yield Attempt(bare.script, find, hint, "unmangled", decides=False)
    single = with_single_spacing(doc, script.old, script.new)
    if single is not None:
        script = single.script
        yield Attempt(script, _find_strictly, hint, "unmangled", decides=False)

    yield Attempt(script, _find_strictly, hint)
    old, new = text_of(script.old), text_of(script.new)
    for reading in readings(doc, old, new):
        named = Hint(near=reading.near)
        bare = without_diff_marks(doc, contents_of(reading.old), contents_of(reading.new))
        if bare is not None:
            yield Attempt(bare.script, _find_strictly, named, "unmangled", decides=False)
        yield Attempt(reading.script, _find_strictly, named, "unmangled")

    plain = unwrapped(doc, old, new)
    if plain is not None:
        yield Attempt(plain.script, _find_loosely, hint, decides=False)
    yield Attempt(script, _find_loosely, hint)


def _find_strictly(doc: Doc, script: EditScript, hint: Hint, bounds: Bounds) -> FoundPlace:
    return find_window(doc, script.old, hint, bounds)


def _find_loosely(doc: Doc, script: EditScript, _hint: Hint, bounds: Bounds) -> FoundPlace:
    place = find_elided(doc, script)
    if place is None:
        place = find_similar(doc, script)

    if not isinstance(place, Placement):
        return place

    lost = [line for j, line in enumerate(script.old) if not place.has_key(doc, j, line)]
    fresh = map(script.new.__getitem__, script.added)
    # An entity in a line that the file does not have so, and in a new one, would reach the file.
    is_mangled = share_mangling(lost, fresh)
    if is_mangled or not bounds.hold(doc, place):
        return Nowhere((place.first, place.last + 1))

    return place


def plan_at(doc: Doc, script: EditScript, place: FoundPlace, hint: Hint = NO_HINT) -> LadderOutcome:
    """Return the plan for a place."""
    if not isinstance(place, Placement):
        return place
    if all(map(is_blank, script.new)) and _is_indented_otherwise(doc, script, place):
        # A second run would take a twin that is indented in another way, and nothing would be
        # left to tell by.
        return UnclearProjection(place.first, place.last + 1)

    splices = project(doc, script, place)
    if isinstance(splices, UnclearProjection):
        return splices

    return LadderPlan(
        tuple(splice_of(doc, splice) for splice in splices),
        place.rung,
        range(place.first, place.last + 1),
        occurrence_of_lines(doc, script.old, script.new, place.first),
        place.similarity,
        frozenset(place.pairs.values()),
        hint.lines_but(place),
    )


def _is_indented_otherwise(doc: Doc, script: EditScript, place: Placement) -> bool:
    pairs = place.line_pairs(doc, script.old)
    return any(indent_of(line) != indent_of(real) for line, real in pairs)


def plans_everywhere(doc: Doc, script: EditScript) -> list[LadderOutcome]:
    """Return the plans for all places of the strict rungs."""
    places = find_windows(doc, script.old)
    doc.expect(len(places))
    return [plan_at(doc, script, place) for place in places]
