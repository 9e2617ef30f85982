"""A clock that stands until it is told to go on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    """Call it for seconds, as `time.monotonic`; `now` is the time of day, `sleep` does not wait.

    `step` is what each reading adds, for code that waits until the clock has gone far enough.

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
        """Give the seconds since the clock was made."""
        self._seconds += self._step
        return self._seconds

    def now(self) -> datetime:
        """Give the time of day."""
        return self._start + timedelta(seconds=self._seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._seconds += seconds

    def sleep(self, seconds: float) -> None:
        """Let time pass for somebody who sleeps, and note it."""
        self.slept.append(seconds)
        self.advance(seconds)
