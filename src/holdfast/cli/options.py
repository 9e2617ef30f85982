"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.wiring.places import root_here, why_moved


def is_root_named(context: typer.Context) -> bool:
    """Return whether the command line has `--root`."""
    source = context.get_parameter_source("root")
    return source is not None and source.name != "DEFAULT"


def _root(context: typer.Context, root: Path) -> Path:
    """Return the named root; without one, that of the project that the current directory is in.

    Raise a usage error for a root whose repository has its files elsewhere.
    """
    try:
        if not is_root_named(context):
            root = root_here()
        problem = why_moved(root)
    except OSError:
        # The directory is gone, which the command itself reports.
        return root
    if problem is not None:
        raise typer.BadParameter(problem, param_hint="--root")
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
