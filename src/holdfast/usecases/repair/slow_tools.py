"""The limit on timeouts of one tool in a run of repairs."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Target

MOST_TIMEOUTS: Final = 3


class SlowTools:
    """The number of checks of each language that ran out of time.

    Several repairs may report a timeout at once.
    """

    def __init__(self) -> None:
        """Begin with a run."""
        self._lock = threading.Lock()
        self._timeouts: Counter[Target] = Counter()
        self._oracles: dict[Target, str] = {}

    def lose(self, target: Target, oracle: str) -> None:
        """Record a check that timed out."""
        with self._lock:
            self._timeouts[target] += 1
            self._oracles[target] = oracle

    def lost_with(self, target: Target) -> str | None:
        """Return why checks of this language are no longer run, or None if they are."""
        with self._lock:
            if self._timeouts[target] < MOST_TIMEOUTS:
                return None
            problem = f"not run, for {self._oracles[target]} timed out three times"
        return f"{problem}; see why it hangs, or give it longer with `command_timeout`."
