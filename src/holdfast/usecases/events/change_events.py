"""The events of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.swaps import digest_of
from holdfast.tools.text_limits import sendable
from holdfast.usecases.redaction import redact
from holdfast.vocab.change_events import (
    ChangeMoved,
    ChangesRemoved,
    EditLanded,
    EditObserved,
    FileWritten,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.swaps import Swap
    from holdfast.tools.ports import Author
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class Published:
    """The events that a use case has published, and the number of the last one.

    None if there are none.
    """

    events: tuple[Event, ...] = ()
    seq: int | None = None

    @classmethod
    def of(cls, owned: Sequence[OwnedEvent], seq: int | None) -> Published:
        """Return the events that were published up to `seq`; none for None."""
        if seq is None or not owned:
            return cls()
        events = [each.event for each in owned]
        return cls(tuple(events), seq)

    def followed_by(self, later: Published) -> Published:
        """Return both, in order."""
        seq = later.seq
        if seq is None:
            seq = self.seq
        return Published(self.events + later.events, seq)


def change_moved(
    change: Change, state: ChangeState, replaces: str | None = None, group: str | None = None
) -> OwnedEvent:
    """Return the event of a new state of a change."""
    moved = ChangeMoved(change.id, state, replaces, group)
    return OwnedEvent(moved, change.session, change.turn)


def change_written(
    change: Change,
    state: ChangeState,
    swaps: Iterable[Swap],
    secrets: Sequence[str],
    group: str | None = None,
) -> OwnedEvent:
    """Return the event of a change that is in the files now, or no longer.

    `swaps` are what was written for it, and maybe for others together with it.
    """
    written = tuple(_written(swap) for swap in swaps if swap.path in change.paths)
    moved = ChangeMoved(change.id, state, None, group, redact(written, secrets))
    return OwnedEvent(moved, change.session, change.turn)


def _written(swap: Swap) -> FileWritten:
    mode = None
    if swap.modes and swap.after is not None:
        mode = swap.after.mode
    return FileWritten(sendable(swap.path), digest_of(swap.after), mode)


def changes_removed(ids: Sequence[str]) -> list[OwnedEvent]:
    """Return the event of changes that are no longer on record; none if there are no such."""
    if not ids:
        return []
    return [OwnedEvent(ChangesRemoved(tuple(ids)))]


def edits_landed(
    change: Change, secrets: Sequence[str], *, proposed: bool = False
) -> list[OwnedEvent]:
    """Return an event for each file that a change edits.

    `proposed` says that no file is written yet.
    """
    events = []
    for file in change.plan.files:
        landed = EditLanded(
            file.path,
            file.action,
            file.rung,
            file.similarity,
            sendable(file.diff),
            change.id,
            file.to,
            proposed,
        )
        events.append(OwnedEvent(redact(landed, secrets), change.session, change.turn))

    return events


_HIDDEN = "It looks like a file with passwords or keys, so its content is not shown."


def edits_observed(
    change: Change, secrets: Sequence[str], by: Author, hidden: Collection[str] = ()
) -> list[OwnedEvent]:
    """Return an event for each file that another program has changed; `by` says which.

    Of a file among `hidden`, the event has a sentence in place of the diff.
    """
    events = []
    for file in change.plan.files:
        diff = sendable(file.diff)
        if file.path in hidden:
            diff = _HIDDEN
        seen = EditObserved(sendable(file.path), file.action, file.to, diff, change.id, by)
        events.append(OwnedEvent(redact(seen, secrets), change.session, change.turn))
    return events
