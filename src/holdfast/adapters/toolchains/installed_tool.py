"""A tool: its name, where it is installed, its version, and how to install it if it is not."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.run_tool import NEVER, run_tool
from holdfast.repair.ports import CheckCrashed, ToolchainMissing
from holdfast.vocab.cancellation import Cancel

TOOLCHAINS = "HOLDFAST_TOOLCHAINS"
"""The variable that names a directory with tools in it: its own programs, and those below `node_modules/.bin`."""

_PROBE_SECONDS = 20.0
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_IN_THE_PROJECT = ("node_modules/.bin", ".venv/bin", "venv/bin")
_known: dict[tuple[str, int, int], str] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ToolProgram:
    """A tool by the name of its program. `asks` are the words that make it tell its version."""

    name: str
    hint: str
    asks: tuple[str, ...] = ("--version",)


@dataclass(frozen=True, slots=True)
class Installed:
    """A tool that is there."""

    tool: ToolProgram
    program: str
    version: str

    @property
    def title(self) -> str:
        """Name and version, for a record."""
        return f"{self.tool.name} {self.version}".strip()


def find(
    tool: ToolProgram, root: Path, path: str, deadline: float, cancel: Cancel = NEVER
) -> Installed | None:
    """Look for a tool: in the project (from the unit upwards), on the PATH, among `HOLDFAST_TOOLCHAINS`, beside us."""
    for place in (*_project_places(root, path), None, *_other_places()):
        program = shutil.which(tool.name, path=place)
        if program is not None:
            at = os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link
            return Installed(tool, at, _version(tool, program, deadline, cancel))
    return None


def find_in_project(name: str, root: Path, path: str) -> str | None:
    """Give the program that the project itself brings for a tool, from the root; None if it brings none."""
    for place in _project_places(root, path):
        program = shutil.which(name, path=place)
        if program is not None:
            return os.path.relpath(program, root)
    return None


def need(
    tool: ToolProgram, root: Path, path: str, deadline: float, cancel: Cancel = NEVER
) -> Installed:
    """Find a tool that the check cannot do without; raises `ToolchainMissing`."""
    found = find(tool, root, path, deadline, cancel)
    if found is None:
        raise ToolchainMissing(
            f"{path}: {tool.name} is not installed, and this cannot be checked without it. {tool.hint}"
        )
    return found


def _project_places(root: Path, path: str) -> list[str]:
    folders = [root / parent for parent in PurePosixPath(path).parents]
    return [str(folder / place) for folder in folders for place in _IN_THE_PROJECT]


def _other_places() -> list[str]:
    named = os.environ.get(TOOLCHAINS)
    ours = [str(Path(named, place)) for place in (".", "bin", "node_modules/.bin")] if named else []
    # Whoever installs ruff or mypy with Holdfast has them beside its Python, often not on the PATH.
    return [*ours, str(Path(sys.executable).parent)]


def _version(tool: ToolProgram, program: str, deadline: float, cancel: Cancel) -> str:
    """Ask for the version, once for each program as it is now on the disk."""
    status = Path(program).stat()
    key = program, status.st_mtime_ns, status.st_size
    with _lock:
        if key in _known:
            return _known[key]
    until = min(deadline, time.monotonic() + _PROBE_SECONDS)
    try:
        ran = run_tool([program, *tool.asks], "/", until, cancel=cancel)
    except CheckCrashed:
        return "unknown"
    told = _VERSION.search(ran.output)
    version = told[0] if told else "unknown"
    # One that did not answer in time may do so next time.
    if not ran.timed_out:
        with _lock:
            _known[key] = version
    return version
