"""What a snapshot keeps: which of the changed and new paths are captured, dropped or skipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from holdfast.checkpoints.checkpoint import Skipped, SkipReason

FileShape: TypeAlias = Literal["absent", "file", "link", "directory", "other"]


@dataclass(frozen=True, slots=True)
class Look:
    """What is at a path, without following a symlink at its end."""

    shape: FileShape
    size: int = 0
    mode: int = 0
    readable: bool = True


class Disk(Protocol):
    """The worktree as it is."""

    def look(self, path: str) -> Look:
        """Say what is there."""
        ...

    def is_beyond_link(self, path: str) -> bool:
        """Whether one of the directories on the way is a symlink, or anything but a directory."""
        ...


@dataclass(frozen=True, slots=True)
class Listing:
    """What git saw: paths of the last snapshot that changed or are gone, and paths that it had not.

    A new path that ends in a slash is a nested repository.
    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """`drop` leaves the snapshot, `take` is read from the disk (and leaves it if it is gone by then)."""

    drop: tuple[str, ...]
    take: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    modes: tuple[tuple[str, int | None], ...]
    size: int


def select(listing: Listing, disk: Disk, limit: int, spare: Iterable[str] = ()) -> Selection:
    """Decide about every path; one in `spare` is captured however large it is."""
    kept = frozenset(spare)
    drop: list[str] = []
    take: list[str] = []
    skipped: list[Skipped] = []
    modes: list[tuple[str, int | None]] = []
    size = 0
    for path in listing.gone:
        # Beyond a symlink `update-index --remove` refuses the path; and it must never be followed.
        beyond = disk.is_beyond_link(path) or disk.look(path).shape != "absent"
        (drop if beyond else take).append(path)
        modes.append((path, None))
    for path in listing.changed + listing.new:
        if path.endswith("/"):
            skipped.append(Skipped(path.rstrip("/"), "nested repository"))
            continue
        look = disk.look(path)
        why = judge(look, limit if path not in kept else None)
        if why is not None:
            skipped.append(Skipped(path, why))
            drop.append(path)
            continue
        take.append(path)
        size += look.size
        modes.append((path, look.mode if look.shape == "file" else None))
    known = frozenset(listing.new)
    return Selection(
        tuple(path for path in drop if path not in known),
        tuple(take),
        tuple(skipped),
        tuple(modes),
        size,
    )


def judge(look: Look, limit: int | None) -> SkipReason | None:
    """Say why a path cannot be captured; None if it can, or is gone."""
    if look.shape == "directory":
        # Only a repository is reported as one path; the files of any other directory are reported by themselves.
        return "nested repository"
    if look.shape == "other":
        return "not a file"
    if look.shape == "file" and not look.readable:
        return "unreadable"
    if look.shape == "file" and limit is not None and look.size > limit:
        return "too large"
    return None
