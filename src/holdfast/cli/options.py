"""Options that several commands have."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.wiring.places import root_here, why_moved
from holdfast.wiring.state_directory import why_state_refused


def is_root_named(context: typer.Context) -> bool:
    """Return whether the command line has `--root`."""
    source = context.get_parameter_source("root")
    return source is not None and source.name != "DEFAULT"


def _root(context: typer.Context, root: Path) -> Path:
    """Return the named root; without one, that of the project that the current directory is in.

    Raise a usage error for a root whose repository has its files elsewhere, or that contains the
    state directory, and if the current directory is gone.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        message = "the current directory does not exist any more; change to another one."
        raise typer.BadParameter(message, param_hint="--root") from error

    if not is_root_named(context):
        root = root_here()

    # A root that is not there is reported by the command.
    with suppress(OSError):
        problem = why_moved(here / root)
        if problem is not None:
            raise typer.BadParameter(problem, param_hint="--root")

    require_state_outside(root)
    return root


def require_state_outside(root: Path) -> None:
    """Raise a usage error if the state directory is inside the project."""
    refused = why_state_refused(root)
    if refused is not None:
        raise typer.BadParameter(refused, param_hint="HOLDFAST_STATE_DIR")


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
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="Trust the project's own tools and settings for this command, as in CI."
    ),
]


class Approve(StrEnum):
    """The values of `--approve`."""

    auto = "auto"
    ask = "ask"
    review = "review"


class SandboxValue(StrEnum):
    """The values of `--sandbox`."""

    auto = "auto"
    bubblewrap = "bubblewrap"
    landlock = "landlock"
    off = "off"


SandboxOption = Annotated[
    SandboxValue | None,
    typer.Option("--sandbox", help="What confines commands and checks; off: nothing does."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the outcome as JSON, and nothing else.")
]


def require_directory(root: Path) -> None:
    """Raise a usage error if the root is not a directory."""
    if not root.is_dir():
        raise typer.BadParameter(f"{root}: this is not a directory.", param_hint="--root")


def hunk_numbers(hunks: str | None) -> frozenset[int]:
    """Parse the numbers of `--hunks`; without the option return none, which means all hunks."""
    if hunks is None:
        return frozenset()

    try:
        return frozenset(map(int, hunks.split(",")))
    except ValueError as error:
        message = f"{hunks or '(none)'}: write numbers with commas, such as 1,3."
        raise typer.BadParameter(message, param_hint="--hunks") from error
