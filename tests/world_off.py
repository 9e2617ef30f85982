"""The world switched off: inside `with world_off():` any touch of disk, network or process fails the test."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names of audit events, or of families of them. Python's table of audit events lists them all.
_WORLD = (
    "_thread",
    "builtins.input",
    "ctypes",
    "fcntl",
    "ftplib",
    "glob",
    "http",
    "imaplib",
    "mmap",
    "msvcrt",
    "open",
    "os",
    "pathlib",
    "poplib",
    "pty",
    "resource",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "sqlite3",
    "subprocess",
    "syslog",
    "tempfile",
    "time.sleep",
    "urllib",
    "webbrowser",
)

# The touches seen so far while the world is off; None while it is on. A ContextVar, so that another thread is not stopped.
_touches: ContextVar[list[str] | None] = ContextVar("touches", default=None)
_hooks: list[object] = []


class WorldTouchedError(AssertionError):
    """Code that must decide in memory reached for the world."""


@contextmanager
def world_off() -> Iterator[None]:
    """Fail on the first touch of the world, also when the code inside swallows the exception.

    Import lazily loaded modules before: the first import reads files.
    """
    _install_once()
    touches: list[str] = []
    token = _touches.set(touches)
    swallowed_by: BaseException | None = None
    try:
        yield
    except WorldTouchedError:
        raise
    except BaseException as error:
        if not touches:
            raise
        swallowed_by = error
    finally:
        _touches.reset(token)
    if touches:
        raise WorldTouchedError("swallowed, but seen: " + "; ".join(touches)) from swallowed_by


def _install_once() -> None:
    # An audit hook cannot be removed, so there is one for the life of the process, idle while the world is on.
    if not _hooks:
        _hooks.append(_judge)
        sys.addaudithook(_judge)


def _judge(event: str, arguments: tuple[object, ...]) -> None:
    touches = _touches.get()
    if touches is None:
        return
    if event in _WORLD or event.partition(".")[0] in _WORLD:
        touch = f"{event} {arguments!r:.200}"
        touches.append(touch)
        raise WorldTouchedError(touch)
