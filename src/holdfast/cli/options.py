"""Options that several commands have, and the root that one of them names."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.wiring import DiskWorkspace

Root = Annotated[
    Path,
    typer.Option("--root", metavar="DIR", help="The project's directory.", show_default="here"),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the outcome as JSON, and nothing else.")
]


@contextmanager
def workspace_at(root: Path) -> Iterator[DiskWorkspace]:
    """Open the root for a command; wrong usage if it is no directory."""
    from holdfast.wiring import open_workspace  # noqa: PLC0415 - help does without it

    try:
        opened = open_workspace(root)
    except OSError as error:
        raise typer.BadParameter(f"{root}: {error.strerror}", param_hint="--root") from error
    with opened as workspace:
        yield workspace
