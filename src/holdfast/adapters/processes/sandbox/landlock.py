"""Landlock: a process that gives up rights on files before it runs its program.

A right on a directory holds for all that is below it. So a file in a readable directory can be kept
out only by naming everything else in that directory, and files that are new are not named then.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import shutil
import stat
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.processes.sandbox.launch import Launch, memory_file
from holdfast.adapters.processes.sandbox.seccomp import SocketScope, socket_filter
from holdfast.adapters.processes.sandbox.sockets import can_reach_services

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess, Layout
    from holdfast.adapters.processes.sandbox.view import View

_CHILD = Path(__file__).with_name("landlock_child.py")
_CREATE_RULESET = 444
_ASK_VERSION = 1
_WITH_TRUNCATE = 3
_WITH_SIGNALS = 6
_DEVICES = ("null", "zero", "full", "random", "urandom")
"""No terminals: a right on those that a process makes is one on the user's other terminals too."""

Right: TypeAlias = Literal["list", "read", "write", "device"]
"""What a process may do with a path and all that is below it."""


def version() -> int:
    """Return the version of Landlock that the kernel has; 0 if it has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(int(found), 0)


class Landlock:
    """Starts processes by a small program that gives up rights, and then runs theirs."""

    def __init__(self, abi: int) -> None:
        """Set the version of the kernel's Landlock."""
        self._abi = abi

    @contextmanager
    def prepare(self, process: ConfinedProcess, layout: Layout) -> Iterator[Launch]:
        """Return the launch of a process, with a private directory for temporary files."""
        temporary = os.path.realpath(tempfile.mkdtemp(prefix="holdfast-private-"))
        layout.view.set(temporary, "write")
        done_in, done_out = os.pipe()
        os.set_blocking(done_in, False)
        # The child ends all processes when nobody holds the other end: we close it, or are killed.
        control_in, control_out = os.pipe()
        kept = ExitStack()
        kept.callback(os.close, control_out)
        document = self._plan(process, layout) | {"done": done_out, "control": control_in}
        plan = memory_file(json.dumps(document).encode())
        words = [sys.executable, "-I", "-S", "-B", str(_CHILD), str(plan), *process.argv]
        try:
            yield Launch(
                words,
                (plan, done_out, control_in),
                _private_variables(temporary, process),
                failed=lambda: not _has_byte(done_in),
                end_all=kept.close,
            )
        finally:
            kept.close()
            for number in (plan, done_out, done_in, control_in):
                os.close(number)
            shutil.rmtree(temporary, ignore_errors=True)

    def _plan(self, process: ConfinedProcess, layout: Layout) -> dict[str, object]:
        """Return what the child reads: the rights, and the filter of system calls."""
        writes = process.level == "write"
        changes = writes or bool(process.writable)
        program = socket_filter(
            _socket_scope(process, layout.view),
            network=process.network,
            metadata=changes,
            truncate=self._abi >= _WITH_TRUNCATE,
        )
        rights = list(rights_of(layout.view, keep_whole=writes))
        rights += [(f"/dev/{name}", "device") for name in _DEVICES]
        if changes:
            # Semaphores and shared memory of the C library are files there.
            rights.append(("/dev/shm", "write"))  # noqa: S108 - a fixed place

        return {
            "abi": self._abi,
            "network": process.network,
            "rights": rights,
            "seccomp": base64.b64encode(program).decode(),
        }


def rights_of(view: View, *, keep_whole: bool) -> Iterator[tuple[str, Right]]:
    """Return the paths that a process gets a right on.

    With `keep_whole` a writable directory is one right, although a part of it should not be
    writable: otherwise no new file could be written there.
    """
    for path, access in view.ordered():
        if access in {"hidden", "masked"} or _is_covered(path, access, view):
            continue
        right: Right = "write" if access == "write" else "read"
        if right == "write" and keep_whole:
            yield path, right
        else:
            yield from _carve(path, right, view)


def _is_covered(path: str, access: str, view: View) -> bool:
    """Return whether the rule above a path already says the same."""
    above = os.path.dirname(path)
    return path != "/" and access == view.access_of(above)


def _carve(path: str, right: Right, view: View) -> Iterator[tuple[str, Right]]:
    """Return rights on what is in a directory but for the parts with a rule of their own."""
    parts = [each for each in view.below(path) if _needs_carving(each, view)]
    if not parts:
        yield path, right
        return

    if not any(view.rules[part] == "hidden" for part in parts):
        yield path, "list"

    try:
        names = sorted(os.listdir(path))
    except OSError:
        return

    for name in names:
        entry = os.path.join(path, name)
        own = view.rules.get(entry)
        if own is not None and not _is_covered(entry, own, view):
            continue
        if entry == "/dev" or os.path.islink(entry):
            continue
        if any(part.startswith(f"{entry}/") for part in parts):
            yield from _carve(entry, right, view)
        else:
            yield entry, right


def _needs_carving(path: str, view: View) -> bool:
    """Return whether a path has fewer rights than the directory that it is in.

    A socket needs none: there is no right on connections, and no content.
    """
    if view.rules[path] not in {"hidden", "masked"}:
        return False
    return os.path.exists(path) and not _is_socket(path)


def _socket_scope(process: ConfinedProcess, view: View) -> SocketScope:
    """Return which sockets are harmless: no path of a socket can be refused.

    A service that listens on a socket file, such as docker, acts outside of the sandbox. So there
    are socket files only where none of others can be reached.
    """
    if process.level != "write" or can_reach_services() or any(map(_is_socket, view.rules)):
        return "none"
    return "files"


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _private_variables(temporary: str, process: ConfinedProcess) -> dict[str, str]:
    """Return the variables that lead to writable directories, where the process has none."""
    cache = os.path.join(temporary, "cache")
    os.mkdir(cache)
    caches = {
        "XDG_CACHE_HOME": cache,
        "GOCACHE": os.path.join(cache, "go-build"),
        "npm_config_cache": os.path.join(cache, "npm"),
    }
    missing = {name: caches[name] for name in caches if name not in process.variables}
    return {"TMPDIR": temporary, **missing}


def _has_byte(pipe: int) -> bool:
    try:
        return bool(os.read(pipe, 1))
    except BlockingIOError:
        return False
