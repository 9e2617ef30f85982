"""The record of the changes of one project, as the code here needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.plan import ChangePlan
    from holdfast.vocab.owned_event import OwnedEvent


KEPT = 1_000
"""How many settled changes a project's log keeps.

Else it would grow for ever, with the texts of every file.
"""


class LogUnavailable(Exception):  # noqa: N818 - the word for it
    """The log cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class AddedChange:
    """A change as it was recorded, and the number of the last event that was published with it."""

    change: Change
    event_seq: int


@dataclass(frozen=True, slots=True)
class ChangeParts:
    """The two recorded parts of a change, and the number of the last event of the split."""

    accepted: Change
    rest: Change
    event_seq: int


@dataclass(frozen=True, slots=True)
class RemovedChanges:
    """The ids of changes that are no longer on record, and the number of the last event."""

    ids: tuple[str, ...]
    event_seq: int


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file as the change `change_id` has left it, applied or rewound.

    `digest` is that of its content (`swaps.digest_of`); `mode` is None if no change has set it.
    """

    change_id: str
    digest: str
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class LeftFiles:
    """The files that changes have written, by path, and the number of the last event."""

    files: Mapping[str, LeftFile]
    event_seq: int


@dataclass(frozen=True, slots=True)
class ChangesUndone:
    """Changes that were undone together, in the order in which a redo applies them."""

    change_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RestoreUndone:
    """A restore that was undone; its state is in the checkpoint that the undo took first."""

    checkpoint_id: str


LastUndo: TypeAlias = ChangesUndone | RestoreUndone
AnnounceRemoved: TypeAlias = "Callable[[Sequence[str]], Sequence[OwnedEvent]]"
"""Return the events to publish, from the ids of the removed changes."""


class ChangeLog(Protocol):
    """The changes of one project, durably: what a call has recorded survives a kill right after it.

    It is opened for one worktree of the project: a new change belongs to that one.

    Several processes may share it. Each call is one transaction, and may raise `LogUnavailable`.
    The events of a call are published in its transaction; a call that does nothing publishes none.
    """

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        """Record a new change as the latest, with its `seq` and its moment.

        Then prune to `KEPT`.
        """

    def get(self, change_id: str) -> Change | None:
        """Return the change with this id, or None."""

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all changes, newest first."""

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
        """Return at most `limit` changes of this worktree, newest first; or of all (`everywhere`).

        Those with these values and a `seq` greater than `after`, which swap one of the paths in
        `touching`.
        """

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Return id and `seq` of this worktree's changes in a state, newest first.

        `list` without their texts, which cost.
        """

    def left_since(self, event_seq: int | None) -> LeftFiles:
        """Return the files of this worktree that changes have written since an event.

        None: since now.
        """

    def revise(self, change_id: str, plan: ChangePlan, events: Sequence[OwnedEvent]) -> int | None:
        """Replace the plan of a proposed change.

        Return the last event's number, or None if it is not proposed.
        """

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        """Change the state from `old` to `new`.

        Return the last event's number, or None if the state is not `old`.

        What becomes applied becomes the latest.
        """

    def move_together(
        self,
        change_ids: Sequence[str],
        old: ChangeState,
        new: ChangeState,
        events: Sequence[OwnedEvent],
    ) -> int | None:
        """Change the states of several changes, in this order, as `move` does.

        Return None, and do nothing, if the state of one of them is not `old`.
        """

    def last_undo(self) -> LastUndo | None:
        """Return what a redo does again, or None.

        That is the last undo that nothing was changed after, of changes or of a restore.
        """

    def last_turn(self, session: str | None = None) -> str | None:
        """Return the turn of the latest applied change that belongs to a turn, or None.

        Only a turn of this session, if one is named.
        """

    def split(
        self, change_id: str, accepted: Change, rest: Change, events: Sequence[OwnedEvent]
    ) -> ChangeParts | None:
        """Reject a proposed change and record its two parts.

        Return None, and do nothing, if it is not proposed.

        `rest` gets the place of the whole in the order, the whole comes after the last, `accepted`
        after that.
        """

    def join(
        self, change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]
    ) -> int | None:
        """Undo a split: remove the parts, and propose the whole in the place of the rest.

        Return as `move`.

        None, and nothing done, if it was not split into these, or one of them is no longer
        proposed.
        """

    def prune(self, keep: int, announce: AnnounceRemoved) -> RemovedChanges:
        """Remove all but the latest `keep` changes that are settled; what is proposed stays."""
