"""`holdfast checkpoint`: take the tree as it is, and go back to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.checkpoints import JsonCheckpoints, TerminalCheckpoints
from holdfast.usecases.checkpoints import restore as restores
from holdfast.usecases.checkpoints.checkpoint import (
    compare_checkpoints,
    create_checkpoint,
    list_checkpoints,
    prune_checkpoints,
    show_checkpoint,
)
from holdfast.usecases.checkpoints.restore import RestoreScope, undo_restore
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.worktrees import open_worktrees

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.cli.render.checkpoints import CheckpointFace
    from holdfast.wiring.worktrees import GitWorktrees

_Outcome = TypeVar("_Outcome")

checkpoint = typer.Typer(
    help="Checkpoints: the files as they are, to go back to. HEAD, index, branches and ignored files stay untouched.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Wanted = Annotated[
    str, typer.Argument(metavar="ID", help="The checkpoint; the beginning of its id is enough.")
]


@checkpoint.command("create")
def create(
    *,
    label: Annotated[
        str, typer.Option("--message", "-m", metavar="LABEL", help="What it is for.")
    ] = "",
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Take a checkpoint of all files that are not ignored, tracked or not.

    Exit 0: taken. 1: refused. 2: wrong usage.
    """
    face = _face(as_json)
    face.show_created(_done(root, face, lambda worktrees: create_checkpoint(worktrees, label)))


@checkpoint.command("list")
def list_(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """List the checkpoints of this worktree, the latest first."""
    face = _face(as_json)
    face.show_list(_done(root, face, list_checkpoints))


@checkpoint.command("show")
def show(wanted: Wanted, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one checkpoint: what it is of, what it left out, and what it holds that its commit does not."""
    face = _face(as_json)
    face.show_checkpoint(_done(root, face, lambda worktrees: show_checkpoint(wanted, worktrees)))


@checkpoint.command("diff")
def diff(
    wanted: Wanted,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Another one; without it, the files as they are."),
    ] = None,
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Show what differs between a checkpoint and another one, or the files as they are."""
    face = _face(as_json)
    face.show_diff(
        _done(root, face, lambda worktrees: compare_checkpoints(wanted, other, worktrees))
    )


@checkpoint.command("restore")
def restore(
    wanted: Wanted,
    *,
    files: Annotated[bool, typer.Option("--files", help="Only the files.")] = False,
    conversation: Annotated[
        bool, typer.Option("--conversation", help="Only the conversation.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Bring a checkpoint back; without --files or --conversation, both. `holdfast checkpoint undo` takes it back.

    Exit 0: done. 1: refused, and no file has changed. 2: wrong usage.
    """
    if files and conversation:
        raise typer.BadParameter("give --files or --conversation; without them both are restored.")
    scope: RestoreScope = "files" if files else "conversation" if conversation else "both"
    face = _face(as_json)
    face.show_restored(
        _done(root, face, lambda worktrees: restores.restore(wanted, worktrees, scope=scope))
    )


@checkpoint.command("undo")
def undo(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take the last restore back; once more takes back the one before it.

    Exit 0: done. 1: refused (there is nothing to undo, or something is in the way), and no file has changed.
    2: wrong usage.
    """
    face = _face(as_json)
    face.show_restored(_done(root, face, undo_restore))


@checkpoint.command("prune")
def prune(
    *,
    keep: Annotated[
        int, typer.Option("--keep", min=0, metavar="N", help="How many of the latest stay.")
    ] = 50,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Remove all but the latest checkpoints, and empty the trash of restores."""
    face = _face(as_json)
    face.show_pruned(_done(root, face, lambda worktrees: prune_checkpoints(worktrees, keep)))


def _face(as_json: bool) -> CheckpointFace:
    return JsonCheckpoints() if as_json else TerminalCheckpoints()


def _done(
    root: Path, face: CheckpointFace, use_case: Callable[[GitWorktrees], _Outcome | NothingDone]
) -> _Outcome:
    """Run a use case on the worktree of a root, and give what it did; if that is nothing, say why and leave."""
    require_directory(root)
    progress = _Progress()
    outcome = use_case(open_worktrees(root, progress.say))
    progress.clear()
    if isinstance(outcome, NothingDone):
        face.show_refusals(outcome)
        raise typer.Exit(1)
    return outcome


class _Progress:
    """One line on a terminal that says what goes on; nothing anywhere else."""

    def __init__(self) -> None:
        self._stream = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self._shown = False

    def say(self, what: str) -> None:
        if self._stream:
            self._stream.write(f"\r\x1b[K{what} ...")
            self._stream.flush()
            self._shown = True

    def clear(self) -> None:
        if self._stream and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
