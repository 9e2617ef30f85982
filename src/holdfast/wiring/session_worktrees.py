"""The worktrees of a project's sessions."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.git.linked.linked_project import GitProject
from holdfast.adapters.places.adopted_folder import adopt_state
from holdfast.adapters.places.place_records import claim_place, find_place
from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.trust.git_filters import filters_of
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.worktrees.make import NewWorktree, WorktreeMade, make_worktree
from holdfast.usecases.worktrees.make_anew import make_worktree_anew
from holdfast.usecases.worktrees.ports import WorktreeDependencies
from holdfast.usecases.worktrees.session_worktree import (
    WorktreeRefused,
    WorktreesUnavailable,
)
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.sandboxes import sandbox_at
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.trust import trust_at
from holdfast.wiring.worktrees import open_worktrees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.worktrees.ports import SetupCommand
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree
    from holdfast.vocab.place import Place

_LONGEST_SETUP = 1_800
"""For how many seconds a setup command may run, unless commands may run longer."""


@contextmanager
def open_session_worktrees(root: Path) -> Iterator[WorktreeDependencies]:
    """Open the worktrees of the sessions of the project at a root."""
    with LateStore(state_directory()) as store:
        yield worktree_dependencies(root, store)


def make_session_worktree(
    root: Path,
    session: str | None,
    settings: Settings,
    *,
    with_changes: bool = False,
    begins_at: str | None = None,
    checkpoint: str | None = None,
    asker: Asker | None = None,
    title: str = "",
    agent: str = "holdfast",
) -> WorktreeMade | WorktreeRefused:
    """Make the worktree of a session of the project at a root; None begins a session.

    The answer's `worktree.path` is the root to work in, `worktree.session` the session, which is
    on record with a chat and without a turn. A session whose worktree is there gets that one; one
    whose worktree is gone gets it anew, from its last checkpoint or from `checkpoint`. `asker` is
    asked about the project's setup command; it must be able to answer here and now.
    """
    patterns = settings.worktree.copy_patterns if settings.worktree else ()
    with LateStore(state_directory()) as store:
        needs = worktree_dependencies(root, store)
        setup = _setup(root, settings, asker, store)
        known: SessionWorktree | str | WorktreeRefused = secrets.token_hex(6)
        if session is not None:
            known = _find_session(session, find_place(root, state_directory()), store, needs)
        if isinstance(known, WorktreeRefused):
            return known
        if isinstance(known, str):
            wanted = NewWorktree(known, with_changes, begins_at, patterns, title, agent)
            return make_worktree(wanted, needs, setup)
        if known.is_there:
            return WorktreeMade(known)
        return make_worktree_anew(known, needs, patterns, checkpoint=checkpoint, setup=setup)


def reopen_session_worktree(
    root: Path, session: str, settings: Settings, say: Callable[[str], None]
) -> SessionWorktree | NotSent | None:
    """Return the worktree that was made for a session, made anew if it is gone.

    Return None if none was made, or if several sessions begin so.
    """
    try:
        with open_session_worktrees(root) as opened:
            found = [each for each in opened.records.list() if each.session.startswith(session)]
        if len(found) != 1:
            return None
        (own,) = found
        if own.is_there:
            return own
        made = make_session_worktree(root, own.session, settings)
    except WorktreesUnavailable as error:
        return NotSent(f"the worktree cannot be recorded: {error}")

    if isinstance(made, WorktreeRefused):
        return NotSent(f"no worktree was made: {' '.join(made.problems)}")

    say(f"session {own.session} got a new worktree, {own.path}")
    say_setup(made, say)
    return made.worktree


def say_setup(made: WorktreeMade, say: Callable[[str], None]) -> None:
    """Say what became of the setup command, unless it did what it should."""
    setup = made.setup
    if setup is None or setup.exit_code == 0:
        return
    why = setup.why or f"exit code {setup.exit_code}: {setup.output[-500:]}"
    say(f"setup `{setup.command}`: {why}")


def _find_session(
    wanted: str, place: Place, store: LateStore, needs: WorktreeDependencies
) -> SessionWorktree | str | WorktreeRefused:
    """Return the worktree of the session whose id begins so; its id if it has none."""
    try:
        found = store.running_turns(place).find_sessions(wanted)
        known = {each.session: each for each in needs.records.list()}
    except (ConversationFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))

    if len(found) != 1:
        return WorktreeRefused.because(
            f"{wanted}: no session of this project, or several, begin so; "
            "`holdfast sessions list` has them."
        )

    return known.get(found[0], found[0])


def worktree_dependencies(root: Path, store: LateStore) -> WorktreeDependencies:
    """Return what the use cases of worktrees need, with a store that the caller keeps open."""
    state = state_directory()
    place = find_place(root, state)
    return WorktreeDependencies(
        GitProject(root, state, partial(_trusts_filters, root)),
        store.session_worktrees(place, lambda path: claim_place(Path(path), state)),
        TurnLocks(state),
        lambda path: open_worktrees(Path(path), store=store),
        lambda old_id, path: adopt_state(state, old_id, Path(path)),
    )


def _trusts_filters(root: Path, worktree: Path, trees: Sequence[str]) -> bool:
    """Return whether the filters of a worktree's repository are trusted in the project.

    `trees` have files that git is to write there.
    """
    try:
        return not trust_at(root).untrusted(filters_of(worktree, trees))
    except CheckpointFailed:
        return False


def _setup(
    root: Path, settings: Settings, asker: Asker | None, store: LateStore
) -> SetupCommand | None:
    """Return the setup command of the project, if it has one."""
    if settings.worktree is None or settings.worktree.setup is None:
        return None

    from holdfast.usecases.worktrees.setup import ProjectSetup  # noqa: PLC0415 - few projects have a setup, and it takes long to import
    from holdfast.wiring.sandboxes import command_rules  # noqa: PLC0415 - as above

    command = settings.worktree.setup
    state = state_directory()
    place = find_place(root, state)
    passed = settings["pass_variables"]

    def commands_at(path: str) -> OsCommands:
        return OsCommands(path, sandbox_at(Path(path), settings), passed)

    return ProjectSetup(
        command,
        command_rules(settings),
        DiskGrants(state, place.project_id),
        asker,
        commands_at,
        store.event_log(place),
        max(settings["command_timeout"], _LONGEST_SETUP),
        network=settings["network"] == "on",
        unattended=settings["approve"] == "auto",
        weak_sandbox=settings["weak_sandbox"] == "run",
        secrets=tuple(filter(None, (settings["api_key"], settings["database_url"]))),
    )
