"""The store without SQLAlchemy. Only `late_store` imports this module."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.database_url import SqliteFile, chosen_url, parse_address
from holdfast.adapters.store.plain.plain_changes import PlainChanges
from holdfast.adapters.store.plain.plain_store import PlainStore, open_plain_store
from holdfast.adapters.store.store_errors import StoreError
from holdfast.changes.change_log import LogUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.change_log import (
        AddedChange,
        AnnounceRemoved,
        ChangeLog,
        ChangeParts,
        LastUndo,
        LeftFiles,
        RemovedChanges,
    )
    from holdfast.changes.plan import ChangePlan
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place

__all__ = ["either_changes", "plain_store_at"]


def plain_store_at(state: Path) -> PlainStore | None:
    """Open the store that is configured, if it can be used without SQLAlchemy.

    Raise `LogUnavailable` if it cannot be opened.
    """
    url = chosen_url(state)
    if "://" in url:
        return None

    with _translated():
        address = parse_address(url)
        return open_plain_store(address) if isinstance(address, SqliteFile) else None


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise LogUnavailable(str(error)) from error


def either_changes(
    plain: PlainStore,
    place: Place,
    is_open: Callable[[], bool],
    open_log: Callable[[Place], ChangeLog],
) -> ChangeLog:
    """Return the changes of a project, in the plain store until the whole one is open.

    `is_open` says whether the whole store is open; `open_log` opens it.
    """
    return _EitherChanges(plain, place, is_open, open_log)


class _EitherChanges:
    """The changes of a project (port `ChangeLog`), without SQLAlchemy as long as that is possible.

    What the plain store cannot do opens the whole one. Once that is open, it does everything: it
    knows the turn that uses it, and refuses what a stopped turn would record.
    """

    def __init__(
        self,
        plain: PlainStore,
        place: Place,
        is_open: Callable[[], bool],
        open_log: Callable[[Place], ChangeLog],
    ) -> None:
        self._plain = PlainChanges(plain, place)
        self._place = place
        self._is_open = is_open
        self._open_log = open_log

    def _whole(self) -> ChangeLog:
        return self._open_log(self._place)

    def _either(self) -> ChangeLog | PlainChanges:
        return self._whole() if self._is_open() else self._plain

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        return self._either().add(change, announce)

    def get(self, change_id: str) -> Change | None:
        return self._either().get(change_id)

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        return self._either().move(change_id, old, new, events)

    def ids(self) -> tuple[str, ...]:
        return self._whole().ids()

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        return self._whole().marks(state)

    def left_since(self, event_seq: int | None) -> LeftFiles:
        return self._whole().left_since(event_seq)

    def revise(self, change_id: str, plan: ChangePlan, events: Sequence[OwnedEvent]) -> int | None:
        return self._whole().revise(change_id, plan, events)

    def move_together(
        self,
        change_ids: Sequence[str],
        old: ChangeState,
        new: ChangeState,
        events: Sequence[OwnedEvent],
    ) -> int | None:
        return self._whole().move_together(change_ids, old, new, events)

    def last_undo(self) -> LastUndo | None:
        return self._whole().last_undo()

    def last_turn(self, session: str | None = None) -> str | None:
        return self._whole().last_turn(session)

    def split(
        self, change_id: str, accepted: Change, rest: Change, events: Sequence[OwnedEvent]
    ) -> ChangeParts | None:
        return self._whole().split(change_id, accepted, rest, events)

    def join(
        self, change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]
    ) -> int | None:
        return self._whole().join(change_id, parts, events)

    def prune(self, keep: int, announce: AnnounceRemoved) -> RemovedChanges:
        return self._whole().prune(keep, announce)

    # Last: below it, `list` is no longer the type.
    def list(
        self,
        *,
        state: ChangeState | None = None,
        origin: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        after: int = 0,
        limit: int | None = None,
        everywhere: bool = False,
        touching: Collection[str] | None = None,
    ) -> tuple[Change, ...]:
        return self._either().list(
            state=state,
            origin=origin,
            session=session,
            turn=turn,
            after=after,
            limit=limit,
            everywhere=everywhere,
            touching=touching,
        )
