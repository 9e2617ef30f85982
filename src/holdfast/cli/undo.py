"""`holdfast undo`: take the last apply back."""

from __future__ import annotations

from pathlib import Path

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.common import Face, JsonFace, TerminalFace, attempt, warn_unrecorded
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.changes.undo import undo_last
from holdfast.usecases.workspace import NothingDone


def undo(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take the last applied change back; once more takes back the one before it.

    A file is given its old bytes; where it was edited since, only what the change did is taken out of it.
    Exit 0: done. 1: refused (later edits are in the way, or there is nothing to undo), and no file has changed.
    2: wrong usage.
    """
    face: Face = JsonFace() if as_json else TerminalFace()
    with workspace_at(root) as workspace:
        outcome = attempt(lambda: undo_last(workspace))
    face.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        face.show_refusals(outcome)
        raise typer.Exit(1)
    face.show_undone(outcome.files)
    warn_unrecorded(outcome.unrecorded)
