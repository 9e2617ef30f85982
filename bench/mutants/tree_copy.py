"""Copies of the project in a temporary folder: mutants are written there, never into the work tree."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bench.mutants.mutations import Mutation

HOOKS = Path(__file__).parent / "hooks"


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of a run of pytest: its exit code, or None if it was stopped at the time limit."""

    code: int | None
    output: str
    passed: dict[str, float]
    """Seconds of each test that passed."""
    not_passed: tuple[str, ...]


def project_files(root: Path) -> list[str]:
    """Return the paths of the files that git tracks or would track; of all files where there is no repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        names = sorted(set(listed.stdout.split("\0")) - {""})
    else:
        names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    return [name for name in names if (root / name).is_file()]


def digest_of(root: Path, folders: Iterable[str], *, extra: str) -> str:
    """Return a digest of the files below these folders, by path and content, and of the extra text."""
    prefixes = tuple(f"{folder}/" for folder in folders)
    total = sha256(extra.encode())
    for name in project_files(root):
        if name.startswith(prefixes):
            total.update(f"{name}\0{sha256((root / name).read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


class TreeCopy:
    """A copy of the project's files, with its own `src` first on the path of every Python it starts."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root = place / "tree"
        self._temporary = place / "tmp"
        self._temporary.mkdir(parents=True)
        self._report = place / "report.json"
        self._chosen = place / "chosen.json"
        self._mutants = 0
        for name in project_files(root):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, self.root / name)

    def pytest(
        self,
        *words: str,
        chosen: Iterable[str] | None = None,
        limit: float | None = None,
        variables: dict[str, str] | None = None,
    ) -> Ran:
        """Run pytest in the copy: with `chosen`, only the tests with these ids, in this order."""
        environment = _own_environment() | {
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(HOOKS)]),
            "TMPDIR": str(self._temporary),
            "MUTANTS_REPORT": str(self._report),
            **(variables or {}),
        }
        self._report.unlink(missing_ok=True)
        if chosen is not None:
            tests = list(chosen)
            self._chosen.write_text(json.dumps(tests), encoding="utf-8")
            environment["MUTANTS_CHOSEN"] = str(self._chosen)
            words = (*words, *dict.fromkeys(test.split("::")[0] for test in tests))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "mutants_plugin",
            *words,
        ]
        code, output = _run(command, self.root, environment, limit)
        report = (
            json.loads(self._report.read_text(encoding="utf-8")) if self._report.exists() else {}
        )
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir(exist_ok=True)
        return Ran(code, output, report.get("passed", {}), tuple(report.get("not_passed", ())))

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        """Apply the mutation to the copy and revert it at the end."""
        file = self.root / mutation.path
        before = file.read_bytes()
        times = file.stat()
        file.write_bytes(mutation.apply(before.decode()).encode())
        # Python takes bytecode for fresh by size and second: a time of its own makes each mutant differ.
        self._mutants += 1
        os.utime(file, (times.st_atime, times.st_mtime + 10 * self._mutants))
        try:
            yield
        finally:
            file.write_bytes(before)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def _own_environment() -> dict[str, str]:
    """Return the variables of this process without those of a pytest or coverage that it may run under."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "COVERAGE_"))
    }


def _run(
    command: list[str], place: Path, environment: dict[str, str], limit: float | None
) -> tuple[int | None, str]:
    with subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
        return process.returncode, output
