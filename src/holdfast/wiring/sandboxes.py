"""The sandbox of a project's processes."""

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
    from holdfast.vocab.sandbox import SandboxStatus


def sandbox_at(root: Path, settings: Settings) -> Sandbox:
    """Return the sandbox of the project at a root, as the settings want it."""
    return open_sandbox(
        settings["sandbox"], root, state_directory(), [user_file()], find_secret_files
    )


def sandbox_status(root: Path, settings: Settings) -> SandboxStatus:
    """Return what confines the processes of a project."""
    return sandbox_at(root, settings).status
