"""The ports of garbage collection: the store, and the folders of the state directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection


class GarbageUnavailable(Exception):  # noqa: N818 - the word for it
    """The store or the disk refused; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A project of the store, and the folders that may have checkpoints of it."""

    id: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowGarbage:
    """How many rows of each kind are garbage, and how many bytes their texts have."""

    changes: int = 0
    changes_size: int = 0
    events: int = 0
    events_size: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that looks like garbage and stays, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class DiskGarbage:
    """What can be removed from the disk: paths with their sizes in bytes."""

    paths: tuple[tuple[str, int], ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all paths."""
        return sum(size for _, size in self.paths)


@dataclass(frozen=True, slots=True)
class GoneFolders:
    """The state of folders that are gone: what can be removed, and what stays."""

    garbage: DiskGarbage
    kept: tuple[Kept, ...]


class GarbageStore(Protocol):
    """The store, as garbage collection needs it. Each call may raise `GarbageUnavailable`."""

    def projects(self) -> tuple[ProjectPlace, ...]:
        """Return all projects."""

    def deleted_sessions(self, project: str) -> frozenset[str]:
        """Return the sessions of a project that were deleted, as its log says."""

    def rows(self, project: str, sessions: Collection[str]) -> RowGarbage:
        """Return what `remove_rows` would remove."""

    def remove_rows(self, project: str, sessions: Collection[str], refs: int) -> RowGarbage:
        """Remove the settled changes beyond those that are kept, and the events of these sessions.

        Publish what was removed, with the number of refs that were. An event that the states of
        other things depend on stays.
        """

    def free_bytes(self) -> int:
        """Return how many bytes of the store's file are free already."""

    def running_turn(self) -> str | None:
        """Return a turn that a process of this machine runs now, or None."""

    def shrink(self) -> None:
        """Return the free bytes of the store's file to the disk."""


class StateFolders(Protocol):
    """The folders of the state directory. Each call may raise `GarbageUnavailable`."""

    def gone_folders(self, *, now: bool, mark: bool) -> GoneFolders:
        """Return what is stored about folders that are gone.

        It stays for 30 days after it was first seen, unless `now`. With `mark`, write down which
        folders are seen to be gone, and which are back.
        """

    def old_files(self) -> DiskGarbage:
        """Return the texts that were saved long ago, and the locks of turns that are over."""

    def remove(self, garbage: DiskGarbage) -> None:
        """Remove paths, each as a whole or not at all."""
