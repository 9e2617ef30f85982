"""The signal by which a user stops a turn."""

from __future__ import annotations

from typing import Protocol


class Cancel(Protocol):
    """The request of a user to end the turn; a `threading.Event` fulfils this protocol."""

    def is_set(self) -> bool:
        """Return whether the user has cancelled."""
