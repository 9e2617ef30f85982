"""What a plan sees of the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Reason


@dataclass(frozen=True, slots=True)
class FileFound:
    """A regular file. `at` is its real path below the root; `linked`, that the path asked for is a symlink to it."""

    at: str
    data: bytes
    mode: int
    linked: bool = False


@dataclass(frozen=True, slots=True)
class FileMissing:
    """No file, but one could be made at `at`, once the directories `parents` (outermost first) are."""

    at: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileUnfit:
    """No file can be edited or made there."""

    reason: Reason
    message: str


FileLook: TypeAlias = FileFound | FileMissing | FileUnfit


class Files(Protocol):
    """The files below one root, as they are now."""

    def look(self, path: str) -> FileLook:
        """Say what is at a path that a model named."""
        ...

    def names(self, near: str) -> list[str]:
        """List files below the root, those in the directory of `near` first; not all, if there are very many."""
        ...
