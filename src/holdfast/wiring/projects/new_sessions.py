"""Create a session without a turn, in place or in a worktree of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.usecases.sessions.session import SessionRefused, show_session
from holdfast.usecases.sessions.session_records import NewSession, SessionSummary
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.agents.choice import choose_agent
from holdfast.wiring.agents.requests import OURS
from holdfast.wiring.session_worktrees import make_session_worktree

if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.usecases.sessions.session_records import WorkingPlace
    from holdfast.wiring.projects.open_project import OpenProject


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """A session to create. `place` None: a worktree for an external agent in a git project.

    `model` and `mode` (`ask`, `auto`, `review`, `plan`) are what its turns use; None is what the
    settings say. `with_changes`: a worktree gets the user's uncommitted work too.
    """

    title: str = ""
    agent: str = OURS
    model: str | None = None
    mode: str | None = None
    place: WorkingPlace | None = None
    with_changes: bool = False


@dataclass(frozen=True, slots=True)
class SessionMade:
    """A session is on record; `notes` are what a user should know of its worktree."""

    session: SessionSummary
    notes: tuple[str, ...] = ()


def create_session(
    project: OpenProject, request: SessionRequest, settings: Settings
) -> SessionMade | SessionRefused:
    """Create a session; nothing runs in it yet. Raise `SessionsUnavailable` if it cannot be."""
    if request.agent != OURS:
        chosen = choose_agent(request.agent, None, settings)
        if isinstance(chosen, NotSent):
            return SessionRefused(chosen.message, "malformed")

    place = request.place or _default_place(project, request)
    if request.with_changes and place != "worktree":
        return SessionRefused("with_changes goes with a worktree; choose that place.", "malformed")

    notes: tuple[str, ...] = ()
    if place == "in_place":
        new = NewSession(request.title, request.agent, request.model, request.mode)
        session = project.sessions.create(new)
    else:
        made = _make_worktree(project, request, settings)
        if isinstance(made, SessionRefused):
            return made
        session, notes = made
        project.sessions.choose(session, model=request.model, mode=request.mode)

    shown = show_session(session, project.sessions)
    if isinstance(shown, SessionRefused):
        return shown

    return SessionMade(shown, notes)


def _default_place(project: OpenProject, request: SessionRequest) -> WorkingPlace:
    if request.with_changes:
        return "worktree"

    here = project.root.resolve()
    in_git = any((folder / ".git").exists() for folder in (here, *here.parents))
    if request.agent != OURS and in_git:
        return "worktree"

    return "in_place"


def _make_worktree(
    project: OpenProject, request: SessionRequest, settings: Settings
) -> tuple[str, tuple[str, ...]] | SessionRefused:
    """Make the worktree of a new session; return the session, and what a user should know."""
    try:
        made = make_session_worktree(
            project.root,
            None,
            settings,
            with_changes=request.with_changes,
            title=request.title,
            agent=request.agent,
        )
    except WorktreesUnavailable as error:
        return SessionRefused(f"the worktree cannot be recorded: {error}", "conflict")

    if isinstance(made, WorktreeRefused):
        problems = " ".join(made.problems)
        return SessionRefused(f"no worktree was made: {problems}", "conflict")

    notes = made.notes
    if made.setup is not None and made.setup.exit_code != 0:
        why = made.setup.why or f"exit code {made.setup.exit_code}"
        notes = (*notes, f"setup `{made.setup.command}`: {why}")

    return made.worktree.session, notes
