"""Watch the record for something that another process may write there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

EVERY = 0.2
"""Seconds between two looks at the record."""

Found = TypeVar("Found")
Look: TypeAlias = Callable[[], Found | None]
"""A look at the record while it is open: it returns what is there, or None."""


class RecordsUnavailable(Exception):  # noqa: N818 - the word for it
    """The record cannot be read or written; the message says where, why, and the next step."""


class RecordWatch(Generic[Found]):
    """A thread that looks at the record until something is there."""

    def __init__(self, looking: Callable[[], AbstractContextManager[Look[Found]]]) -> None:
        """Prepare the watch; `looking` opens the record."""
        self._looking = looking
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="record-watch", daemon=True)
        self.found: Found | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def is_set(self) -> bool:
        """Return whether something was found."""
        return self.found is not None

    def _watch(self) -> None:
        while self.found is None and not self._over.wait(EVERY):
            # The next transaction of the turn reports a store that does not come back.
            with suppress(RecordsUnavailable), self._looking() as look:
                self._look_until_over(look)

    def _look_until_over(self, look: Look[Found]) -> None:
        self.found = look()
        while self.found is None and not self._over.wait(EVERY):
            self.found = look()
