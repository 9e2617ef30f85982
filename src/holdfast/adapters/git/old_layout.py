"""Checkpoints of release 0.1: move them into the private repository, at its first opening.

They were in the user's repository (`refs/holdfast/`, `<git dir>/holdfast/`), or for a folder
without git in `STATE/private/`. Each step can be repeated after a crash.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import Git, to_text
from holdfast.adapters.git.index_seed import link_user_objects
from holdfast.adapters.git.repository import old_private_git_dir
from holdfast.adapters.plain_file import LARGEST_PACKED, read_plain
from holdfast.adapters.processes.git_links import why_unwritable
from holdfast.checkpoints import commit_message
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.adapters.git.private_index import PrivateIndex
    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.adapters.git.user_repository import UserRepository

_PREFIX = "refs/holdfast/"
_FORMAT = "%(refname)%00%(objectname)%00%(tree)%00%(contents:body)%00"


def has_old_layout(repository: PrivateRepository, state: Path) -> bool:
    """Return whether there are checkpoints of release 0.1 here."""
    if old_private_git_dir(repository.root, state).is_dir():
        return True

    user = repository.user
    if user is None:
        return False
    if (user.git_dir / "holdfast").is_dir() or (user.common_dir / _PREFIX).is_dir():
        return True

    try:
        return _PREFIX.encode() in read_plain(user.common_dir / "packed-refs", LARGEST_PACKED)
    except OSError:
        return False


def move_private_folder(repository: PrivateRepository, state: Path) -> None:
    """Move the repository of a folder without git to its new place."""
    old = old_private_git_dir(repository.root, state)
    if not old.is_dir() or repository.git_dir.is_dir():
        return
    repository.folder.mkdir(0o700, parents=True, exist_ok=True)
    old.rename(repository.git_dir)
    atomic_write.drop(old.with_suffix(".lock"))


def move_user_refs(repository: PrivateRepository, index: PrivateIndex, private: Git) -> None:
    """Move the refs of this worktree out of the user's repository, and all else of ours there."""
    user = repository.user
    if user is None or not repository.shares_objects():
        return

    values = _refs_of(user, private.deadline)
    if values:
        problem = why_unwritable(user.top, user.common_dir, values)
        if problem:
            raise CheckpointFailed(problem)
        link_user_objects(repository)
        _copy_shallow(user, repository)
        creates = [f"update {name} {value}\n" for name, value in values.items()]
        private.run("update-ref", "--stdin", stdin="".join(creates).encode("utf-8"))
        deletes = [f"delete {name} {value}\n" for name, value in values.items()]
        users = user.git(private.deadline)
        users.run("update-ref", "--stdin", stdin="".join(deletes).encode("utf-8"))

    own = user.git_dir / "holdfast"
    if own.is_dir():
        if index.state.seq is None:
            index.save(seq=_sequence_of(own / "state"))
        if not (own / "restores").is_dir():
            shutil.rmtree(own, ignore_errors=True)


def _refs_of(user: UserRepository, deadline: float | None) -> dict[str, str]:
    """Return the refs of the checkpoints that belong to this worktree, with their commits."""
    fields = user.git(deadline).run("for-each-ref", f"--format={_FORMAT}", _PREFIX).split(b"\0")
    values: dict[str, str] = {}
    for name, commit, tree, body in zip(*(iter(fields),) * 4, strict=False):
        checkpoint = commit_message.read(commit.decode(), tree.decode(), to_text(body))
        if checkpoint is not None and checkpoint.worktree == user.worktree:
            values[to_text(name).strip()] = commit.decode("ascii")

    return values


def _copy_shallow(user: UserRepository, repository: PrivateRepository) -> None:
    """Copy the borders of a shallow clone: the parents of old shadow commits are the user's."""
    file = user.common_dir / "shallow"
    if file.is_file():
        atomic_write.put(repository.git_dir / "shallow", read_plain(file), sync=False)


def _sequence_of(state: Path) -> int | None:
    try:
        seq = json.loads(read_plain(state))["seq"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seq if isinstance(seq, int) else None
