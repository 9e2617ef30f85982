"""`holdfast undo`: undo the last applied change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.edits import attempt, output_as, warn_unrecorded
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.changes.undo import undo_last, undo_turn
from holdfast.usecases.workspace import NothingDone


def undo(
    *,
    turn: Annotated[
        bool, typer.Option("--turn", help="Undo all changes of the last turn, or none of them.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Undo the last applied change, or the last turn's.

    Run it again to undo the one before. A file gets its old bytes back. If it was edited since,
    only the change itself is removed from it. A turn of its session that runs is stopped first.
    Redo it with `holdfast redo`.

    Exit 0: done. 1: refused (later edits are in the way, or there is nothing to undo), and no file
    was changed. 2: wrong usage.
    """
    output = output_as(as_json=as_json)
    with workspace_at(root) as workspace:
        running = workspace.running_turns
        if turn:
            # Git takes long to import.
            from holdfast.wiring.worktrees import open_worktrees  # noqa: PLC0415 - see above

            worktrees = open_worktrees(root)
            outcome = attempt(lambda: undo_turn(workspace, running, worktrees))
        else:
            outcome = attempt(lambda: undo_last(workspace, running))

    output.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        output.show_refusals(outcome)
        raise typer.Exit(1)

    output.show_stopped(outcome.notes)
    output.show_undone(outcome)
    warn_unrecorded(outcome.unrecorded)
