"""How long a test waits: until what it waits for is there. The limits only end a hang, so a busy machine never meets them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

LONGEST: Final = 600.0 * float(os.environ.get("HOLDFAST_TEST_PATIENCE", "1"))
"""Seconds after which whatever a test waits for hangs; HOLDFAST_TEST_PATIENCE multiplies them."""

FOREVER: Final = f"sleep {10 * LONGEST:.0f}"
"""A shell command that outlasts every limit of a test; whoever starts it must end it."""

_SHORTEST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.25

T = TypeVar("T")


def wait_until(condition: Callable[[], bool], longest: float = LONGEST) -> bool:
    """Return True as soon as the condition is true, and False if it is not within the longest time."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > longest:
            return False
        # A look can be a request to a server: on a busy machine many of them would delay what they look for.
        time.sleep(min(max(_SHORTEST_PAUSE, waited / 10), _LONGEST_PAUSE))
    return True


def set_when(event: threading.Event, condition: Callable[[], bool]) -> threading.Thread:
    """Start a thread that sets the event as soon as the condition is true, and return it."""

    def wait() -> None:
        wait_until(condition)
        event.set()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def limit_to_begin(
    attempt: Callable[[float], T], begun: Callable[[T], bool], shortest: float = 1.0
) -> tuple[float, T]:
    """Attempt what a time limit will end, with ever longer limits, until it had begun when it was ended.

    Return the limit that was long enough, and what the attempt returned. On a quiet machine that is the shortest limit.
    """
    limit = shortest
    while True:
        made = attempt(limit)
        if begun(made) or limit >= LONGEST:
            return limit, made
        limit *= 10


def is_alive(pid: int) -> bool:
    """Return whether the process runs; one that has ended and is not reaped by whoever adopted it does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    """Return True as soon as the process has ended, and False if it never does."""
    return wait_until(lambda: not is_alive(pid))


def has_text(path: Path) -> bool:
    """Return whether the file is there, and not empty."""
    return path.exists() and path.stat().st_size > 0
