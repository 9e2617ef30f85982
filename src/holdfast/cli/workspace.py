"""The workspace that `--root` names, and what interrupted commands have left there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from holdfast.cli.render.text import warn
from holdfast.usecases.open_journal_entries import OpenEntry
from holdfast.wiring.journals import open_entries_at
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.workspaces import DiskWorkspace, open_workspace


@contextmanager
def workspace_at(root: Path) -> Iterator[DiskWorkspace]:
    """Open the root for a command. Raise a usage error if it is not a directory."""
    try:
        opened = open_workspace(root, warn)
    except OSError as error:
        raise typer.BadParameter(f"{root}: {error.strerror}", param_hint="--root") from error
    with opened as workspace:
        yield workspace


def open_work(root: Path) -> tuple[OpenEntry, ...]:
    """Return what is open in the worktree around a root, for a command that only looks.

    Nothing for a root that is no directory: the command itself says so.
    """
    if not root.is_dir():
        return ()
    return open_entries_at(state_directory(), root)
