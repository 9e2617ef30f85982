"""Copies of the project in a temporary folder: mutants are written there, never into the work tree."""

from __future__ import annotations

import json
import os
import shutil
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
    """The seconds of processor time of each test that passed."""
    not_passed: tuple[str, ...]
    failed: tuple[str, ...]


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


def digests_of(root: Path, folders: Iterable[str]) -> dict[str, str]:
    """Return the digest of the content of each file below these folders, by its path."""
    prefixes = tuple(f"{folder}/" for folder in folders)
    return {
        name: sha256((root / name).read_bytes()).hexdigest()
        for name in project_files(root)
        if name.startswith(prefixes)
    }


class TreeCopy:
    """A copy of the project's files, with its own `src` first on the path of every Python it starts."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root = place / "tree"
        self._temporary = place / "tmp"
        self._temporary.mkdir(parents=True)
        self._report = place / "report.json"
        self._chosen = place / "chosen.json"
        self._output = place / "output"
        self._server: subprocess.Popen[str] | None = None
        self._mutants = 0
        for name in project_files(root):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, self.root / name)

    def pytest(
        self, *words: str, chosen: Iterable[str] = (), variables: dict[str, str] | None = None
    ) -> Ran:
        """Run pytest in a process of its own; with `chosen`, only the collected tests with these ids or files."""
        command = [sys.executable, "-m", "pytest", *self._begin(chosen), *words]
        with self._output.open("w") as output:
            ended = subprocess.run(
                command,
                cwd=self.root,
                env=self._environment() | (variables or {}),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        return self._ran(ended.returncode)

    def run_chosen(self, tests: Iterable[str], *, limit: float | None = None) -> Ran:
        """Run the tests with these ids, in this order, until the first fails; see `mutants_server`."""
        chosen = list(tests)
        files = dict.fromkeys(test.split("::")[0] for test in chosen)
        request = {
            "words": [*self._begin(chosen), "-x", "-p", "no:xdist", *files],
            "output": str(self._output),
            "report": str(self._report),
            "limit": limit,
        }
        server = self._start_server()
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("the server has no pipes")
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        return self._ran(json.loads(server.stdout.readline()))

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.communicate()
            self._server = None

    def _start_server(self) -> subprocess.Popen[str]:
        if self._server is None:
            self._server = subprocess.Popen(
                [sys.executable, HOOKS / "mutants_server.py"],
                cwd=self.root,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self._server

    def _begin(self, chosen: Iterable[str]) -> list[str]:
        """Prepare a run of these tests, of all if there are none; return the first words for pytest."""
        self._report.unlink(missing_ok=True)
        self._chosen.write_text(json.dumps(list(chosen)), encoding="utf-8")
        return ["-q", "-p", "no:cacheprovider", "-p", "mutants_plugin"]

    def _environment(self) -> dict[str, str]:
        """Return the variables of this process without those of a pytest or coverage that it may run under."""
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "COVERAGE_"))
        }
        return own | {
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(HOOKS)]),
            "TMPDIR": str(self._temporary),
            "MUTANTS_REPORT": str(self._report),
            "MUTANTS_CHOSEN": str(self._chosen),
        }

    def _ran(self, code: int | None) -> Ran:
        report = {}
        if self._report.exists():
            report = json.loads(self._report.read_text(encoding="utf-8"))
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir(exist_ok=True)
        output = self._output.read_text(encoding="utf-8", errors="replace")
        return Ran(
            code,
            output,
            report.get("passed", {}),
            tuple(report.get("not_passed", ())),
            tuple(report.get("failed", ())),
        )

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
