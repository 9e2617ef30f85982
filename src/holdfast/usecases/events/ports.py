"""The port to the event log of one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.owned_event import OwnedEvent


class EventsUnavailable(Exception):  # noqa: N818 - the word for it
    """The log cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event of the log: its number, its time in ISO format, what it belongs to, and its JSON."""

    seq: int
    at: str
    session: str | None
    turn: str | None
    kind: str
    body: Mapping[str, Any]


class LogSignal(Protocol):
    """Something that says when the log may have new events."""

    def wait(self, seconds: float) -> None:
        """Wait until something may have been published, at most so long."""

    def close(self) -> None:
        """Wait for nothing any more."""


class EventReader(Protocol):
    """The events of one project, numbered from 1 without a gap.

    Each call may raise `EventsUnavailable`.
    """

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> Sequence[LoggedEvent]:
        """Return the events after a number, in order.

        Only those of the session whose id begins so, if one is named.
        """

    def last(self) -> int:
        """Return the number of the last event, 0 if there is none."""


class EventLog(EventReader, Protocol):
    """The same, to publish what no other record is made of."""

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        """Append events in a transaction of their own, and return the number of the last one."""
