"""The user's repository, and the linked worktrees of sessions in it (port `ProjectRepository`)."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, to_text
from holdfast.adapters.git.linked.captured_tree import (
    capture_tree,
    index_copy,
    lfs_pointers,
    names_of,
    submodules_of,
)
from holdfast.adapters.git.linked.ignored_copies import copy_ignored
from holdfast.adapters.git.user_repository import UserRepository, query_repository
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.worktrees.ports import CapturedFiles, CopiedFiles, FollowedCommit
from holdfast.usecases.worktrees.session_worktree import base_ref_of, branch_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 600
_NAMED = 5


class GitProject:
    """The repository around one root, as a place for worktrees of sessions."""

    def __init__(self, root: Path, state: Path) -> None:
        """Use the worktree at a root; worktrees of sessions are made in the state directory."""
        self._root = Path(os.path.realpath(root))
        self._state = state
        self._found: UserRepository | None = None

    @property
    def root(self) -> str:
        """The worktree of the user."""
        return str(self._root)

    def path_of(self, session: str) -> str:
        """Return the path of a session's worktree."""
        return str(Path(os.path.realpath(self._state), "worktrees", session))

    # -------------------------------------------------------------------------------------- look

    def why_unfit(self) -> str | None:
        """Return why no worktree can be made here, or None."""
        try:
            repository = self._repository()
        except GitFailed:
            return (
                f"{self._root}: this project has no git repository, so there are no worktrees; "
                "work in place, or run `git init` and make a commit."
            )
        if os.path.realpath(repository.top) != str(self._root):
            return (
                f"{self._root} is a folder in the repository {repository.top}; "
                f"pass --root {repository.top}."
            )
        if self.find_commit(None) is None:
            return (
                f"{self._root}: the repository has no commit yet, and a worktree begins at one; "
                "run `git commit`, or work in place."
            )
        return None

    def find_commit(self, ref: str | None) -> FollowedCommit | None:
        """Return the commit of a ref, by default of HEAD; None if there is no such commit."""
        git = self._git()
        named = f"{ref or 'HEAD'}^{{commit}}"
        quiet = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        commit = to_text(git.run(*quiet, named, ok_codes=(0, 1, 128))).strip()
        if not commit:
            return None
        follows = git.run("rev-parse", "--symbolic-full-name", ref or "HEAD", ok_codes=(0, 1, 128))
        name = to_text(follows).strip()
        if name == "HEAD":
            return FollowedCommit(commit, "HEAD")
        return FollowedCommit(commit, name if name.startswith("refs/") else "")

    def clashes(self, commit: str) -> tuple[str, str] | None:
        """Return two files that are one on this file system, or None."""
        if not self._repository().is_set("core.ignorecase"):
            return None
        seen: dict[str, str] = {}
        for name in names_of(self._git(), commit):
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                return other, name
        return None

    def notes(self, session: str) -> tuple[str, ...]:
        """Return what of the repository is not in the session's worktree: submodules, LFS files."""
        path = Path(self.path_of(session))
        git = self._git_in(path)
        notes = []
        submodules = submodules_of(git, "HEAD")
        if submodules:
            notes.append(
                f"{_some(submodules)}: submodules are not checked out in the worktree; run "
                "`git submodule update --init` there, or make it the `setup` of [worktree]."
            )
        pointers = lfs_pointers(path, git)
        if pointers:
            notes.append(
                f"{_some(pointers)}: only the LFS pointer is in the worktree; run `git lfs pull` "
                "there."
            )
        if self._repository().is_sparse:
            notes.append("the project is a sparse checkout, and so is the worktree.")
        return tuple(notes)

    # -------------------------------------------------------------------------------------- make

    def capture(self) -> CapturedFiles:
        """Return the user's files as a tree, without a change of the index."""
        repository = self._repository()
        return CapturedFiles(*capture_tree(repository, repository.git(_deadline())))

    def add_base(self, session: str, tree: str, parent: str) -> str:
        """Make a commit of a tree, kept by a ref of the session; return it."""
        git = self._git()
        message = "holdfast: a project with its uncommitted work"
        commit = git.read_line("commit-tree", tree, "-p", parent, "-m", message)
        git.run("update-ref", base_ref_of(session), commit)
        return commit

    def make(self, session: str, commit: str, tree: str | None) -> None:
        """Make the worktree of a session on a new branch at `commit`."""
        path = Path(self.path_of(session))
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        branch = branch_of(session)
        self._git().run("worktree", "add", "--quiet", "-b", branch, str(path), commit)
        if tree is not None:
            self._write_tree(path, commit, tree)

    def _write_tree(self, path: Path, before: str, after: str) -> None:
        """Write the files of a tree to a worktree whose files are those of another."""
        linked = query_repository(path, _deadline())
        with index_copy(linked, linked.git(_deadline())) as git:
            git.run("read-tree", "-m", "-u", before, after)

    def copy_ignored(self, session: str, patterns: Sequence[str]) -> CopiedFiles:
        """Copy ignored files that match into a session's worktree, never over another file."""
        return copy_ignored(self._git(), self._root, Path(self.path_of(session)), patterns)

    # ------------------------------------------------------------------------------------ remove

    def discard(self, session: str) -> None:
        """Remove the worktree of a session, its base, and its branch without a look at them."""
        self.remove_folder(session)
        git = self._git()
        for ref in (f"refs/heads/{branch_of(session)}", base_ref_of(session)):
            git.run("update-ref", "-d", ref)

    def remove_folder(self, session: str) -> None:
        """Remove the folder of a session's worktree, and what git has on record of it."""
        path = Path(self.path_of(session))
        removed = path.with_name(f"{session}.removed")
        with suppress(FileNotFoundError):
            path.rename(removed)
        # What a dead process left half made has too little for git to remove it.
        with suppress(GitFailed):
            self._git().run("worktree", "remove", "--force", "--force", str(path))
        entry = self._repository().common_dir / "worktrees" / session
        if entry.is_dir() and not path.exists():
            shutil.rmtree(entry, ignore_errors=True)
        shutil.rmtree(removed, ignore_errors=True)

    # -------------------------------------------------------------------------------------- git

    def _repository(self) -> UserRepository:
        if self._found is None:
            self._found = query_repository(self._root, _deadline())
        return self._found

    def _git(self) -> Git:
        return self._git_in(self._root)

    def _git_in(self, folder: Path) -> Git:
        if not folder.is_dir():
            raise CheckpointFailed(f"{folder}: this directory is gone.")
        return Git(folder, deadline=_deadline())


def _deadline() -> float:
    return time.monotonic() + _SECONDS


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return shown if more <= 0 else f"{shown} and {more} more"
