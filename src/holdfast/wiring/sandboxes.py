"""The sandbox of a project's processes, and the user's rules for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.probe import open_sandbox
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.wiring.settings import user_file
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.adapters.processes.sandbox.sandbox import Sandbox
    from holdfast.config.settings import Settings
    from holdfast.guards.commands import CommandRules
    from holdfast.vocab.sandbox import SandboxStatus


def sandbox_at(root: Path, settings: Settings) -> Sandbox:
    """Return the sandbox of the project at a root, as the settings want it."""
    return open_sandbox(
        settings["sandbox"], root, state_directory(), [user_file()], find_secret_files
    )


def sandbox_status(root: Path, settings: Settings) -> SandboxStatus:
    """Return what confines the processes of a project."""
    return sandbox_at(root, settings).status


def command_rules(settings: Settings) -> CommandRules:
    """Return the user's rules for commands."""
    # Only a turn judges commands, and the guards take long to import.
    from holdfast.guards.commands import CommandRules  # noqa: PLC0415 - see above

    return CommandRules(allow=settings["allow_commands"], deny=settings["deny_commands"])
