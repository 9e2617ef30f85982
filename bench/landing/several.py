"""Several changes in one file: a scene with more than one place."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from bench.landing.drawing import is_plain
from bench.landing.forms import Hunk
from bench.landing.likeness import windows
from bench.landing.scene import Line, Scene, kept, new_side, old_side
from bench.landing.sources import Source
from bench.landing.true_edits import STEADY, Change

_FAR: Final = 8
"""Two changes stand at least this far apart."""


def scene_of_changes(rng: Random, source: Source, size: int) -> Scene | None:
    """`size` changes far from each other, in one region."""
    spots = [rng.randrange(len(source.lines)) for _ in range(8)]
    drawn = [rng.choice(STEADY)(source.lines, at, rng, source.lang) for at in spots]
    changes: list[Change] = []
    for change in sorted((one for one in drawn if one), key=lambda one: one.start):
        if len(changes) < size and (not changes or change.start - changes[-1].end >= _FAR):
            changes.append(change)
    if len(changes) < size:
        return None
    return _joined(source.name, source.lang, source.lines, changes)


def _joined(name: str, lang: str, lines: tuple[str, ...], changes: Sequence[Change]) -> Scene:
    top, bottom = max(0, changes[0].start - 3), min(len(lines), changes[-1].end + 3)
    true: tuple[Line, ...] = ()
    at = top
    for change in changes:
        true += kept(lines[at : change.start]) + change.script
        at = change.end
    true += kept(lines[at:bottom])
    return Scene(name, lang, lines[:top], true, lines[bottom:], draft=true)


def is_found_once(scene: Scene, hunk: Hunk) -> bool:
    before = scene.before_lines
    start = hunk.start - 1
    own = Scene(
        scene.name,
        scene.lang,
        tuple(before[:start]),
        hunk.lines,
        tuple(before[start + len(old_side(hunk.lines)) :]),
        hunk.lines,
    )
    return is_plain(own) and windows(scene.after_lines, new_side(hunk.lines)) == 1
