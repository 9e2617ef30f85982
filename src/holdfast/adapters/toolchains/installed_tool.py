"""Installed tools: where a tool is, its version, and how to install it if it is missing."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.processes.project_programs import (
    is_chosen_by_project,
    is_of_project,
    path_folders,
)
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.run_tool import NEVER, ToolPlace, run_tool
from holdfast.repair.ports import CheckCrashed
from holdfast.usecases.trust.project_trust import CURE as TRUST_CURE
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.repair.ports import Answers
    from holdfast.vocab.cancellation import Cancel

TOOLCHAINS = "HOLDFAST_TOOLCHAINS"
"""The variable that names a folder with tools: its programs, and those in `node_modules/.bin`."""

_PROBE_SECONDS = 20.0
_VERSION = lazy_pattern(r"[0-9]+(?:\.[0-9]+)+")
_PROJECT_FOLDERS = ("node_modules/.bin", ".venv/bin", "venv/bin")
_known_versions: dict[tuple[str, int, int], str] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ToolProgram:
    """A tool by the name of its program, with a hint how to install it.

    `version_args` are the arguments that make it print its version. `is_whole` means that the
    version is in the compiled program itself: it is no proxy that starts one of several others,
    like the `rustc` of rustup.
    """

    name: str
    hint: str
    version_args: tuple[str, ...] = ("--version",)
    is_whole: bool = False


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


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a tool cannot be used, after its name in a sentence; and a sentence with the cure."""

    reason: str
    cure: str


NOT_TRUSTED = Unusable("would load code of the project that is not trusted", TRUST_CURE)


def find_tool(
    tool: ToolProgram,
    root: Path,
    path: str,
    deadline: float,
    cancel: Cancel = NEVER,
    *,
    own_code: bool,
    sandbox: Sandbox = UNCONFINED,
    versions: Answers | None = None,
) -> InstalledTool | None:
    """Find a tool, or return None; see `locate`. Versions are read from `versions`, and kept."""
    program = locate(tool.name, root, path, own_code=own_code)
    if program is None:
        return None
    where = ToolPlace(sandbox, str(root), own_code=own_code)
    record = _VersionRecord(tool, program, versions)
    return InstalledTool(tool, program, _version(record, deadline, cancel, where))


def locate(name: str, root: Path, path: str, *, own_code: bool) -> str | None:
    """Return the absolute path of a program, or None.

    The places are the project (from the unit upwards), the PATH, `HOLDFAST_TOOLCHAINS`, and the
    folder of our own Python. Without `own_code` a program of the project is passed over, wherever
    it is found; so is in any case a program that a version manager chooses by a path in a file of
    the project, for nobody can know what it is.
    """
    places = [*path_folders(), *_other_places()]
    if own_code:
        places = [*_project_places(root, path), *places]

    for place in places:
        program = shutil.which(name, path=place)
        if program is None or is_chosen_by_project(program, root, path):
            continue
        if own_code or not is_of_project(program, root):
            return os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link

    return None


def explain_missing(tool: ToolProgram, root: Path, path: str, *, own_code: bool) -> Unusable:
    """Return why a tool was not found, and what to do."""
    if own_code or locate(tool.name, root, path, own_code=True) is None:
        return Unusable("is not installed", tool.hint)
    return Unusable("is only in the project, and not trusted there", f"{TRUST_CURE} {tool.hint}")


def _project_places(root: Path, path: str) -> Iterator[str]:
    for parent in PurePosixPath(path).parents:
        for place in _PROJECT_FOLDERS:
            yield str(root / parent / place)


def _other_places() -> list[str]:
    places: list[str] = []
    folder = os.environ.get(TOOLCHAINS)
    if folder:
        places += [str(Path(folder, place)) for place in (".", "bin", "node_modules/.bin")]

    # A ruff or mypy that is installed with Holdfast is beside its Python, often not on the PATH.
    places.append(str(Path(sys.executable).parent))
    return places


class _VersionRecord:
    """The version of a program, as long as the program does not change on the disk.

    In memory; and for a compiled program whose version is its own, for the next process too.
    """

    def __init__(self, tool: ToolProgram, program: str, versions: Answers | None) -> None:
        status = Path(program).stat()
        self.tool = tool
        self.program = program
        self._key = program, status.st_mtime_ns, status.st_size
        self._versions = versions

    def find(self) -> str | None:
        with _lock:
            known = _known_versions.get(self._key)
        if known is None:
            known = self._find_elsewhere()
            if known is not None:
                with _lock:
                    _known_versions[self._key] = known
        return known

    def _find_elsewhere(self) -> str | None:
        if os.path.realpath(self.program) == os.path.realpath(sys.executable):
            # The Python that runs this.
            return ".".join(map(str, sys.version_info[:3]))
        if self._versions is None or not self._is_kept():
            return None

        stored = self._versions.get(self._digest()) or b""
        match = _VERSION.fullmatch(stored.decode("ascii", "replace"))
        return match[0] if match else None

    def keep(self, version: str) -> None:
        with _lock:
            _known_versions[self._key] = version
        if self._versions is not None and self._is_kept():
            self._versions.put(self._digest(), version.encode())

    def _is_kept(self) -> bool:
        return self.tool.is_whole and _is_compiled(self.program)

    def _digest(self) -> str:
        return hashlib.sha256(repr(("version", *self._key)).encode("utf-8", "replace")).hexdigest()


def _is_compiled(program: str) -> bool:
    """Return whether a program is no script: of a script, the version may be that of another."""
    try:
        with open(program, "rb") as file:  # noqa: PTH123 - one of many small reads
            return file.read(2) != b"#!"
    except OSError:
        return False


def _version(record: _VersionRecord, deadline: float, cancel: Cancel, place: ToolPlace) -> str:
    """Return the version; each program is run for it once, until it changes on the disk."""
    known = record.find()
    if known is not None:
        return known

    until = min(deadline, time.monotonic() + _PROBE_SECONDS)
    words = [record.program, *record.tool.version_args]
    try:
        ran = run_tool(words, "/", until, cancel=cancel, place=place)
    except CheckCrashed:
        return "unknown"

    match = _VERSION.search(ran.output)
    version = match[0] if match else "unknown"
    # A program that timed out may answer the next time.
    if not ran.timed_out:
        record.keep(version)

    return version
