"""Which files of a turn are not as they were, and a digest of that: going back and forth gives the same digests."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.tools.ports import FileDigests

_GONE = ""


def mark_of(data: bytes | None) -> str:
    """Give the mark of what a file holds; that of no file is ""."""
    return _GONE if data is None else hashlib.blake2b(data, digest_size=16).hexdigest()


class TreeMemory:
    """The marks of a turn. Only what differs from the turn's beginning is part of the digest."""

    def __init__(self, mark_now: Callable[[str], str]) -> None:
        """Begin with every file as it is; `mark_now` reads a file's mark as the tools see it."""
        self._mark_now = mark_now
        self._origins: dict[str, str] = {}
        self._edited: set[str] = set()
        self._base: FileDigests | None = None
        self._now: dict[str, str] = {}
        self._listed: dict[str, str] = {}
        self.unsure = False
        """Whether only another look can tell if a file is again as it was at the beginning."""

    @property
    def has_base(self) -> bool:
        """Whether the files were looked at before the first command."""
        return self._base is not None

    def edited(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Take in what a tool did to a file."""
        if path not in self._origins and path not in self._now:
            self._origins[path] = mark_of(before)
        if path in self._origins:
            self._edited.add(path)
        else:
            # A command changed it first, and what it was before that is known to git alone.
            self.unsure = True
        self._set(path, mark_of(after))

    def base(self, marks: FileDigests) -> None:
        """Take in the files as they are before the first command."""
        self._base = marks
        for path, mark in marks.marks.items():
            self._origins.setdefault(path, mark)

    def refresh(self, marks: FileDigests) -> None:
        """Take in the files as they are after a command."""
        self.unsure = False
        for path in sorted({*marks.marks, *self._origins, *self._now}):
            self._set(path, self._mark(path, marks))
        self._listed.update(marks.marks)

    def digest(self) -> str:
        """Give one word for all that differs; the same for the same files."""
        lines = "".join(f"{path}\0{mark}\0" for path, mark in sorted(self._now.items()))
        return hashlib.blake2b(lines.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()

    def _mark(self, path: str, marks: FileDigests) -> str | None:
        """Give the file's mark now; None if it is as it was."""
        if path in self._edited:
            return self._mark_now(path)
        if path in marks.marks:
            return marks.marks[path]
        if marks.whole:
            return _GONE
        if path in self._origins:
            # It was listed as changed before the first command and no longer is: committed, or put back.
            return self._mark_now(path)
        # It was clean, then changed, and is clean again: committed (and so as it was last seen), or put back.
        last = self._listed.get(path)
        return last if last is not None and self._mark_now(path) == last else None

    def _set(self, path: str, mark: str | None) -> None:
        origin = self._origins.get(
            path, _GONE if self._base is not None and self._base.whole else None
        )
        if mark is None or mark == origin:
            self._now.pop(path, None)
        else:
            self._now[path] = mark
