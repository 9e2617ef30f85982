"""What becomes of files when every request has landed; or the requests that did not.

Apart from the verb (`apply.py`), which brings the landing engine: to say "refused" nobody should wait for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.changes.swaps import Swap
    from holdfast.vocab.outcomes import Refused, Rung
    from holdfast.vocab.requests import Action


@dataclass(frozen=True, slots=True)
class FileLanded:
    """What lands on one file. `rung` and `similarity` are those of the loosest of its requests; `diff` is whole.

    `real` are the real paths, where the names lead elsewhere: over a link, or not straight.
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
        """The real paths that change for it: one, or for a rename the old and the new."""
        return self.real or ((self.path,) if self.to is None else (self.path, self.to))


@dataclass(frozen=True, slots=True)
class FileRefused:
    """A request that does not land, and the file that it is for ("" if it names none)."""

    path: str
    refused: Refused


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """Every request landed: what becomes of which file, and the directories that have to be made first."""

    files: tuple[FileLanded, ...]
    swaps: tuple[Swap, ...]
    makes: tuple[str, ...]
