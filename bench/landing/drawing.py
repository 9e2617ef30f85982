"""Draw a scene: a source, a true edit in it, and the lines around that a model shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from bench.landing.grammar import indent_of
from bench.landing.likeness import key, keys, rival_share, strong_lines, windows
from bench.landing.scene import (
    Line,
    Scene,
    Script,
    is_deletion,
    is_insertion,
    kept,
    new_side,
    old_side,
)
from bench.landing.sources import Source
from bench.landing.true_edits import TrueEdit

Fits = Callable[[Scene], bool]


def draw_scene(
    rng: Random,
    source: Source,
    edits: Sequence[TrueEdit],
    context: tuple[int, int],
    *,
    trim: bool = True,
) -> Scene | None:
    """A true edit somewhere in the source, with `context` lines (fewest, most) above and below; the draft is exact.

    `trim` cuts blank lines off the edges, as models do; diffs keep them.
    """
    lines = source.lines
    change = rng.choice(edits)(lines, rng.randrange(len(lines)), rng, source.lang)
    if change is None:
        return None
    top = max(0, change.start - rng.randint(*context))
    bottom = min(len(lines), change.end + rng.randint(*context))
    if trim:
        top, bottom = _without_blank_edges(lines, (top, change.start), (change.end, bottom))
    fewest = context[0]
    if change.start - top < min(fewest, 1) or bottom - change.end < min(fewest, 1):
        return None
    true = kept(lines[top : change.start]) + change.script + kept(lines[change.end : bottom])
    return Scene(source.name, source.lang, lines[:top], true, lines[bottom:], draft=true)


def is_plain(scene: Scene) -> bool:
    """Whether the scene is what it seems: found once, not applied yet, and no changed line is like its neighbours."""
    before = scene.before_lines
    old, new = old_side(scene.true), new_side(scene.true)
    return (
        strong_lines(old) >= 1
        and windows(before, old) == 1
        and windows(before, new) == 0
        and _changed_lines_differ(scene.true)
        and _comes_new(scene)
    )


def is_unrivalled(scene: Scene) -> bool:
    """Whether no other place in the file comes near, so that a slip or two leave no doubt."""
    old = old_side(scene.true)
    return strong_lines(old) >= 3 and rival_share(scene.above, old, scene.below) <= 0.5


def is_alone(scene: Scene) -> bool:
    """Whether no other place is half like it: who finds the target changed must not take another place for it."""
    return rival_share(scene.above, old_side(scene.true), scene.below) <= 0.5


def indents_tell(script: Script) -> bool:
    """Whether the old side shows how deep each new line belongs, under any uniform change of the indentation."""
    shown = {indent_of(line.text) for line in script if line.mark != "+" and not line.blank}
    asked = {indent_of(line.text) for line in script if line.mark == "+" and not line.blank}
    return asked <= shown or len(shown) >= 2


def with_clone(scene: Scene, clone: Sequence[str], rng: Random) -> Scene:
    """The scene with `clone` standing somewhere else as well, beside a blank line or at the end."""
    above = [at for at, line in enumerate(scene.above[:-1]) if not line.strip()]
    if above and rng.random() < 0.5:
        at = rng.choice(above) + 1
        return replace(scene, above=(*scene.above[:at], *clone, "", *scene.above[at:]))
    below = [at for at, line in enumerate(scene.below[:-1]) if not line.strip()]
    at = rng.choice(below) if below else len(scene.below)
    return replace(scene, below=(*scene.below[:at], "", *clone, *scene.below[at:]))


def _without_blank_edges(
    lines: Sequence[str], above: tuple[int, int], below: tuple[int, int]
) -> tuple[int, int]:
    top, start = above
    end, bottom = below
    while top < start and not lines[top].strip():
        top += 1
    while bottom > end and not lines[bottom - 1].strip():
        bottom -= 1
    return top, bottom


def _changed_lines_differ(script: Script) -> bool:
    """Whether no added line could be taken for a line of the old side, in whatever way they are compared."""
    old = set(keys(old_side(script)))
    return not any(key(line.text) in old for line in script if line.mark == "+" and not line.blank)


def _comes_new(scene: Scene) -> bool:
    """Whether what is added does not stand there already, and what is removed does not stand there twice."""
    if is_insertion(scene.true):
        coming = [line.text for line in scene.true if line.mark == "+"]
        return windows(scene.before_lines, coming) == 0
    if is_deletion(scene.true):
        return _no_repeats_beside_change(scene)
    return True


def _no_repeats_beside_change(scene: Scene) -> bool:
    lines = [Line(" ", scene.above[-1] if scene.above else ""), *scene.true]
    lines.append(Line(" ", scene.below[0] if scene.below else ""))
    return not any(a.mark != b.mark and key(a.text) == key(b.text) for a, b in pairwise(lines))
