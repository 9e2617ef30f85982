"""One turn of an external agent, in the worktree of its session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.usecases.agents.agent_turn import AgentDependencies, AgentMessage, send_to_agent
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.agents.choice import ChosenAgent, choose_agent
from holdfast.wiring.agents.warm import WARM_AGENTS, make_agent
from holdfast.wiring.repairs import command_rules
from holdfast.wiring.session_worktrees import make_session_worktree, open_session_worktrees
from holdfast.wiring.turns import root_of_session, turn_context
from holdfast.wiring.workspaces import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.turns.ports import ShowEvent
    from holdfast.usecases.worktrees.make import WorktreeMade
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import TurnEnded
    from holdfast.wiring.agents.requests import AgentTurnRequest


@dataclass(frozen=True, slots=True)
class _Workplace:
    root: Path
    session: str | None


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
    _say_setup(made, say)
    say(f"session {made.worktree.session} works in {made.worktree.path}")
    return _Workplace(Path(made.worktree.path), made.worktree.session)


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
    try:
        own = _own_worktree(root, session)
        if own is not None and not own.is_there:
            made = make_session_worktree(root, own.session, settings)
            if isinstance(made, WorktreeRefused):
                return NotSent(f"no worktree was made: {' '.join(made.problems)}")
            own = made.worktree
            say(f"session {own.session} got a new worktree, {own.path}")
            _say_setup(made, say)
    except WorktreesUnavailable as error:
        return NotSent(f"the worktree cannot be recorded: {error}")
    if own is not None:
        return _Workplace(Path(own.path), own.session)
    found = root_of_session(root, session, say)
    if isinstance(found, NotSent):
        return found
    return _Workplace(found, session)


def _say_setup(made: WorktreeMade, say: Callable[[str], None]) -> None:
    """Say what became of the setup command, unless it did what it should."""
    setup = made.setup
    if setup is None or setup.exit_code == 0:
        return
    why = setup.why or f"exit code {setup.exit_code}: {setup.output[-500:]}"
    say(f"setup `{setup.command}`: {why}")


def _own_worktree(root: Path, session: str) -> SessionWorktree | None:
    """Return the worktree that was made for a session."""
    with open_session_worktrees(root) as opened:
        found = [each for each in opened.records.list() if each.session.startswith(session)]
    if len(found) != 1:
        return None
    return found[0]


def _is_in_git(root: Path) -> bool:
    here = root.resolve()
    return any((folder / ".git").exists() for folder in (here, *here.parents))
