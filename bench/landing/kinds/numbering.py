"""Edits by line number: the old text is the truth, the numbers are a hint; without either there is nothing to go by."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing.cases import Case
from bench.landing.drawing import is_plain
from bench.landing.drift import Drift
from bench.landing.forms import as_line_edits, hunks_of
from bench.landing.kinds.replacing import is_clear, is_clear_by_indent, surely
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import windows
from bench.landing.scene import Scene, is_insertion, new_side, old_side
from bench.landing.several import is_found_once, scene_of_changes
from bench.landing.true_edits import ALL, INSERTIONS, REPLACEMENTS, STEADY
from holdfast import LineEdit, LineEdits


def numbered(write: Callable[[Scene, Random], LineEdits]) -> Maker:
    """Exact old text under numbers that may be wrong."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(ALL, (1, 3), fits=is_clear)
        return shop.land(scene, write(scene, shop.rng)) if scene else None

    return make


def drifting(drift: Drift, fits: Callable[[Scene], bool] = is_plain) -> Maker:
    """Old text that drifts under the right numbers."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (1, 4), fits=fits)
        drifted = drift(scene, shop.rng) if scene else None
        if drifted is None or windows(drifted.before_lines, old_side(drifted.draft)) > 1:
            return None
        return shop.land(drifted, as_line_edits(drifted))

    return make


def several_edits(shop: Workshop) -> Case | None:
    """Two and more edits in any order, all numbered by the original."""
    source = shop.source()
    scene = scene_of_changes(shop.rng, source, shop.rng.choice((2, 3))) if source else None
    if scene is None:
        return None
    hunks = hunks_of(scene.true, scene.start)
    if not all(is_found_once(scene, hunk) for hunk in hunks):
        return None
    edits = [
        LineEdit(
            hunk.start,
            hunk.start + len(old_side(hunk.lines)) - 1,
            "\n".join(new_side(hunk.lines)),
            "\n".join(old_side(hunk.lines)),
        )
        for hunk in hunks
    ]
    shop.rng.shuffle(edits)
    return shop.land(scene, LineEdits(tuple(edits)))


def shown_as_is(shop: Workshop) -> Case | None:
    """No old text: the numbers speak of the text that was shown, which is the file."""
    scene = shop.scene(REPLACEMENTS, (0, 2))
    return shop.land(scene, _by_number(scene, scene.before)) if scene else None


def shown_insertion(shop: Workshop) -> Case | None:
    """An insertion before line n, by number alone."""
    scene = shop.scene(INSERTIONS, (0, 0), fits=lambda one: is_insertion(one.true))
    if scene is None or not all(line.mark == "+" for line in scene.true):
        return None
    text = "\n".join(new_side(scene.true))
    edit = LineEdits((LineEdit(scene.start, scene.start - 1, text),), shown=scene.before)
    return shop.land(scene, edit)


def shown_before_a_move(shop: Workshop) -> Case | None:
    """Lines came or went above since the text was shown; the numbers are mapped."""
    scene = shop.scene(REPLACEMENTS, (0, 2), fits=lambda one: is_plain(one) and len(one.above) > 10)
    if scene is None:
        return None
    at = shop.rng.randrange(len(scene.above) - 5)
    size = shop.rng.randint(1, 4)
    then = [*scene.above[:at], *scene.above[at + size :]]
    if shop.rng.random() < 0.5:
        then = [
            *scene.above[:at],
            *(f"# was here once {n}" for n in range(size)),
            *scene.above[at:],
        ]
    shown = "\n".join([*then, *old_side(scene.true), *scene.below]) + "\n"
    edit = LineEdit(
        len(then) + 1, len(then) + len(old_side(scene.true)), "\n".join(new_side(scene.true))
    )
    return shop.land(scene, LineEdits((edit,), shown=shown), refuse_ok=True)


def never_shown(shop: Workshop) -> Case | None:
    """No old text and nothing shown: nobody knows what the numbers mean."""
    scene = shop.scene(REPLACEMENTS, (0, 2))
    return shop.refuse(scene, _by_number(scene, None)) if scene else None


def shown_otherwise(shop: Workshop) -> Case | None:
    """The very lines were different when they were shown: stale."""
    scene = shop.scene(REPLACEMENTS, (0, 1))
    if scene is None:
        return None
    was = [f"{line}  {shop.rng.randint(1000, 9999)}" for line in old_side(scene.true)]
    shown = "\n".join([*scene.above, *was, *scene.below]) + "\n"
    return shop.refuse(scene, _by_number(scene, shown))


def out_of_bounds(shop: Workshop) -> Case | None:
    """Numbers behind the end of the file."""
    scene = shop.scene(REPLACEMENTS, (0, 1))
    if scene is None:
        return None
    start = len(scene.before_lines) + shop.rng.randint(2, 40)
    edit = LineEdit(start, start + shop.rng.randint(0, 3), "\n".join(new_side(scene.true)))
    return shop.refuse(scene, LineEdits((edit,), shown=scene.before))


def overlapping(shop: Workshop) -> Case | None:
    """Two edits of the same lines."""
    scene = shop.scene(REPLACEMENTS, (1, 2))
    if scene is None:
        return None
    one = as_line_edits(scene).edits[0]
    other = LineEdit(one.start, one.end, one.new + "\n" + one.new.split("\n")[0], one.old)
    return shop.refuse(scene, LineEdits((one, other)))


def _by_number(scene: Scene, shown: str | None) -> LineEdits:
    size = len(old_side(scene.true))
    edit = LineEdit(scene.start, scene.start + size - 1, "\n".join(new_side(scene.true)))
    return LineEdits((edit,), shown=shown)


def _off_by_fifty(scene: Scene, rng: Random) -> LineEdits:
    return as_line_edits(scene, shift=rng.choice((-1, 1)) * rng.randint(40, 60))


def _miscounted(scene: Scene, rng: Random) -> LineEdits:
    return as_line_edits(scene, stretch=rng.choice((-2, -1, 1, 2, 3)))


def _off_by_few(scene: Scene, rng: Random) -> LineEdits:
    return as_line_edits(scene, shift=rng.choice((-1, 1)) * rng.randint(1, 9))


KINDS: Final[dict[str, Maker]] = {
    "le-clean": numbered(lambda scene, _: as_line_edits(scene)),
    "le-off-by-n": numbered(_off_by_few),
    "le-stale-50": numbered(_off_by_fifty),
    "le-bad-count": numbered(_miscounted),
    "le-old-drift": drifting(drifts.shifted_indent, is_clear_by_indent),
    "le-old-trail": drifting(drifts.trailing_blanks),
    "le-old-typo": drifting(surely(drifts.soft_typos)),
    "le-crlf-file": drifting(drifts.crlf_in_file),
    "le-several": several_edits,
    "le-shown": shown_as_is,
    "le-shown-insert": shown_insertion,
    "le-shown-moved": shown_before_a_move,
    "le-neg-never-shown": never_shown,
    "le-neg-stale-shown": shown_otherwise,
    "le-neg-bounds": out_of_bounds,
    "le-neg-overlap": overlapping,
}
