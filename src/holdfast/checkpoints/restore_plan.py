"""The way back: from the present tree to a checkpoint's, without touching what the checkpoint knew nothing of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.selection import Look

GITLINK = "160000"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A path's entry in a tree, as git has it."""

    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A path that two trees do not agree on; None where a tree has no such path."""

    path: str
    before: TreeEntry | None
    after: TreeEntry | None


@dataclass(frozen=True, slots=True)
class Blocked:
    """Something that no snapshot holds is in the way; nothing was changed."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What has to be known before the way is walked.

    `captures` lie on the disk where the target has something else, and are in no snapshot yet. `keep` are differences
    that stay as they are now.
    """

    captures: tuple[str, ...]
    keep: tuple[Difference, ...]


class WorktreeView(Protocol):
    """The worktree as it is."""

    def look(self, path: str) -> Look:
        """Say what is there, without following a symlink at its end."""
        ...

    def below(self, directory: str) -> Iterable[str]:
        """Name everything below a directory that is no directory, and every directory that is a repository."""
        ...

    def in_nested_repository(self, path: str) -> bool:
        """Whether a directory on the way is a repository of its own."""
        ...


def removals(differences: Iterable[Difference]) -> tuple[str, ...]:
    """Name the paths that would go."""
    return tuple(each.path for each in differences if each.after is None)


def plan(
    differences: Sequence[Difference],
    skipped: Iterable[Skipped],
    ignored: Collection[str],
    absent: Collection[str],
    ground: WorktreeView,
    *,
    hidden: Collection[str] = (),
) -> RestorePlan | Blocked:
    """Say what is captured first and what stays, or what is in the way.

    `skipped` is what the target left out, `ignored` the removals that the target's own rules ignore, `absent` the
    paths that a sparse checkout keeps off the disk, `hidden` those that a rule ignores by now, and no snapshot saw it.
    """
    arriving = [
        each.path for each in differences if each.before is None and each.after and _is_plain(each)
    ]
    captures = _collisions(
        arriving, {each.path for each in differences if each.before}, absent, ground
    )
    if isinstance(captures, Blocked):
        return captures
    spared = frozenset(each.path for each in skipped)
    # Where the target has a file in place of a directory, or the other way round, what is there now cannot stay. All of
    # it is captured: the undo point has it.
    taken = frozenset(arriving)
    parents = frozenset(parent for path in arriving for parent in parents_of(path))
    keep = [
        each
        for each in differences
        if each.path in absent
        or not _is_plain(each)
        or (
            (each.after is None or each.path in hidden)
            and each.path not in parents
            and not is_under(each.path, taken)
            and (
                each.path in hidden
                or each.path in ignored
                or is_under(each.path, spared)
                or ground.in_nested_repository(each.path)
            )
        )
    ]
    return RestorePlan(captures, tuple(keep))


def parents_of(path: str) -> list[str]:
    """Name the directories on the way to a path.

    >>> parents_of("a/b/c")
    ['a', 'a/b']
    """
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def is_under(path: str, directories: Collection[str]) -> bool:
    """Whether the path is one of these, or below one of them."""
    return path in directories or any(parent in directories for parent in parents_of(path))


def _is_plain(difference: Difference) -> bool:
    """Whether no submodule is involved; those stay as they are."""
    return GITLINK not in {entry.mode for entry in (difference.before, difference.after) if entry}


def _collisions(
    arriving: Sequence[str],
    captured: Collection[str],
    absent: Collection[str],
    ground: WorktreeView,
) -> tuple[str, ...] | Blocked:
    captures: dict[str, None] = {}
    passable: dict[str, bool] = {}
    for path in arriving:
        if path in absent:
            continue
        met = next(
            (step for step in parents_of(path) if not _lets_pass(step, passable, ground)), path
        )
        if met in captured or met in captures:
            continue
        look = ground.look(met)
        if look.shape == "directory":
            foreign = next((name for name in ground.below(met) if name not in captured), None)
            if foreign is not None:
                return Blocked(
                    foreign,
                    f"{foreign}: this is in no checkpoint, and the file {path} is to stand there",
                )
        elif look.shape == "other" or not look.readable:
            return Blocked(
                met, f"{met}: this cannot be kept in a checkpoint, and {path} is to stand there"
            )
        elif look.shape != "absent":
            captures[met] = None
    return tuple(captures)


def _lets_pass(step: str, passable: dict[str, bool], ground: WorktreeView) -> bool:
    """Whether a name on the way is a directory. Nothing is looked at beyond one that is not: it may be a symlink."""
    if step not in passable:
        passable[step] = ground.look(step).shape == "directory"
    return passable[step]
