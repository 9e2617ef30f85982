"""Trust in the code of the project at a root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.processes.project_programs import program_outside
from holdfast.adapters.project import project_files
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.project_checks import item_of_check, make_command
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.adapters.trust.disk_trust import DiskTrust
from holdfast.adapters.trust.git_filters import filters_of
from holdfast.config.layers import PROJECT_FILE
from holdfast.usecases.trust.project_trust import ProjectTrust
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.vocab.diagnostics import Target
    from holdfast.vocab.trust import CodeItem


def trust_at(root: Path, *, everything: bool = False, remembers: bool = True) -> ProjectTrust:
    """Return what is trusted in the project at a root; see `ProjectTrust`."""
    store = DiskTrust(state_directory(), root)
    return ProjectTrust(store, everything=everything, remembers=remembers)


def find_less(root: Path) -> str | None:
    """Return the program `less` on the PATH that is not the project's, or None."""
    return program_outside("less", root)


def code_of_project(root: Path, settings: Settings) -> tuple[CodeItem, ...]:
    """Return all code of the project that checks, git and turns would run, each item once."""
    paths = project_files.list_files(str(root), "").paths
    items = [*code_of_files(root, settings, paths), *filters_of(root), *server_of(settings)]
    made = make_command(root)
    if made is not None and not settings["check"]:
        items += OwnCode(root).of_command(made)
    return tuple(dict.fromkeys(items))


def code_of_files(
    root: Path, settings: Settings, paths: Iterable[str], target: Target | None = None
) -> tuple[CodeItem, ...]:
    """Return the code of the project that the checks of some files would run, each item once."""
    own_code = OwnCode(root)
    items: list[CodeItem] = []
    for path in paths:
        items += own_code.of_file(path, target)
    items += code_of_check(own_code, settings)
    return tuple(dict.fromkeys(items))


def code_of_check(own_code: OwnCode, settings: Settings) -> tuple[CodeItem, ...]:
    """Return the code of the project that `check` of the settings would run."""
    command = settings["check"]
    if not command:
        return ()
    try:
        items = own_code.of_command(command)
    except ValueError:
        # A quote is open: the command cannot run, which each command that needs it reports.
        items = ()
    if settings.values["check"].from_project_only:
        return (item_of_check(command), *items)
    return items


def server_of(settings: Settings) -> tuple[CodeItem, ...]:
    """Return the address of a server that only the project's file names."""
    url = settings.values["base_url"]
    if not url.from_project_only:
        return ()
    return (item_of_text(PROJECT_FILE, "server", f"base_url = {url.value}\n"),)
