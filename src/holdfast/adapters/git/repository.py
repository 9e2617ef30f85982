"""The private repository of a worktree, in the state directory: everything of its checkpoints.

The user's repository is only read. The folder of a worktree has:

checkpoints.git  refs, shadow commits, objects, the private index and its state
user-repository  what git said of the user's repository
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git import user_repository
from holdfast.adapters.git.git_command import Git, GitFailed, to_text
from holdfast.adapters.git.user_repository import NO_HEAD, Head, UserRepository
from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.checkpoints.restore_plan import parents_of
from holdfast.vocab.lazy_dataclass import dataclass

# Highest precedence: whatever other attributes say, no byte is converted.
_ATTRIBUTES = b"* -text -eol -crlf -ident -filter -working-tree-encoding\n"
_NO_BRANCH = "ref: refs/heads/none\n"


@dataclass(frozen=True, slots=True)
class PrivateRepository:
    """The private repository of a worktree; `user` is None where the user has no repository.

    `user_is_gone`: the worktree had a repository of the user, which is removed or broken.
    `refused`: why git refuses that repository, if it is there; else "".
    `borrows_objects`: the user's objects are not linked here, but read where they are.
    """

    root: Path
    folder: Path
    user: UserRepository | None = None
    head: Head = NO_HEAD
    user_is_gone: bool = False
    refused: str = ""
    borrows_objects: bool = False

    @property
    def git_dir(self) -> Path:
        """The git directory."""
        return self.folder / "checkpoints.git"

    @property
    def objects(self) -> Path:
        """The directory of objects."""
        return self.git_dir / "objects"

    @property
    def worktree(self) -> str:
        """The name of the worktree."""
        if self.user is None:
            return "main"
        return self.user.worktree

    @property
    def cache(self) -> Path:
        """The file that has what git said of the user's repository."""
        return self.folder / "user-repository"

    @property
    def was_here(self) -> Path:
        """The file that stays if somebody removes the private repository."""
        return self.folder / "had-checkpoints"

    def object_format(self) -> str:
        """Return the hash of the objects in this repository."""
        if b"sha256" in (self.git_dir / "config").read_bytes():
            return "sha256"
        return "sha1"

    def shares_objects(self) -> bool:
        """Return whether the user's objects can be used here."""
        return self.user is not None and self.user.object_format == self.object_format()


def find_repository(
    root: Path, state: Path, deadline: float, *, for_new_checkpoint: bool
) -> PrivateRepository:
    """Return the private repository for a root, without creating it.

    Raise `CheckpointFailed` where no checkpoint may be taken. For a new checkpoint, a root that the
    repository around it ignores gets a private repository of its own. Otherwise the one of the
    worktree around it is returned: it has the checkpoints from before the root was ignored.
    """
    root = Path(os.path.realpath(root))
    _refuse_home(root)
    own = PrivateRepository(root, worktree_folder(state, root))
    had_checkpoints = own.git_dir.is_dir() or old_private_git_dir(root, state).is_dir()
    marker = user_repository.find_marker(root)
    if marker is None:
        return _without_user(own, state, is_known=had_checkpoints)
    # A root keeps its repository: a `git init` above it must not lose the checkpoints.
    if had_checkpoints and marker != root:
        return own

    try:
        user = _find_user(marker, root, state, deadline)
    except GitFailed as error:
        user_repository.refuse_broken_settings(root, deadline)
        if user_repository.is_of_another_owner(root, deadline):
            user_repository.raise_refusal(root, error)
        around = _without_user(own, state, is_known=had_checkpoints)
        if around.git_dir.is_dir() or user_repository.has_broken_git(marker):
            return replace(around, refused=user_repository.why_settings_refused(marker, error))
        user_repository.raise_refusal(root, error)
        raise

    _refuse_home(user.top)
    relative = _relative_to_top(user.top, root)
    if for_new_checkpoint and relative != "." and _is_left_out(user.top, root, relative, deadline):
        return own

    folder = worktree_folder(state, user.top)
    return PrivateRepository(user.top, folder, user, user.read_head(deadline))


def _find_user(marker: Path, root: Path, state: Path, deadline: float) -> UserRepository:
    """Return the user's repository; from the cache, if nothing has changed."""
    cache = worktree_folder(state, marker) / "user-repository"
    known = user_repository.read_cached(cache, marker)
    if known is not None:
        return known

    found = user_repository.query_repository(root, deadline)
    if found.top == marker and cache.parent.is_dir():
        user_repository.write_cached(cache, marker, found)

    return found


def _without_user(own: PrivateRepository, state: Path, *, is_known: bool) -> PrivateRepository:
    """Return the repository of a root without git.

    If the root has none, but a directory above it had a repository of the user, it is that one's.
    """
    if is_known:
        return PrivateRepository(own.root, own.folder, user_is_gone=own.cache.exists())

    for parent in own.root.parents:
        around = PrivateRepository(parent, worktree_folder(state, parent), user_is_gone=True)
        if around.git_dir.is_dir() and around.cache.exists():
            return around

    return own


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


def _is_left_out(top: Path, root: Path, relative: str, deadline: float) -> bool:
    """Return whether a repository captures nothing of a directory: it is ignored, or a submodule.

    Of all directories the index has only submodules. One with files was found as a repository of
    its own.
    """
    git = Git(top, deadline=deadline).with_variables(literal_pathspecs="1")
    names = [*parents_of(relative), relative]
    listed = git.run("ls-files", "-s", "-z", "--", *names).split(b"\0")
    submodules = {to_text(entry.partition(b"\t")[2]) for entry in listed if entry[:6] == b"160000"}
    if not submodules.isdisjoint(names):
        return True

    # Git does not report a directory with a tracked file as ignored.
    return bool(Git(root, deadline=deadline).run("check-ignore", ".", ok_codes=(0, 1)))


def old_private_git_dir(root: Path, state: Path) -> Path:
    """Return the path of the private repository of a root in the layout of release 0.1."""
    return state / "private" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.git"


def create_private(repository: PrivateRepository) -> None:
    """Create the private repository under its lock, as a whole or not at all."""
    if repository.git_dir.is_dir():
        repository.was_here.touch()
        return

    draft = repository.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    for name in ("objects/info", "objects/pack", "refs/holdfast", "info"):
        (draft / name).mkdir(0o700, parents=True)

    atomic_write.put(draft / "HEAD", _NO_BRANCH.encode(), sync=False)
    atomic_write.put(draft / "config", _config(repository.user).encode(), sync=False)
    atomic_write.put(draft / "info" / "attributes", _ATTRIBUTES, sync=False)
    draft.rename(repository.git_dir)
    repository.was_here.touch()


def remove_private(repository: PrivateRepository) -> None:
    """Remove the private repository as a whole: a part of it would look like a broken one."""
    atomic_write.drop(repository.was_here)
    draft = repository.git_dir.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    repository.git_dir.rename(draft)
    shutil.rmtree(draft, ignore_errors=True)
    atomic_write.drop(repository.cache)


def set_head(repository: PrivateRepository, commit: str | None) -> None:
    """Set HEAD of the private repository; `git status` compares the index with it."""
    text = f"{commit}\n" if commit else _NO_BRANCH
    atomic_write.put(repository.git_dir / "HEAD", text.encode("ascii"), sync=False)


def _config(user: UserRepository | None) -> str:
    lines = ["[core]", "\tbare = false", "\tfileMode = true", "\tautocrlf = false"]
    extensions: list[str] = []
    remotes: list[str] = []
    if user is not None:
        if "core.precomposeunicode" in user.settings:
            lines.append(f"\tprecomposeUnicode = {user.settings['core.precomposeunicode']}")
        if user.object_format != "sha1":
            extensions.append(f"\tobjectFormat = {user.object_format}")
        if "extensions.partialclone" in user.settings:
            # Objects may be missing. The remote has no address, so nothing is downloaded.
            extensions.append("\tpartialClone = nowhere")
            remotes = ['[remote "nowhere"]', "\tpromisor = true"]

    version = "1" if extensions else "0"
    lines.insert(1, f"\trepositoryFormatVersion = {version}")
    if extensions:
        lines += ["[extensions]", *extensions]

    return "\n".join([*lines, *remotes, ""])


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
