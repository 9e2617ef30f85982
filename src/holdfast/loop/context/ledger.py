"""The ledger: the paths that the calls of a session have read and modified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

READ = "## Files Read"
MODIFIED = "## Files Modified"

_HEADING = lazy_pattern(r"[ \t]{0,3}(#{1,6})[ \t]+(.*)")
_OURS = lazy_pattern(r"(?i)files[ _-]*(?:read|modified|changed)\b")


@dataclass(frozen=True, slots=True)
class Ledger:
    """Paths that were read, and paths that were modified. A path may be in both sets."""

    read: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()

    def add(self, read: Iterable[str] = (), modified: Iterable[str] = ()) -> Ledger:
        """Return the ledger with these paths added; the same object if none is new."""
        added = Ledger(
            read=self.read.union(read),
            modified=self.modified.union(modified),
        )
        if added == self:
            return self

        return added


EMPTY = Ledger()


def render(ledger: Ledger, room: int) -> str:
    r"""Return both sections, sorted. If they exceed `room` characters, folders replace their files.

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
    # Modified files get the room first: the model must not forget them.
    modified = _lines(ledger.modified, room)
    read = _lines(ledger.read, room - sum(map(len, modified)))
    return "\n".join((READ, *read, "", MODIFIED, *modified))


def strip_sections(text: str) -> str:
    r"""Return the text without sections on files read and modified.

    The ledger replaces them, because a model invents and forgets paths.

    >>> strip_sections("## Goal\nx\n## Files Read\n- made/up.py\n## Next Steps\ny")
    '## Goal\nx\n## Next Steps\ny'
    """
    kept: list[str] = []
    dropped_level = 0
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = _HEADING.fullmatch(line)
        if heading is not None and not fenced:
            level = len(heading[1])
            if _OURS.match(heading[2].strip("*_: \t")):
                dropped_level = level
            elif level <= dropped_level:
                dropped_level = 0
        if not dropped_level:
            kept.append(line)

    return "\n".join(kept)


def _lines(paths: frozenset[str], room: int) -> list[str]:
    if not paths:
        return ["(none)"]

    entries = sorted(paths)
    size = sum(map(len, entries)) + len("- \n") * len(entries)
    if size > room:
        entries = sorted(_fold(paths))

    return [f"- {entry}" for entry in entries]


def _fold(paths: frozenset[str]) -> list[str]:
    """Return one entry for each folder with several files, and the other files."""
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        by_folder.setdefault(folder, []).append(path)

    entries: list[str] = []
    for folder, files in by_folder.items():
        if folder and len(files) > 1:
            entries.append(f"{folder}/ ({len(files)} files)")
        else:
            entries += files

    return entries
