"""`holdfast redo`: do again what the last undo took back."""

from __future__ import annotations

from pathlib import Path

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.edits import attempt, warn_unrecorded
from holdfast.cli.render.redo import JsonRedo, TerminalRedo
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.redo import redo_last
from holdfast.usecases.settle_outcome import Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.worktrees import open_worktrees


def redo(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Redo what the last undo took back. Run it again to redo the one before.

    It redoes `holdfast undo`, `holdfast changes rewind` and `holdfast checkpoint undo`, the last of
    them first. A new change or a new restore leaves nothing to redo.

    Exit 0: done. 1: refused (other edits are in the way, or there is nothing to redo), and no file
    was changed. 2: wrong usage.
    """
    output: JsonRedo | TerminalRedo = TerminalRedo()
    if as_json:
        output = JsonRedo()

    with workspace_at(root) as workspace:
        worktrees = open_worktrees(root)
        outcome = attempt(lambda: redo_last(workspace, worktrees))

    if isinstance(outcome, Restored):
        output.show_restored_again(outcome)
        return

    output.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        output.show_refusals(outcome)
        raise typer.Exit(1)

    output.show_redone(outcome)
    warn_unrecorded(outcome.unrecorded)
