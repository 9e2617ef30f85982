"""The files as they would be with every proposed change applied, in order. Nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.plan import ChangePlan, FileRefused
from holdfast.changes.ports import FileFound, FileLook, FileMissing, Files, FileUnfit
from holdfast.changes.rebase.rebase_change import rebase_change
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.change import Change
    from holdfast.changes.swaps import Content

_NEW_FILE_MODE = 0o644


@dataclass(frozen=True, slots=True)
class StuckChange:
    """A proposed change that no longer fits on the files and the changes before it, and why."""

    change: Change
    refusals: tuple[FileRefused, ...]


class Overlay:
    """The files below a root with proposed changes on top (port `Files`).

    `stuck` are the changes that do not fit.
    """

    def __init__(self, files: Files, changes: Iterable[Change]) -> None:
        """Lay the changes, oldest first, over the files."""
        self._files = files
        self._proposed: dict[str, Content | None] = {}
        self.stuck: list[StuckChange] = []
        self._named: dict[str, None] = {}
        for change in changes:
            self._add(change)

    @property
    def covered(self) -> frozenset[str]:
        """The real paths that are not as on the disk."""
        return frozenset(self._proposed)

    @property
    def named(self) -> tuple[str, ...]:
        """Every path of the changes, stuck ones included.

        While the files at these paths stay as they are on the disk, the overlay stays valid.
        """
        return tuple(self._named)

    def look(self, path: str) -> FileLook:
        """Return what would be at a path."""
        looked = self._files.look(path)
        if isinstance(looked, FileUnfit):
            return looked
        if looked.at in self._proposed:
            return _look_at_proposed(looked, self._proposed[looked.at])
        if isinstance(looked, FileMissing):
            return self._judge_missing(path, looked)

        return looked

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink at a path; no proposal makes or changes one."""
        return self._files.link(path)

    def names(self, near: str) -> list[str]:
        """List the files that would be there."""
        names = dict.fromkeys(self._files.names(near))
        for path, content in self._proposed.items():
            if content is None:
                names.pop(path, None)
            else:
                names.setdefault(path)

        return list(names)

    def _add(self, change: Change) -> None:
        self._named.update(dict.fromkeys(change.paths))
        self._named.update(dict.fromkeys(file.path for file in change.plan.files))
        landed = rebase_change(change, self)
        if isinstance(landed, ChangePlan):
            self._proposed.update({swap.path: swap.after for swap in landed.swaps})
        else:
            self.stuck.append(StuckChange(change, landed))

    def _judge_missing(self, path: str, missing: FileMissing) -> FileLook:
        """Return `missing`, or why no file can be made there.

        A proposed change may make a directory of the path, or a file of a directory above it.
        """
        for name, content in self._proposed.items():
            if content is None:
                continue
            if name.startswith(f"{missing.at}/"):
                return FileUnfit(
                    "conflict",
                    f"{path}: a proposed change makes this a directory; use another name.",
                )
            if missing.at.startswith(f"{name}/"):
                return FileUnfit(
                    "conflict",
                    f"{path}: a proposed change makes {name} a file, so no file can be in it.",
                )

        return missing


def _look_at_proposed(below: FileFound | FileMissing, content: Content | None) -> FileLook:
    """Return a look at the proposed content; a file on the disk keeps its mode and its symlink."""
    if isinstance(below, FileFound):
        if content is None:
            return FileMissing(below.at)
        return FileFound(below.at, content.data, below.mode, below.linked)
    if content is None:
        return below

    mode = content.mode
    if mode is None:
        mode = _NEW_FILE_MODE

    return FileFound(below.at, content.data, mode)
