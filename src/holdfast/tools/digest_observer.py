"""What commands change, by digests alone: the files are known, their old contents are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.tools.ports import Author, FileDigests, Observed, WorktreeDigests

if TYPE_CHECKING:
    from collections.abc import Iterator


class DigestObserver:
    """Compares digests before and after a command (port `FileObserver`).

    For a folder without checkpoints. A change between two commands is not reported, and none is
    recorded.
    """

    def __init__(self, digests: WorktreeDigests) -> None:
        """Compare what `digests` finds."""
        self._digests = digests
        self._last = FileDigests({}, whole=True)

    def look(self, by: Author) -> Observed:
        """Return what has changed since the last look, if a command did it."""
        before, now = self._last, self._digests.look()
        self._last = now
        if by == "outside":
            return Observed(now)
        return Observed(now, tuple(self._changed(before, now)))

    def _changed(self, before: FileDigests, now: FileDigests) -> Iterator[str]:
        """Yield the files that have another mark than before."""
        for path in sorted({*before.marks, *now.marks}):
            mark = now.marks.get(path)
            if mark is None:
                # Not listed any more: committed, restored, or gone.
                mark = self._digests.mark(path)
            if mark != before.marks.get(path):
                yield path
