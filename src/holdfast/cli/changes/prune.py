"""`holdfast changes prune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.changes.run_use_case import changes_output, run_use_case
from holdfast.cli.options import AsJson, Root
from holdfast.usecases.changes.prune import prune_changes


def prune(
    *,
    keep: Annotated[
        int, typer.Option("--keep", min=0, metavar="N", help="How many of the latest stay.")
    ] = 100,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Remove old changes from the record; proposed ones stay.

    No file is touched. A removed change cannot be rewound.

    Exit 0: done. 1: refused. 2: wrong usage.
    """
    output = changes_output(as_json)
    pruned = run_use_case(root, output, lambda workspace: prune_changes(workspace, keep=keep))
    output.show_note(pruned.recovered)
    output.show_pruned(pruned)
