"""What a maker works with: chance, files, and the way a scene becomes a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bench.landing.cases import Case, Edit
from bench.landing.drawing import draw_scene, is_plain
from bench.landing.scene import Scene
from bench.landing.sources import Pool, Source
from bench.landing.true_edits import STEADY, TrueEdit
from holdfast import Replace

_TRIES_A_SOURCE = 12


@dataclass(frozen=True, slots=True)
class Workshop:
    """One maker's desk: the case will have this id and kind, and all chance comes from `rng`."""

    id: str
    kind: str
    rng: Random
    pool: Pool

    def source(self, lang: str | None = None) -> Source | None:
        """A file."""
        return self.pool.draw(self.rng, lang)

    def scene(
        self,
        edits: Sequence[TrueEdit] = STEADY,
        context: tuple[int, int] = (1, 4),
        lang: str | None = None,
        fits: Callable[[Scene], bool] = is_plain,
        *,
        trim: bool = True,
    ) -> Scene | None:
        """A true edit in some file, written down exactly."""
        source = self.source(lang)
        if source is None:
            return None
        for _ in range(_TRIES_A_SOURCE):
            scene = draw_scene(self.rng, source, edits, context, trim=trim)
            if scene is not None and fits(scene):
                return scene
        return None

    def land(self, scene: Scene, edit: Edit, *also: str, refuse_ok: bool = False) -> Case | None:
        """The edit must land, as the scene's true edit or one of `also`; None where the text would be found twice."""
        before, after = scene.before, scene.after
        if before == after:
            return None
        if isinstance(edit, Replace) and (
            _leaves_a_blank(edit) or (not edit.every and _found_twice(before, edit))
        ):
            return None
        return Case(
            self.id,
            scene.lang,
            self.kind,
            "land",
            scene.name,
            before,
            edit,
            (after, *also),
            refuse_ok=refuse_ok,
            region=scene.region,
        )

    def refuse(self, scene: Scene, edit: Edit, before: str | None = None) -> Case:
        """The edit must be refused on the scene's file, or on the one given."""
        text = scene.before if before is None else before
        return Case(self.id, scene.lang, self.kind, "refuse", scene.name, text, edit, ())


Maker: TypeAlias = Callable[[Workshop], Case | None]


def _found_twice(before: str, edit: Replace) -> bool:
    return edit.near_line is None and before.count(edit.old) > 1


def _leaves_a_blank(edit: Replace) -> bool:
    """Whether a line goes but its newline was not asked for: to leave it and to take it are both fair."""
    return not edit.new and not edit.old.endswith("\n")
