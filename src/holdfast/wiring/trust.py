"""Trust in the code of the project at a root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.processes.project_programs import program_outside
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.adapters.trust.disk_trust import DiskTrust
from holdfast.config.layers import PROJECT_FILE
from holdfast.usecases.trust.project_trust import ProjectTrust
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.vocab.trust import CodeItem


def trust_at(root: Path, *, everything: bool = False, remembers: bool = True) -> ProjectTrust:
    """Return what is trusted in the project at a root; see `ProjectTrust`."""
    store = DiskTrust(state_directory(), root)
    return ProjectTrust(store, everything=everything, remembers=remembers)


def find_less(root: Path) -> str | None:
    """Return the program `less` on the PATH that is not the project's, or None."""
    return program_outside("less", root)


def server_of(settings: Settings) -> tuple[CodeItem, ...]:
    """Return the address of a server that only the project's file names."""
    url = settings.values["base_url"]
    if not url.from_project_only:
        return ()
    return (item_of_text(PROJECT_FILE, "server", f"base_url = {url.value}\n"),)
