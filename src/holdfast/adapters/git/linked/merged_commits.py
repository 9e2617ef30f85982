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
    git: Git, files: str, theirs: str, base: str, *, with_changes: bool
) -> MergedCommits | MergeConflict | None:
    """Merge `theirs` with HEAD, and with the tree `files` of the files on top of HEAD.

    `base` is an earlier commit of theirs or, `with_changes`, one on top of such a commit, to be
    merged too. Return None if HEAD and the base have the commit already.
    """
    head = git.read_line("rev-parse", "HEAD")
    merged = _merge_branch(git, head, files, theirs)
    if merged is None:
        # It was merged by hand, or an update was killed: then the base does not follow yet.
        if _has(git, base, theirs):
            return None
        merged = (head, files)
    if isinstance(merged, MergeConflict):
        return merged

    new_base: str | MergeConflict = theirs
    if with_changes:
        new_base = merge_trees(git, base, theirs)
    if isinstance(new_base, MergeConflict):
        return new_base

    return MergedCommits(theirs, *merged, new_base)


def _merge_branch(
    git: Git, head: str, files: str, theirs: str
) -> tuple[str, str] | MergeConflict | None:
    """Return the new commit of the branch and the tree of the files; None if it has `theirs`."""
    if _has(git, head, theirs):
        return None

    work = git.read_line("commit-tree", files, "-p", head, "-m", "holdfast: files")
    new_files = merge_trees(git, work, theirs)
    if isinstance(new_files, MergeConflict):
        return new_files
    if _has(git, theirs, head):
        return theirs, new_files

    branch = merge_trees(git, head, theirs)
    if isinstance(branch, MergeConflict):
        return branch

    message = f"Merge commit '{theirs[:12]}'"
    words = ("commit-tree", branch, "-p", head, "-p", theirs, "-m", message)
    return git.read_line(*words), new_files


def _has(git: Git, commit: str, earlier: str) -> bool:
    """Return whether the history of a commit has another one."""
    return not git.run("rev-list", "--max-count=1", earlier, f"^{commit}")


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
