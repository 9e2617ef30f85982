"""The files that differ from the beginning of a turn, and a digest of them.

Changing a file and restoring it yields the earlier digest again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.tools.ports import FileDigests

_GONE = ""


def mark_of(data: bytes | None) -> str:
    """Return the digest of a file's content; "" for a missing file."""
    if data is None:
        return _GONE
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class TreeMemory:
    """The marks of one turn. Only files that differ from the turn's beginning are in the digest."""

    def __init__(self, mark_now: Callable[[str], str]) -> None:
        """Begin without differences; `mark_now` reads a file's mark as the tools see it."""
        self._mark_now = mark_now
        self._origins: dict[str, str] = {}
        self._edited: set[str] = set()
        self._origin_of_unlisted: str | None = None
        self._now: dict[str, str] = {}
        self._listed: dict[str, str] = {}
        self.has_base = False
        """Whether the files were read before the first command."""
        self.unsure = False
        """Whether only `refresh` can find out if a file is again as at the beginning."""

    def edited(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Record how a tool changed a file."""
        if path in self._now and path not in self._origins:
            # A command changed the file first, so only git knows its original content.
            self.unsure = True
        else:
            self._origins.setdefault(path, mark_of(before))
            self._edited.add(path)

        self._set(path, mark_of(after))

    def base(self, marks: FileDigests) -> None:
        """Record the files as they are before the first command."""
        self.has_base = True
        if marks.whole:
            self._origin_of_unlisted = _GONE
        self._origins = {**marks.marks, **marks.origins, **self._origins}

    def refresh(self, marks: FileDigests) -> None:
        """Record the files as they are after a command."""
        self.unsure = False
        self._origins = {**marks.origins, **self._origins}
        for path in sorted({*marks.marks, *self._origins, *self._now}):
            self._set(path, self._mark(path, marks))
        self._listed.update(marks.marks)

    def digest(self) -> str:
        """Return a digest of all differences; equal for equal files."""
        lines = "".join(f"{path}\0{mark}\0" for path, mark in sorted(self._now.items()))
        data = lines.encode("utf-8", "surrogateescape")
        return hashlib.blake2b(data, digest_size=16).hexdigest()

    def _mark(self, path: str, marks: FileDigests) -> str | None:
        """Return the file's present mark; None if it is as at the beginning."""
        if path in self._edited:
            return self._mark_now(path)
        if path in marks.marks:
            return marks.marks[path]
        if marks.whole:
            return _GONE
        if path in self._origins:
            # Listed as changed before the first command, and not now: committed, or restored.
            return self._mark_now(path)

        # Clean, then changed, and clean again: committed (then as last listed), or restored.
        last = self._listed.get(path)
        if last is None or last != self._mark_now(path):
            return None

        return last

    def _set(self, path: str, mark: str | None) -> None:
        origin = self._origins.get(path, self._origin_of_unlisted)
        if mark is None or mark == origin:
            self._now.pop(path, None)
        else:
            self._now[path] = mark
