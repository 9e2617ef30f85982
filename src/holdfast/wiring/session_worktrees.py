"""The worktrees of a project's sessions."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.git.linked.linked_project import GitProject
from holdfast.adapters.places.places import claim_place, find_place
from holdfast.usecases.worktrees.make import NewWorktree, WorktreeMade, make_worktree
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.worktrees.session_worktree import WorktreeRecords, WorktreeRefused


@dataclass(frozen=True, slots=True)
class WorktreesOfRoot:
    """The repository at a root, and the worktrees of its sessions."""

    repository: GitProject
    records: WorktreeRecords
    makers: TurnLocks


@contextmanager
def open_session_worktrees(root: Path) -> Iterator[WorktreesOfRoot]:
    """Open the worktrees of the sessions of the project at a root."""
    state = state_directory()
    with LateStore(state) as store:
        records = store.session_worktrees(
            find_place(root, state), lambda path: claim_place(Path(path), state)
        )
        yield WorktreesOfRoot(GitProject(root, state), records, TurnLocks(state))


def make_session_worktree(
    root: Path,
    session: str | None,
    settings: Settings,
    *,
    with_changes: bool = False,
    begins_at: str | None = None,
    asker: Asker | None = None,  # noqa: ARG001 - the setup command is run by the next commit
    title: str = "",
    agent: str = "holdfast",
) -> WorktreeMade | WorktreeRefused:
    """Make the worktree of a session of the project at a root; None begins a session.

    The answer's `worktree.path` is the root to work in, `worktree.session` the session, which is
    on record with a chat and without a turn. `asker` is asked about the project's setup command.
    """
    patterns = settings.worktree.copy_patterns if settings.worktree else ()
    wanted = NewWorktree(
        session or secrets.token_hex(6), with_changes, begins_at, patterns, title, agent
    )
    with open_session_worktrees(root) as opened:
        return make_worktree(wanted, opened.repository, opened.records, opened.makers)
