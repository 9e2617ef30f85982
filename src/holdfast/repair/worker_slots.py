"""The slots of the workers of a run: a worker that only waits lends its slot to another."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class WorkerSlots(threading.Semaphore):
    """As many slots as there are workers; `with` takes one. There may be more threads."""

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Free the slot while its worker waits for a model, or for another worker."""
        self.release()
        try:
            yield
        finally:
            self.acquire()
