"""`holdfast changes list` and `show`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.changes.change import ChangeOwner, ChangeState
from holdfast.cli.changes.run_use_case import ChangeId, changes_output, run_use_case
from holdfast.cli.options import AsJson, Root
from holdfast.cli.workspace import open_work
from holdfast.usecases.changes.list_changes import list_changes, show_change


class StateOption(StrEnum):
    """The values of `--state`."""

    proposed = "proposed"
    applied = "applied"
    rejected = "rejected"
    rewound = "rewound"


def list_(
    *,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Show at most this many.")
    ] = 50,
    state: Annotated[
        StateOption | None, typer.Option("--state", help="Only changes in this state.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Only changes of this session.")
    ] = None,
    turn: Annotated[
        str | None, typer.Option("--turn", metavar="ID", help="Only changes of this turn.")
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the changes of this project, newest first."""
    output = changes_output(as_json)
    output.show_open(open_work(root))
    chosen: ChangeState | None = state.value if state else None
    owner = ChangeOwner(session, turn)
    listed = run_use_case(
        root,
        output,
        lambda workspace: list_changes(workspace, state=chosen, owner=owner, limit=limit),
    )
    output.show_list(listed)


def show(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one change: its files and its numbered hunks."""
    output = changes_output(as_json)
    output.show_open(open_work(root))
    output.show_change(
        run_use_case(root, output, lambda workspace: show_change(change_id, workspace))
    )
