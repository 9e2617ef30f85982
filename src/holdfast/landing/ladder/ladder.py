"""The ladder.

From the strictest comparison to the loosest, until one says where the old lines are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.ladder.elision import find_elided
from holdfast.landing.ladder.similar import find_similar
from holdfast.landing.ladder.strict_match import (
    NO_BOUNDS,
    NO_HINT,
    Bounds,
    Hint,
    find_window,
    find_windows,
    stands_at,
)
from holdfast.landing.ladder.unmangle import readings, share_mangling, unwrapped
from holdfast.landing.placement import (
    AlreadyApplied,
    Doubtful,
    Elsewhere,
    Nowhere,
    Placement,
    SeveralPlaces,
)
from holdfast.landing.projection.already_applied import (
    restyles_other_lines,
    stands_already,
    stands_around,
    stands_at_line,
    stands_at_splice,
    stands_elsewhere,
)
from holdfast.landing.projection.projection import LineSplice, UnclearProjection, project
from holdfast.landing.text.edit_script import EditScript, script_of
from holdfast.landing.text.line_keys import indent_of
from holdfast.landing.text.lines import Doc, contents_of, is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class LadderPlan:
    """The lines to splice, and on which rung their place was found."""

    splices: tuple[LineSplice, ...]
    rung: Rung
    similarity: float
    lines: range
    """The file lines that the old lines are."""


LadderOutcome: TypeAlias = (
    LadderPlan | SeveralPlaces | Nowhere | AlreadyApplied | Doubtful | Elsewhere | UnclearProjection
)


def climb(
    doc: Doc, script: EditScript, hint: Hint = NO_HINT, bounds: Bounds = NO_BOUNDS
) -> LadderOutcome:
    """Return where and how the script lands.

    A hint picks one of equal places, bounds rule places out.
    """
    found = _on_strict_rungs(doc, script, hint, bounds)
    if not isinstance(found, Nowhere):
        return found
    undone = _unmangled(doc, script, bounds)
    if undone is not None:
        return undone
    plain = unwrapped(doc, "\n".join(script.old), "\n".join(script.new))
    if plain is not None:
        found = _on_loose_rungs(
            doc, script_of(contents_of(plain.old), contents_of(plain.new)), hint, bounds
        )
        if isinstance(found, LadderPlan):
            return found
    return _on_loose_rungs(doc, script, hint, bounds)


def _on_loose_rungs(doc: Doc, script: EditScript, hint: Hint, bounds: Bounds) -> LadderOutcome:
    place = find_elided(doc, script)
    if place is None:
        place = find_similar(doc, script)
    if isinstance(place, Placement):
        lost = [line for line, i in zip(script.old, place.pairs, strict=True) if i is None]
        fresh = [line for edit in script.edits for line in script.new[edit.n1 : edit.n2]]
        # An entity in a line that the file does not have, and in a new one, would reach the file.
        if not bounds.hold(doc, place) or share_mangling(lost, fresh):
            return Nowhere((place.first, place.last + 1))
    return _planned(doc, script, place, hint)


def _on_strict_rungs(doc: Doc, script: EditScript, hint: Hint, bounds: Bounds) -> LadderOutcome:
    window = find_window(doc, script.old, hint, bounds)
    if isinstance(window, Nowhere):
        return stands_elsewhere(doc, script) or window
    if isinstance(window, Placement) and window.rung != "exact":
        # The exact old lines are nowhere and the new ones are there: the place found is a twin.
        applied = stands_elsewhere(doc, script, window)
        if applied is not None:
            return Doubtful(window.first, applied.line)
    return _planned(doc, script, window, hint)


def _planned(
    doc: Doc, script: EditScript, place: Placement | SeveralPlaces | Nowhere, hint: Hint
) -> LadderOutcome:
    """Return the plan for a place, unless what it would write is there already."""
    if not isinstance(place, Placement):
        return place
    deletes = not any(not is_blank(line) for line in script.new)
    if hint.near is not None and not stands_at(place, hint.near):
        if deletes:
            return Elsewhere(place.first, hint.near)
        twin = stands_at_line(doc, script, hint.near)
        if twin is not None:
            return twin
    if deletes and place.rung != "exact" and _is_indented_otherwise(doc, script, place):
        # A second run would take a twin that is indented in another way, and nothing would be left
        # to tell by.
        return UnclearProjection(place.first, place.last + 1)
    applied = stands_already(doc, script, place) or stands_around(doc, script, place)
    if applied is not None:
        return applied
    if restyles_other_lines(doc, script, place):
        return UnclearProjection(place.first, place.last + 1)
    splices = project(doc, script, place)
    if isinstance(splices, UnclearProjection):
        return splices
    if place.rung in ("elision", "similar"):
        applied = stands_at_splice(doc, splices)
    return applied or LadderPlan(
        tuple(splices), place.rung, place.similarity, range(place.first, place.last + 1)
    )


def _is_indented_otherwise(doc: Doc, script: EditScript, place: Placement) -> bool:
    return any(
        i is not None and indent_of(line) != indent_of(doc.lines[i])
        for line, i in zip(script.old, place.pairs, strict=True)
    )


def _unmangled(doc: Doc, script: EditScript, bounds: Bounds) -> LadderOutcome | None:
    """Return the first reading that undoes a mangling and places the old lines exactly once."""
    old, new = "\n".join(script.old), "\n".join(script.new)
    for reading in readings(doc, old, new):
        undone = script_of(contents_of(reading.old), contents_of(reading.new))
        found = _on_strict_rungs(doc, undone, Hint(near=reading.near), bounds)
        if isinstance(found, LadderPlan):
            return replace(found, rung="unmangled")
        if not isinstance(found, Nowhere):
            return found
    return None


def climb_everywhere(doc: Doc, script: EditScript) -> LadderOutcome:
    """Return all places of the strict rungs at once."""
    places = find_windows(doc, script.old)
    if not places:
        return Nowhere()
    doc.expect(len(places))
    splices: list[LineSplice] = []
    for place in places:
        if stands_already(doc, script, place) is not None:
            continue
        projected = project(doc, script, place)
        if isinstance(projected, UnclearProjection):
            return projected
        splices += projected
    lines = range(places[0].first, places[-1].last + 1)
    return (
        LadderPlan(tuple(splices), places[0].rung, 1.0, lines)
        if splices
        else AlreadyApplied(places[0].first)
    )
