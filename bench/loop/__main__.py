"""`python -m bench.loop`: what a step of a turn costs without the model, and whether that stays so.

A real turn with real tools on a real store; the model is scripted, and in a process of its own. Exit code 0: the limits
hold, and every turn came to its end.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import sys
import tempfile
from pathlib import Path

from bench.loop.measure import Case, Figures, measure
from bench.loop.report import broken, print_figures
from bench.loop.scene import fill_store, make_project

_ALL = 10_000_000
"""A context that is never full: each payload is longer than the one before it."""
_USUAL = 32_768


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where the limits hold."""
    options = _parser().parse_args(arguments)
    cases = [
        Case("empty store", options.steps, 0, _ALL),
        Case("full store", options.steps, options.messages, _ALL),
        Case("long turn, with compactions", options.long, 0, _USUAL),
    ]
    _run(Case("warm-up", 12, 0, _ALL), options)
    figures = [_run(case, options) for case in cases if case.steps]
    print_figures(figures)
    if not options.limits:
        return 0
    lines = broken(figures)
    for line in lines:
        sys.stderr.write(f"{line}\n")
    return 1 if lines else 0


def _run(case: Case, options: argparse.Namespace) -> Figures:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-loop-") as name:
        place = Path(name)
        # Nobody's own settings are measured.
        state = place / "state"
        os.environ.update(
            HOLDFAST_STATE_DIR=str(state), HOME=name, HOLDFAST_CONFIG_FILE=str(place / "none.toml")
        )
        os.environ.pop("XDG_CONFIG_HOME", None)
        os.environ.pop("HOLDFAST_DATABASE_URL", None)
        root = make_project(place)
        fill_store(state, root, case.messages)
        sys.stderr.write(f"{case.name}: {case.steps} steps\n")
        if not options.profile:
            return measure(case, root)
        profile = cProfile.Profile()
        figures = profile.runcall(measure, case, root)
        profile.dump_stats(options.profile)
        return figures


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.loop",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--steps", type=int, default=200, help="of the turns on the empty and the full store"
    )
    parser.add_argument("--messages", type=int, default=10_000, help="in the full store")
    parser.add_argument(
        "--long", type=int, default=1_000, help="steps of the turn whose memory is watched; 0: none"
    )
    parser.add_argument(
        "--limits",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="fail if one is broken",
    )
    parser.add_argument(
        "--profile", type=Path, help="write the profile of the last case to this file"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
