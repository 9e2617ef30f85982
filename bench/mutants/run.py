"""Run each mutant against the tests that reach its line."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from bench.mutants.coverage_map import CoverageMap
from bench.mutants.mutations import Mutation
from bench.mutants.tree_copy import TreeCopy

Fate = Literal["killed", "timeout", "survived", "not covered"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many of the tests that reach a line are run for a mutant of it."""

    others: int = 60
    """Tests outside of the folder that mirrors the package."""
    seconds: float = 30
    """The sum of what they took when they were recorded."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutation, the tests chosen for it and how many reach its line in all."""

    mutation: Mutation
    tests: tuple[str, ...]
    reaching: int


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant."""

    mutant: Mutant
    fate: Fate
    seconds: float


def choose_tests(mutation: Mutation, covering: CoverageMap, bounds: Bounds) -> Mutant:
    """Choose tests for a mutation: those of the mirrored folder first, then the fastest others."""
    reaching = covering.tests_of(mutation)
    folder = _mirrored_folder(mutation.path)
    mirrored = [test for test in reaching if test.startswith(folder)]
    others = [test for test in reaching if not test.startswith(folder)]
    chosen: list[str] = []
    left = bounds.seconds
    for test in mirrored + others[: bounds.others]:
        left -= covering.seconds[test]
        if left < 0 and chosen:
            break
        chosen.append(test)
    return Mutant(mutation, tuple(chosen), len(reaching))


def clean_seconds(copy: TreeCopy, mutants: list[Mutant]) -> dict[str, float]:
    """Run all chosen tests on the sources as they are; return the seconds of those that pass."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    return copy.pytest("-n", "0", chosen=tests).passed if tests else {}


def run_mutants(
    copies: list[TreeCopy],
    mutants: list[Mutant],
    clean: dict[str, float],
    say: Callable[[Result], None],
) -> list[Result]:
    """Run the mutants, as many at once as there are copies; return the results in the order of the mutants."""
    free: SimpleQueue[TreeCopy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def run_next(mutant: Mutant) -> Result:
        copy = free.get()
        try:
            result = run_mutant(copy, mutant, clean)
        finally:
            free.put(copy)
        say(result)
        return result

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(run_next, mutants))


def run_mutant(copy: TreeCopy, mutant: Mutant, clean: dict[str, float]) -> Result:
    """Run the tests of a mutant that pass without it, until the first fails."""
    tests = [test for test in mutant.tests if test in clean]
    if not tests:
        return Result(mutant, "not covered", 0)
    start = time.monotonic()
    with copy.mutated(mutant.mutation):
        # Bytecode of a mutant would be of no use to the next one.
        ran = copy.pytest(
            "-n",
            "0",
            "-x",
            chosen=tests,
            limit=_limit(tests, clean),
            variables={"PYTHONDONTWRITEBYTECODE": "1"},
        )
    return Result(mutant, _fate(ran.code), time.monotonic() - start)


def _fate(code: int | None) -> Fate:
    if code is None:
        return "timeout"
    return "survived" if code == 0 else "killed"


def _limit(tests: list[str], clean: dict[str, float]) -> float:
    """Return the time limit: several times the run without a mutation, and the start of pytest on a busy machine."""
    return 60 + 8 * sum(clean[test] for test in tests)


def _mirrored_folder(path: str) -> str:
    """Return the folder of the tests of a source file's package.

    >>> _mirrored_folder("src/holdfast/changes/hunks.py")
    'tests/changes/'
    """
    package = Path(path).parts[2]
    return f"tests/{package}/"
