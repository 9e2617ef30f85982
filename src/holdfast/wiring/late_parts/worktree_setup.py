"""The setup command of a project's new worktrees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.places.places import find_place
from holdfast.adapters.processes.commands import OsCommands
from holdfast.usecases.worktrees.setup import ProjectSetup
from holdfast.wiring.repairs import command_rules
from holdfast.wiring.sandboxes import sandbox_at
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.wiring.late_store import LateStore

_LONGEST_SETUP = 1_800
"""For how many seconds a setup command may run, unless commands may run longer."""


def project_setup(
    root: Path, command: str, settings: Settings, asker: Asker | None, store: LateStore
) -> ProjectSetup:
    """Return the setup command of the project at a root."""
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
        secrets=tuple(filter(None, (settings["api_key"], settings["database_url"]))),
    )
