"""Installed tools: where a tool is, its version, and how to install it if it is missing."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.run_tool import NEVER, ToolPlace, run_tool
from holdfast.repair.ports import CheckCrashed, ToolchainMissing
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vocab.cancellation import Cancel

TOOLCHAINS = "HOLDFAST_TOOLCHAINS"
"""The variable that names a folder with tools: its programs, and those in `node_modules/.bin`."""

_PROBE_SECONDS = 20.0
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_IN_THE_PROJECT = ("node_modules/.bin", ".venv/bin", "venv/bin")
_known_versions: dict[tuple[str, int, int], str] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ToolProgram:
    """A tool by the name of its program, with a hint how to install it.

    `version_args` are the arguments that make it print its version.
    """

    name: str
    hint: str
    version_args: tuple[str, ...] = ("--version",)


@dataclass(frozen=True, slots=True)
class InstalledTool:
    """A tool that is installed: the path of its program and its version."""

    tool: ToolProgram
    program: str
    version: str

    @property
    def title(self) -> str:
        """Name and version, for a record."""
        return f"{self.tool.name} {self.version}".strip()


def find_tool(
    tool: ToolProgram,
    root: Path,
    path: str,
    deadline: float,
    cancel: Cancel = NEVER,
    *,
    sandbox: Sandbox = UNCONFINED,
) -> InstalledTool | None:
    """Find a tool, or return None.

    The places are the project (from the unit upwards), the PATH, `HOLDFAST_TOOLCHAINS`, and the
    folder of our own Python.
    """
    for place in (*_project_places(root, path), None, *_other_places()):
        program = shutil.which(tool.name, path=place)
        if program is not None:
            at = os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link
            where = ToolPlace(sandbox, str(root))
            return InstalledTool(tool, at, _version(tool, at, deadline, cancel, where))
    return None


def find_in_project(name: str, root: Path, path: str) -> str | None:
    """Return the project's own program of this name, from the root; None if there is none."""
    for place in _project_places(root, path):
        program = shutil.which(name, path=place)
        if program is not None:
            return os.path.relpath(program, root)
    return None


def require_tool(
    tool: ToolProgram,
    root: Path,
    path: str,
    deadline: float,
    cancel: Cancel = NEVER,
    *,
    sandbox: Sandbox = UNCONFINED,
) -> InstalledTool:
    """Find a tool that the check depends on; raise `ToolchainMissing`."""
    found = find_tool(tool, root, path, deadline, cancel, sandbox=sandbox)
    if found is None:
        raise ToolchainMissing(
            f"{path}: {tool.name} is not installed, and this cannot be checked without it. "
            f"{tool.hint}"
        )
    return found


def _project_places(root: Path, path: str) -> Iterator[str]:
    for parent in PurePosixPath(path).parents:
        for place in _IN_THE_PROJECT:
            yield str(root / parent / place)


def _other_places() -> list[str]:
    places: list[str] = []
    folder = os.environ.get(TOOLCHAINS)
    if folder:
        places += [str(Path(folder, place)) for place in (".", "bin", "node_modules/.bin")]
    # A ruff or mypy that is installed with Holdfast is beside its Python, often not on the PATH.
    places.append(str(Path(sys.executable).parent))
    return places


def _version(
    tool: ToolProgram, program: str, deadline: float, cancel: Cancel, place: ToolPlace
) -> str:
    """Return the version; each program is run for it once, until it changes on the disk."""
    status = Path(program).stat()
    key = program, status.st_mtime_ns, status.st_size
    with _lock:
        if key in _known_versions:
            return _known_versions[key]
    until = min(deadline, time.monotonic() + _PROBE_SECONDS)
    try:
        ran = run_tool([program, *tool.version_args], "/", until, cancel=cancel, place=place)
    except CheckCrashed:
        return "unknown"
    match = _VERSION.search(ran.output)
    version = match[0] if match else "unknown"
    # A program that timed out may answer the next time.
    if not ran.timed_out:
        with _lock:
            _known_versions[key] = version
    return version
