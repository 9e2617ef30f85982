"""The workspace that `--root` names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from holdfast.wiring.workspaces import DiskWorkspace, open_workspace


@contextmanager
def workspace_at(root: Path) -> Iterator[DiskWorkspace]:
    """Open the root for a command. Raise a usage error if it is not a directory."""
    try:
        opened = open_workspace(root)
    except OSError as error:
        raise typer.BadParameter(f"{root}: {error.strerror}", param_hint="--root") from error
    with opened as workspace:
        yield workspace
