"""One turn of an external agent, in the worktree of its session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.usecases.agents.agent_turn import AgentDependencies, AgentMessage, send_to_agent
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.agents.choice import ChosenAgent, choose_agent
from holdfast.wiring.agents.warm import WARM_AGENTS, make_agent
from holdfast.wiring.sandboxes import command_rules, sandbox_status
from holdfast.wiring.session_worktrees import (
    make_session_worktree,
    reopen_session_worktree,
    say_setup,
)
from holdfast.wiring.turns import root_of_session, turn_context
from holdfast.wiring.workspaces import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.turns.ports import ShowEvent
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import TurnEnded
    from holdfast.wiring.agents.requests import AgentTurnRequest

_NO_REVIEW = (
    "{} writes files itself, so that its edits in place cannot wait for a review. Let it work in a "
    "worktree of its own, for which the project needs git and a commit, and propose its work with "
    "`holdfast worktree merge`; or pass --approve ask."
)


@dataclass(frozen=True, slots=True)
class _Workplace:
    """Where a turn works. `is_own`: in a worktree that was made for the session."""

    root: Path
    session: str | None
    is_own: bool = False


def run_agent_turn_at(
    root: Path,
    settings: Settings,
    request: AgentTurnRequest,
    *,
    show: ShowEvent,
    say: Callable[[str], None],
    asker: Asker | None,
    cancel: Cancel,
    setup_asker: Asker | None = None,
) -> TurnEnded | NotSent:
    """Run one turn of an agent on the project at a root.

    `show` receives every event; `say` receives warnings that are not events. `setup_asker` is asked
    about the setup command of a new worktree; it must be able to answer here and now.
    """
    chosen = choose_agent(request.agent, request.transport, settings)
    if isinstance(chosen, NotSent):
        return chosen

    place = _find_workplace(root, settings, request, setup_asker, say)
    if isinstance(place, NotSent):
        return place
    if settings["approve"] == "review" and not place.is_own:
        return NotSent(_NO_REVIEW.format(chosen.name))

    message = AgentMessage(
        request.prompt,
        place.session,
        continued=request.session is not None,
        queued=request.queued,
    )
    return _run_at(place.root, settings, message, chosen, show, say, asker, cancel)


def _run_at(  # noqa: PLR0917 - the arguments of `run_agent_turn_at`
    root: Path,
    settings: Settings,
    message: AgentMessage,
    chosen: ChosenAgent,
    show: ShowEvent,
    say: Callable[[str], None],
    asker: Asker | None,
    cancel: Cancel,
) -> TurnEnded | NotSent:
    with open_workspace(root) as workspace:
        workspace.secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
        context = turn_context(workspace, settings, asker)
        if isinstance(context, NotSent):
            return context
        here = workspace.files.root
        if chosen.is_confined:
            context = replace(context, sandbox=sandbox_status(here, settings))
        if settings.agents is not None:
            WARM_AGENTS.most = settings.agents.warm
        dependencies = AgentDependencies(
            context=context,
            name=chosen.name,
            make=lambda: make_agent(chosen, here, settings),
            pool=WARM_AGENTS,
            agents=context.records,  # type: ignore[arg-type]  # the log of turns is both
            rules=command_rules(settings),
            root=str(here),
        )
        return send_to_agent(message, dependencies, show, say, cancel)


def _find_workplace(
    root: Path,
    settings: Settings,
    request: AgentTurnRequest,
    asker: Asker | None,
    say: Callable[[str], None],
) -> _Workplace | NotSent:
    """Return where the turn works; make the worktree of a new session."""
    if request.session is not None:
        return _find_again(root, settings, request, request.session, say)
    if request.place == "in_place":
        return _Workplace(root, None)
    if request.place == "default" and not _is_in_git(root):
        return _Workplace(root, None)

    try:
        made = make_session_worktree(
            root,
            None,
            settings,
            with_changes=request.with_changes,
            asker=asker,
            title=(request.prompt or "")[:80],
            agent=request.agent,
        )
    except WorktreesUnavailable as error:
        return NotSent(f"the worktree cannot be recorded: {error}")

    if isinstance(made, WorktreeRefused):
        cure = "to work in the project's own files: --in-place."
        return NotSent(f"no worktree was made: {' '.join(made.problems)} {cure}")

    for note in made.notes:
        say(note)

    say_setup(made, say)
    say(f"session {made.worktree.session} works in {made.worktree.path}")
    return _Workplace(Path(made.worktree.path), made.worktree.session, is_own=True)


def _find_again(
    root: Path,
    settings: Settings,
    request: AgentTurnRequest,
    session: str,
    say: Callable[[str], None],
) -> _Workplace | NotSent:
    """Return where a session goes on: in its own worktree, made anew if that is gone."""
    if request.place == "in_place":
        return _Workplace(root, session)

    own = reopen_session_worktree(root, session, settings, say)
    if isinstance(own, NotSent):
        return own
    if own is not None:
        return _Workplace(Path(own.path), own.session, is_own=True)

    found = root_of_session(root, session, say)
    if isinstance(found, NotSent):
        return found

    return _Workplace(found, session)


def _is_in_git(root: Path) -> bool:
    here = root.resolve()
    return any((folder / ".git").exists() for folder in (here, *here.parents))
