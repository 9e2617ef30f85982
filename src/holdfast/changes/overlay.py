"""The files as they would be if every proposed change were applied, in order. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.plan import ChangePlan, FileRefused
from holdfast.changes.ports import FileFound, FileLook, FileMissing, Files, FileUnfit
from holdfast.changes.rebase.rebase_requests import land_again

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.change import Change
    from holdfast.changes.swaps import Content

_NEW_FILE = 0o644


@dataclass(frozen=True, slots=True)
class Stuck:
    """A proposed change that no longer fits on the files and the changes before it, and why."""

    change: Change
    refusals: tuple[FileRefused, ...]


class Overlay:
    """The files below a root with proposed changes on top (port `Files`); `stuck` are those that do not fit."""

    def __init__(self, files: Files, changes: Iterable[Change]) -> None:
        """Lay the changes, oldest first, over the files."""
        self._files = files
        self._on_top: dict[str, Content | None] = {}
        self.stuck: list[Stuck] = []
        self._named: dict[str, None] = {}
        for change in changes:
            self._named |= dict.fromkeys(
                [*change.paths, *(file.path for file in change.plan.files)]
            )
            landed = land_again(change, self)
            if isinstance(landed, ChangePlan):
                self._on_top.update({swap.path: swap.after for swap in landed.swaps})
            else:
                self.stuck.append(Stuck(change, landed))

    @property
    def covered(self) -> frozenset[str]:
        """The real paths that are not as on the disk."""
        return frozenset(self._on_top)

    @property
    def named(self) -> tuple[str, ...]:
        """Every path that the changes are about, on top or stuck: while these are as on the disk, so is this."""
        return tuple(self._named)

    def look(self, path: str) -> FileLook:
        """Say what would be at a path."""
        looked = self._files.look(path)
        if isinstance(looked, FileUnfit):
            return looked
        if looked.at in self._on_top:
            return self._look_on_top(looked, self._on_top[looked.at])
        if isinstance(looked, FileMissing):
            return self._judge_place(path, looked)
        return looked

    def names(self, near: str) -> list[str]:
        """List the files that would be there."""
        names = [
            name for name in self._files.names(near) if self._on_top.get(name, True) is not None
        ]
        known = set(names)
        return names + [
            name
            for name, content in self._on_top.items()
            if content is not None and name not in known
        ]

    def _look_on_top(self, below: FileFound | FileMissing, content: Content | None) -> FileLook:
        if content is None:
            return FileMissing(below.at, below.parents if isinstance(below, FileMissing) else ())
        mode = below.mode if isinstance(below, FileFound) else content.mode
        linked = isinstance(below, FileFound) and below.linked
        return FileFound(below.at, content.data, _NEW_FILE if mode is None else mode, linked)

    def _judge_place(self, path: str, missing: FileMissing) -> FileLook:
        """No file is there yet; one cannot be made where a proposed change makes a directory, or a file above it."""
        made = [name for name, content in self._on_top.items() if content is not None]
        if any(name.startswith(f"{missing.at}/") for name in made):
            return FileUnfit(
                "conflict", f"{path}: a proposed change makes this a directory; give another name."
            )
        above = next((name for name in made if missing.at.startswith(f"{name}/")), None)
        if above:
            return FileUnfit(
                "conflict",
                f"{path}: a proposed change makes {above} a file, so no file can be in it.",
            )
        return missing
