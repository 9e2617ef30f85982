"""`python -m bench.checkpoints`: what a checkpoint and a restore cost, in units of `git status`.

Repositories are made below --place and kept there; the second run begins at once. Limits are judged in time of
processors, for our own recipe as a library, without the record in the store.
Exit code 0: the limits hold, and every restore gave back the files.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.checkpoints.measure import Figures, measure
from bench.checkpoints.recipes import RECIPES
from bench.checkpoints.report import as_json, print_figures
from bench.checkpoints.scene import Size, find_scene, sizes


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where the limits hold."""
    options = _parser().parse_args(arguments)
    console = Console() if Console().is_terminal else Console(width=200)
    place: Path = (options.place or Path(tempfile.mkdtemp(prefix="holdfast-bench-"))).resolve()
    # Nobody's own settings are measured.
    os.environ.update(HOLDFAST_STATE_DIR=str(place / "state"), HOME=str(place / "home"))
    os.environ.pop("XDG_CONFIG_HOME", None)
    try:
        figures = [each for size in options.sizes for each in _run(options, place, size, console)]
    finally:
        if options.place is None:
            shutil.rmtree(place, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(as_json(figures), indent=1), encoding="utf-8")
    return _judge(options, figures, console)


def _run(options: argparse.Namespace, place: Path, size: Size, console: Console) -> list[Figures]:
    _say(f"{size.name}: looking for the repository, or making it")
    scene = find_scene(place, size)
    shadows = place / f"{size.name}.shadows"
    shutil.rmtree(shadows, ignore_errors=True)
    shadows.mkdir()
    recipes = [RECIPES[name](scene, shadows) for name in options.recipes]
    figures = measure(scene, recipes, options.reps, options.firsts, _say)
    scene.set_back()
    shutil.rmtree(shadows)
    print_figures(console, size.name, figures)
    return figures


def _say(what: str) -> None:
    # No spinner: its thread takes time of this process, the more the longer an act takes.
    print(what, file=sys.stderr, flush=True)


def _judge(options: argparse.Namespace, figures: list[Figures], console: Console) -> int:
    broken = [line for each in figures if each.recipe == "holdfast" for line in each.broken()]
    if not options.limits:
        return 0
    for line in broken:
        console.print(f"[red]{line}[/]")
    return 1 if broken else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.checkpoints",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--sizes",
        type=sizes,
        default=sizes("100000+5000+20000,5000"),
        help="repositories as TRACKED+UNTRACKED+IGNORED, several with commas (default: 100000+5000+20000,5000)",
    )
    parser.add_argument(
        "--recipes", type=_recipes, default=tuple(RECIPES), help=f"of {', '.join(RECIPES)}"
    )
    parser.add_argument(
        "--reps",
        type=int,
        default=5,
        help="how often each is measured; what takes five seconds of processors is measured once",
    )
    parser.add_argument(
        "--firsts",
        type=int,
        default=5,
        help="how often a first snapshot is measured, unless it takes long",
    )
    parser.add_argument(
        "--place", type=Path, default=Path(".bench"), help="where repositories are kept"
    )
    parser.add_argument(
        "--temporary", dest="place", action="store_const", const=None, help="keep none"
    )
    parser.add_argument(
        "--limits",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="fail if one is broken",
    )
    parser.add_argument("--json", type=Path, help="write every sample to this file")
    return parser


def _recipes(words: str) -> tuple[str, ...]:
    chosen = tuple(words.split(","))
    unknown = [name for name in chosen if name not in RECIPES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no {', '.join(unknown)}; there are {', '.join(RECIPES)}"
        )
    return chosen


if __name__ == "__main__":
    raise SystemExit(main())
