"""`holdfast worktree`: a worktree of its own for each session."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.approvals.terminal_asker import TerminalAsker
from holdfast.cli.options import AsJson, Root, hunk_numbers, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render import worktrees as shown
from holdfast.cli.settings import read_settings_or_exit
from holdfast.usecases.worktrees.make import WorktreeMade
from holdfast.usecases.worktrees.ports import WorktreeDependencies
from holdfast.usecases.worktrees.remove import prune_worktrees, remove_worktree
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
    find_worktree,
)
from holdfast.usecases.worktrees.update import update_worktree
from holdfast.wiring.session_worktrees import make_session_worktree, open_session_worktrees
from holdfast.wiring.trust import find_less

if TYPE_CHECKING:
    from holdfast.usecases.worktrees.merge import WorktreeMerged

worktree = typer.Typer(
    help="Make, compare, merge and remove the worktrees of sessions.\n\n"
    "The files, the index and the branches that you work on stay untouched.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SessionId = Annotated[
    str, typer.Argument(metavar="ID", help="The session; the start of its id is enough.")
]


class MergeForm(StrEnum):
    """The values of `--as`."""

    changes = "changes"
    branch = "branch"


@worktree.command("new")
def new(
    *,
    with_changes: Annotated[
        bool,
        typer.Option("--with-changes", help="Add your uncommitted and untracked work."),
    ] = False,
    begins_at: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="REF", help="Begin here instead of HEAD; with --session a checkpoint."
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="Make the worktree of this session anew."),
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Make a worktree, and a session that works in it.

    Exit 0: made. 1: refused, and nothing was changed. 2: wrong usage.
    """
    settings = read_settings_or_exit(root, {})
    if session is not None and with_changes:
        raise typer.BadParameter(
            "a session's worktree is made anew from its checkpoint; use one of the two.",
            param_hint="--with-changes",
        )

    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    asker = TerminalAsker(find_less(root)) if is_terminal and not as_json else None
    made = make_session_worktree(
        root,
        session,
        settings,
        with_changes=with_changes,
        begins_at=None if session else begins_at,
        checkpoint=begins_at if session else None,
        asker=asker,
    )
    if isinstance(made, WorktreeRefused):
        refuse(*made.problems, as_json=as_json)

    _show_made(made, as_json=as_json)


@worktree.command("list")
def list_(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """List the worktrees of this project's sessions, newest first."""
    require_directory(root)
    with open_session_worktrees(root) as needs:
        try:
            found = needs.records.list()
        except WorktreesUnavailable as error:
            refuse(str(error), as_json=as_json)

    if as_json:
        print(json.dumps({"worktrees": [shown.worktree_json(each) for each in found]}))
    else:
        shown.show_list(found)


@worktree.command("path")
def path(wanted: SessionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Print the path of a session's worktree."""
    require_directory(root)
    with open_session_worktrees(root) as needs:
        found = _find(wanted, needs, as_json=as_json)

    if as_json:
        print(json.dumps({"id": found.session, "session": found.session, "path": found.path}))
    else:
        print(found.path)


@worktree.command("diff")
def diff(
    wanted: SessionId,
    *,
    stat: Annotated[
        bool, typer.Option("--stat", help="Only the files and the numbers of lines.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Show how a session's worktree differs from where it was made. Nothing is written."""
    require_directory(root)
    from holdfast.usecases.worktrees.compare import compare_worktree  # noqa: PLC0415 - the engine of changes takes long to import

    with open_session_worktrees(root) as needs:
        compared = compare_worktree(wanted, needs)

    if isinstance(compared, WorktreeRefused):
        refuse(*compared.problems, as_json=as_json)

    if as_json:
        print(json.dumps(shown.compared_json(compared, stat=stat)))
    else:
        shown.show_compared(compared, stat=stat)


@worktree.command("update")
def update(wanted: SessionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Merge the new commits of the branch that a worktree was made from.

    Exit 0: done. 1: refused, as with a conflict, and nothing was changed. 2: wrong usage.
    """
    require_directory(root)
    with open_session_worktrees(root) as needs:
        updated = update_worktree(wanted, needs)

    if isinstance(updated, WorktreeRefused):
        refuse(*updated.problems, as_json=as_json)

    if as_json:
        print(json.dumps(shown.updated_json(updated)))
    else:
        shown.show_updated(updated)


@worktree.command("merge")
def merge(
    wanted: SessionId,
    *,
    form: Annotated[
        MergeForm,
        typer.Option("--as", help="changes: propose them for review. branch: commit them there."),
    ] = MergeForm.changes,
    hunks: Annotated[
        str | None,
        typer.Option("--hunks", metavar="1,3", help="Propose only these."),
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Propose the work as a change of the project, or commit it.

    Exit 0: done. 1: refused, as with a conflict, and nothing was changed. 2: wrong usage.
    """
    require_directory(root)
    numbers = hunk_numbers(hunks)
    if numbers and form is MergeForm.branch:
        message = "a branch has all of the work; use --as changes."
        raise typer.BadParameter(message, param_hint="--hunks")

    from holdfast.cli.workspace import workspace_at  # noqa: PLC0415 - see above
    from holdfast.usecases.worktrees.merge import merge_as_branch, merge_as_changes  # noqa: PLC0415 - see above

    with open_session_worktrees(root) as needs:
        merged: WorktreeMerged | WorktreeRefused
        if form is MergeForm.branch:
            merged = merge_as_branch(wanted, needs)
        else:
            target = _find(wanted, needs, as_json=as_json).root
            if not Path(target).is_dir():
                target = str(root)
            with workspace_at(Path(target)) as workspace:
                merged = merge_as_changes(wanted, numbers, workspace, needs)

    if isinstance(merged, WorktreeRefused):
        refuse(*merged.problems, as_json=as_json)

    if as_json:
        print(json.dumps(shown.merged_json(merged)))
    else:
        shown.show_merged(merged)


@worktree.command("remove")
def remove(
    wanted: SessionId,
    *,
    force: Annotated[
        bool,
        typer.Option("--force", help="Also with work that is not merged; take a checkpoint first."),
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Remove a session's worktree. Its session and its checkpoints stay.

    Exit 0: removed. 1: refused: a turn runs, or work would be lost. 2: wrong usage.
    """
    require_directory(root)
    with open_session_worktrees(root) as needs:
        removed = remove_worktree(wanted, needs, force=force)

    if isinstance(removed, WorktreeRefused):
        refuse(*removed.problems, as_json=as_json)

    if as_json:
        print(json.dumps(shown.removed_json(removed)))
    else:
        shown.show_removed(removed)


@worktree.command("prune")
def prune(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Remove worktrees without a session and without work."""
    require_directory(root)
    with open_session_worktrees(root) as needs:
        pruned = prune_worktrees(needs)

    if isinstance(pruned, WorktreeRefused):
        refuse(*pruned.problems, as_json=as_json)

    if as_json:
        print(json.dumps(shown.pruned_json(pruned)))
    else:
        shown.show_pruned(pruned)


def _find(wanted: str, needs: WorktreeDependencies, *, as_json: bool) -> SessionWorktree:
    """Return the worktree that is meant, or print why there is none and exit with 1."""
    try:
        found = find_worktree(wanted, needs.records)
    except WorktreesUnavailable as error:
        refuse(str(error), as_json=as_json)

    if isinstance(found, WorktreeRefused):
        refuse(*found.problems, as_json=as_json)

    return found


def _show_made(made: WorktreeMade, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(shown.made_json(made)))
    else:
        shown.show_made(made)
