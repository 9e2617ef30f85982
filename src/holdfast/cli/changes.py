"""`holdfast changes`: what was proposed and applied, and what becomes of it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from holdfast.changes.change import ChangeOwner
from holdfast.cli.apply import Notation, ReplyFile, Unwrap, WrittenAs, read_reply
from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.changes import JsonChanges, TerminalChanges
from holdfast.cli.render.common import attempt, warn_unrecorded
from holdfast.cli.workspace import workspace_at
from holdfast.usecases.changes.apply import ReplyText
from holdfast.usecases.changes.propose import propose_reply
from holdfast.usecases.changes.prune import prune_changes
from holdfast.usecases.changes.review import apply_change, list_changes, reject_change, show_change
from holdfast.usecases.changes.rewind import rewind_change
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.changes.change import ChangeState
    from holdfast.cli.render.changes import ChangesFace
    from holdfast.wiring.workspaces import DiskWorkspace

_Outcome = TypeVar("_Outcome")

changes = typer.Typer(
    help="Changes of files: proposed, applied, rejected, rewound.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class StateOption(StrEnum):
    """What `--state` takes."""

    proposed = "proposed"
    applied = "applied"
    rejected = "rejected"
    rewound = "rewound"


ChangeId = Annotated[
    str, typer.Argument(metavar="ID", help="The change; the beginning of its id is enough.")
]


@changes.command("list")
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many, at most.")] = 50,
    state: Annotated[
        StateOption | None, typer.Option("--state", help="Only those that are so.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Only those of a session.")
    ] = None,
    turn: Annotated[
        str | None, typer.Option("--turn", metavar="ID", help="Only those of a turn.")
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the changes below this root, newest first."""
    face = _face(as_json)
    chosen: ChangeState | None = state.value if state else None
    whose = ChangeOwner(session, turn)
    listed = _done(
        root,
        face,
        lambda workspace: list_changes(workspace, state=chosen, owner=whose, limit=limit),
    )
    face.show_list(listed)


@changes.command("show")
def show(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one change: its files, how surely they landed, and its hunks with their numbers."""
    face = _face(as_json)
    face.show_change(_done(root, face, lambda workspace: show_change(change_id, workspace)))


@changes.command("propose")
def propose(
    file: ReplyFile = "-",
    *,
    root: Root = Path(),
    notation: WrittenAs = Notation.auto,
    unwrap: Unwrap = False,
    as_json: AsJson = False,
) -> None:
    """Land a model's reply in memory, on the files and the changes proposed before it, and record it for review.

    Exit 0: proposed. 1: refused, and nothing is recorded. 2: wrong usage.
    """
    reply = ReplyText(read_reply(file), notation.value, unwrap)
    face = _face(as_json)
    proposed = _done(root, face, lambda workspace: propose_reply(reply, workspace))
    face.show_note(proposed.recovered)
    face.show_proposed(proposed.change)


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
    """Write a proposed change; if a file moved on meanwhile, it lands again, or is refused with the cure.

    Exit 0: applied. 1: refused, and no file has changed. 2: wrong usage.
    """
    numbers = _numbers(hunks)
    face = _face(as_json)
    accepted = _done(
        root, face, lambda workspace: apply_change(change_id, workspace, hunks=numbers)
    )
    face.show_note(accepted.recovered)
    face.show_accepted(accepted)
    warn_unrecorded(accepted.applied.unrecorded)


@changes.command("reject")
def reject(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Put a proposed change away.

    Exit 0: rejected. 1: refused (it is not proposed). 2: wrong usage.
    """
    face = _face(as_json)
    rejected = _done(root, face, lambda workspace: reject_change(change_id, workspace))
    face.show_note(rejected.recovered)
    face.show_rejected(rejected.change)


@changes.command("rewind")
def rewind(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take an applied change back, whatever was applied after it.

    A file is given its old bytes; where it was edited since, only what the change did is taken out of it.
    Exit 0: rewound. 1: refused (later edits are in the way), and no file has changed. 2: wrong usage.
    """
    face = _face(as_json)
    rewound = _done(root, face, lambda workspace: rewind_change(change_id, workspace))
    face.show_note(rewound.recovered)
    face.show_rewound(rewound)
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
    """Forget all but the latest changes that are applied, rejected or rewound; what is proposed stays.

    Exit 0: done; no file is touched, and what is forgotten cannot be rewound. 1: refused. 2: wrong usage.
    """
    face = _face(as_json)
    pruned = _done(root, face, lambda workspace: prune_changes(workspace, keep=keep))
    face.show_note(pruned.recovered)
    face.show_pruned(pruned)


def _face(as_json: bool) -> ChangesFace:
    return JsonChanges() if as_json else TerminalChanges()


def _done(
    root: Path, face: ChangesFace, use_case: Callable[[DiskWorkspace], _Outcome | NothingDone]
) -> _Outcome:
    """Run a use case on the root; if it is refused, say so and end with 1."""
    with workspace_at(root) as workspace:
        outcome = attempt(lambda: use_case(workspace))
    if isinstance(outcome, NothingDone):
        face.show_note(outcome.recovered)
        face.show_refusals(outcome)
        raise typer.Exit(1)
    return outcome


def _numbers(hunks: str | None) -> frozenset[int]:
    """Read the numbers. None of them given at all means the whole change, an empty list of them is a mistake."""
    try:
        return (
            frozenset(int(number) for number in hunks.split(","))
            if hunks is not None
            else frozenset()
        )
    except ValueError as error:
        told = f"{hunks or '(none)'}: give numbers with commas, such as 1,3."
        raise typer.BadParameter(told, param_hint="--hunks") from error
