"""Kill apply, turns with commands, restore, undo, redo, gc and others, two at a time, and print one table.

    python -m tests.end_to_end.going_back.combined_kills [--kills N] [--seed N] [--workers N]

Walks (see `kill_walk`) are begun with one seed after the other until there are so many kills. Exit 1 if one of them has
left something that nobody asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from holdfast.adapters.git import git_command
from tests.end_to_end import effects
from tests.end_to_end.going_back.kill_acts import serve_model
from tests.end_to_end.going_back.kill_walk import Walk

_STEPS = 25
"""Steps of one walk: its store and its private repository grow, and its copies take longer."""
_CHECKOUT = Path(__file__).parents[3]


def main() -> int:
    """Do all kills, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=_STEPS)
    parser.add_argument("--walk", type=Path, help="take one walk in this directory, print JSON")
    asked = parser.parse_args()
    if asked.walk:
        take_walk(asked.walk, asked.seed, asked.steps)
        return 0
    kills, failures = kill_many(asked.kills, asked.seed, asked.workers, asked.steps)
    print(table_of(kills, failures))
    for names, what in failures:
        print(f"{', '.join(names)}: {what}")
    return 1 if failures else 0


def take_walk(place: Path, seed: int, steps: int) -> None:
    """Take one walk, and print its kills and failures as JSON."""
    os.environ["HOME"] = str(place)
    os.environ["HOLDFAST_CONFIG_FILE"] = str(place / "config.toml")
    os.environ.pop("HOLDFAST_DATABASE_URL", None)
    base_url = serve_model()
    effects.install()
    counted: Any = effects._counting("git", git_command.Git.start)
    git_command.Git.start = counted  # type: ignore[method-assign]
    walk = Walk(place, seed, base_url)
    for _ in range(steps):
        walk.step()
    print(json.dumps({"kills": walk.kills, "failures": walk.failures}))


def kill_many(
    wanted: int, seed: int, workers: int, steps: int = _STEPS
) -> tuple[Counter[str], list[tuple[list[str], str]]]:
    """Take walks until there are so many kills; return those of each operation, and the failures."""
    kills: Counter[str] = Counter()
    failures: list[tuple[list[str], str]] = []
    with ThreadPoolExecutor(workers) as pool:
        while kills.total() < wanted:
            seeds = range(seed, seed + workers)
            seed += workers
            for walked in pool.map(lambda each: _walk(each, steps), seeds):
                kills.update(walked["kills"])
                failures += walked["failures"]
            _report(table_of(kills, failures))
    return kills, failures


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _walk(seed: int, steps: int) -> dict[str, Any]:
    # In memory, if there is a disk in memory: many scenes are copied.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    place = Path(tempfile.mkdtemp(prefix="holdfast-kills-", dir=memory))
    program = [sys.executable, "-m", "tests.end_to_end.going_back.combined_kills"]
    words = ["--walk", str(place), "--seed", str(seed), "--steps", str(steps)]
    try:
        ran = subprocess.run([*program, *words], cwd=_CHECKOUT, capture_output=True, check=False)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if ran.returncode:
        problem = ran.stderr.decode()[-2000:]
        return {"kills": {}, "failures": [([], f"the walk itself failed: {problem}")]}
    walked: dict[str, Any] = json.loads(ran.stdout)
    walked["failures"] = [(names, f"seed {seed}: {what}") for names, what in walked["failures"]]
    for _, what in walked["failures"]:
        _report(what)
    return walked


def table_of(kills: Counter[str], failures: list[tuple[list[str], str]]) -> str:
    """Return the table: for each operation how often it was killed, and how often that went wrong."""
    wrong = Counter(name for names, _ in failures for name in set(names))
    lines = ["| operation | kills | failures |", "|---|---|---|"]
    lines += [f"| {name} | {kills[name]} | {wrong[name]} |" for name in sorted(kills)]
    lines.append(f"| all | {kills.total()} | {len(failures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
