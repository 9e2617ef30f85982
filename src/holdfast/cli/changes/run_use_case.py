"""How a command of `holdfast changes` runs its use case and prints the outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import typer

from holdfast.cli.render.changes import JsonChanges, TerminalChanges
from holdfast.cli.render.edits import attempt
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.workspaces import DiskWorkspace

_Outcome = TypeVar("_Outcome")
_Output: TypeAlias = JsonChanges | TerminalChanges

ChangeId = Annotated[
    str, typer.Argument(metavar="ID", help="The change; the start of its id is enough.")
]


def changes_output(as_json: bool) -> _Output:
    """Return the output that `--json` chooses."""
    if as_json:
        return JsonChanges()
    return TerminalChanges()


def run_use_case(
    root: Path, output: _Output, use_case: Callable[[DiskWorkspace], _Outcome | NothingDone]
) -> _Outcome:
    """Return the outcome of a use case, or print its refusals and exit with 1."""
    with workspace_at(root) as workspace:
        outcome = attempt(lambda: use_case(workspace))

    if isinstance(outcome, NothingDone):
        output.show_note(outcome.recovered)
        output.show_refusals(outcome)
        raise typer.Exit(1)

    return outcome
