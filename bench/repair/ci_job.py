"""The time of a job in CI: many files, one worker and two, and the same files once more.

Most files pass. Some have an error that a rule fixes after a model was asked once. Each run is a process of its own,
with a state directory of its own; the second run has that of the first.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.repair.bare_python import bare_python, find_tool
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, say

FILES = 200
BROKEN = 20
LEAST_SPEEDUP = 1.7
_COMMAND = (sys.executable, "-m", "holdfast.cli.main", "repair", ".", "--json")

_C = """\
#include <stdio.h>
#include <string.h>

int ask_{0}(char *line{0}) {{
    return fgets(line{0}, {1}{2}) != NULL;
}}

size_t size_{0}(const char *text{0}) {{
    return strlen(text{0}) + {1};
}}
"""
_PYTHON = """\
import sys
{2}

def name_{0}(number: int) -> str:
    return sys.platform + str(number + {1})
"""


@dataclass(frozen=True, slots=True)
class Job:
    """Files of one language: a name, a good and a broken text, and the tool that has to be there."""

    name: str
    tool: str
    suffix: str
    good: Callable[[int], str]
    broken: Callable[[int], str]
    settings: tuple[str, str] | None = None


JOBS = (
    Job(
        "C, gcc",
        "gcc",
        ".c",
        lambda number: _C.format(number, number + 10, ", stdin"),
        lambda number: _C.format(number, number + 10, ""),
    ),
    Job(
        "Python, ruff",
        "ruff",
        ".py",
        lambda number: _PYTHON.format(number, number, ""),
        lambda number: _PYTHON.format(number, number, "import os\n"),
        ("pyproject.toml", '[tool.ruff.lint]\nselect = ["E9", "F"]\n'),
    ),
)


@dataclass(frozen=True, slots=True)
class Timed:
    """One job: seconds, questions to the model, and whether every file passes afterwards."""

    job: str
    one: float
    two: float
    again: float
    questions: int
    whole: bool

    @property
    def speedup(self) -> float:
        """How much faster two workers are."""
        return self.one / self.two


def measure(files: int = FILES) -> list[Timed]:
    """Run each job whose tool is installed."""
    return [_measure_job(job, files) for job in JOBS if find_tool(job.tool)]


def _measure_job(job: Job, files: int) -> Timed:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-repair-") as name:
        python = bare_python(Path(name), job.tool)
        one, _, whole = _run_cold(job, files, 1, Path(name, "one"), python)
        two, questions, also = _run_cold(job, files, 2, Path(name, "two"), python)
        again, more, last = _run(Path(name, "two"), 2, python)
    return Timed(job.name, one, two, again, questions + more, whole and also and last)


def _run_cold(
    job: Job, files: int, workers: int, place: Path, python: str
) -> tuple[float, int, bool]:
    root = place / "root"
    root.mkdir(parents=True)
    if job.settings is not None:
        (root / job.settings[0]).write_text(job.settings[1])
    for number in range(files):
        is_broken = number % (files // BROKEN) == 0
        text = job.broken(number) if is_broken else job.good(number)
        (root / f"m{number}{job.suffix}").write_text(text)
    return _run(place, workers, python)


def _run(place: Path, workers: int, python: str) -> tuple[float, int, bool]:
    with ScriptedServer(_answer) as server:
        model = ["--base-url", server.base_url, "--model", "scripted"]
        argv = [python, *_COMMAND[1:], "--workers", str(workers), *model]
        environment = {
            "PATH": f"{Path(python).parent}:/usr/bin:/bin",
            "HOME": str(place),
            "HOLDFAST_STATE_DIR": str(place / "state"),
        }
        begin = time.perf_counter()
        done = subprocess.run(
            argv, cwd=place / "root", env=environment, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - begin
        questions = len(server.requests)
    if not done.stdout:
        sys.stderr.write(done.stderr)
        return seconds, questions, False
    last = json.loads(done.stdout.splitlines()[-1])
    return seconds, questions, last["outcome"] in {"repaired", "clean"}


def _answer(request: RecordedRequest) -> Reply:
    """Fix the call in the file of the question."""
    question = request.body["messages"][-1]["content"]
    found = re.search(r"^```\n(.*?)^```", question, re.DOTALL | re.MULTILINE)
    code = found[1] if found else ""
    fixed = re.sub(r"(fgets\(\w+, \d+)\)", r"\1, stdin)", code)
    return say(json.dumps({"code": fixed, "confidence": 0.95, "reasoning": "an argument"}))


def report(timed: Sequence[Timed], files: int = FILES) -> str:
    """Give the table, with the load of the machine, on which the times depend."""
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [
        f"{files} files, {BROKEN} of them broken; load {load} on {os.cpu_count()} cores\n",
        "| job | one worker, s | two workers, s | speed-up | second run, s | questions | all pass |",
        "|" + "---|" * 7,
    ]
    for each in timed:
        whole = "yes" if each.whole else "NO"
        lines.append(
            f"| {each.job} | {each.one:.1f} | {each.two:.1f} | {each.speedup:.2f} |"
            f" {each.again:.1f} | {each.questions} | {whole} |"
        )
    return "\n".join(lines)
