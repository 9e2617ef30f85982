"""The time of a repair beside tools that apply their own suggestions: `ruff --fix` and `cargo fix`.

On errors that those can mend. Both give the same text; we also check before and after, record why, and swap the file.
The runs take turns, so that what else the machine does falls on both.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.repair.bare_python import bare_python, find_tool
from holdfast.adapters.toolchains.registry import check_for
from holdfast.repair.ports import Checked
from tests.end_to_end.repair.paid_once.drive import repair_cold

MOST_RATIO = 3.0
_RUFF = ("check", "--quiet", "--no-cache", "--isolated", "--select=E9,F50,F63,F7,F82,F901", "--fix")
_PYTHON = "def kind(x):\n    if x is 3:\n        return 'three'\n    raise NotImplemented\n"
_PYTHON_FIXED = (
    "def kind(x):\n    if x == 3:\n        return 'three'\n    raise NotImplementedError\n"
)
# rustc marks the `&` as certain, and so do we. A missing `mut` is certain for rustc alone.
_RUST = """\
pub fn longest(names: Vec<String>) -> usize {
    length(names)
}

fn length(names: &Vec<String>) -> usize {
    names.iter().map(String::len).max().unwrap_or(0)
}
"""
_RUST_FIXED = _RUST.replace("length(names)", "length(&names)")
_CARGO = '[package]\nname = "unit"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n'


@dataclass(frozen=True, slots=True)
class Beside:
    """Medians in milliseconds; `same` says whether each made the text that it should have.

    `checks` is what a repair cannot do without: the check of the text as it was, and of the text that is written.
    """

    peer: str
    theirs: float
    ours: float
    checks: float
    same: bool


def measure(rounds: int = 5) -> list[Beside]:
    """Run each peer that is installed, and ourselves, in turn."""
    ruff = Path(sys.executable).with_name("ruff")
    found = []
    if ruff.is_file():
        found.append(
            _measure_one(
                "ruff --fix", lambda place: _ruff(ruff, place), ("ruff", "unit.py"), rounds
            )
        )
    if shutil.which("cargo") and shutil.which("rustc"):
        found.append(_measure_one("cargo fix", _cargo, ("rustc", "unit.rs"), rounds))
    return found


def _measure_one(
    peer: str, run: Callable[[Path], bool], unit: tuple[str, str], rounds: int
) -> Beside:
    times: tuple[list[float], ...] = ([], [], [])
    runs: tuple[Callable[[Path], bool], ...] = (
        run,
        lambda place: _ours(unit, place),
        lambda place: _check_twice(unit, place),
    )
    same = True
    # The first round is for the caches of all.
    for number in range(rounds + 1):
        for kept, once in zip(times, runs, strict=True):
            with tempfile.TemporaryDirectory(prefix="holdfast-bench-repair-") as name:
                begin = time.perf_counter()
                same = once(Path(name)) and same
                if number:
                    kept.append((time.perf_counter() - begin) * 1e3)
    return Beside(peer, median(times[0]), median(times[1]), median(times[2]), same)


def _texts(tool: str) -> tuple[str, str]:
    return (_PYTHON, _PYTHON_FIXED) if tool == "ruff" else (_RUST, _RUST_FIXED)


def _ours(unit: tuple[str, str], place: Path) -> bool:
    tool, file = unit
    before, after = _texts(tool)
    return repair_cold(tool, file, before, place) == after


def _check_twice(unit: tuple[str, str], place: Path) -> bool:
    tool, file = unit
    (place / file).write_text(_texts(tool)[0])
    check = check_for(file, place, mode="file", timeout=120)
    assert check is not None
    first, last = (check.run(file, text.encode()) for text in _texts(tool))
    return isinstance(first, Checked) and isinstance(last, Checked) and not first.ok and last.ok


def _ruff(ruff: Path, place: Path) -> bool:
    file = place / "unit.py"
    file.write_text(_PYTHON)
    subprocess.run(
        [ruff, *_RUFF, "--unsafe-fixes", file], check=False, capture_output=True, timeout=60
    )
    return file.read_text() == _PYTHON_FIXED


def _cargo(place: Path) -> bool:
    (place / "src").mkdir()
    (place / "Cargo.toml").write_text(_CARGO)
    file = place / "src" / "lib.rs"
    file.write_text(_RUST)
    argv = ["cargo", "fix", "--quiet", "--offline", "--lib", "--broken-code", "--allow-no-vcs"]
    subprocess.run(argv, cwd=place, check=False, capture_output=True, timeout=120)
    return file.read_text() == _RUST_FIXED


@dataclass(frozen=True, slots=True)
class CommandTime:
    """The whole command on a file that ruff alone can fix, where ruff is the only checker; medians in milliseconds.

    `cpu` is the same in CPU time, children included: what else the machine does falls less on that.
    """

    ours: float
    ruff: float
    typer: float
    cpu: CommandTime | None = None

    @property
    def ratio(self) -> float:
        """Our time by that of the import of typer and two runs of ruff."""
        return self.ours / (self.typer + 2 * self.ruff)


def measure_command(rounds: int = 5) -> CommandTime | None:
    """Run `holdfast repair`, `ruff --fix` and `import typer` in turn, each in a process of its own."""
    if find_tool("ruff") is None:
        return None
    times: tuple[list[float], ...] = ([], [], [])
    cpu_times: tuple[list[float], ...] = ([], [], [])
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-repair-") as name:
        place = Path(name)
        python = bare_python(place, "ruff")
        root = place / "root"
        root.mkdir()
        (root / "ruff.toml").write_text('[lint]\nselect = ["E9", "F"]\n')
        environment = {
            "PATH": f"{Path(python).parent}:/usr/bin:/bin",
            "HOME": name,
            "HOLDFAST_STATE_DIR": str(place / "state"),
        }
        commands = (
            [python, "-m", "holdfast.cli.main", "repair", "unit.py", "--no-model"],
            [str(Path(python).with_name("ruff")), "check", "--quiet", "--fix", "unit.py"],
            [python, "-c", "import typer"],
        )
        for number in range(rounds + 1):
            for kept, kept_cpu, argv in zip(times, cpu_times, commands, strict=True):
                (root / "unit.py").write_text(
                    f"import os\nimport sys\n\nx = sys.platform, {number}\n"
                )
                shutil.rmtree(root / ".holdfast", ignore_errors=True)
                begin, begin_cpu = time.perf_counter(), _cpu_seconds()
                subprocess.run(argv, cwd=root, env=environment, check=True, capture_output=True)
                if number:
                    kept.append((time.perf_counter() - begin) * 1e3)
                    kept_cpu.append((_cpu_seconds() - begin_cpu) * 1e3)
    ours, ruff, typer = map(median, times)
    our_cpu, ruff_cpu, typer_cpu = map(median, cpu_times)
    return CommandTime(ours, ruff, typer, CommandTime(our_cpu, ruff_cpu, typer_cpu))


def _cpu_seconds() -> float:
    """Give the CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report_command(found: CommandTime | None) -> str:
    """Give the line about the whole command."""
    if found is None:
        return "ruff is not installed."
    line = (
        f"`holdfast repair unit.py`, ruff alone: {found.ours:.0f} ms; `ruff --fix` {found.ruff:.0f} ms, `import typer` "
        f"{found.typer:.0f} ms; {found.ratio:.2f} times `import typer` and two runs of ruff (aim: {MOST_RATIO:g})"
    )
    if found.cpu is None:
        return line
    cpu = found.cpu
    times = f"{cpu.ours:.0f}, {cpu.ruff:.0f} and {cpu.typer:.0f} ms"
    return f"{line}\nin CPU time: {times}; {cpu.ratio:.2f} times"


def report(measured: Sequence[Beside]) -> str:
    """Give the table."""
    lines = [
        "| peer | its ms | our ms | ratio | two checks alone, ms | ratio | the same text |",
        "|" + "---|" * 7,
    ]
    for each in measured:
        same = "yes" if each.same else "NO"
        ratios = each.ours / each.theirs, each.ours / each.checks
        lines.append(
            f"| {each.peer} | {each.theirs:.0f} | {each.ours:.0f} | {ratios[0]:.1f} | {each.checks:.0f} |"
            f" {ratios[1]:.2f} | {same} |"
        )
    return "\n".join(lines)
