"""One turn on the project at a root."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.wiring.models import find_model
from holdfast.wiring.repairs import command_rules, turn_repairs_at
from holdfast.wiring.workspaces import open_workspace, open_worktrees, state_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.changes.ports import Files
    from holdfast.config.settings import Settings
    from holdfast.tools.ports import ApprovalGate, Editor
    from holdfast.tools.toolbox import ToolboxOf
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.turns.send_message import NotSent, TurnDependencies, UserMessage
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event, TurnEnded
    from holdfast.wiring.workspaces import DiskWorkspace

_OVERVIEW_SHARE = 10
"""The overview may take one part in so many of the model's context."""


def run_turn_at(
    root: Path,
    settings: Settings,
    message: UserMessage,
    *,
    show: Callable[[Event], None],
    say: Callable[[str], None],
    asker: Asker | None,
    cancel: Cancel,
    find: Callable[[Settings, Callable[[str], None]], OpenAICompatible | NotSent] | None = None,
) -> TurnEnded | NotSent:
    """Run one turn on the project at a root. `find` says which model it asks, in the place of `find_model`."""
    from holdfast.usecases.turns.send_message import NotSent, send  # noqa: PLC0415 - help does without all this

    with ExitStack() as opened:
        workspace = opened.enter_context(open_workspace(root))
        model = (find or find_model)(settings, say)
        if isinstance(model, NotSent):
            return model
        opened.enter_context(model)
        if cancel.is_set():
            return NotSent("cancelled before the turn had begun.", "cancelled")
        crew = _crew(workspace, settings, model, message, asker)
        if isinstance(crew, NotSent):
            return crew
        if settings["repair"] == "auto":
            crew = replace(crew, repairs=turn_repairs_at(workspace, settings, say))
        return send(message, crew, show, say, cancel)


def _crew(
    workspace: DiskWorkspace,
    settings: Settings,
    model: OpenAICompatible,
    message: UserMessage,
    asker: Asker | None,
) -> TurnDependencies | NotSent:
    from holdfast.adapters.filesystem.command_grants import DiskGrants  # noqa: PLC0415
    from holdfast.adapters.filesystem.turn_locks import TurnLocks  # noqa: PLC0415
    from holdfast.adapters.processes.commands import OsCommands  # noqa: PLC0415
    from holdfast.adapters.project.directories import DiskDirectories  # noqa: PLC0415 - help does without all this
    from holdfast.adapters.project.project_overview import look_over  # noqa: PLC0415
    from holdfast.adapters.project.search import DiskSearcher  # noqa: PLC0415
    from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests  # noqa: PLC0415
    from holdfast.adapters.store.errors import StoreError  # noqa: PLC0415
    from holdfast.adapters.store.turn_log import StoredTurnLog  # noqa: PLC0415
    from holdfast.guards.step_cap import StepCaps  # noqa: PLC0415
    from holdfast.loop.limits import LoopLimits  # noqa: PLC0415
    from holdfast.tools.context import ToolPolicy, ToolPorts  # noqa: PLC0415
    from holdfast.tools.prompt.system_prompt import overview, system_prompt  # noqa: PLC0415
    from holdfast.tools.prompt.tool_profiles import profile_of  # noqa: PLC0415
    from holdfast.tools.toolbox import ToolboxOf  # noqa: PLC0415
    from holdfast.usecases.turns.send_message import NotSent, TurnDependencies  # noqa: PLC0415
    from holdfast.usecases.turns.turn_editor import ReviewedFiles  # noqa: PLC0415

    root, state = workspace.files.root, state_directory()
    try:
        records = StoredTurnLog(workspace.store.open(), root, TurnLocks(state))
    except StoreError as error:
        return NotSent(f"the turn cannot be recorded: {error}")
    profile = profile_of(model.name)
    tools = profile.tools(plan=message.plan)
    folders = DiskDirectories(str(root))
    found = look_over(workspace.files, folders)
    repository = replace(found, check=settings["check"] or found.check)
    limits = LoopLimits(
        StepCaps(min(60, settings["max_steps"]), settings["max_steps"]), settings["max_tokens"]
    )
    room = min(1_500, limits.window(model.context) // _OVERVIEW_SHARE)

    def bind(files: Files, editor: Editor, gate: ApprovalGate) -> ToolboxOf:
        policy = ToolPolicy(
            command_rules(settings), plan=message.plan, timeout=settings["command_timeout"]
        )
        covered = files.covered if isinstance(files, ReviewedFiles) else tuple
        here = str(root)
        commands = OsCommands(
            {value.setting.variable for value in settings.values.values() if value.setting.secret}
        )
        ports = ToolPorts(
            here,
            files,
            folders,
            DiskSearcher(here),
            editor,
            commands,
            gate,
            DiskWorktreeDigests(here),
            covered,
        )
        return ToolboxOf(tools, ports, policy)

    return TurnDependencies(
        model=model,
        bind=bind,
        system=f"{system_prompt(tools, profile)}\n{overview(repository, room)}",
        tools=f"{model.name}: {' '.join(tools)}",
        workspace=workspace,
        worktrees=open_worktrees(root, store=workspace.store),
        records=records,
        grants=DiskGrants(state, root),
        asker=asker,
        mode=settings["approve"],
        limits=limits,
        now=time.monotonic,
        secrets=tuple(filter(None, (settings["api_key"], settings["database_url"]))),
    )
