"""Merges of commits in memory, with `git merge-tree`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import GitFailed, to_text
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.worktrees.ports import MergeConflict, MergedCommits

if TYPE_CHECKING:
    from holdfast.adapters.git.git_command import Git

_CONFLICT = 1
_USAGE_ERROR = 129
_TOO_OLD = (
    "this git cannot merge in memory: `update` needs git 2.38 or later; install it, or run "
    "`git merge` in the worktree."
)


def merge_commits(
    git: Git, files: str, theirs: str, base: str | None
) -> MergedCommits | MergeConflict | None:
    """Merge `theirs` with HEAD, and with the tree `files` of the files on top of HEAD.

    `base` is a commit on top of an earlier one of theirs, to be merged too, if there is one. Return
    None if HEAD has the commit already.
    """
    head = git.read_line("rev-parse", "HEAD")
    if not git.run("rev-list", "--max-count=1", theirs, f"^{head}"):
        return None
    work = git.read_line("commit-tree", files, "-p", head, "-m", "holdfast: files")
    new_files = merge_trees(git, work, theirs)
    commit = theirs
    if git.run("rev-list", "--max-count=1", head, f"^{theirs}"):
        branch = merge_trees(git, head, theirs)
        if isinstance(branch, MergeConflict):
            return branch
        message = f"Merge commit '{theirs[:12]}'"
        words = ("commit-tree", branch, "-p", head, "-p", theirs, "-m", message)
        commit = git.read_line(*words)
    new_base: str | MergeConflict = theirs
    if base is not None:
        new_base = merge_trees(git, base, theirs)
    if isinstance(new_files, MergeConflict):
        return new_files
    if isinstance(new_base, MergeConflict):
        return new_base
    return MergedCommits(theirs, commit, new_files, new_base)


def merge_trees(git: Git, ours: str, theirs: str) -> str | MergeConflict:
    """Merge two commits, and return the tree, or the files that both have changed."""
    process = git.start(
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs
    )
    try:
        output = process.finish((0, _CONFLICT))
    except GitFailed as error:
        if error.code == _USAGE_ERROR:
            raise CheckpointFailed(_TOO_OLD) from error
        raise
    tree, *paths = to_text(output).rstrip("\0").split("\0")
    if paths:
        return MergeConflict(tuple(dict.fromkeys(path for path in paths if path)), theirs)
    return tree
