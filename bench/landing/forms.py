"""The same edit in each notation: text for text, a unified diff, edits by line number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bench.landing.cases import Edit
from bench.landing.scene import Line, Scene, Script, new_side, old_side
from holdfast import LineEdit, LineEdits, Patch, Replace

HUNK_CONTEXT = 3


def as_replace(scene: Scene, *, end: str = "\n") -> Replace:
    """Old text for new; `end` closes both. An empty side stays empty."""
    return Replace(_block(old_side(scene.draft), end), _block(new_side(scene.draft), end))


def as_line_edits(scene: Scene, *, shift: int = 0, stretch: int = 0) -> LineEdits:
    """One edit by line number; `shift` moves both numbers, `stretch` the last one only."""
    start = max(1, scene.start + shift)
    last = start + len(old_side(scene.true)) - 1 + stretch
    new, old = "\n".join(new_side(scene.draft)), "\n".join(old_side(scene.draft))
    return LineEdits((LineEdit(start, max(start, last), new, old),))


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of marked lines and the line of the old file at which it begins, as the header will say."""

    start: int
    new_start: int
    lines: Script

    @property
    def header(self) -> str:
        """The line with the numbers."""
        old, new = len(old_side(self.lines)), len(new_side(self.lines))
        return f"@@ -{self.start},{old} +{self.new_start},{new} @@"

    @property
    def body(self) -> list[str]:
        """The lines with their marks."""
        return [line.mark + line.text for line in self.lines]


def as_patch(scene: Scene, *, shift: int = 0, unwrap: bool = False) -> Patch:
    """One hunk under ordinary headers."""
    hunk = hunk_of(scene, shift=shift)
    return Patch(
        "\n".join([*file_header(scene.name), hunk.header, *hunk.body]) + "\n", unwrap=unwrap
    )


def hunk_of(scene: Scene, *, shift: int = 0) -> Hunk:
    """The draft as one hunk whose numbers are off by `shift`."""
    start = max(1, scene.start + shift)
    return Hunk(start, start, scene.draft)


def file_header(name: str) -> list[str]:
    """The two lines that name the file."""
    return [f"--- a/{name}", f"+++ b/{name}"]


def hunks_of(script: Sequence[Line], start: int) -> list[Hunk]:
    """A long script as hunks of changed lines with three lines of context each."""
    wanted = [at for at, line in enumerate(script) if line.mark != " "]
    runs: list[list[int]] = []
    for at in wanted:
        if runs and at - runs[-1][1] <= 2 * HUNK_CONTEXT:
            runs[-1][1] = at
        else:
            runs.append([at, at])
    return [_cut(script, start, first, last) for first, last in runs]


Form: TypeAlias = Callable[[Scene, Random], Edit]
"""How a scene's draft is written down."""


def write_replace(scene: Scene, rng: Random) -> Replace:
    """Text for text, with or without the last newline."""
    end = "\n" if not new_side(scene.draft) else rng.choice(("", "\n"))
    return as_replace(scene, end=end)


def write_patch(scene: Scene, rng: Random) -> Edit:
    """A hunk with the right number."""
    del rng
    return as_patch(scene)


def write_patch_blindly(scene: Scene, rng: Random) -> Edit:
    """A hunk that says nothing of where it stands."""
    header = rng.choice(("@@ ... @@", "@@ @@", "@@"))
    return Patch("\n".join([*file_header(scene.name), header, *hunk_of(scene).body]) + "\n")


def write_line_edits(scene: Scene, rng: Random) -> Edit:
    """An edit by the right line numbers."""
    del rng
    return as_line_edits(scene)


def _cut(script: Sequence[Line], start: int, first: int, last: int) -> Hunk:
    top, bottom = max(0, first - HUNK_CONTEXT), min(len(script), last + 1 + HUNK_CONTEXT)
    above = script[:top]
    return Hunk(
        start + len(old_side(above)), start + len(new_side(above)), tuple(script[top:bottom])
    )


def _block(lines: list[str], end: str) -> str:
    return "\n".join(lines) + end if lines else ""
