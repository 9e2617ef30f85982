"""The slots of the workers of a run: a worker that only waits lends its slot to another."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class WorkerSlots:
    """As many slots as there are workers; there may be more threads, which wait for a slot."""

    def __init__(self, count: int) -> None:
        """Free all slots."""
        self._free = threading.Semaphore(count)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a slot for the work of this context."""
        with self._free:
            yield

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Free the slot while the worker waits for a model, or for another worker."""
        self._free.release()
        try:
            yield
        finally:
            self._free.acquire()
