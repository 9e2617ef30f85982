"""Measure the recipes in turn, each beside `git status`, so that what else the machine does falls on both."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bench.checkpoints.recipes import Recipe
from bench.checkpoints.scene import Scene, cost_of

Case: TypeAlias = Literal["first", "ignored", "nothing", "ten", "restore"]
CASES: Final[tuple[Case, ...]] = ("first", "ignored", "nothing", "ten", "restore")
LIMITS: Final[dict[Case, float]] = {"first": 4.5, "nothing": 1.3, "ten": 2.2, "restore": 3.5}
"""Of our own, in time of processors as a ratio to a warm `git status`; a restore includes the undo checkpoint."""
IGNORED_LIMIT: Final = 0.3
"""How much more a snapshot without changes may take because it keeps ignored files."""


def limit_of(case: Case) -> float | None:
    """Return the limit of a case; with nothing changed, that of the ignored files comes on top.

    The first time that ignored files are kept is a case of its own, and has no limit.
    """
    if case == "nothing":
        return LIMITS[case] + IGNORED_LIMIT
    return LIMITS.get(case)


_AROUND: Final = 2
_LONG: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement, and the median of the `git status` right before and after it, in seconds."""

    took: float
    status: float
    cpu: float
    status_cpu: float

    @property
    def ratio(self) -> float:
        """In time of processors: what else runs on the machine counts less there."""
        return self.cpu / self.status_cpu


@dataclass(slots=True)
class Figures:
    """All samples of a recipe in one repository."""

    recipe: str
    size: str
    undoes: bool
    samples: dict[Case, list[Sample]] = field(default_factory=dict)

    def ratio(self, case: Case) -> float | None:
        """The median of the ratios."""
        there = self.samples.get(case)
        return statistics.median(sample.ratio for sample in there) if there else None

    def took(self, case: Case) -> float | None:
        """The median time in seconds."""
        there = self.samples.get(case)
        return statistics.median(sample.took for sample in there) if there else None

    def is_long(self, case: Case) -> bool:
        """Whether it took so long that once is enough: some hash, or write, every file there is.

        In time of processors: on a busy machine anything takes long.
        """
        return any(sample.cpu > _LONG for sample in self.samples.get(case, ()))

    def status(self) -> float:
        return statistics.median(sample.status for case in self.samples.values() for sample in case)

    def broken(self) -> list[str]:
        """The limits that do not hold."""
        broken: list[str] = []
        for case in CASES:
            ratio, limit = self.ratio(case), limit_of(case)
            if ratio is None or limit is None or ratio <= limit:
                continue
            what = f"{self.recipe}, {self.size}, {case}"
            broken.append(f"{what}: {ratio:.2f} times `git status`, and {limit:.1f} is the limit")
        return broken


def measure(
    scene: Scene,
    recipes: Sequence[Recipe],
    repetitions: int,
    firsts: int,
    say: Callable[[str], None],
) -> list[Figures]:
    """Every recipe in turn, as often as asked; a first snapshot less often, for it takes long."""
    figures = [Figures(recipe.name, scene.size.name, recipe.restores_undo) for recipe in recipes]
    for repetition in range(repetitions):
        for recipe, told in zip(recipes, figures, strict=True):
            say(f"{scene.size.name}: {recipe.name}, {repetition + 1} of {repetitions}")
            _measure_once(
                scene, recipe, told, first=repetition < firsts and not told.is_long("first")
            )
    for recipe in recipes:
        recipe.forget()
    return figures


def _measure_once(scene: Scene, recipe: Recipe, told: Figures, *, first: bool) -> None:
    taken: list[str] = []

    def snapshot() -> None:
        taken.append(recipe.snapshot())

    def keep(case: Case, act: Callable[[], None]) -> None:
        told.samples.setdefault(case, []).append(_sample(scene, act))

    if first:
        recipe.forget()
        recipe.keep_ignored(on=False)
        keep("first", snapshot)
        if recipe.keep_ignored(on=True):
            keep("ignored", snapshot)
    else:
        # What the other recipes have done in between is not what is asked for here.
        snapshot()
    keep("nothing", snapshot)
    scene.change()
    keep("ten", snapshot)
    if told.is_long("restore"):
        return
    before = scene.content()
    scene.change()
    keep("restore", lambda: recipe.restore(taken[-1]))
    assert scene.content() == before, f"{recipe.name}: the files are not those of the snapshot"
    recipe.settle()


def _sample(scene: Scene, act: Callable[[], None]) -> Sample:
    # The first one writes down what it has seen: only the next is warm.
    scene.status()
    around = [scene.status() for _ in range(_AROUND)]
    cost = cost_of(act)
    scene.status()
    around += [scene.status() for _ in range(_AROUND)]
    wall = statistics.median(each.wall for each in around)
    cpu = statistics.median(each.cpu for each in around)
    return Sample(cost.wall, wall, cost.cpu, cpu)
