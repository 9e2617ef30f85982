"""Follow the event log of a project: one thread reads it for many followers."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.usecases.events.ports import EventReader, LoggedEvent, LogSignal

_PAGE = 500
_LONGEST_WAIT = 0.25
"""Seconds after which the log is read, also if no signal has come."""
MOST_WAITING = 2_000
"""How many events may wait for a follower; a slower one is cut off."""


@dataclass(frozen=True, slots=True)
class FollowedEvents:
    """Events for a follower, in order. `cut_off`: there are no more, for it was too slow.

    A follower that was cut off can begin again after the last event that it has got.
    """

    events: tuple[LoggedEvent, ...] = ()
    cut_off: bool = False


class LogWatch:
    """A thread that reads what is new in a log, once, and hands it to all followers.

    It runs while there are followers. It never waits for one of them.
    """

    def __init__(self, log: EventReader, signal: LogSignal) -> None:
        """Read `log` whenever `signal` says so, and at least four times a second."""
        self._log = log
        self._signal = signal
        self._lock = threading.Condition()
        self._followers: set[LogFollower] = set()
        self._position = 0
        self._over = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def follow(
        self,
        wake: Callable[[], object],
        *,
        after: int = 0,
        session: str | None = None,
        most: int = MOST_WAITING,
    ) -> LogFollower:
        """Return a follower of the events after a number; of the session that begins so, if named.

        `wake` is called, in another thread, whenever `take` has something: it must not block.
        """
        return LogFollower(self, self._log, wake, after, session, most)

    def close(self) -> None:
        """End the thread, and cut off all followers."""
        with self._lock:
            self._over = True
            left = list(self._followers)
            self._followers.clear()
            self._lock.notify()

        for follower in left:
            follower.cut_off()

        if self._thread is not None:
            self._thread.join()

        self._signal.close()

    @property
    def is_closed(self) -> bool:
        """Whether nothing is handed out any more."""
        return self._over

    def attach(self, follower: LogFollower, last: int) -> bool:
        """Hand what comes after the number `last` of the log to a follower from now on.

        Return False, and do nothing, if the thread has handed out more than that already. `last` is
        a number that the log has, never one that a caller made up: the thread reads on from it, for
        all followers.
        """
        with self._lock:
            if not self._followers:
                # What was published while nobody followed is read by who asks for it.
                self._position = max(self._position, last)
            if self._position > last or self._over:
                return False
            self._followers.add(follower)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="log-watch", daemon=True)
                self._thread.start()
            self._lock.notify()

        return True

    def detach(self, follower: LogFollower) -> None:
        """Hand nothing more to a follower."""
        with self._lock:
            self._followers.discard(follower)

    def _run(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._followers or self._over)
                if self._over:
                    return
            # A store that is away for a while: the followers wait for it.
            with suppress(EventsUnavailable):
                self._read()
            self._signal.wait(_LONGEST_WAIT)

    def _read(self) -> None:
        """Read what is new, and hand it out."""
        full = True
        while full:
            page = self._log.after(self._position, limit=_PAGE)
            full = len(page) == _PAGE
            if not page:
                return
            with self._lock:
                self._position = max(self._position, page[-1].seq)
                followers = list(self._followers)
            self._hand_out(page, followers)

    def _hand_out(self, page: Sequence[LoggedEvent], followers: Iterable[LogFollower]) -> None:
        of_sessions: dict[str, list[LoggedEvent]] = {}
        for follower in followers:
            wanted = page
            if follower.session is not None:
                wanted = of_sessions.setdefault(
                    follower.session, _of_session(page, follower.session)
                )
            if wanted and not follower.offer(wanted):
                self.detach(follower)


def _of_session(page: Sequence[LoggedEvent], session: str) -> list[LoggedEvent]:
    return [event for event in page if event.session and event.session.startswith(session)]


class LogFollower:
    """Who follows a log: first what is on record, then what comes, without a gap or a repeat.

    Call `replay` until it returns None; it reads the store, so not in an event loop. From then on
    call `take` whenever `wake` was called; `take` does not block.
    """

    def __init__(  # noqa: PLR0917 - made by `LogWatch.follow` alone
        self,
        watch: LogWatch,
        log: EventReader,
        wake: Callable[[], object],
        after: int,
        session: str | None,
        most: int,
    ) -> None:
        self.session = session
        self.last = after
        """The number of the last event that was returned."""
        self._watch = watch
        self._log = log
        self._wake = wake
        self._most = most
        self._covered = after
        self._lock = threading.Lock()
        self._queue: deque[LoggedEvent] = deque()
        self._cut_off = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def replay(self) -> tuple[LoggedEvent, ...] | None:
        """Return the next events on record; None when what comes next is handed out by `take`.

        Raise `EventsUnavailable` if the log cannot be read.
        """
        while True:
            last = self._log.last()
            page = tuple(self._log.after(self.last, session=self.session, limit=_PAGE))
            if page:
                self.last = page[-1].seq
                return page
            # Nothing of this follower is on record up to there; a number that the caller had may
            # be greater than all there are.
            self._covered = max(last, self.last)
            if self._watch.attach(self, last) or self._watch_is_closed():
                return None

    def _watch_is_closed(self) -> bool:
        if self._watch.is_closed:
            self.cut_off()
        return self._watch.is_closed

    def take(self) -> FollowedEvents:
        """Return what was handed out since the last call."""
        with self._lock:
            events = tuple(self._queue)
            self._queue.clear()
            cut_off = self._cut_off

        if events:
            self.last = events[-1].seq

        return FollowedEvents(events, cut_off)

    def offer(self, events: Sequence[LoggedEvent]) -> bool:
        """Add events to those that wait; return False if the follower is too slow for them."""
        with self._lock:
            if events[0].seq <= self._covered:
                events = [event for event in events if event.seq > self._covered]
            if len(self._queue) + len(events) > self._most:
                self._queue.clear()
                self._cut_off = True
            else:
                self._queue.extend(events)
            stays = not self._cut_off

        self._wake()
        return stays

    def cut_off(self) -> None:
        """Say that no more events come."""
        with self._lock:
            self._cut_off = True
        self._wake()

    def close(self) -> None:
        """Follow no more."""
        self._watch.detach(self)
