"""Delete a session, with its conversation, its checkpoints and its settled changes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed, NoCheckpoints
from holdfast.usecases.checkpoints.restore_recovery import settle_worktree
from holdfast.usecases.sessions.session_records import TurnRunning
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.checkpoints.ports import Worktree
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.sessions.session_records import SessionRecords
    from holdfast.vocab.events import SessionDeleted


@dataclass(frozen=True, slots=True)
class SessionRemoved:
    """A session is gone.

    `refs` were removed, `size` is the number of bytes that only they needed. `kept_refs` are the
    folders whose checkpoints could not be reached; `holdfast gc` removes them later. `recovered` is
    what was done first, about commands that had died.
    """

    session: str
    turns: tuple[str, ...]
    changes: tuple[str, ...]
    refs: int
    size: int
    kept_refs: tuple[str, ...]
    seq: int
    recovered: Settled = NOTHING_LEFT


@dataclass(frozen=True, slots=True)
class SessionNotRemoved:
    """Nothing was removed; the message says why, and what to do."""

    message: str


def delete_session(
    session: str, records: SessionRecords, open_worktrees: Callable[[Path], Worktrees]
) -> SessionRemoved | SessionNotRemoved:
    """Remove a session whose turns are over. No file of the project is touched.

    The rows go before the refs: refs that a kill leaves are found by `holdfast gc`, and rows
    without their refs could not be restored.
    """
    with ExitStack() as locks:
        try:
            roots = records.worktrees(session)
            worktrees, missing, recovered = _lock_all(roots, open_worktrees, locks)
        except CheckpointFailed as error:
            return SessionNotRemoved(str(error))
        deleted = records.delete(session, _announce)
        if deleted is None:
            return SessionNotRemoved(f"session {session}: another command has deleted it.")
        if isinstance(deleted, TurnRunning):
            return SessionNotRemoved(
                f"session {session}: turn {deleted.turn} is running; wait for its end, or stop it "
                f"with `holdfast cancel {session}`."
            )
        refs = size = 0
        kept = list(missing)
        for root, worktree in worktrees.items():
            try:
                leftovers = worktree.leftovers({session})
                worktree.remove_leftovers(leftovers)
            except CheckpointFailed:
                # The session is gone from the record.
                kept.append(root)
                continue
            refs += len(leftovers.refs)
            size += leftovers.size

    event = deleted.event
    return SessionRemoved(
        session, event.turn_ids, event.change_ids, refs, size, tuple(kept), deleted.seq, recovered
    )


def _announce(deleted: SessionDeleted) -> list[OwnedEvent]:
    return [OwnedEvent(deleted, deleted.session_id)]


def _lock_all(
    roots: tuple[str, ...], open_worktrees: Callable[[Path], Worktrees], locks: ExitStack
) -> tuple[dict[str, Worktree], tuple[str, ...], Settled]:
    """Lock the worktrees at these folders, and finish what dead processes left there.

    Return them by their folders, the folders that are not there now, and what was finished.
    """
    recovered = NOTHING_LEFT
    locked: dict[str, Worktree] = {}
    missing: list[str] = []
    for root in roots:
        if not Path(root).is_dir():
            missing.append(root)
            continue
        worktrees = open_worktrees(Path(root))
        try:
            worktree = locks.enter_context(worktrees.hold(make=False))
        except NoCheckpoints:
            continue
        recovered = recovered.followed_by(settle_worktree(worktree, worktrees))
        locked[root] = worktree

    return locked, tuple(missing), recovered
