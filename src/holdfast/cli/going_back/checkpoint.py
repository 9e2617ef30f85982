"""`holdfast checkpoint`: save the files as they are, and restore them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.checkpoints import JsonCheckpoints, TerminalCheckpoints
from holdfast.cli.workspace import open_work
from holdfast.usecases.checkpoints import restore as restores
from holdfast.usecases.checkpoints.checkpoint import (
    compare_checkpoints,
    create_checkpoint,
    list_checkpoints,
    prune_checkpoints,
    show_checkpoint,
)
from holdfast.usecases.checkpoints.restore_ports import RestoreScope
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.worktrees import GitWorktrees, open_worktrees

_Outcome = TypeVar("_Outcome")
_Output: TypeAlias = JsonCheckpoints | TerminalCheckpoints

checkpoint = typer.Typer(
    help="Save the files as they are, and restore them.\n\n"
    "HEAD, the index and branches stay untouched.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

CheckpointId = Annotated[
    str, typer.Argument(metavar="ID", help="The checkpoint; the start of its id is enough.")
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
    """Save all files, tracked or not, and the small ignored ones.

    Exit 0: saved. 1: refused. 2: wrong usage.
    """
    output = _output(as_json)
    output.show_created(_run(root, output, lambda worktrees: create_checkpoint(worktrees, label)))


@checkpoint.command("list")
def list_(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """List the checkpoints of this worktree, newest first."""
    output = _look(root, as_json)
    output.show_list(_run(root, output, list_checkpoints))


@checkpoint.command("show")
def show(wanted: CheckpointId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one checkpoint, and how it differs from its commit."""
    output = _look(root, as_json)
    output.show_checkpoint(_run(root, output, lambda worktrees: show_checkpoint(wanted, worktrees)))


@checkpoint.command("diff")
def diff(
    wanted: CheckpointId,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Another checkpoint; without it, the files now."),
    ] = None,
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Compare a checkpoint with another one, or with the files now."""
    output = _look(root, as_json)
    compared = _run(root, output, lambda worktrees: compare_checkpoints(wanted, other, worktrees))
    output.show_diff(compared)


@checkpoint.command("restore")
def restore(
    wanted: CheckpointId,
    *,
    files: Annotated[bool, typer.Option("--files", help="Only the files.")] = False,
    conversation: Annotated[
        bool, typer.Option("--conversation", help="Only the conversation.")
    ] = False,
    index: Annotated[
        bool, typer.Option("--index", help="What was staged in git's index too.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="PATH", help="Leave this file as it is; may be repeated."),
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Restore a checkpoint: files and conversation.

    Undo it with `holdfast checkpoint undo`.

    Exit 0: done. 1: refused, and no file was changed; or, with `--index`, the files are restored
    and what was staged cannot be. 2: wrong usage.
    """
    scope = _scope(files=files, conversation=conversation)
    if index and scope == "conversation":
        raise typer.BadParameter("--index goes with files; pass it without --conversation.")
    if keep and scope == "conversation":
        raise typer.BadParameter("--keep goes with files; pass it without --conversation.")

    kept = [_path_below(root, path) for path in keep or ()]
    output = _output(as_json)
    restored = _run(
        root,
        output,
        lambda worktrees: restores.restore(
            wanted,
            worktrees,
            scope=scope,
            index=index,
            keep=kept,
        ),
    )
    output.show_restored(restored)
    if index and not restored.index_reset:
        raise typer.Exit(1)


def _path_below(root: Path, path: str) -> str:
    """Return the path in the worktree: of what is at `path` from here, else from the root."""
    top = Path(os.path.realpath(root))
    here = Path(os.path.normpath(Path.cwd() / path))
    named = here
    if not os.path.lexists(here) or not here.is_relative_to(top):
        named = Path(os.path.normpath(top / path))
    if not path or named == top or not named.is_relative_to(top):
        raise typer.BadParameter(f"--keep {path}: name a file below {top}.")

    # The root may be a folder of a repository.
    repositories = (folder for folder in (top, *top.parents) if (folder / ".git").exists())
    return named.relative_to(next(repositories, top)).as_posix()


@checkpoint.command("undo")
def undo(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Undo the last restore. Run it again to undo the one before.

    Exit 0: done. 1: refused (there is nothing to undo, or something is in the way), and no file
    was changed. 2: wrong usage.
    """
    output = _output(as_json)
    output.show_restored(_run(root, output, restores.undo_restore))


@checkpoint.command("prune")
def prune(
    *,
    keep: Annotated[
        int, typer.Option("--keep", min=0, metavar="N", help="How many of the latest stay.")
    ] = 50,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Remove all but the latest checkpoints, and empty the trash."""
    output = _output(as_json)
    output.show_pruned(_run(root, output, lambda worktrees: prune_checkpoints(worktrees, keep)))


def _scope(*, files: bool, conversation: bool) -> RestoreScope:
    if files and conversation:
        raise typer.BadParameter("pass --files or --conversation; without them both are restored.")
    if files:
        return "files"
    if conversation:
        return "conversation"

    return "both"


def _output(as_json: bool) -> _Output:
    if as_json:
        return JsonCheckpoints()
    return TerminalCheckpoints()


def _look(root: Path, as_json: bool) -> _Output:
    """Return the output of a command that only looks; it says what interrupted commands left."""
    require_directory(root)
    output = _output(as_json)
    output.show_open(open_work(root))
    return output


def _run(
    root: Path, output: _Output, use_case: Callable[[GitWorktrees], _Outcome | NothingDone]
) -> _Outcome:
    """Return the outcome of a use case, or print its refusals and exit with 1."""
    require_directory(root)
    progress = _Progress()
    outcome = use_case(open_worktrees(root, progress.say))
    progress.clear()
    if isinstance(outcome, NothingDone):
        output.show_note(outcome.recovered)
        output.show_refusals(outcome)
        raise typer.Exit(1)

    return outcome


class _Progress:
    """A line of progress on standard error if that is a terminal, else nothing."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False

    def say(self, what: str) -> None:
        if self._on_terminal:
            sys.stderr.write(f"\r\x1b[K{what} ...")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
