"""The user's repository, and the linked worktrees of sessions in it (port `ProjectRepository`)."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, case_setting, split_names, to_text
from holdfast.adapters.git.linked.captured_tree import (
    capture_tree,
    index_copy,
    lfs_pointers,
    names_of,
    own_files,
    scratch_objects,
    set_index,
    submodules_of,
)
from holdfast.adapters.git.linked.ignored_copies import copy_ignored
from holdfast.adapters.git.linked.merged_commits import merge_commits
from holdfast.adapters.git.linked.session_files import CapturedSession
from holdfast.adapters.git.linked.worktree_index import add_files, filtered_files
from holdfast.adapters.git.user_repository import UserRepository, query_repository
from holdfast.adapters.places.main_worktree import read_beginning
from holdfast.adapters.processes.git_links import why_unwritable
from holdfast.adapters.processes.sandbox.git_places import git_places
from holdfast.adapters.processes.sandbox.private_objects import bring_left_objects_over
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.worktrees.ports import CapturedFiles, CopiedFiles, FollowedCommit
from holdfast.usecases.worktrees.session_worktree import base_ref_of, branch_of
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.usecases.worktrees.ports import MergeConflict, MergedCommits
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree

_SECONDS = 600
_NAMED = 5
# In a sparse checkout git would not write new files outside of its patterns, and then they would
# look deleted.
_WRITE_FILES = ("read-tree", "-m", "-u", "--no-sparse-checkout")
_ADD = ("worktree", "add", "--quiet", "--no-checkout")
_BASES = "refs/holdfast/base"
_OF_SESSION = lazy_pattern(
    r"refs/heads/holdfast/([0-9a-f]{12})/work|refs/holdfast/base/([0-9a-f]{12})"
)


class GitProject:
    """The repository around one root, as a place for worktrees of sessions."""

    def __init__(
        self,
        root: Path,
        state: Path,
        trusts_filters: Callable[[Path, Sequence[str]], bool] = lambda *_: False,
    ) -> None:
        """Use the worktree at a root; worktrees of sessions are made in the state directory.

        `trusts_filters` returns whether the filters that the settings of a worktree's repository
        define may run, where git is to write the files of some trees.
        """
        self._root = Path(os.path.realpath(root))
        self._state = state
        self._trusts_filters = trusts_filters
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

        raw: tuple[str, ...] = ()
        if not self._trusts_filters(path, ["HEAD"]):
            raw = filtered_files(git, split_names(git.run("ls-files", "-z")))
        if raw:
            notes.append(
                f"{_some(raw)}: filters that the repository itself defines are not trusted, so "
                "these files are as git has them; run `holdfast trust`, and make a new worktree."
            )

        if self._repository().is_sparse:
            notes.append("the project is a sparse checkout, and so is the worktree.")

        return tuple(notes)

    # -------------------------------------------------------------------------------------- make

    def capture(self) -> CapturedFiles:
        """Return the user's files as a tree, without a change of the index."""
        self._refuse_links()
        repository = self._repository()
        return CapturedFiles(*capture_tree(repository, self._git_of(repository)))

    def add_base(self, session: str, tree: str, parent: str) -> str:
        """Make a commit of a tree, kept by a ref of the session; return it."""
        self._refuse_links(session)
        git = self._git()
        message = "holdfast: a project with its uncommitted work"
        commit = git.read_line("commit-tree", tree, "-p", parent, "-m", message)
        git.run("update-ref", base_ref_of(session), commit)
        return commit

    def make(self, session: str, commit: str, tree: str | None) -> None:
        """Make the worktree of a session on a new branch at `commit`."""
        path = Path(self.path_of(session))
        # One answer for both: a git without filters takes what one with filters wrote for changes.
        trees = [commit] if tree is None else [commit, tree]
        self._add(path, trees, "-b", branch_of(session), str(path), commit)
        if tree is not None:
            self._write_tree(path, commit, tree)

    def _add(self, path: Path, trees: Sequence[str], *words: str) -> None:
        """Add a worktree, and write its files.

        One at a time: git fails if it reads the entry of another worktree that is half made.
        """
        self._refuse_links(path.name)
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._git().run(*_ADD, *words)
        finally:
            os.close(handle)

        self._check_out(path, trees)

    def _check_out(self, path: Path, trees: Sequence[str]) -> None:
        """Write the files of HEAD to a new worktree.

        The git that adds the worktree must not write them: settings can depend on the worktree and
        its branch, and only a git that runs there knows which filters they define. `trees` are that
        of HEAD and the one that is to be written next.
        """
        places = git_places(str(path))
        if places is None:
            raise CheckpointFailed(f"{path}: this is not a worktree of git.")

        # Both named: the repository's `core.worktree` would lead to other files.
        git = _git_at(path).with_variables(dir=places.directory, work_tree=path)
        words = ("reset", "--hard", "--quiet", "--no-recurse-submodules")
        self._confined(git, trees).run(*words)

    def _write_tree(self, path: Path, before: str, after: str) -> None:
        """Write the files of a tree to a worktree whose files are those of another."""
        linked = _query_linked(path)
        with index_copy(linked, self._git_of(linked)) as git:
            self._confined(git, [before, after]).run(*_WRITE_FILES, before, after)

    def copy_ignored(self, session: str, patterns: Sequence[str]) -> CopiedFiles:
        """Copy ignored files that match into a session's worktree, never over another file."""
        return copy_ignored(self._git(), self._root, Path(self.path_of(session)), patterns)

    # -------------------------------------------------------------------------------------- work

    @contextmanager
    def look(self, session: str) -> Iterator[CapturedSession]:
        """Capture the files of a session's worktree; nothing is written to the repository."""
        linked = self._linked(session)
        with scratch_objects(linked, self._git_of(linked)) as git:
            tree, _ = capture_tree(linked, git)
            head = git.read_line("rev-parse", "HEAD")
            yield CapturedSession(linked.top, git, tree, head, converts=linked.converts())

    def commit_files(self, worktree: SessionWorktree, message: str) -> str:
        """Commit all files of a worktree on its branch, and return its last commit."""
        self._refuse_links(worktree.session)
        linked = self._linked(worktree.session)
        git = self._git_of(linked)
        tree, _ = capture_tree(linked, git)
        head = git.read_line("rev-parse", "HEAD")
        commit = head
        if git.read_line("rev-parse", "HEAD^{tree}") != tree:
            commit = git.read_line("commit-tree", tree, "-p", head, "-m", message)

        # The index first: if this process dies in between, everything is staged, and nothing lost.
        set_index(linked, git, tree)
        git.run("update-ref", f"refs/heads/{worktree.branch}", commit)
        return commit

    def why_elsewhere(self, worktree: SessionWorktree) -> str | None:
        """Return why a worktree is not on its branch, or None."""
        git = self._git_of(self._linked(worktree.session))
        found = to_text(git.run("symbolic-ref", "--quiet", "HEAD", ok_codes=(0, 1))).strip()
        if found == f"refs/heads/{worktree.branch}":
            return None

        there = found.removeprefix("refs/heads/") or "no branch"
        return (
            f"{worktree.path} is on {there}; run `git switch {worktree.branch}` there, and try "
            "again."
        )

    def merge(self, worktree: SessionWorktree, commit: str) -> MergedCommits | MergeConflict | None:
        """Merge a commit in memory with the branch, the files and the base of a worktree."""
        self._refuse_links(worktree.session)
        linked = self._linked(worktree.session)
        git = self._git_of(linked)
        tree, _ = capture_tree(linked, git)
        with_changes = worktree.with_changes
        return merge_commits(git, tree, commit, worktree.base, with_changes=with_changes)

    def write_merge(self, worktree: SessionWorktree, merged: MergedCommits) -> str:
        """Write the merged files to a worktree, and move its branch; return the new base."""
        self._refuse_links(worktree.session)
        linked = self._linked(worktree.session)
        git = self._git_of(linked)
        tree, _ = capture_tree(linked, git)
        with index_copy(linked, git) as copy:
            add_files(linked, copy)
            # The entries have the times of copies: git would take the files for changed ones.
            copy.run("update-index", "-q", "--refresh", ok_codes=(0, 1))
            self._confined(copy, [merged.files]).run(*_WRITE_FILES, tree, merged.files)

        base = merged.base
        if worktree.with_changes:
            base = self.add_base(worktree.session, base, merged.theirs)

        # The files are there now, and were not when `git` was made.
        set_index(linked, self._confined(git, [merged.files]), merged.commit)
        git.run("update-ref", f"refs/heads/{worktree.branch}", merged.commit)
        return base

    # ------------------------------------------------------------------------------------ remove

    def lost_commits(self, worktree: SessionWorktree) -> str | None:
        """Return the commit that is checked out and that no branch or tag leads to, or None."""
        git = self._git_of(self._linked(worktree.session))
        head = git.read_line("rev-parse", "HEAD")
        kinds = ("refs/heads", "refs/tags", "refs/remotes")
        if git.run("for-each-ref", "--count=1", f"--contains={head}", *kinds):
            return None
        return head

    def remove(self, worktree: SessionWorktree) -> str | None:
        """Remove a worktree, and its branch if that has no commit of its own."""
        self.remove_folder(worktree.session)
        git = self._git()
        branch = f"refs/heads/{worktree.branch}"
        tip = self._tip(branch)
        if tip is None:
            return None

        # The base of a worktree with changes is a commit of ours, on top of that of the branch.
        own = git.run("rev-list", "--max-count=1", tip, f"^{worktree.base}", ok_codes=(0, 128))
        if own:
            return worktree.branch

        git.run("update-ref", "-d", branch, tip)
        return None

    def make_again(self, worktree: SessionWorktree) -> None:
        """Make a worktree that is gone again, on its branch, with the files of the last commit."""
        self.remove_folder(worktree.session)
        path = Path(self.path_of(worktree.session))
        begin = f"{worktree.base}^" if worktree.with_changes else worktree.base
        words = ["-b", worktree.branch, str(path), begin]
        if self._tip(f"refs/heads/{worktree.branch}") is not None:
            words = [str(path), worktree.branch]
        self._add(path, ["HEAD"], "--force", *words)

    def _tip(self, ref: str) -> str | None:
        words = ("rev-parse", "--verify", "--quiet", ref)
        return to_text(self._git().run(*words, ok_codes=(0, 1))).strip() or None

    def write_base(self, worktree: SessionWorktree) -> None:
        """Write the files of the base to a worktree that has those of its last commit."""
        self._write_tree(Path(self.path_of(worktree.session)), "HEAD", worktree.base)

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions that something is named after: a folder, a branch, a base."""
        common = self._repository().common_dir
        entries = common / "worktrees"
        found = {file.parent.name for file in entries.glob("*/gitdir") if self._is_ours(file)}
        names = to_text(
            self._git().run("for-each-ref", "--format=%(refname)", "refs/heads/holdfast", _BASES)
        )
        for name in names.split():
            match = _OF_SESSION.fullmatch(name)
            if match is not None:
                found.add(match[1] or match[2])

        return tuple(sorted(found))

    def _is_ours(self, gitdir: Path) -> bool:
        """Return whether the worktree that git has on record in this file is one of a session."""
        path = Path(os.fsdecode(read_beginning(gitdir).strip())).parent
        return str(path) == self.path_of(gitdir.parent.name)

    def why_kept(self, session: str, *, strictly: bool, branch: bool = True) -> str | None:
        """Return why the folder and the branch of a session must not be discarded, or None."""
        own = self._own_commits(session)
        if branch and own:
            return f"the branch {branch_of(session)} has commits of its own"
        if not Path(self.path_of(session)).is_dir():
            return None

        entry = self._repository().common_dir / "worktrees" / session
        if (entry / "locked").exists():
            # Git was killed while it checked the files out.
            return None

        try:
            linked = self._linked(session)
        except CheckpointFailed:
            return "it is not a worktree of git any more"

        base = self._tip(base_ref_of(session))
        with scratch_objects(linked, self._git_of(linked)) as git:
            tree, _ = capture_tree(linked, git)
            found = own_files(git, tree, base or "HEAD", strictly=strictly)

        if not found:
            return None

        return f"it has work that is not committed: {_some(found)}"

    def _own_commits(self, session: str) -> bool:
        """Return whether the branch of a session has commits that no other ref has."""
        tip = self._tip(f"refs/heads/{branch_of(session)}")
        if tip is None:
            return False

        others = (f"--exclude=refs/heads/{branch_of(session)}", "--all")
        # Not by the HEAD of its own worktree, which goes with it.
        words = ("rev-list", "--single-worktree", "--max-count=1", tip, "--not", *others)
        return bool(self._git().run(*words))

    def discard(self, session: str) -> None:
        """Remove the worktree of a session, its base, and its branch without a look at them."""
        self.remove_folder(session)
        for ref in (f"refs/heads/{branch_of(session)}", base_ref_of(session)):
            if self._tip(ref) is not None:
                self._git().run("update-ref", "-d", ref)

    def remove_folder(self, session: str) -> None:
        """Remove the folder of a session's worktree, and what git has on record of it."""
        self._refuse_links(session)
        path = Path(self.path_of(session))
        removed = path.with_name(f"{session}.removed")
        shutil.rmtree(removed, ignore_errors=True)
        with suppress(FileNotFoundError):
            path.rename(removed)

        entry = self._repository().common_dir / "worktrees" / session
        if entry.is_dir():
            # What a dead process left half made has too little for git to remove it.
            with suppress(GitFailed):
                self._git().run("worktree", "remove", "--force", "--force", str(path))
            shutil.rmtree(entry, ignore_errors=True)

        shutil.rmtree(removed, ignore_errors=True)

    # -------------------------------------------------------------------------------------- git

    def _repository(self) -> UserRepository:
        if self._found is None:
            self._found = query_repository(self._root, _deadline())
        return self._found

    def _refuse_links(self, session: str | None = None) -> None:
        """Raise `CheckpointFailed` if a link leads git of ours elsewhere: see `why_unwritable`."""
        refs: list[str] = []
        own: list[str] = []
        if session is not None:
            refs = [f"refs/heads/{branch_of(session)}", base_ref_of(session)]
            own = [f"worktrees/{session}/{name}" for name in ("index", "logs/HEAD")]

        problem = why_unwritable(self._root, self._repository().common_dir, refs, own)
        if problem:
            raise CheckpointFailed(problem)

    def _linked(self, session: str) -> UserRepository:
        path = Path(self.path_of(session))
        if not path.is_dir():
            raise CheckpointFailed(f"{path}: this worktree is gone.")

        problem = bring_left_objects_over(str(path), str(self._state))
        if problem:
            raise CheckpointFailed(problem)

        return _query_linked(path)

    def _git(self) -> Git:
        return self._git_in(self._root)

    def _git_in(self, folder: Path) -> Git:
        if not folder.is_dir():
            raise CheckpointFailed(f"{folder}: this directory is gone.")
        return self._confined(_git_at(folder))

    def _git_of(self, repository: UserRepository) -> Git:
        return self._confined(repository.git(_deadline()))

    def _confined(self, git: Git, writes: Sequence[str] = ()) -> Git:
        """Return git that runs the repository's own filters only if they are trusted.

        `writes` are the trees whose files it is to write; a filter can run one of them.
        """
        confined = git.without_filters()
        if confined == git or self._trusts_filters(git.directory, writes):
            return git
        return confined


def _git_at(folder: Path) -> Git:
    return Git(folder, deadline=_deadline(), settings=(case_setting(folder),))


def _query_linked(path: Path) -> UserRepository:
    """Return the worktree at a path; raise `CheckpointFailed` if its files are not those there."""
    linked = query_repository(path, _deadline())
    if os.path.realpath(linked.top) != str(path):
        raise CheckpointFailed(f"{path}: this is not a worktree of git any more.")
    return linked


def _deadline() -> float:
    return time.monotonic() + _SECONDS


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return shown if more <= 0 else f"{shown} and {more} more"
