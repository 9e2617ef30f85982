"""What was settled before a command did its own work, and what a restore did."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.changes.change_log import LogUnavailable
    from holdfast.changes.transaction import Stopped
    from holdfast.vocab.change_events import Recovered


@dataclass(frozen=True, slots=True)
class Settled:
    """What was done first, about commands that had died.

    `finished` are the restores that are done now. `owed` says which conversation still has to
    follow its files, and why it cannot. `stopped` is the batch that could not be finished,
    `refusal` why a restore could not be, `unrecorded` why the log could not record a batch: before
    that is cured no file may be edited.
    """

    recovered: tuple[Recovered, ...] = ()
    finished: tuple[Restored, ...] = ()
    owed: str | None = None
    stopped: Stopped | None = None
    refusal: str | None = None
    unrecorded: LogUnavailable | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that was done, or could not be."""
        return tuple(each.message for each in self.recovered)

    def joined_with(self, other: Settled) -> Settled:
        """Return what was done here and about another entry of the same journal."""
        return Settled(
            self.recovered + other.recovered,
            self.finished + other.finished,
            self.owed or other.owed,
            self.stopped or other.stopped,
            self.refusal or other.refusal,
            self.unrecorded or other.unrecorded,
        )

    def followed_by(self, later: Settled) -> Settled:
        """Return what was done here and by a later command, which has tried all that was left."""
        recovered, finished = self.recovered + later.recovered, self.finished + later.finished
        return replace(later, recovered=recovered, finished=finished)


NOTHING_LEFT = Settled()


@dataclass(frozen=True, slots=True)
class Restored:
    """The checkpoint's state is back. `seq` is the number of the event.

    `commits` were made since: HEAD is left as it is. `tree` is what the files are now. `kept_why`
    and `lost_why` have the reasons. `index_differs`: something else is staged now. `notes` say what
    could not be done besides.
    """

    verb: Literal["restore", "undo"]
    checkpoint_id: str
    undo_checkpoint_id: str
    messages_deleted: int
    messages_brought_back: int
    worktree_reset: bool
    backend_reset: bool
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    tree: str = ""
    kept_why: Mapping[str, str] = field(default_factory=dict)
    lost_why: Mapping[str, str] = field(default_factory=dict)
    index_reset: bool = False
    index_differs: bool = False
    notes: tuple[str, ...] = ()
    recovered: Settled = NOTHING_LEFT
    seq: int | None = None
