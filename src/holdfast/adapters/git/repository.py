"""The repository for the checkpoints of a root: the user's, or a private one."""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import Git, GitFailed
from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.checkpoints.ports import CheckpointFailed

_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
# Only this sentence means that there is no repository. A broken one, or one of another owner, is
# reported.
_NO_REPOSITORY = re.compile(r"not a git repository \(or any")
_IN_SUBMODULE = re.compile(r"is in submodule")

_PLACES = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
_HEAD = ("HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")


@dataclass(frozen=True, slots=True)
class Head:
    """The commit, tree and branch of HEAD; all None before the first commit."""

    commit: str | None = None
    tree: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A worktree and its git directory; `common_dir` is the one that all worktrees share.

    `private` is True for a repository in the state directory, which only checkpoints use.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    private: bool
    head: Head = Head()

    @property
    def worktree(self) -> str:
        """The name of the worktree, which stays the same when the repository is moved.

        A linked worktree may be called `main` too, so the names of those contain a slash.
        """
        if self.git_dir == self.common_dir:
            return "main"
        return f"worktrees/{self.git_dir.name}"

    @property
    def holdfast_dir(self) -> Path:
        """The directory for everything that is stored about the worktree besides refs."""
        return self.git_dir / "holdfast"


def find_repository(
    root: Path, state: Path, deadline: float, *, for_new_checkpoint: bool
) -> GitRepository:
    """Return the repository for a root, without creating it.

    Raise `CheckpointFailed` where no checkpoint may be taken. For a new checkpoint, a root that the
    repository around it ignores gets a private repository. Otherwise the repository around it is
    returned: it has the checkpoints from before the root was ignored.
    """
    root = Path(os.path.realpath(root))
    _refuse_home(root)
    private_dir = private_git_dir(root, state)
    private = GitRepository(root, private_dir, private_dir, private=True)
    # A root keeps its private repository: a `git init` by an agent must not lose the checkpoints.
    if private_dir.is_dir():
        return private
    git = Git(root, deadline=deadline)
    try:
        answer = _query(git)
    except GitFailed as error:
        if _NO_REPOSITORY.search(error.stderr):
            return private
        reason = error.stderr.strip().removeprefix("fatal: ")
        raise CheckpointFailed(f"{root}: git reports: {reason}") from error
    top = Path(answer[0])
    _refuse_home(top)
    relative = _relative_to_top(top, root)
    if for_new_checkpoint and relative != "." and _is_left_out(git, relative):
        return private
    git_dir = Path(os.path.realpath(answer[1]))
    common_dir = Path(os.path.realpath(root / answer[2]))
    return GitRepository(top, git_dir, common_dir, private=False, head=_parse_head(answer[3:]))


def _query(git: Git) -> list[str]:
    """Return the top, the git directory, the common one, and HEAD; with one process if possible."""
    output = os.fsdecode(git.run("rev-parse", *_PLACES, *_HEAD, ok_codes=(0, 128)))
    found = output.split("\n")
    if len(found) == 7 and _COMMIT.match(found[3]) and _COMMIT.match(found[4]):
        return found
    if len(found) == 5 and found[3] == _HEAD[0]:
        # Before the first commit git prints the name that it could not find.
        return found[:3]
    # Without a repository the next run raises. Otherwise a path contains a newline, so each is
    # queried on its own.
    places = [os.fsdecode(git.run("rev-parse", each)).removesuffix("\n") for each in _PLACES]
    return places + os.fsdecode(git.run("rev-parse", *_HEAD, ok_codes=(0, 128))).split("\n")


def _relative_to_top(top: Path, root: Path) -> str:
    """Return the path of a root in its worktree; raise if it is a git directory of files elsewhere.

    Compares files, not only names: on a file system without case, git may spell a name differently.
    """
    for parent in (root, *root.parents):
        if parent == top or parent.samefile(top):
            return str(root.relative_to(parent))
    raise CheckpointFailed(
        f"{root}: the files of this repository are elsewhere; pass --root {top} instead."
    )


def _is_left_out(git: Git, relative: str) -> bool:
    """Return whether a repository captures nothing of a directory: it is ignored, or a submodule.

    Of all directories the index has only submodules. One with files was found as a repository of
    its own.
    """
    query = ("rev-parse", "--verify", "--quiet", f":0:{relative}")
    submodule = git.start(*query).in_background()
    try:
        # Git does not report a directory with a tracked file as ignored.
        ignored = bool(git.run("check-ignore", ".", ok_codes=(0, 1)))
    except GitFailed as error:
        if not _IN_SUBMODULE.search(error.stderr):
            raise
        ignored = True
    return bool(submodule.finish(ok_codes=(0, 1, 128))) or ignored


def private_git_dir(root: Path, state: Path) -> Path:
    """Return the path of the private repository of a root, which need not exist.

    One of an earlier version is named after the path of the root, and stays where it is.
    """
    earlier = state / "private" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.git"
    if earlier.is_dir():
        return earlier
    return worktree_folder(state, root) / "checkpoints.git"


def create_private(repository: GitRepository, lock: int, deadline: float) -> None:
    """Create the private repository under its lock, as a whole or not at all."""
    if repository.git_dir.is_dir():
        return
    draft = repository.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    git = Git(draft.parent, lock=lock, deadline=deadline)
    git.run("init", "-q", "--bare", "--template=", str(draft))
    for name, value in (("core.bare", "false"), ("core.autocrlf", "false")):
        git.with_variables(dir=draft).run("config", name, value)
    (draft / "info").mkdir(exist_ok=True)
    # No conversion of any kind: a folder without git has no settings that ask for one.
    atomic_write.put(
        draft / "info" / "attributes",
        b"* -text -eol -ident -filter -working-tree-encoding\n",
        sync=False,
    )
    atomic_write.put(draft / "holdfast-root", os.fsencode(repository.root), sync=False)
    draft.rename(repository.git_dir)


def remove_private(repository: GitRepository) -> None:
    """Remove the private repository as a whole: a part of it would look like a broken one."""
    draft = repository.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    repository.git_dir.rename(draft)
    shutil.rmtree(draft, ignore_errors=True)


def _parse_head(found: list[str]) -> Head:
    if len(found) < 2:
        return Head()
    commit, tree = found[:2]
    if not _COMMIT.match(commit) or not _COMMIT.match(tree):
        return Head()
    if len(found) > 2 and found[2].startswith("refs/"):
        return Head(commit, tree, found[2])
    return Head(commit, tree)


def _refuse_home(root: Path) -> None:
    """Raise for a directory that is or contains the user's home directory."""
    for home in _homes():
        if root == home:
            what = "this is your home directory"
        elif root in home.parents:
            what = "your home directory is in this one"
        else:
            continue
        cure = "pass the project's own directory as --root (or run `git init` there first)"
        raise CheckpointFailed(f"{root}: {what}, and no checkpoint is taken of it; {cure}.")


def _homes() -> set[Path]:
    names = [os.environ.get("HOME", "")]
    with suppress(KeyError):
        names.append(pwd.getpwuid(os.getuid()).pw_dir)
    return {Path(os.path.realpath(name)) for name in names if name}
