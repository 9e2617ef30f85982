"""`python -m bench.mutants`: change one condition, number or call at a time and see whether a test fails.

Each mutant is written into a copy of the project and run against the tests that reach its line, until the first fails
that passes without the mutation. Which tests reach a line is recorded below --cache; that run of all the tests takes
longest. After a change of src or tests, only the tests that it concerns are recorded again.
Exit code 0, unless --limit is exceeded.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.mutants.coverage_map import read_map
from bench.mutants.mutations import Mutation, draw, find_in_tree
from bench.mutants.report import as_json, as_text, survivor_percent
from bench.mutants.run import Bounds, Result, choose_tests, run_mutants
from bench.mutants.tree_copy import TreeCopy

_PACKAGES = ("changes", "checkpoints", "loop", "tools", "usecases")


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where the share of survivors exceeds --limit."""
    options = _parser().parse_args(arguments)
    root = options.root.resolve()
    mutations = _draw(options, root)
    place = Path(tempfile.mkdtemp(prefix="mutants-")).resolve()
    try:
        results = _run(options, root, place, mutations)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(as_text(root, results))
    if options.json:
        options.json.write_text(
            json.dumps(as_json(root, options.seed, results), indent=1), encoding="utf-8"
        )
    is_exceeded = options.limit is not None and survivor_percent(results) > options.limit
    return 1 if is_exceeded else 0


def _draw(options: argparse.Namespace, root: Path) -> list[Mutation]:
    source = root / "src" / options.project
    for name in options.packages:
        if not (source / name).exists():
            _say(f"note: there is no {name} below src/{options.project}")
    mutations = find_in_tree(root, [source / name for name in options.packages])
    drawn = [
        mutation
        for mutation in draw(mutations, options.count, options.seed)
        if mutation.compiles((root / mutation.path).read_text(encoding="utf-8"))
    ]
    _say(f"{len(drawn)} of {len(mutations)} mutations, seed {options.seed}")
    return drawn


def _run(
    options: argparse.Namespace, root: Path, place: Path, mutations: list[Mutation]
) -> list[Result]:
    copies = [TreeCopy(root, place / str(number)) for number in range(options.workers)]
    try:
        return _run_in(copies, options, root, mutations)
    finally:
        for copy in copies:
            copy.close()


def _run_in(
    copies: list[TreeCopy], options: argparse.Namespace, root: Path, mutations: list[Mutation]
) -> list[Result]:
    start = time.monotonic()
    covering = read_map(root, options.cache, options.tests, copies[0], options.workers)
    _say(f"{len(covering.seconds)} tests in the coverage map ({time.monotonic() - start:.0f} s)")
    _note("did not pass while coverage was recorded and are left out", covering.not_passed)

    mutants = [
        choose_tests(mutation, covering, Bounds(options.others, options.seconds))
        for mutation in mutations
    ]
    start = time.monotonic()
    results = run_mutants(copies, mutants, covering, _say_result)
    _say(f"{len(results)} mutants ({time.monotonic() - start:.0f} s)")
    return results


def _say_result(result: Result) -> None:
    mutation = result.mutant.mutation
    _say(f"{result.fate}: {mutation.path}:{mutation.line} {mutation.kind} ({result.seconds:.1f} s)")


def _note(what: str, tests: list[str] | tuple[str, ...]) -> None:
    if tests:
        _say(f"note: {len(tests)} tests {what}:\n  " + "\n  ".join(tests[:20]))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=100, help="mutations to draw (default: 100)")
    parser.add_argument(
        "--seed", default=datetime.now(UTC).date().isoformat(), help="(default: the day's date)"
    )
    parser.add_argument(
        "--packages",
        nargs="+",
        default=_PACKAGES,
        help=f"folders, or single files, below src/holdfast (default: {' '.join(_PACKAGES)})",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        default=("src", "tests", "--ignore=tests/bench", "--ignore=tests/local_model"),
        help="what pytest collects for the coverage map (default: all but the tests of benchmarks and a local model)",
    )
    parser.add_argument(
        "--others", type=int, default=Bounds().others, help="tests outside of the mirrored folder"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=Bounds().seconds,
        help="of processor time, of tests for a mutant",
    )
    parser.add_argument("--workers", type=int, default=2, help="mutants run at once (default: 2)")
    parser.add_argument("--limit", type=float, help="fail if more than this percentage survive")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--root", type=Path, default=Path(), help="of the project (default: here)")
    parser.add_argument(
        "--project", default="holdfast", help="its package below src (default: holdfast)"
    )
    parser.add_argument(
        "--cache", type=Path, default=Path(".bench/mutants"), help="where coverage maps are kept"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
