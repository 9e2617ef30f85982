"""Which tests reach which line: recorded by coverage once for a state of the sources and tests, then read from disk."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage, CoverageData

from bench.mutants.mutations import Mutation
from bench.mutants.tree_copy import TreeCopy, digest_of

# A process that a test starts has no context of its own. It reads the test's name from the variable that pytest sets.
_SETTINGS = """\
[run]
parallel = true
data_file = {data}
source = {source}
context = ${{PYTEST_CURRENT_TEST-}}
patch = _exit
sigterm = true
disable_warnings = no-data-collected, module-not-measured, no-sysmon, already-imported, module-not-imported
"""
_PHASE = re.compile(r" \((setup|call|teardown)\)$")


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """The tests that passed, with their seconds, and the tests that ran each line."""

    seconds: dict[str, float]
    not_passed: tuple[str, ...]
    data: CoverageData
    root: str

    def tests_of(self, mutation: Mutation) -> list[str]:
        """Return the tests that run the mutation's line, the fastest first.

        A line that is never reported alone, as in the middle of an expression, has the tests of its statement.
        """
        contexts = self.data.contexts_by_lineno(f"{self.root}/{mutation.path}")
        first, last = mutation.lines
        reaching = _tests(contexts.get(mutation.line, ()))
        if not reaching:
            reaching = {
                test for line in range(first, last + 1) for test in _tests(contexts.get(line, ()))
            }
        return sorted(reaching & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


def read_map(
    root: Path, cache: Path, tests: Iterable[str], copy: TreeCopy, workers: int
) -> CoverageMap:
    """Return the map of these tests: the cached one if neither sources nor tests differ, or else record it."""
    tests = tuple(tests)
    place = cache / digest_of(root, ("src", "tests"), extra="\n".join(tests))
    if not (place / "tests.json").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        _record(place.resolve(), tests, copy, workers)
    kept = json.loads((place / "tests.json").read_text(encoding="utf-8"))
    data = CoverageData(str(place / "coverage"))
    data.read()
    return CoverageMap(kept["passed"], tuple(kept["not_passed"]), data, kept["root"])


def _record(place: Path, tests: tuple[str, ...], copy: TreeCopy, workers: int) -> None:
    settings = place / "coveragerc"
    settings.write_text(
        _SETTINGS.format(data=place / "coverage", source=copy.root / "src"), encoding="utf-8"
    )
    parallel = ("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()
    ran = copy.pytest(*parallel, *tests, variables={"COVERAGE_PROCESS_START": str(settings)})
    if not ran.passed:
        raise SystemExit(f"no test passed while coverage was recorded:\n{ran.output}")
    combined = Coverage(config_file=str(settings))
    combined.combine()
    combined.save()
    kept = {"root": str(copy.root), "passed": ran.passed, "not_passed": ran.not_passed}
    # Written last: a recording that was stopped half-way is made again.
    (place / "tests.json").write_text(json.dumps(kept), encoding="utf-8")


def _tests(contexts: Iterable[str]) -> set[str]:
    return {_PHASE.sub("", context) for context in contexts}
