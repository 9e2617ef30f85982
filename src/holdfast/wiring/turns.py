"""One turn on the project at a root."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.places.place_records import find_worktree
from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.adapters.project.directories import DiskDirectories
from holdfast.adapters.project.edit_guard import DiskEditGuard
from holdfast.adapters.project.project_overview import look_over
from holdfast.adapters.project.read_guard import DiskReadGuard
from holdfast.adapters.project.search import DiskSearcher
from holdfast.adapters.project.secret_files import is_secret_file
from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests, is_cache
from holdfast.config.settings import BadConfig
from holdfast.guards.step_cap import StepCaps
from holdfast.loop.limits import LoopLimits
from holdfast.tools.context import ToolPolicy, ToolPorts
from holdfast.tools.prompt.system_prompt import overview, system_prompt
from holdfast.tools.prompt.tool_profiles import profile_of
from holdfast.tools.toolbox import ToolboxOf
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns.ports import TurnNotBegun
from holdfast.usecases.turns.recorded_turn import INTERRUPTED, NotSent, TurnContext
from holdfast.usecases.turns.send_message import TurnDependencies, UserMessage, send
from holdfast.usecases.turns.turn_editor import ReviewedFiles
from holdfast.wiring.late_store import LateStore, StoreProblem
from holdfast.wiring.models import find_model, refuse_server
from holdfast.wiring.places import find_place
from holdfast.wiring.sandboxes import command_rules, sandbox_at
from holdfast.wiring.settings import settings_at
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.trust import trust_at
from holdfast.wiring.workspaces import DiskWorkspace, open_workspace
from holdfast.wiring.worktrees import open_worktrees

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.changes.ports import Files
    from holdfast.config.settings import Settings
    from holdfast.tools.ports import ApprovalGate, Editor, FileObserver
    from holdfast.usecases.trust.project_trust import ProjectTrust
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.turns.ports import ShowEvent
    from holdfast.usecases.turns.repair_ports import TurnRepairs
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import TurnEnded

_OVERVIEW_SHARE = 10
"""The overview may use this fraction (one in ...) of the model's context."""


def root_of_session(root: Path, session: str, say: Callable[[str], None]) -> Path | NotSent:
    """Return the root of the worktree in which a session of the project works.

    It is `root` itself if the session has none yet. A worktree that was made for the session and is
    gone is made anew. A session that cannot be found is reported by the turn.
    """
    place = find_place(root)
    with LateStore(state_directory()) as store:
        found = store.worktree_of_session(place, session)

    if isinstance(found, TurnNotBegun | StoreProblem) or found is None:
        return root
    if found.identity in {None, place.worktree_id}:
        return root

    path = find_worktree(found.identity or "", found.path, place)
    if path is None:
        here = f"holdfast run --continue {session} --root {place.worktree_root}"
        gone = NotSent(
            f"session {session} works in the worktree {found.path}, which is gone; "
            f"to go on in this one: {here}"
        )
        return _reopen(root, session, say) or gone

    say(f"session {session} goes on in its own worktree, {path}")
    return Path(path)


def _reopen(root: Path, session: str, say: Callable[[str], None]) -> Path | NotSent | None:
    from holdfast.wiring.session_worktrees import reopen_session_worktree  # noqa: PLC0415 - a worktree that is there needs none of it

    settings = settings_at(root)
    if isinstance(settings, BadConfig):
        return NotSent(" ".join(settings.problems))

    own = reopen_session_worktree(root, session, settings, say)
    if own is None or isinstance(own, NotSent):
        return own

    return Path(own.path)


def mark_interrupted_at(root: Path) -> tuple[str, ...]:
    """End the turns of the project that dead processes have left; return their sessions.

    A store that cannot be used is no obstacle here: whoever uses it next reports it.
    """
    from holdfast.adapters.store.database_url import chosen_url, store_exists  # noqa: PLC0415 - it imports SQLAlchemy

    state = state_directory()
    if not store_exists(chosen_url(state)):
        return ()

    with LateStore(state) as store, suppress(RecordsUnavailable):
        records = store.turn_log(find_place(root), TurnLocks(state))
        if not isinstance(records, StoreProblem):
            return records.mark_interrupted(*INTERRUPTED)

    return ()


def run_turn_at(
    root: Path,
    settings: Settings,
    message: UserMessage,
    *,
    show: ShowEvent,
    say: Callable[[str], None],
    asker: Asker | None,
    cancel: Cancel,
    trust_all: bool = False,
    find: Callable[[Settings, Callable[[str], None]], OpenAICompatible | NotSent] | None = None,
) -> TurnEnded | NotSent:
    """Run one turn on the project at a root. `find` replaces `find_model`.

    `show` receives every event; `say` receives warnings that are not events. With `trust_all` the
    code of the project is trusted for this turn.
    """
    # With `auto` no person is asked, so there is no answer to keep.
    is_attended = settings["approve"] != "auto"
    trust = trust_at(root, everything=trust_all, remembers=is_attended)
    with ExitStack() as opened:
        workspace = opened.enter_context(open_workspace(root))
        refused = refuse_server(settings, trust)
        if refused is not None:
            return refused
        model = (find or find_model)(settings, say)
        if isinstance(model, NotSent):
            return model
        opened.enter_context(model)
        if cancel.is_set():
            return NotSent("cancelled before the turn had begun.", "cancelled")
        workspace.secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
        dependencies = _dependencies(workspace, settings, model, message, asker)
        if isinstance(dependencies, NotSent):
            return dependencies
        if settings["repair"] == "auto":
            repairs = partial(_repairs, workspace, settings, trust, say)
            dependencies = replace(dependencies, repairs=repairs)
        return send(message, dependencies, show, say, cancel)


def _repairs(
    workspace: DiskWorkspace, settings: Settings, trust: ProjectTrust, say: Callable[[str], None]
) -> TurnRepairs:
    from holdfast.wiring.repairs import turn_repairs_at  # noqa: PLC0415 - turns that change no file do without

    return turn_repairs_at(workspace, settings, trust, say)


def _dependencies(
    workspace: DiskWorkspace,
    settings: Settings,
    model: OpenAICompatible,
    message: UserMessage,
    asker: Asker | None,
) -> TurnDependencies | NotSent:
    root = workspace.files.root
    context = turn_context(workspace, settings, asker)
    if isinstance(context, NotSent):
        return context

    profile = profile_of(model.name)
    tools = profile.tools(plan=message.plan)
    folders = DiskDirectories(str(root))
    found = look_over(workspace.files, folders)
    repository = replace(found, check=settings["check"] or found.check)
    steps = StepCaps(min(60, settings["max_steps"]), settings["max_steps"])
    limits = LoopLimits(steps, settings["max_tokens"])
    sandbox = sandbox_at(root, settings)
    room = min(1_500, limits.window(model.context) // _OVERVIEW_SHARE)

    def bind(files: Files, editor: Editor, gate: ApprovalGate, observer: FileObserver) -> ToolboxOf:
        policy = ToolPolicy(
            command_rules(settings),
            plan=message.plan,
            timeout=settings["command_timeout"],
            network=settings["network"] == "on",
            unattended=settings["approve"] == "auto",
            weak_sandbox=settings["weak_sandbox"] == "run",
        )
        here = str(root)
        ports = ToolPorts(
            here,
            files,
            folders,
            DiskSearcher(here),
            editor,
            OsCommands(here, sandbox, settings["pass_variables"]),
            gate,
            observer,
            DiskReadGuard(here),
            context.edits,
            files.covered if isinstance(files, ReviewedFiles) else tuple,
        )
        return ToolboxOf(tools, ports, policy)

    return TurnDependencies(
        context=replace(context, sandbox=sandbox.status),
        model=model,
        bind=bind,
        system=f"{system_prompt(tools, profile)}\n{overview(repository, room)}",
        tools=f"{model.name}: {' '.join(tools)}",
        limits=limits,
    )


def turn_context(
    workspace: DiskWorkspace, settings: Settings, asker: Asker | None
) -> TurnContext | NotSent:
    """Return what every turn on a workspace needs, or why no turn can be recorded."""
    root, state = workspace.files.root, state_directory()
    place = workspace.claim()
    locks = TurnLocks(state)
    records = workspace.store.turn_log(place, locks)
    if isinstance(records, StoreProblem):
        return NotSent(f"the turn cannot be recorded: {records.message}")

    return TurnContext(
        workspace=workspace,
        worktrees=open_worktrees(root, store=workspace.store),
        digests=DiskWorktreeDigests(str(root)),
        edits=DiskEditGuard(str(root)),
        is_cache=is_cache,
        records=records,
        questions=workspace.store.approvals(place, locks),
        grants=DiskGrants(state, place.project_id),
        asker=asker,
        mode=settings["approve"],
        now=time.monotonic,
        secrets=workspace.secrets,
        is_secret=lambda path: is_secret_file(str(root), path, path),
        marking=TurnProcesses(state).marking,
    )
