"""`holdfast apply`: apply a model's reply to files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.edits import attempt, output_as, warn_unrecorded
from holdfast.cli.reply import Notation, ReplyFile, Unwrap, WrittenAs, read_reply
from holdfast.cli.workspace import open_work, workspace_at
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.workspace import NothingDone


def apply(
    file: ReplyFile = "-",
    *,
    root: Root = Path(),
    notation: WrittenAs = Notation.auto,
    check: Annotated[
        bool, typer.Option("--check", help="Show what would land; write nothing.")
    ] = False,
    unwrap: Unwrap = False,
    as_json: AsJson = False,
) -> None:
    """Apply a model's reply to files, all or nothing.

    The reply is a diff, SEARCH/REPLACE blocks, a patch or JSON.

    Exit 0: landed. 1: refused, and no file was changed. 2: wrong usage.
    """
    reply = ReplyText(read_reply(file), notation.value, unwrap)
    output = output_as(as_json=as_json)
    if check:
        output.show_open(open_work(root))

    with workspace_at(root) as workspace:
        outcome = attempt(lambda: apply_reply(reply, workspace, check=check))

    output.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        output.show_refusals(outcome)
        raise typer.Exit(1)

    output.show_landed(outcome, check=check)
    warn_unrecorded(outcome.unrecorded)
