"""Ctrl-C for a command that waits for threads."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], None]]:
    """Yield a function that raises KeyboardInterrupt if Ctrl-C was pressed since the beginning.

    Python's own handler raises wherever the main thread is. In an import that can be after the
    import lock is taken and before Python knows that the lock is to be released: then no other
    thread can import anything, and the wait for the threads never ends. The second Ctrl-C raises at
    once.
    """
    pressed = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            signal.default_int_handler(number, frame)
        pressed.set()

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    # A shell starts what runs in its background with the signal ignored, and that stays so.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check
        return

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
