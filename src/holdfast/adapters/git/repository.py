"""Where a root's checkpoints are: in the repository that it belongs to, or in a private one in the state directory."""

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
from holdfast.checkpoints.ports import CheckpointFailed

_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
# Only this sentence means that there is none. A broken one, or one of another owner, is reported and not stepped over.
_NO_REPOSITORY = re.compile(r"not a git repository \(or any")
_IN_SUBMODULE = re.compile(r"is in submodule")

_PLACES = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
_HEAD = ("HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")


@dataclass(frozen=True, slots=True)
class Head:
    """What HEAD is; all None before the first commit."""

    commit: str | None = None
    tree: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """A worktree: its root, its git directory, the one it shares with other worktrees, and its name among them."""

    root: Path
    git_dir: Path
    common_dir: Path
    private: bool
    head: Head = Head()

    @property
    def worktree(self) -> str:
        """The name that stays when the repository is moved. A linked one may be called `main`, but has no slash."""
        return "main" if self.git_dir == self.common_dir else f"worktrees/{self.git_dir.name}"

    @property
    def ours(self) -> Path:
        """The directory where all is that we keep of a worktree besides refs."""
        return self.git_dir / "holdfast"

    @property
    def lock(self) -> Path:
        """The file to lock. That of a private repository stands beside it, and outlives it."""
        return self.git_dir.with_suffix(".lock") if self.private else self.ours / "lock"


def locate(root: Path, state: Path, deadline: float, *, make: bool) -> Repository:
    """Find the place; raises `CheckpointFailed` where no checkpoint may be taken. Makes nothing.

    `make` is whether a private repository would be made. If not, a root that the repository around it ignores by now
    still has the checkpoints that were taken before it did.
    """
    root = Path(os.path.realpath(root))
    _refuse(root)
    private = private_place(root, state)
    # Once a root has a private repository it keeps it: an agent that runs `git init` must not lose the checkpoints.
    if private.is_dir():
        return Repository(root, private, private, private=True)
    git = Git(root, deadline=deadline)
    try:
        found = _ask(git)
    except GitFailed as error:
        if _NO_REPOSITORY.search(error.told):
            return Repository(root, private, private, private=True)
        raise CheckpointFailed(
            f"{root}: git says: {error.told.strip().removeprefix('fatal: ')}"
        ) from error
    top = Path(found[0])
    _refuse(top)
    inside = _way_down(top, root)
    if make and inside != "." and _is_left_out(git, inside):
        return Repository(root, private, private, private=True)
    git_dir = Path(os.path.realpath(found[1]))
    common = Path(os.path.realpath(root / found[2]))
    return Repository(top, git_dir, common, private=False, head=_head(found[3:]))


def _ask(git: Git) -> list[str]:
    """Ask for the top, the git directory and the one it shares, and what HEAD is; in one process if that will do."""
    told = os.fsdecode(git.run("rev-parse", *_PLACES, *_HEAD, fine=(0, 128)))
    found = told.split("\n")
    if len(found) == 7 and _COMMIT.match(found[3]) and _COMMIT.match(found[4]):
        return found
    if len(found) == 5 and found[3] == _HEAD[0]:
        # Before the first commit: it gives back what it could not find.
        return found[:3]
    # There is no repository, and it says so now; or a name has a newline in it, and they are asked for one by one.
    places = [os.fsdecode(git.run("rev-parse", each)).removesuffix("\n") for each in _PLACES]
    return places + os.fsdecode(git.run("rev-parse", *_HEAD, fine=(0, 128))).split("\n")


def _way_down(top: Path, root: Path) -> str:
    """Name a root as the worktree around it does; raises for a git directory whose files are elsewhere."""
    for above in (root, *root.parents):
        # Not by name alone: where case does not count, git may write it otherwise.
        if above == top or above.samefile(top):
            return str(root.relative_to(above))
    raise CheckpointFailed(
        f"{root}: the files of this repository are elsewhere; name {top} with --root."
    )


def _is_left_out(git: Git, inside: str) -> bool:
    """Whether a repository captures nothing of a directory in it: it is ignored, or the place of a submodule."""
    # Of all directories the index has only submodules; one that is filled was found as a repository of its own.
    link = git.start("rev-parse", "--verify", "--quiet", f":0:{inside}").in_background()
    try:
        # A directory with something tracked in it is not called ignored.
        ignored = bool(git.run("check-ignore", ".", fine=(0, 1)))
    except GitFailed as error:
        if not _IN_SUBMODULE.search(error.told):
            raise
        ignored = True
    return bool(link.finish(fine=(0, 1, 128))) or ignored


def private_place(root: Path, state: Path) -> Path:
    """Say where the private repository of a root is, or would be."""
    return state / "private" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.git"


def make_private(place: Repository, lock: int, deadline: float) -> None:
    """Make the private repository, whole or not at all, under its lock."""
    if place.git_dir.is_dir():
        return
    draft = place.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    git = Git(draft.parent, lock=lock, deadline=deadline)
    git.run("init", "-q", "--bare", "--template=", str(draft))
    for name, value in (("core.bare", "false"), ("core.autocrlf", "false")):
        git.having(dir=draft).run("config", name, value)
    (draft / "info").mkdir(exist_ok=True)
    # No conversion of any kind: in a folder without git nobody has asked for one, and every byte counts.
    atomic_write.put(
        draft / "info" / "attributes",
        b"* -text -eol -ident -filter -working-tree-encoding\n",
        sync=False,
    )
    atomic_write.put(draft / "holdfast-root", os.fsencode(place.root), sync=False)
    draft.rename(place.git_dir)


def remove_private(place: Repository) -> None:
    """Remove the private repository, whole: half of one would be taken for a broken one for ever."""
    draft = place.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    place.git_dir.rename(draft)
    shutil.rmtree(draft, ignore_errors=True)


def _head(found: list[str]) -> Head:
    if len(found) < 2 or not _COMMIT.match(found[0]) or not _COMMIT.match(found[1]):
        return Head()
    branch = found[2] if len(found) > 2 else ""
    return Head(found[0], found[1], branch if branch.startswith("refs/") else None)


def _refuse(root: Path) -> None:
    """Refuse a directory that holds somebody's whole home, or everything."""
    for home in _homes():
        if root == home or root in home.parents:
            what = (
                "this is your home directory"
                if root == home
                else "your home directory is in this one"
            )
            cure = "name the project's own directory with --root (or run `git init` there first)"
            raise CheckpointFailed(f"{root}: {what}, and no checkpoint is taken of it; {cure}.")


def _homes() -> set[Path]:
    named = [os.environ.get("HOME", "")]
    with suppress(KeyError):
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    return {Path(os.path.realpath(home)) for home in named if home}
