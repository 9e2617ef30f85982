"""The plan of a change: the landed edit of every file, or the requests that were refused.

Separate from `plan_requests`, which imports the landing engine: code that only reads a plan or a
refusal starts faster without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.changes.swaps import Swap
    from holdfast.vocab.outcomes import Refused, Rung
    from holdfast.vocab.requests import Action


@dataclass(frozen=True, slots=True)
class FileLanded:
    """The landed edit of one file, with its whole diff.

    `rung` and `similarity` are those of the loosest request for the file. `real` are the real
    paths, set only where they differ from the names: by a symlink, or by parts such as `..`.
    """

    path: str
    action: Action
    rung: Rung
    similarity: float
    diff: str
    to: str | None = None
    warnings: tuple[str, ...] = ()
    real: tuple[str, ...] = ()

    @property
    def at(self) -> tuple[str, ...]:
        """The real paths that change: one, or for a rename the old path and the new path."""
        if self.real:
            return self.real
        if self.to is None:
            return (self.path,)
        return (self.path, self.to)


@dataclass(frozen=True, slots=True)
class FileRefused:
    """A request that does not land, and the path of its file ("" if the request names none)."""

    path: str
    refused: Refused


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """The result when every request landed: reports, swaps, and the directories to make first.

    `clears` are the directories to remove at the end if they are empty, innermost first: of the
    difference of two trees, or those that another program removed with the files in them. No edit
    of a model removes a directory. `modes` are the permissions of directories in
    `makes` and `clears`, where they are not the usual ones.
    """

    files: tuple[FileLanded, ...]
    swaps: tuple[Swap, ...]
    makes: tuple[str, ...]
    clears: tuple[str, ...] = ()
    modes: tuple[tuple[str, int], ...] = ()
