"""Measure `holdfast worktree new` against `git worktree add` in a repository of 100,000 files.

    python -m bench.worktrees.new [FILES] [ROUNDS]

The two take turns, so that a busy machine slows both. Prints the medians of the seconds on the clock
and of the processor, and their ratios. The first round is not counted: it writes the bytecode.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """The seconds that a command took on the clock, and those of the processor."""

    clock: float
    processor: float


def main() -> None:
    """Make the repository, and measure."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "root")
        os.environ["HOLDFAST_STATE_DIR"] = str(Path(place, "state"))
        _make_repository(root, files)
        new = [sys.executable, "-m", "holdfast.cli.main", "worktree", "new", "--root", str(root)]
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        gits: list[Cost] = []
        ours: list[Cost] = []
        for number in range(rounds + 1):
            folder = str(Path(place, f"by-git-{number}"))
            gits.append(_measure(["git", "-C", str(root), "worktree", "add", "-q", folder]))
            ours.append(_measure(new))
        for unit in ("clock", "processor"):
            git = statistics.median(getattr(cost, unit) for cost in gits[1:])
            holdfast = statistics.median(getattr(cost, unit) for cost in ours[1:])
            ratio = holdfast / git
            print(
                f"{files} files, {unit}: git {git:.2f} s, holdfast {holdfast:.2f} s, {ratio:.2f} x"
            )


def _make_repository(root: Path, files: int) -> None:
    """Commit files of some lines, a hundred in a directory."""
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    stream = ["commit refs/heads/main\ncommitter A <a@b.c> 0 +0000\ndata 1\nx\n"]
    for number in range(files):
        text = f"line {number}\n" * 10
        name = f"d{number // 100}/f{number}.txt"
        stream.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
    data = "".join(stream).encode()
    subprocess.run(["git", "-C", str(root), "fast-import", "--quiet"], input=data, check=True)
    subprocess.run(["git", "-C", str(root), "reset", "-q", "--hard"], check=True)


def _measure(words: list[str]) -> Cost:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    clock, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main()
