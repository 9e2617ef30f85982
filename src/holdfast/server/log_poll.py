"""Look at the event log several times a second."""

from __future__ import annotations

import time

_EVERY = 0.1


class LogPoll:
    """A watch that lets its caller look again and again (port `LogWatch`)."""

    def wait(self, seconds: float) -> None:
        """Wait a moment."""
        time.sleep(min(seconds, _EVERY))
