"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[
    Path,
    typer.Option("--root", metavar="DIR", help="The project's directory.", show_default="here"),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the outcome as JSON, and nothing else.")
]


def require_directory(root: Path) -> None:
    """Raise a usage error if the root is not a directory."""
    if not root.is_dir():
        raise typer.BadParameter(f"{root}: this is not a directory.", param_hint="--root")
