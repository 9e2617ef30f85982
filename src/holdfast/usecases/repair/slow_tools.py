"""How long a run goes on with a tool that gives no answer."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Target

MOST_TIMEOUTS: Final = 3


class SlowTools:
    """Counts the checks of a language that ran out of time.

    Several repairs at once may tell of one.
    """

    def __init__(self) -> None:
        """Begin with a run."""
        self._lock = threading.Lock()
        self._timeouts: Counter[Target] = Counter()
        self._oracles: dict[Target, str] = {}

    def lose(self, target: Target, oracle: str) -> None:
        """Take note of a check that was ended without an answer."""
        with self._lock:
            self._timeouts[target] += 1
            self._oracles[target] = oracle

    def lost_with(self, target: Target) -> str | None:
        """Say that a check is not run any more, and the next step; None if it is."""
        with self._lock:
            if self._timeouts[target] < MOST_TIMEOUTS:
                return None
            told = f"not run, for {self._oracles[target]} timed out three times"
        return f"{told}; see why it hangs, or give it longer with `command_timeout`."
