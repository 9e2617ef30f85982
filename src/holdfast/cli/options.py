"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.wiring.places import root_here


def is_root_named(context: typer.Context) -> bool:
    """Return whether the command line has `--root`."""
    source = context.get_parameter_source("root")
    return source is not None and source.name != "DEFAULT"


def _root(context: typer.Context, root: Path) -> Path:
    """Return the named root; without one, that of the project that the current directory is in."""
    if is_root_named(context):
        return root
    try:
        return root_here()
    except OSError:
        # The current directory is gone, which the command itself reports.
        return root


Root = Annotated[
    Path,
    typer.Option(
        "--root",
        metavar="DIR",
        help="The project's directory.",
        show_default="that of the project you are in",
        callback=_root,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the outcome as JSON, and nothing else.")
]


def require_directory(root: Path) -> None:
    """Raise a usage error if the root is not a directory."""
    if not root.is_dir():
        raise typer.BadParameter(f"{root}: this is not a directory.", param_hint="--root")
