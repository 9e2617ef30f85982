"""`holdfast changes`: review proposed and applied changes."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import typer

from holdfast.changes.change import ChangeOwner, ChangeState
from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.changes import JsonChanges, TerminalChanges
from holdfast.cli.render.edits import attempt, warn_unrecorded
from holdfast.cli.reply import Notation, ReplyFile, Unwrap, WrittenAs, read_reply
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.changes.apply import ReplyText
from holdfast.usecases.changes.propose import propose_reply
from holdfast.usecases.changes.prune import prune_changes
from holdfast.usecases.changes.review import (
    apply_change,
    list_changes,
    reject_change,
    show_change,
)
from holdfast.usecases.changes.rewind import rewind_change
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.workspaces import DiskWorkspace

_Outcome = TypeVar("_Outcome")
_Output: TypeAlias = JsonChanges | TerminalChanges

changes = typer.Typer(
    help="Review, apply, reject and rewind changes of files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class StateOption(StrEnum):
    """The values of `--state`."""

    proposed = "proposed"
    applied = "applied"
    rejected = "rejected"
    rewound = "rewound"


ChangeId = Annotated[
    str, typer.Argument(metavar="ID", help="The change; the start of its id is enough.")
]


@changes.command("list")
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 50,
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
    output = _output(as_json)
    chosen: ChangeState | None = state.value if state else None
    owner = ChangeOwner(session, turn)
    listed = _run(
        root,
        output,
        lambda workspace: list_changes(workspace, state=chosen, owner=owner, limit=limit),
    )
    output.show_list(listed)


@changes.command("show")
def show(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one change: its files and its numbered hunks."""
    output = _output(as_json)
    output.show_change(_run(root, output, lambda workspace: show_change(change_id, workspace)))


@changes.command("propose")
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
    output = _output(as_json)
    proposed = _run(root, output, lambda workspace: propose_reply(reply, workspace))
    output.show_note(proposed.recovered)
    output.show_proposed(proposed.change)


@changes.command("apply")
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
    numbers = _hunk_numbers(hunks)
    output = _output(as_json)
    accepted = _run(
        root, output, lambda workspace: apply_change(change_id, workspace, hunks=numbers)
    )
    output.show_note(accepted.recovered)
    output.show_accepted(accepted)
    warn_unrecorded(accepted.applied.unrecorded)


@changes.command("reject")
def reject(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Reject a proposed change.

    Exit 0: rejected. 1: refused (the change is not proposed). 2: wrong usage.
    """
    output = _output(as_json)
    rejected = _run(root, output, lambda workspace: reject_change(change_id, workspace))
    output.show_note(rejected.recovered)
    output.show_rejected(rejected.change)


@changes.command("rewind")
def rewind(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Undo an applied change, even below later ones.

    A file gets its old bytes back. If it was edited since, only the change itself is removed from
    it.

    Exit 0: rewound. 1: refused (later edits are in the way), and no file was changed. 2: wrong
    usage.
    """
    output = _output(as_json)
    rewound = _run(root, output, lambda workspace: rewind_change(change_id, workspace))
    output.show_note(rewound.recovered)
    output.show_rewound(rewound)
    warn_unrecorded(rewound.unrecorded)


@changes.command("prune")
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
    output = _output(as_json)
    pruned = _run(root, output, lambda workspace: prune_changes(workspace, keep=keep))
    output.show_note(pruned.recovered)
    output.show_pruned(pruned)


def _output(as_json: bool) -> _Output:
    if as_json:
        return JsonChanges()
    return TerminalChanges()


def _run(
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


def _hunk_numbers(hunks: str | None) -> frozenset[int]:
    """Parse the numbers of `--hunks`; without the option return none, which means all hunks."""
    if hunks is None:
        return frozenset()
    try:
        return frozenset(int(number) for number in hunks.split(","))
    except ValueError as error:
        message = f"{hunks or '(none)'}: write numbers with commas, such as 1,3."
        raise typer.BadParameter(message, param_hint="--hunks") from error
