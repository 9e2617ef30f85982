"""Measure what the sandbox costs, and run the tests of real projects in it.

`start`: the CPU time of `true` in each level, ours and its own, as a ratio to `true` without a
sandbox; the runs take turns, and the best counts, as for the other benchmarks. `work`: the test suites of three projects from PyPI and npm, and builds
by make, gcc and cargo, without a sandbox and approved in it (`write`). They are downloaded to
`.bench/sandbox` first; what cannot be downloaded or is not installed is skipped, with the reason.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.processes.sandbox.probe import SandboxChoice, open_sandbox
from holdfast.tools.ports import CommandDone
from holdfast.vocab.sandbox import SandboxLevel

PLACE = Path(".bench/sandbox").absolute()
KINDS: tuple[SandboxChoice, ...] = ("bubblewrap", "landlock")
LIMIT = 1800.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description=__doc__)
    parser.add_argument("what", nargs="*", default=["start", "work"], help="start, work, or both")
    parser.add_argument("--runs", type=int, default=21, help="runs of each start (default: 21)")
    arguments = parser.parse_args()
    if "start" in arguments.what:
        measure_starts(arguments.runs)
    if "work" in arguments.what:
        do_ordinary_work()


def run(
    kind: SandboxChoice, level: SandboxLevel, root: Path, words: Sequence[str]
) -> tuple[float, CommandDone]:
    commands = OsCommands(str(root), open_sandbox(kind, root, PLACE / "state"))
    began = time.perf_counter()
    done = commands.run(words, level, cwd=str(root), timeout=LIMIT, cancel=threading.Event())
    return time.perf_counter() - began, done


# -------------------------------------------------------------------------------------------- start


def measure_starts(runs: int) -> None:
    with tempfile.TemporaryDirectory(prefix="holdfast-sandbox-") as place:
        root = Path(place)
        subprocess.run(["git", "init", "-q", place], check=True)
        cases: list[tuple[SandboxChoice, SandboxLevel]] = [("off", "full")]
        for kind in KINDS:
            status = open_sandbox(kind, root, PLACE / "state").status
            if status.kind == kind:
                cases += [(kind, "read"), (kind, "write")]
            else:
                print(f"{kind} is skipped: {status.why}")
        best: dict[tuple[str, str], float] = {}
        for _ in range(runs):
            for case in cases:
                began = cpu_seconds()
                _, done = run(*case, root, ["true"])
                assert done.exit_code == 0, done
                seconds = cpu_seconds() - began
                best[case] = min(seconds, best.get(case, seconds))
        print(f"{'start of `true`':<24}{'CPU ms':>8}{'ratio':>8}")
        for (name, level), seconds in best.items():
            ratio = seconds / best["off", "full"]
            print(f"{name + ' ' + level:<24}{seconds * 1000:>8.1f}{ratio:>8.1f}")


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it has started and awaited."""
    ours = resource.getrusage(resource.RUSAGE_SELF)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ours.ru_utime + ours.ru_stime + theirs.ru_utime + theirs.ru_stime


# --------------------------------------------------------------------------------------------- work


@dataclass(frozen=True, slots=True)
class Work:
    """A folder and the words to run in it; or why they are skipped."""

    name: str
    folder: Path
    words: Sequence[str]
    skipped: str = ""


def do_ordinary_work() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    print(f"{'work':<34}{'plain':>16}{'bubblewrap write':>22}{'ratio':>7}{'landlock write':>22}")
    for work in (*python_projects(), npm_project(), c_project(), rust_project()):
        if work.skipped:
            print(f"{work.name:<34} skipped: {work.skipped}")
            continue
        plain, without = run("off", "full", work.folder, work.words)
        cells = [f"{without.exit_code} in {plain:.1f} s"]
        ratio = ""
        for kind in KINDS:
            seconds, done = run(kind, "write", work.folder, work.words)
            cells.append(f"{done.exit_code} in {seconds:.1f} s")
            if kind == "bubblewrap":
                ratio = f"{seconds / plain:.2f}"
            if done.exit_code != without.exit_code:
                print(
                    f"--- {work.name} by {kind}: {done.blocked}\n{done.output[-1500:]}",
                    file=sys.stderr,
                )
        print(f"{work.name:<34}{cells[0]:>16}{cells[1]:>22}{ratio:>7}{cells[2]:>22}")


def python_projects() -> Sequence[Work]:
    """Return the suites of iniconfig, with xdist, and of pluggy: pytest itself has installed both."""
    venv = PLACE / "venv"
    python = venv / "bin" / "python"
    found: list[Work] = []
    for name, version, options in (("iniconfig", "2.3.1", ["-n", "2"]), ("pluggy", "1.7.0", [])):
        folder = PLACE / f"{name}-{version}"
        archive = PLACE / f"{folder.name}.tar.gz"
        pip = [str(python), "-m", "pip"]
        pinned = f"{name}=={version}"
        reason = (
            attempt([sys.executable, "-m", "venv", str(venv)], done=python)
            or attempt(
                [*pip, "install", "-q", "pytest", "pytest-xdist", pinned],
                done=venv / "bin" / "pytest",
            )
            or attempt(
                [*pip, "download", "-q", "--no-deps", "--no-binary", ":all:", pinned], done=archive
            )
        )
        if not reason:
            unpack(archive, folder)
        words = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "testing"]
        title = " ".join([f"{name} {version}, pytest", *options])
        found.append(Work(title, folder, words, reason))
    return found


def npm_project() -> Work:
    """Return the suite of minimist, run by `npm test`."""
    folder, title = PLACE / "minimist", "minimist 1.2.8, npm test"
    if shutil.which("npm") is None:
        return Work(title, folder, [], "npm is not installed")
    archive = PLACE / "minimist-1.2.8.tgz"
    reason = attempt(["npm", "pack", "--silent", "minimist@1.2.8"], done=archive)
    if reason:
        return Work(title, folder, [], reason)
    unpack(archive, folder)
    # Its own script wants tools for style and coverage besides.
    for words in (
        ["delete", "devDependencies", "scripts.pretest", "scripts.posttest"],
        ["set", "scripts.test=tape test/*.js"],
    ):
        subprocess.run(["npm", "pkg", *words], cwd=folder, check=False, capture_output=True)
    install = ["npm", "install", "--silent", "--no-audit", "--ignore-scripts", "tape@5"]
    reason = attempt([*install, "--prefix", str(folder)], done=folder / "node_modules" / "tape")
    return Work(title, folder, ["npm", "test"], reason)


def c_project() -> Work:
    folder = PLACE / "c"
    folder.mkdir(exist_ok=True)
    (folder / "a.c").write_text('#include <stdio.h>\nint main(void) { puts("ok"); return 0; }\n')
    (folder / "Makefile").write_text("test: a\n\t./a\na: a.c\n\tgcc -O2 -o a a.c\n.PHONY: test\n")
    missing = [name for name in ("make", "gcc") if shutil.which(name) is None]
    reason = f"{missing[0]} is not installed" if missing else ""
    return Work("make and gcc", folder, ["make", "-B", "test"], reason)


def rust_project() -> Work:
    folder = PLACE / "rust"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "r"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    (folder / "src" / "main.rs").write_text('fn main() { println!("ok"); }\n')
    reason = "" if shutil.which("cargo") else "cargo is not installed"
    words = ["sh", "-c", "rm -rf target && cargo build --offline && target/debug/r"]
    return Work("cargo build --offline", folder, words, reason)


def attempt(words: Sequence[str], done: Path) -> str:
    """Run a step of the set-up unless its result is there; return why it failed, or ""."""
    if done.exists():
        return ""
    ran = subprocess.run(words, cwd=PLACE, capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        return ""
    return (ran.stderr.strip() or ran.stdout.strip()).rpartition("\n")[2][:120]


def unpack(archive: Path, folder: Path) -> None:
    if folder.exists():
        return
    with tarfile.open(archive) as file:
        file.extractall(PLACE / "unpacked", filter="data")
    [only] = list((PLACE / "unpacked").iterdir())
    only.rename(folder)


if __name__ == "__main__":
    main()
