"""A small process beside ours that ends what we have started, should we be killed in the middle (`kill -9`).

It waits at the end of a pipe that only we hold. There is one for all that we run, begun with the first.
"""

from __future__ import annotations

import atexit
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = "_HOLDFAST_RUN"
"""The variable by which a process is known to be ours before we could tell its number."""

_CHILD = Path(__file__).with_name("watchdog_child.py")
_LONGEST = 5.0
_guard = threading.Lock()
_running: list[subprocess.Popen[bytes]] = []
_numbers = itertools.count(1)


@contextmanager
def watching() -> Iterator[tuple[dict[str, str], Callable[[int], None]]]:
    """Have what is started within this ended, if we end before: with these variables, and the group to be told."""
    # Ours alone: a copy of this program that runs within what it has started counts from 1, too.
    value = f"{os.getpid()}-{next(_numbers)}-{os.urandom(8).hex()}"
    mark = f"{MARK}={value}"
    _tell(f"> {mark}\n")
    try:
        yield {MARK: value}, lambda group: _tell(f"+ {mark} {group}\n")
    finally:
        _tell(f"- {mark}\n")


def _tell(line: str) -> None:
    with _guard:
        dog = _running[0] if _running else _begin()
        if dog is None or dog.stdin is None:
            return
        try:
            dog.stdin.write(line.encode())
        except BrokenPipeError:
            # Somebody has ended it; what runs now goes unwatched, and the next begins another.
            _end()


def _begin() -> subprocess.Popen[bytes] | None:
    try:
        dog = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-B", str(_CHILD)],
            cwd="/",
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for us, and not for it.
            start_new_session=True,
        )
    except OSError:
        # Where there is no room for one more process, what was asked for comes first.
        return None
    _running.append(dog)
    return dog


def _end() -> None:
    for dog in _running:
        if dog.stdin is not None:
            dog.stdin.close()
        try:
            dog.wait(_LONGEST)
        except subprocess.TimeoutExpired:
            dog.kill()
            dog.wait()
    _running.clear()


@atexit.register
def _say_goodbye() -> None:
    """End it: what is left now was left on purpose."""
    if _running:
        _tell(". .\n")
    _end()
