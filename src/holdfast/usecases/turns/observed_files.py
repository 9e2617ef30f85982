"""How a file differs from the last look, and whether a change can have its contents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.plan import FileLanded
from holdfast.changes.swaps import LINK, Content
from holdfast.tools.changed_files import mark_of
from holdfast.tools.ports import FileDigests
from holdfast.tools.text_limits import sendable
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.checkpoints.ports import FileVersion
    from holdfast.vocab.requests import Action

LARGEST_FILE = 4_000_000
"""Files of more bytes are listed, and their contents are not kept in a change."""
MOST_FILES = 1_000
MOST_BYTES = 32_000_000
"""If more files or bytes change at once, none of them is kept in a change."""


@dataclass(frozen=True, slots=True)
class ObservedFile:
    """A file before and after a change that no tool made; None is no file.

    `why_not_kept` says why a change cannot have its contents, "" if it can.
    """

    path: str
    before: Content | None
    after: Content | None
    why_not_kept: str = ""

    @property
    def contents(self) -> list[Content]:
        """The contents of the file, where it exists."""
        return list(filter(None, (self.before, self.after)))

    @property
    def size(self) -> int:
        """How many bytes a change with this file keeps."""
        return sum(len(content.data) for content in self.contents)

    @property
    def has_link(self) -> bool:
        """Whether a symlink was made, changed or removed."""
        return any(content.is_link for content in self.contents)

    @property
    def action(self) -> Action:
        """What was done to the file."""
        if self.before is None:
            return "create"
        if self.after is None:
            return "delete"
        return "edit"


@dataclass(frozen=True, slots=True)
class ObservedFiles:
    """The differences of one look: those that a change can keep, and the others."""

    kept: tuple[ObservedFile, ...]
    unkept: tuple[ObservedFile, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(sorted(sendable(each.path) for each in (*self.kept, *self.unkept)))

    def digests(self) -> FileDigests:
        """Return marks of the kept files, now and before; a symlink has none."""
        marks: dict[str, str] = {}
        origins: dict[str, str] = {}
        for each in self.kept:
            if not each.has_link:
                marks[each.path] = _mark(each.after)
                origins[each.path] = _mark(each.before)

        return FileDigests(marks, whole=False, origins=origins)

    def reports(self) -> list[FileLanded]:
        """Return a report on each file that is not kept, with the reason instead of a diff."""
        reports = []
        for each in self.unkept:
            why = f"{each.why_not_kept}, so its content is not kept."
            reports.append(FileLanded(sendable(each.path), each.action, "exact", 1.0, why))
        return reports


def sort_out(differences: Sequence[ObservedFile]) -> ObservedFiles:
    """Separate what a change can keep from the rest; if it is too much, nothing is kept."""
    kept, unkept = [], []
    for each in differences:
        if each.why_not_kept:
            unkept.append(each)
        else:
            kept.append(each)

    size = sum(each.size for each in kept)
    if len(differences) <= MOST_FILES and size <= MOST_BYTES:
        return ObservedFiles(tuple(kept), tuple(unkept))

    why = f"{len(differences)} files with {size} bytes changed at once"
    unkept += [replace(each, why_not_kept=why) for each in kept]
    return ObservedFiles((), tuple(unkept))


def content_of(version: FileVersion | None) -> Content | None:
    """Return the content of a version of a file."""
    if version is None:
        return None
    data = version.data or b""
    if version.shape == "link":
        return Content(data, LINK)
    return Content(data, version.mode)


def _mark(content: Content | None) -> str:
    if content is None:
        return mark_of(None)
    return mark_of(content.data)
