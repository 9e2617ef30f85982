"""Signals that wait: what ends a command does not end it in the middle of a batch of files."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def hold_signals() -> Iterator[None]:
    """Deliver Ctrl-C, SIGTERM and SIGHUP after the block; they are sent again, in their order.

    Only the main thread of Python runs handlers, so a block in another thread is not interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    held: list[int] = []

    def keep(number: int, _: FrameType | None) -> None:
        held.append(number)

    handlers = {number: signal.getsignal(number) for number in _ENDING}
    ours = [number for number, handler in handlers.items() if handler is not None]
    for number in ours:
        signal.signal(number, keep)

    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, handlers[number])
        for each in held:
            signal.raise_signal(each)
