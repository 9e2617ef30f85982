"""`holdfast undo`: take the last apply back."""

from __future__ import annotations

from pathlib import Path

import typer

from holdfast.cli.options import AsJson, Root, workspace_at


def undo(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take the last apply back, exactly; once more takes back the one before it.

    Exit 0: done. 1: refused (a file moved on since, or there is nothing to undo), and no file has changed.
    2: wrong usage.
    """
    from holdfast.cli.show import Face, JsonFace, TerminalFace, attempt  # noqa: PLC0415 - help does without all this
    from holdfast.sessions.undo import undo_last  # noqa: PLC0415
    from holdfast.sessions.workspace import NothingDone  # noqa: PLC0415

    face: Face = JsonFace() if as_json else TerminalFace()
    with workspace_at(root) as workspace:
        outcome = attempt(lambda: undo_last(workspace))
    face.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        face.show_refusals(outcome)
        raise typer.Exit(1)
    face.show_undone(outcome.files)
