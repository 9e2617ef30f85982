"""Checkpoints of worktrees that are gone, for a new clone of their repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed
from holdfast.adapters.git.objects.object_store import ObjectStore
from holdfast.adapters.git.refs import Refs
from holdfast.adapters.git.repository import PrivateRepository, find_repository
from holdfast.adapters.places.place_records import gone_worktrees
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.adapters.git.user_repository import UserRepository
    from holdfast.checkpoints.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class GoneCheckpoint:
    """A checkpoint of another worktree, mostly one that is gone, and where its objects are."""

    checkpoint: Checkpoint
    objects: Path


def find_gone_checkpoints(
    beginning: str, root: Path, state: Path, deadline: float
) -> tuple[GoneCheckpoint, ...]:
    """Return the checkpoints whose ids begin so, and whose commits the repository of a root has.

    Nothing else shows that two folders are of one repository.
    """
    here = find_repository(root, state, deadline, for_new_checkpoint=False)
    if here.user is None:
        return ()

    found: list[GoneCheckpoint] = []
    commits: dict[str | None, bool] = {None: False}
    for folder in gone_worktrees(here.root, state):
        there = PrivateRepository(here.root, folder)
        if folder == here.folder or not there.git_dir.is_dir():
            continue
        git = Git(here.root, {"GIT_DIR": str(there.git_dir)}, deadline=deadline)
        refs = Refs(git, there.git_dir, ObjectStore(there.git_dir, there.object_format()))
        found += [GoneCheckpoint(each, there.objects) for each in refs.checkpoints(beginning)]

    for commit in {each.checkpoint.present.head for each in found}:
        if commit is not None:
            commits[commit] = _has_commit(here.user, commit, deadline)

    return tuple(each for each in found if commits[each.checkpoint.present.head])


def _has_commit(user: UserRepository, commit: str, deadline: float) -> bool:
    try:
        user.git(deadline).run("cat-file", "-e", f"{commit}^{{commit}}")
    except GitFailed:
        return False
    return True
