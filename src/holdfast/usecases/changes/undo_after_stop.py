"""Undo changes of a session: the turn of that session that runs is stopped first.

Else the turn, or a command of it, would go on writing what is taken out of the files here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from holdfast.changes.plan import FileRefused
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.locked_workspace import LockedWorkspace, locked
from holdfast.usecases.sessions.ports import RunningTurns, StopScope
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.changes.change import Change

_ATTEMPTS = 5
"""How many times running turns are stopped before the undo gives up."""
_NO_END = "new turns keep beginning here; end what starts them, and run this again."

_Outcome = TypeVar("_Outcome")
TurnsOf: TypeAlias = "Callable[[], RunningTurns]"
"""Returns the turns at work; called only for a change of a session, for it opens the store."""


def undo_after_stop(
    workspace: Workspace,
    turns_of: TurnsOf | None,
    find: Callable[[LockedWorkspace], Sequence[Change] | NothingDone],
    undo: Callable[[Sequence[Change], LockedWorkspace, tuple[str, ...]], _Outcome | NothingDone],
) -> _Outcome | NothingDone:
    """Undo the changes of one session that `find` returns, when no turn of that session runs.

    A turn may need the worktree's lock to end, so the lock is released while it is stopped, and
    `find` looks again after that: the turn may have recorded what its command wrote. Refusals of
    `find` stop nothing. `undo` receives a sentence for each turn that was stopped. Without
    `turns_of` the turns are left alone.
    """
    recovered = NOTHING_LEFT
    notes: tuple[str, ...] = ()
    try:
        for _ in range(_ATTEMPTS):
            with locked(workspace) as found:
                recovered = recovered.followed_by(found.recovered)
                root = replace(found, recovered=recovered)
                changes = find(root)
                if isinstance(changes, NothingDone):
                    return changes
                session = changes[0].session
                if turns_of is None or session is None:
                    return undo(changes, root, ())
                turns, scope = turns_of(), StopScope(session)
                if not turns.at_work(scope):
                    return undo(changes, root, notes)

            # Seldom needed, and the events take long to import.
            from holdfast.usecases.sessions.stop_turns import StopRefused, stop_turns  # noqa: PLC0415 - see above

            outcome = stop_turns(scope, _sentence(changes), turns)
            if isinstance(outcome, StopRefused):
                return _refused(outcome.message, recovered)
            notes += outcome.notes
    except ConversationFailed as error:
        return _refused(str(error), recovered)

    return _refused(_NO_END, recovered)


def _sentence(changes: Sequence[Change]) -> str:
    """Return the sentence with which a turn ends that is stopped for this."""
    ids = ", ".join(change.id for change in changes)
    noun = "change" if len(changes) == 1 else "changes"
    return f"Stopped: an undo of {noun} {ids} was asked for."


def _refused(message: str, recovered: Settled) -> NothingDone:
    return NothingDone((FileRefused("", Refused("conflict", message)),), recovered)
