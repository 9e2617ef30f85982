"""Read the event log of a project, and follow it while others write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    log: EventReader, wait: Callable[[], bool], after: int = 0, session: str | None = None
) -> Iterator[LoggedEvent]:
    """Yield the events after a number, in order, those that others publish meanwhile too.

    `wait` is called when there are no more; it returns whether to look again.
    """
    looking = True
    while looking:
        for event in read_events(log, after, session):
            yield event
            after = event.seq
        looking = wait()
