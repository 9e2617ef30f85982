"""A clock that only moves when a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    """A clock: call it like `time.monotonic`; `now` is the time of day, `sleep` does not wait.

    `step` is how many seconds each reading adds, for code that waits until a time is reached.

    >>> clock = FixedClock()
    >>> clock.sleep(1.5)
    >>> clock(), clock.slept, clock.now().isoformat()
    (1.5, [1.5], '2024-01-01T00:00:01.500000+00:00')
    """

    def __init__(
        self, start: datetime = datetime(2024, 1, 1, tzinfo=UTC), step: float = 0.0
    ) -> None:
        self._start = start
        self._step = step
        self._seconds = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Return the seconds since the clock was made."""
        self._seconds += self._step
        return self._seconds

    def now(self) -> datetime:
        """Return the time of day."""
        return self._start + timedelta(seconds=self._seconds)

    def advance(self, seconds: float) -> None:
        """Add seconds to the clock."""
        self._seconds += seconds

    def sleep(self, seconds: float) -> None:
        """Add seconds to the clock, and record them in `slept`."""
        self.slept.append(seconds)
        self.advance(seconds)
