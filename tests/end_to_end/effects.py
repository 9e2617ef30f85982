"""Count the effects that a process has on the disk, and kill it at one of them.

Every function of `os` that can change a disk is replaced by one that counts, and so is the commit of a transaction of
the store: before it nothing of the transaction is there, after it all. How SQLite writes inside of one is SQLite's own
business. That no effect goes another way (a file object, a subprocess, another library in C) is checked by an audit
hook, which knows what is harmless and reports the rest.
"""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from typing import Any, Literal

from sqlalchemy.engine.default import DefaultDialect

from holdfast.adapters.store.plain.plain_store import PlainStore

When = Literal["before", "half", "after"]

_EFFECTS = (
    "open",
    "write",
    "writev",
    "pwrite",
    "pwritev",
    "sendfile",
    "copy_file_range",
    "posix_fallocate",
    "truncate",
    "ftruncate",
    "fsync",
    "fdatasync",
    "sync",
    "rename",
    "renames",
    "replace",
    "link",
    "symlink",
    "unlink",
    "remove",
    "mkdir",
    "mkfifo",
    "mknod",
    "rmdir",
    "chmod",
    "fchmod",
    "lchmod",
    "chown",
    "fchown",
    "lchown",
    "utime",
    "setxattr",
    "removexattr",
)
NEED_ROOM = {"open", "write", "mkdir", "link", "commit"}
"""What a full disk refuses; to rename and to remove needs no room."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = {
    "builtins.id",
    "compile",
    "exec",
    "fcntl.flock",
    "import",
    "marshal.loads",
    "os.listdir",
    "os.scandir",
    "pathlib.Path.glob",
    "sys._getframe",
}
# How a store is opened in a thread of its own; what it writes is counted at its commits.
_OF_THE_STORE = (
    "_thread.",
    "cpython.",
    "ctypes.",
    "gc.",
    "object.",
    "signal.",
    "socket.",
    "sqlite3.",
    "sys.set_asyncgen_hook",
)

_state: dict[str, Any] = {"on": False, "inside": 0, "spare_disk": True}
seen: list[str] = []
escaped: list[str] = []


def install(*, spare_disk: bool = True) -> None:
    """Replace the functions, once for this process; nothing is counted before `watch`, `die_at` or `refuse_at`.

    A kill -9 loses nothing that is in the page cache: to spare the disk, an fsync is counted and not done.
    """
    _state["spare_disk"] = spare_disk
    # In a new checkout a module that is imported in the middle of an act is compiled: its bytecode would be an effect of the act.
    sys.dont_write_bytecode = True
    for name in _EFFECTS:
        if hasattr(os, name):
            setattr(os, name, _counting(name, getattr(os, name)))
    DefaultDialect.do_commit = _counting("commit", DefaultDialect.do_commit)  # type: ignore[method-assign]
    PlainStore.commit = staticmethod(_counting("commit", PlainStore.commit))  # type: ignore[method-assign]
    sys.addaudithook(_audit)


def watch() -> None:
    """Count from here on."""
    seen.clear()
    escaped.clear()
    _state.update(on=True, point=None, refusal=None)


def stop() -> None:
    """Count no more."""
    _state["on"] = False


def die_at(point: int, when: When) -> None:
    """Count from here on, and die by SIGKILL at effect number `point` (from 0)."""
    watch()
    _state.update(point=point, when=when)


def refuse_at(point: int, *, for_good: bool) -> None:
    """Count from here on, and have effect number `point` refused as on a full disk.

    With `for_good` the disk stays full: then all that needs room is refused from there on.
    """
    watch()
    _state.update(refusal=point, for_good=for_good)


def _refuse(name: str, number: int) -> None:
    refusal = _state["refusal"]
    if refusal is None or number < refusal:
        return
    if number == refusal or (_state["for_good"] and name in NEED_ROOM):
        if name == "commit":
            full = sqlite3.OperationalError("database or disk is full")
            full.sqlite_errorname = "SQLITE_FULL"
            raise full
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _counting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def counting(*args: Any, **keywords: Any) -> Any:
        if not _state["on"] or _state["inside"] or (name == "open" and not args[1] & _WRITES):
            return real(*args, **keywords)
        number = len(seen)
        seen.append(_line(name, args))
        when = _state["when"] if number == _state["point"] else None
        if when == "before":
            _die()
        if when == "half" and name == "write":
            real(args[0], bytes(args[1])[: len(args[1]) // 2])
            _die()
        _refuse(name, number)
        _state["inside"] += 1
        try:
            return None if name == "fsync" and _state["spare_disk"] else real(*args, **keywords)
        finally:
            _state["inside"] -= 1
            if when == "after":
                _die()

    return counting


def _line(name: str, args: tuple[Any, ...]) -> str:
    return " ".join([name, *(str(arg) for arg in args if isinstance(arg, str | os.PathLike))])


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if (
        not _state["on"]
        or _state["inside"]
        or event in _HARMLESS
        or event.startswith(_OF_THE_STORE)
    ):
        return
    if event == "open" and not _opens_for_writing(args):
        return
    escaped.append(f"{event} {args!r}")


def _opens_for_writing(args: tuple[Any, ...]) -> bool:
    _path, mode, flags = args
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return bool(
        isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    )
