"""Read the event log of a project, and follow it while others write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.usecases.events.log_watch import LogWatch
    from holdfast.usecases.events.ports import EventReader, LoggedEvent

_PAGE = 500


def read_events(
    log: EventReader, after: int = 0, session: str | None = None
) -> Iterator[LoggedEvent]:
    """Yield the events after a number that there are now, in order."""
    while page := log.after(after, session=session, limit=_PAGE):
        yield from page
        after = page[-1].seq


def follow_events(
    watch: LogWatch,
    wake: Callable[[], object],
    wait: Callable[[], bool],
    after: int = 0,
    session: str | None = None,
) -> Iterator[LoggedEvent]:
    """Yield the events after a number, in order, those that others publish meanwhile too.

    `wait` is called when there are no more, and may return when `wake` was called; it returns
    whether to look again. A caller that is too slow is cut off, and begins again by itself.
    """
    while True:
        with watch.follow(wake, after=after, session=session) as follower:
            while page := follower.replay():
                yield from page
            cut_off = False
            while not cut_off:
                taken = follower.take()
                yield from taken.events
                cut_off = taken.cut_off
                if not taken.events and not wait():
                    return
            after = follower.last
        if watch.is_closed:
            return
