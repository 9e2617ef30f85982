"""Measure the start of commands, as ratios of CPU time to `python -c "import typer"`.

Ratios, because seconds say more about the machine than about the command; CPU time (user and
system), because other processes do not count in it. Each command runs in turn with the base, and
the best of its runs counts. The project of the run has applied changes, so that the commands
that read the store open it, and each run of `undo` has one to undo.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HOLDFAST = (sys.executable, "-m", "holdfast.cli.main")
BASE = (sys.executable, "-c", "import typer")


@dataclass(frozen=True, slots=True)
class Start:
    """A command, and the ratio that it aims at; None where no aim was set."""

    words: tuple[str, ...]
    aim: float | None = None

    @property
    def name(self) -> str:
        return " ".join(("holdfast", *self.words))


STARTS = (
    Start(("--help",), 1.6),
    Start(("--version",), 1.6),
    Start(("config", "show"), 2.5),
    Start(("checkpoint", "list"), 2.5),
    Start(("undo", "--json"), 4.5),
    Start(("changes", "list"), 4.5),
    Start(("run", "--help")),
    Start(("apply", "--help")),
    Start(("rules", "list")),
)
# What the commands above cannot be faster than.
IMPORTS = ("pydantic.main", "sqlalchemy", "httpx", "rich.console")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=__doc__)
    parser.add_argument("--runs", type=int, default=9, help="runs of each command (default: 9)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="holdfast-startup-") as place:
        root = project(Path(place))
        variables = environment(Path(place))
        for number in range(runs + 1):
            apply_change(root, variables, number)
        print(f'| command | CPU, ratio to `python -c "import typer"` (best of {runs}) | aim |')
        print("|---|---|---|")
        for start in STARTS:
            ratio = ratio_of((*HOLDFAST, *start.words), runs, root, variables)
            aim = "" if start.aim is None else f"{start.aim:.1f}"
            print(f"| `{start.name}` | {ratio:.1f} | {aim} |", flush=True)
        for module in IMPORTS:
            command = (sys.executable, "-c", f"import {module}")
            ratio = ratio_of(command, runs, root, variables)
            print(f'| `python -c "import {module}"` | {ratio:.1f} | |', flush=True)


def project(place: Path) -> Path:
    """Create a git repository with one file."""
    root = place / "project"
    root.mkdir()
    (root / "a.py").write_text("x = 0\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def environment(place: Path) -> dict[str, str]:
    """Return variables under which no setting and no record of the user counts."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    state, config = str(place / "state"), str(place / "no-settings.toml")
    return {**kept, "HOLDFAST_STATE_DIR": state, "HOLDFAST_CONFIG_FILE": config}


def apply_change(root: Path, variables: Mapping[str, str], number: int) -> None:
    """Apply a change; the first one creates the store."""
    edit = {"path": "a.py", "old": f"x = {number}", "new": f"x = {number + 1}"}
    subprocess.run(
        [*HOLDFAST, "apply", "--json"],
        cwd=root,
        env=variables,
        input=json.dumps(edit).encode(),
        check=True,
        capture_output=True,
    )


def ratio_of(command: Sequence[str], runs: int, root: Path, variables: Mapping[str, str]) -> float:
    """Return the least CPU time of a command, divided by that of the base in the same minutes."""
    # Once before: the first run compiles the modules.
    cpu_seconds(command, root, variables)
    times, base_times = [], []
    for _ in range(runs):
        base_times.append(cpu_seconds(BASE, root, variables))
        times.append(cpu_seconds(command, root, variables))
    return min(times) / min(base_times)


def cpu_seconds(command: Sequence[str], root: Path, variables: Mapping[str, str]) -> float:
    """Run a command and return its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=root, env=variables, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
