"""Measure `holdfast worktree new` against `git worktree add` in a repository of 100,000 files.

    python -m bench.worktrees.new [FILES] [ROUNDS]

The two take turns, so that a busy machine slows both. Prints the median of each, and the ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Make the repository, and measure."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "root")
        os.environ["HOLDFAST_STATE_DIR"] = str(Path(place, "state"))
        _make_repository(root, files)
        new = [sys.executable, "-m", "holdfast.cli.main", "worktree", "new", "--root", str(root)]
        ours: list[float] = []
        gits: list[float] = []
        for number in range(rounds):
            folder = str(Path(place, f"by-git-{number}"))
            gits.append(_seconds(["git", "-C", str(root), "worktree", "add", "-q", folder]))
            ours.append(_seconds(new))
        git, holdfast = statistics.median(gits), statistics.median(ours)
        print(f"{files} files: git {git:.2f} s, holdfast {holdfast:.2f} s, {holdfast / git:.2f} x")


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


def _seconds(words: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
