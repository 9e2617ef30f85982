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
_NO_TESTS = 5
"""The exit code of pytest where it has found none of the tests."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many of the tests that reach a line are run for a mutant of it."""

    others: int = 60
    """Tests outside of the folder that mirrors the package."""
    seconds: float = 30
    """The sum of the processor time that they took when they were recorded."""


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
    killer: str = ""
    """The test that failed; "" if the mutant could not even be imported."""


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


def run_mutants(
    copies: list[TreeCopy],
    mutants: list[Mutant],
    covering: CoverageMap,
    say: Callable[[Result], None],
) -> list[Result]:
    """Run the mutants, as many at once as there are copies; return the results in the order of the mutants."""
    free: SimpleQueue[TreeCopy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def run_next(mutant: Mutant) -> Result:
        copy = free.get()
        try:
            result = run_mutant(copy, mutant, covering.seconds)
        finally:
            free.put(copy)
        say(result)
        return result

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(run_next, mutants))


def run_mutant(copy: TreeCopy, mutant: Mutant, seconds: dict[str, float]) -> Result:
    """Run the tests of a mutant until the first fails that passes without it."""
    start = time.monotonic()
    fate: Fate = "not covered"
    killer = ""
    tests = list(mutant.tests)
    while tests:
        limit = _limit(tests, seconds)
        with copy.mutated(mutant.mutation):
            ran = copy.run_chosen(tests, limit=limit)
        fate = _fate(ran.code)
        if fate != "killed" or not ran.failed:
            break
        (killer,) = ran.failed
        if copy.run_chosen([killer], limit=limit).code == 0:
            break
        # It fails without the mutation too, so it says nothing.
        tests.remove(killer)
        fate = "not covered"
        killer = ""
    return Result(mutant, fate, time.monotonic() - start, killer)


def _fate(code: int | None) -> Fate:
    fates: dict[int | None, Fate] = {None: "timeout", 0: "survived", _NO_TESTS: "not covered"}
    return fates.get(code, "killed")


def _limit(tests: list[str], seconds: dict[str, float]) -> float:
    """Return the limit of processor time: several times that of the run without a mutation, and the start of pytest."""
    return 20 + 4 * sum(seconds[test] for test in tests)


def _mirrored_folder(path: str) -> str:
    """Return the folder of the tests of a source file's package.

    >>> _mirrored_folder("src/holdfast/changes/hunks.py")
    'tests/changes/'
    """
    package = Path(path).parts[2]
    return f"tests/{package}/"
