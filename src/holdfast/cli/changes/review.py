"""`holdfast changes propose`, `apply` and `reject`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.changes.run_use_case import ChangeId, changes_output, run_use_case
from holdfast.cli.options import AsJson, Root, hunk_numbers
from holdfast.cli.render.edits import warn_unrecorded
from holdfast.cli.reply import Notation, ReplyFile, Unwrap, WrittenAs, read_reply
from holdfast.usecases.changes.apply import ReplyText
from holdfast.usecases.changes.propose import propose_reply
from holdfast.usecases.changes.review import apply_change, reject_change


def propose(
    file: ReplyFile = "-",
    *,
    root: Root = Path(),
    notation: WrittenAs = Notation.auto,
    unwrap: Unwrap = False,
    as_json: AsJson = False,
) -> None:
    """Record a model's reply as a proposed change; write no file.

    The reply lands in memory, on the files and on the changes proposed before it.

    Exit 0: proposed. 1: refused, and nothing was recorded. 2: wrong usage.
    """
    reply = ReplyText(read_reply(file), notation.value, unwrap)
    output = changes_output(as_json)
    proposed = run_use_case(root, output, lambda workspace: propose_reply(reply, workspace))
    output.show_note(proposed.recovered)
    output.show_proposed(proposed.change)


def apply(
    change_id: ChangeId,
    *,
    hunks: Annotated[
        str | None,
        typer.Option("--hunks", metavar="1,3", help="Only these; the others stay proposed."),
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a proposed change to its files.

    If a file was edited since, the change lands on the new text, or is refused with the cure.

    Exit 0: applied. 1: refused, and no file was changed. 2: wrong usage.
    """
    numbers = hunk_numbers(hunks)
    output = changes_output(as_json)
    accepted = run_use_case(
        root, output, lambda workspace: apply_change(change_id, workspace, hunks=numbers)
    )
    output.show_note(accepted.recovered)
    output.show_accepted(accepted)
    warn_unrecorded(accepted.applied.unrecorded)


def reject(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Reject a proposed change.

    Exit 0: rejected. 1: refused (the change is not proposed). 2: wrong usage.
    """
    output = changes_output(as_json)
    rejected = run_use_case(root, output, lambda workspace: reject_change(change_id, workspace))
    output.show_note(rejected.recovered)
    output.show_rejected(rejected)
