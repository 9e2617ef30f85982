"""The watchdog: a process that ends the processes we have started if we are killed (`kill -9`).

The watchdog reads from a pipe that only we can write to, and acts when the pipe is closed. There is
one watchdog for all processes that we run; the first of them starts it.
"""

from __future__ import annotations

import atexit
import itertools
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARK = "_HOLDFAST_RUN"
"""The variable that marks a process as ours, wherever it goes."""
TURN_VARIABLE = "HOLDFAST_TURN"
"""The variable that marks the processes of a turn with the turn's id."""

_MARKS = (MARK, TURN_VARIABLE)
_CHILD = Path(__file__).with_name("watchdog_child.py")
_EXIT_TIMEOUT = 5.0
_lock = threading.Lock()
_running: list[subprocess.Popen[bytes]] = []
_numbers = itertools.count(1)


@contextmanager
def watching() -> Iterator[tuple[dict[str, str], Callable[[int], None]]]:
    """Watch a process that is started in this context.

    Yield the variables to add to its environment, and a function to call with its process group
    once it has started.
    """
    # Unique: another Holdfast, run by a process of this one, counts from 1, too.
    value = f"{os.getpid()}-{next(_numbers)}-{os.urandom(8).hex()}"
    mark = f"{MARK}={value}"
    _send(f"> {mark}\n")
    try:
        yield {MARK: value}, lambda group: _send(f"+ {mark} {group}\n")
    finally:
        _send(f"- {mark}\n")


def _send(line: str) -> None:
    """Write a line to the watchdog; start the watchdog if there is none."""
    with _lock:
        dog = _running[0] if _running else _start()
        if dog is None or dog.stdin is None:
            return
        try:
            dog.stdin.write(line.encode())
        except BrokenPipeError:
            # The watchdog was killed. What runs now is not watched; the next call starts another.
            _stop()


def _start() -> subprocess.Popen[bytes] | None:
    try:
        dog = subprocess.Popen(  # noqa: S603 - a fixed list of words
            [sys.executable, "-I", "-S", "-B", str(_CHILD)],
            cwd="/",
            # Another watchdog, or the end of a turn, would look for these marks and end this one
            # before it has ended anything.
            env={name: text for name, text in os.environ.items() if name not in _MARKS},
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C must not reach the watchdog.
            start_new_session=True,
        )
    except OSError:
        # No room for another process: run the command without a watchdog.
        return None

    _running.append(dog)
    return dog


def _stop() -> None:
    for dog in _running:
        if dog.stdin is not None:
            dog.stdin.close()
        try:
            dog.wait(_EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            dog.kill()
            dog.wait()

    _running.clear()


@atexit.register
def _dismiss() -> None:
    """Stop the watchdog without ending any process: what runs now was left on purpose."""
    if _running:
        _send(". .\n")
    _stop()
