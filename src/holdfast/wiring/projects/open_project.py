"""A project with its store open: what a server and its routes need of it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.places.place_records import claim_place, find_worktree
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.sessions.message_pages import StoredMessages
from holdfast.adapters.store.sessions.message_queue import StoredQueue
from holdfast.adapters.store.sessions.rejections import StoredRejections
from holdfast.adapters.store.sessions.session_log import StoredSessions
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.turn_log import worktree_of_session
from holdfast.usecases.events.log_watch import LogWatch
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.usecases.turns.ports import TurnNotBegun
from holdfast.wiring.events import LateSignal
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.session_worktrees import worktree_dependencies
from holdfast.wiring.sessions import ApprovalsOfRoot
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.workspaces import DiskWorkspace
from holdfast.wiring.worktrees import GitWorktrees

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.sessions.ports import RunningTurns
    from holdfast.usecases.worktrees.ports import WorktreeDependencies


class OpenProject:
    """One project and its store, which many threads may use at once.

    A turn opens a store of its own (`wiring.projects.session_turns`): a store that a turn uses
    refuses to write when that turn is stopped.
    """

    def __init__(self, root: Path) -> None:
        """Open the project at a root; raise OSError if there is no such folder."""
        self.root = root
        self.state = state_directory()
        self.place = claim_place(root, self.state)
        self.store = LateStore(self.state)
        opened = self.store.open
        self.sessions = StoredSessions(opened, self.place, TurnLocks(self.state))
        self.messages = StoredMessages(opened, self.place)
        self.queue = StoredQueue(opened, self.place)
        self.rejections = StoredRejections(opened, self.place)
        self.events = StoredEventLog(opened, self.place)
        self.watch = LogWatch(self.events, LateSignal(self.store, self.state))
        """Follows the log for all followers of this process (`watch.follow`)."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cut off all followers, and close the store."""
        self.watch.close()
        self.store.close()

    @property
    def approvals(self) -> ApprovalsOfRoot:
        """The questions of the project's turns, and the commands that are always allowed."""
        questions = self.store.approvals(self.place, TurnLocks(self.state))
        return ApprovalsOfRoot(questions, DiskGrants(self.state, self.place.project_id), None)

    @property
    def running_turns(self) -> RunningTurns:
        """The turns at work, to stop them (`cancel_session`)."""
        return self.store.running_turns(self.place)

    @property
    def session_worktrees(self) -> WorktreeDependencies:
        """The worktrees of sessions, for the use cases of `usecases.worktrees`."""
        return worktree_dependencies(self.root, self.store)

    def root_of(self, session: str) -> Path | SessionRefused:
        """Return the folder in which a session works; refuse if that is gone.

        Raise `SessionsUnavailable` if the store cannot be read.
        """
        try:
            found = self.store.open().query(worktree_of_session, self.place, session)
        except StoreError as error:
            raise SessionsUnavailable(str(error)) from error

        if isinstance(found, TurnNotBegun):
            return SessionRefused(found.message)
        if found is None or found.identity in {None, self.place.worktree_id}:
            return self.root

        path = find_worktree(found.identity or "", found.path, self.place)
        if path is None:
            return SessionRefused(
                f"session {session} works in the worktree {found.path}, which is gone; make it "
                f"anew from its last checkpoint: holdfast worktree new --session {session}",
                "conflict",
            )

        return Path(path)

    @contextmanager
    def review_of(self, session: str) -> Iterator[None]:
        """Let one thread of one process at a time do the rejections that wait in a session."""
        locks = TurnLocks(self.state)
        name = f"review-{session}"
        locks.take(name)
        try:
            yield
        finally:
            locks.drop(name)

    def checkpoints_at(self, root: Path) -> GitWorktrees:
        """Return the checkpoints of the worktree at a folder, for one call of a use case."""
        return GitWorktrees(root, self.state, lambda _: None, self.store)

    @contextmanager
    def workspace_at(self, root: Path) -> Iterator[DiskWorkspace]:
        """Open the files below a folder, for one call of a use case of `usecases.changes`.

        Raise OSError if there is no such folder.
        """
        with DiskWorkspace(DiskFiles(str(root)), self.state, store=self.store) as workspace:
            yield workspace
