"""The ledger: which paths a session has read and modified, from the calls themselves, whatever a summary says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

READ = "## Files Read"
MODIFIED = "## Files Modified"

_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*)")
_OURS = re.compile(r"(?i)files[ _-]*(?:read|modified|changed)\b")


@dataclass(frozen=True, slots=True)
class Ledger:
    """Paths that were read and paths that were modified. A path may be in both."""

    read: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()

    def add(self, read: Iterable[str] = (), modified: Iterable[str] = ()) -> Ledger:
        """Give the ledger with these paths too; the same object where it has them all."""
        more_read, more_modified = self.read.union(read), self.modified.union(modified)
        if len(more_read) == len(self.read) and len(more_modified) == len(self.modified):
            return self
        return Ledger(more_read, more_modified)


EMPTY = Ledger()


def render(ledger: Ledger, room: int) -> str:
    r"""Give the two sections, sorted. Where they are longer than `room` characters, folders stand for their files.

    >>> print(render(Ledger(frozenset({"b.py", "a.py"}), frozenset({"b.py"})), 1000))
    ## Files Read
    - a.py
    - b.py
    <BLANKLINE>
    ## Files Modified
    - b.py
    >>> print(render(Ledger(frozenset({"src/b.py", "src/a.py", "c.py"})), 30))
    ## Files Read
    - c.py
    - src/ (2 files)
    <BLANKLINE>
    ## Files Modified
    (none)
    """
    # What was modified has the first claim on the room: it is what the model must not forget.
    modified = _lines(ledger.modified, room)
    read = _lines(ledger.read, room - sum(map(len, modified)))
    return "\n".join((READ, *read, "", MODIFIED, *modified))


def strip_sections(text: str) -> str:
    r"""Give the text without its own sections on files read and modified: a model invents and forgets paths.

    >>> strip_sections("## Goal\nx\n## Files Read\n- made/up.py\n## Next Steps\ny")
    '## Goal\nx\n## Next Steps\ny'
    """
    kept: list[str] = []
    dropped_level = 0
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is None:
            if not dropped_level:
                kept.append(line)
            continue
        level = len(heading[1])
        if _OURS.match(heading[2].strip("*_: \t")):
            dropped_level = level
        elif not dropped_level or level <= dropped_level:
            dropped_level = 0
            kept.append(line)
    return "\n".join(kept)


def _lines(paths: frozenset[str], room: int) -> list[str]:
    if not paths:
        return ["(none)"]
    if sum(map(len, paths)) + 3 * len(paths) <= room:
        return [f"- {path}" for path in sorted(paths)]
    folders = Counter(path.rpartition("/")[0] for path in paths)
    alone = [path for path in paths if folders[path.rpartition("/")[0]] == 1 or "/" not in path]
    folded = [
        f"{folder}/ ({count} files)" for folder, count in folders.items() if folder and count > 1
    ]
    return [f"- {entry}" for entry in sorted(alone + folded)]
