"""Bubblewrap: a process in namespaces of its own, with a tree of mounts made for it."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.launch import Launch, memory_file
from holdfast.adapters.processes.sandbox.seccomp import socket_filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess, Layout
    from holdfast.adapters.processes.sandbox.view import PathAccess, View

_ALWAYS = ("--die-with-parent", "--new-session", "--cap-drop", "ALL")
_WITHOUT_USERS = ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
_FILE_CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID")
_ALSO_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - directories of the sandbox
_SHARE_OF_MEMORY = 4
_STATUS_BYTES = 4096
_LANDLOCK_WRITES = Path(__file__).with_name("landlock_writes.py")
_WITH_MOVES = 2
"""The version of Landlock from which on a process that gives up rights can still move files."""


class Bubblewrap:
    """Starts processes by a `bwrap` program.

    `empty` is an empty file, which is mounted over masked ones; `unreadable` is one that nobody may
    read. `overlay`: caches can be written to, and forget it. `landlock` is the version that the
    kernel has: a read-only mount does not keep a process from writing into a named pipe.
    """

    def __init__(
        self, program: str, empty: str, unreadable: str, *, overlay: bool, landlock: int
    ) -> None:
        """Set the program, and what it and the kernel can do."""
        self._program = program
        self._empty = empty
        self._unreadable = unreadable
        self._overlay = overlay
        self._limits_writes = landlock >= _WITH_MOVES

    @contextmanager
    def prepare(self, process: ConfinedProcess, layout: Layout) -> Iterator[Launch]:
        """Return the launch of a process."""
        mask = self._empty
        if process.git == "write":
            # git would record an empty file as the new content; it stops at one it cannot read.
            mask = self._unreadable

        words = [*_ALWAYS, *_mounts(layout.view, mask, overlay=self._overlay)]
        words += _namespaces(process)
        words += ["--chdir", os.path.realpath(process.cwd)]
        status_in, status_out = os.pipe()
        os.set_blocking(status_in, False)
        seccomp = memory_file(socket_filter("namespaces", network=process.network))
        words += ["--seccomp", str(seccomp), "--json-status-fd", str(status_out)]
        options = memory_file("\0".join([*words, ""]).encode("utf-8", "surrogateescape"))
        paths = memory_file(b"".join(os.fsencode(path) + b"\0" for path in _writable(layout.view)))
        status = _Status(status_in)
        starter: list[str] = []
        if self._limits_writes:
            starter = [sys.executable, "-I", "-S", "-B", str(_LANDLOCK_WRITES), str(paths)]
        try:
            yield Launch(
                [self._program, "--args", str(options), "--", *starter, *process.argv],
                (options, seccomp, status_out, paths),
                inner_group=status.child,
                failed=lambda: not status.has_ended(),
            )
        finally:
            for number in (options, seccomp, status_out, status_in, paths):
                os.close(number)


class _Status:
    """What bwrap reports about its child, as JSON documents in a pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._text = ""

    def child(self) -> int | None:
        """Return the number of the first process in the sandbox, which leads a group."""
        number = self._value("child-pid")
        # Before it has called setsid, it is in the group of bwrap, which is ended without it.
        if number is None or not _leads_group(number):
            return None
        return number

    def has_ended(self) -> bool:
        """Return whether the program has run to its end, whatever that was."""
        return self._value("exit-code") is not None

    def _value(self, name: str) -> int | None:
        with suppress(BlockingIOError):
            self._text += os.read(self._pipe, _STATUS_BYTES).decode("ascii", "replace")

        for line in self._text.splitlines():
            with suppress(json.JSONDecodeError):
                document = json.loads(line)
                if name in document:
                    return int(document[name])

        return None


def _namespaces(process: ConfinedProcess) -> Sequence[str]:
    """Return the options for new namespaces.

    In a namespace of users there is only our own user. So root could not change a project of
    another user there; it gets none then, and keeps the capabilities for files.
    """
    if os.geteuid() != 0 or os.stat(process.root).st_uid == 0:
        return ["--unshare-all", *(["--share-net"] if process.network else [])]
    words = [*_WITHOUT_USERS, *([] if process.network else ["--unshare-net"])]
    for name in _FILE_CAPABILITIES:
        words += ["--cap-add", name]
    return words


def _leads_group(number: int) -> bool:
    try:
        return os.getpgid(number) == number
    except ProcessLookupError:
        return False


def _mounts(view: View, mask: str, *, overlay: bool) -> Sequence[str]:
    """Return the options for a view: outer paths first, for a mount covers what is below it."""
    words: list[str] = []
    for path, access in view.ordered():
        words += _mount(path, access, mask, overlay=overlay)
        if path == "/":
            words += ["--dev", "/dev", "--proc", "/proc"]
            if os.geteuid() == 0:
                # Files below /proc/sys belong to root, in every namespace, and configure the
                # kernel: one of them names a program that the kernel runs.
                words += ["--remount-ro", "/proc"]

    return words


def _mount(path: str, access: PathAccess, mask: str, *, overlay: bool) -> Sequence[str]:
    match access:
        case "write":
            return ["--bind", path, path]
        case "masked" if not os.path.isdir(path):
            return ["--ro-bind", mask, path]
        case "hidden" | "masked":
            mode = "1777" if path in _ALSO_TEMPORARY else "0755"
            return ["--perms", mode, "--size", _private_size(), "--tmpfs", path]
        case "cache" if overlay and os.path.isdir(path):
            return ["--overlay-src", path, "--tmp-overlay", path]
        case "read" | "cache":
            return ["--ro-bind", path, path]


def _writable(view: View) -> list[str]:
    """Return the paths below which a process can write, or where it has a directory of its own."""
    own = [path for path, access in view.ordered() if access not in {"read", "masked"}]
    return ["/dev", "/proc", *own]


def _private_size() -> str:
    """Return the size of a private directory: a part of the memory, for that is where it lies."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return str(memory // _SHARE_OF_MEMORY)
