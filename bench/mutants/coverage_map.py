"""Which tests reach which line, recorded by coverage.

A map is cached for a state of the sources and tests. After a change, only the tests that reach a changed file, or are in
one, are recorded again, in a layer above the older ones.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

from coverage import Coverage, CoverageData

from bench.mutants.mutations import Mutation
from bench.mutants.tree_copy import TreeCopy, digests_of

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
class Layer:
    """One recording: the seconds of its tests that passed and are in no later layer, and the lines that they ran."""

    place: str
    root: str
    """The folder of the copy that ran; the paths in the data begin with it."""
    seconds: dict[str, float]

    def tests_by_line(self, path: str) -> dict[int, set[str]]:
        """Return the tests of the layer that ran each line of a file."""
        data = CoverageData(f"{self.place}/coverage")
        data.read()
        contexts = data.contexts_by_lineno(f"{self.root}/{path}")
        return {
            line: {_PHASE.sub("", name) for name in names} & self.seconds.keys()
            for line, names in contexts.items()
        }


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """The layers of a map, and the tests that did not pass."""

    layers: tuple[Layer, ...]
    not_passed: tuple[str, ...]

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of each test that passed."""
        return {test: spent for layer in self.layers for test, spent in layer.seconds.items()}

    def tests_by_line(self, path: str) -> dict[int, set[str]]:
        """Return the tests that ran each line of a file."""
        found: defaultdict[int, set[str]] = defaultdict(set)
        for layer in self.layers:
            for line, tests in layer.tests_by_line(path).items():
                found[line] |= tests
        return found

    def tests_of(self, mutation: Mutation) -> list[str]:
        """Return the tests that run the mutation's line, the fastest first.

        A line that is never reported alone, as in the middle of an expression, has the tests of its statement.
        """
        by_line = self.tests_by_line(mutation.path)
        first, last = mutation.lines
        reaching = by_line.get(mutation.line, set())
        if not reaching:
            reaching = set().union(*(by_line.get(line, set()) for line in range(first, last + 1)))
        seconds = self.seconds
        return sorted(reaching, key=lambda test: (seconds[test], test))

    def joined(self, other: CoverageMap) -> CoverageMap:
        """Return a copy with the layers of another map above."""
        return CoverageMap(self.layers + other.layers, self.not_passed + other.not_passed)

    def without(self, tests: set[str]) -> CoverageMap:
        """Return a copy that these tests are in no layer of."""
        layers = [
            replace(
                layer, seconds={test: layer.seconds[test] for test in layer.seconds.keys() - tests}
            )
            for layer in self.layers
        ]
        return CoverageMap(tuple(layers), tuple(sorted(set(self.not_passed) - tests)))


def read_map(
    root: Path, cache: Path, tests: Iterable[str], copy: TreeCopy, workers: int
) -> CoverageMap:
    """Return the map of these tests: the cached one if neither sources nor tests differ, or else record what differs."""
    words = tuple(tests)
    files = digests_of(root, ("src", "tests"))
    state = json.dumps([words, sorted(files.items())])
    place = cache / sha256(state.encode()).hexdigest()[:16]
    if not (place / "map.json").exists():
        base, chosen = _newest_base(cache, words, files)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if chosen != set():
            base = base.joined(_record(place.resolve(), words, chosen or set(), copy, workers))
        kept = {"words": words, "files": files, "map": asdict(base)}
        # Written last: a recording that was stopped half-way is made again.
        (place / "map.json").write_text(json.dumps(kept), encoding="utf-8")
    return _read(place)[0]


def _read(place: Path) -> tuple[CoverageMap, dict[str, str], tuple[str, ...]]:
    """Return a map, the digests of the files that it is of, and the words of pytest that it was recorded with."""
    kept = json.loads((place / "map.json").read_text(encoding="utf-8"))
    layers = tuple(Layer(**layer) for layer in kept["map"]["layers"])
    return (
        CoverageMap(layers, tuple(kept["map"]["not_passed"])),
        kept["files"],
        tuple(kept["words"]),
    )


def _newest_base(
    cache: Path, words: tuple[str, ...], files: dict[str, str]
) -> tuple[CoverageMap, set[str] | None]:
    """Return what still holds of the newest map, and what to record besides: ids of tests and paths of test files.

    None means everything: there is no map of these words yet, or a file that tests share has changed.
    """
    maps = sorted(cache.glob("*/map.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in maps:
        base, old_files, old_words = _read(file.parent)
        changed = {name for name, _ in files.items() ^ old_files.items()}
        shared = {name for name in changed if not _is_source(name) and not _is_test_file(name)}
        if old_words == words and not shared:
            break
    else:
        return CoverageMap((), ()), None
    chosen = {name for name in changed if _is_test_file(name) and name in files}
    for name in filter(_is_source, changed):
        chosen = chosen.union(*base.tests_by_line(name).values())
    gone = {test for test in (*base.seconds, *base.not_passed) if test.split("::")[0] in changed}
    return base.without(gone | chosen), chosen


def _is_source(name: str) -> bool:
    return name.startswith("src/")


def _is_test_file(name: str) -> bool:
    return Path(name).match("test_*.py")


def _record(
    place: Path, words: tuple[str, ...], chosen: set[str], copy: TreeCopy, workers: int
) -> CoverageMap:
    """Record the chosen tests in a new layer; all if none are chosen."""
    settings = place / "coveragerc"
    settings.write_text(
        _SETTINGS.format(data=place / "coverage", source=copy.root / "src"), encoding="utf-8"
    )
    parallel = ("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()
    variables = {"COVERAGE_PROCESS_START": str(settings)}
    ran = copy.pytest(*parallel, *words, chosen=chosen, variables=variables)
    if not ran.passed and not chosen:
        raise SystemExit(f"no test passed while coverage was recorded:\n{ran.output}")
    combined = Coverage(config_file=str(settings))
    combined.combine()
    combined.save()
    return CoverageMap((Layer(str(place), str(copy.root), ran.passed),), ran.not_passed)
