"""Whether new lines are indented as the file can have them: the file's own character, at a level that is open there.

They are written as they were sent, or refused: a request whose old lines are the file's own does not prove what another
indentation means.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from operator import add
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.projection.indentation import unit_of
from holdfast.landing.projection.levels import FileLevels, goes_on, is_closer, step_between
from holdfast.landing.text.code_spans import code_spans
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import is_comment_like, language_of
from holdfast.landing.text.line_keys import indent_of, key_of, width_of
from holdfast.landing.text.lines import Doc, contents_of, solid_lines, solid_numbers, split_lines
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.outcomes import Refused

_SAMPLE = 30_000
"""Characters of the file that are looked at: the time does not grow with it."""
_BESIDE = 2_000
"""Characters beside the change in which the lines above and below it are."""


def judge_levels(before: str, after: str, path: str | None) -> Refused | None:
    """Return the refusal of new lines in an indentation that the file would not have there, or None.

    Lines inside strings and comments have any.
    """
    if path is None:
        return None
    change = _Change(before, after, path)
    # Strings and comments take long to find, and most requests are right without.
    if change.odd_line(frozenset()) is None:
        return None
    odd = change.odd_line(change.covered())
    if odd is None:
        return None
    # If only the indentation differs, it is the edit.
    if before.split() == after.split():
        return None
    return refusals.foreign_levels(change.lines[odd].strip(), unit_of(change.levels.doc))


def judge_file_levels(before: str, after: str, path: str | None) -> Refused | None:
    """Return the refusal of a whole file of which lines come back but for the character that indents them, or None.

    If nothing else changes, it is the edit.
    """
    if path is None:
        return None
    levels = FileLevels(Doc(before[:_SAMPLE], language_of(path)))
    if not levels.char:
        return None

    own = frozenset(map(str.strip, levels.doc.lines))
    back: list[str] = []
    for line in filter(levels.is_foreign, contents_of(after)):
        bare = line.strip()
        if bare in own:
            back.append(bare)
    if len(back) < _SEVERAL:
        return None
    if before.split() == after.split():
        return None
    return refusals.foreign_levels(back[0], unit_of(levels.doc))


_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of code: its number among the changed ones, or -1 beside them."""

    n: int
    text: str
    is_new: bool = False


class _Change:
    """The lines that an edit changed, and the lines around them."""

    def __init__(self, before: str, after: str, path: str) -> None:
        head, tail = shared_ends(before, after)
        self.after = after
        self.start = after.rfind("\n", 0, head) + 1
        self.stop = after.find("\n", len(after) - tail) + 1 or len(after)
        self.lines, self.ends = split_lines(after[self.start : self.stop])
        old = split_lines(before[self.start : len(before) - (len(after) - self.stop)])[0]
        self.script = script_of(old, self.lines)
        removed = frozenset(map(self.script.old.__getitem__, self.script.removed))
        # A line that moves keeps its bytes.
        moved = [n for n in self.script.added if self.lines[n] in removed]
        self.added = (
            set(self.script.added).intersection(solid_numbers(self.lines)).difference(moved)
        )
        self.is_prose = kind_of(path) == "prose"
        self.levels = FileLevels(Doc(before[:_SAMPLE], language_of(path)))

    def covered(self) -> frozenset[int]:
        """Return the changed lines that begin in a string or a comment."""
        spans = code_spans(self.after, self.levels.doc.language)
        sizes = map(len, map(add, self.lines, self.ends))
        starts = accumulate(sizes, initial=self.start)
        return frozenset(n for n, start in enumerate(starts) if spans.covers(start - 1))

    def odd_line(self, covered: frozenset[int]) -> int | None:
        """Return the first new line, of those that are not `covered`, that is indented as no line of the file would be there."""
        for n in sorted(self.added - covered):
            if self.levels.is_foreign(self.lines[n]):
                return n
        if self.is_prose:
            return None
        if not self.added:
            return None
        return self._misplaced(covered)

    def _misplaced(self, covered: frozenset[int]) -> int | None:
        """Return the first new line at no open level, or beside which is a step that the file does not make."""
        walked = self._code(covered)
        known = self._known_indents(walked)
        opened: list[str] = []
        # Below a line that goes on in the next one there is any indentation.
        is_open = False
        for above, line in pairwise(walked):
            _open_level(opened, indent_of(above.text))
            was_open, is_open = is_open, goes_on(above.text)
            if was_open or is_open:
                continue
            new = above
            if line.is_new:
                new = line
            if not new.is_new:
                continue
            if above.is_new != line.is_new and indent_of(new.text) in known[new.n]:
                continue
            if not self._fits(above.text, line.text, opened):
                return new.n
        return None

    def _code(self, covered: frozenset[int]) -> list[_Line]:
        """Return the lines of code above the change, of it and below it, without those that are `covered`."""
        # From the beginning of a line on.
        first = self.after.rfind("\n", 0, max(0, self.start - _BESIDE)) + 1
        above = split_lines(self.after[first : self.start])[0]
        below = split_lines(self.after[self.stop : self.stop + _BESIDE])[0]
        walked = [_Line(-1, line) for line in above]
        walked += [
            _Line(n, line, n in self.added) for n, line in enumerate(self.lines) if n not in covered
        ]
        walked += [_Line(-1, line) for line in solid_lines(below)[:1]]
        return list(filter(self._has_level, walked))

    def _has_level(self, line: _Line) -> bool:
        """Return whether the line is at a level of the code: it is not blank and no comment."""
        if not key_of(line.text):
            return False
        return not is_comment_like(line.text, self.levels.doc.language)

    def _known_indents(self, walked: Sequence[_Line]) -> dict[int, set[str]]:
        """Return for each new line the indentations of the lines that its edit removes, and of the next line that stays."""
        found: dict[int, set[str]] = {}
        for edit in self.script.edits:
            removed = set(map(indent_of, self.script.old[edit.o1 : edit.o2]))
            found.update(dict.fromkeys(range(edit.n1, edit.n2), removed))

        below: set[str] = set()
        for line in reversed(walked):
            if line.is_new:
                found[line.n] = found[line.n] | below
            else:
                below = {indent_of(line.text)}
        return found

    def _fits(self, above: str, line: str, opened: Sequence[str]) -> bool:
        """Return whether the line may be below the other, which is the last of the open levels."""
        step = step_between(above, line)
        if step:
            return self.levels.may_step(above, step)
        is_outer = is_closer(line) or self.levels.doc.language.lists_name(key_of(line))
        if self.levels.always_steps(above) and not is_outer:
            return False
        indent = indent_of(line)
        if indent in opened:
            return True
        # It may close a block that was opened far above.
        if width_of(indent) >= min(map(width_of, opened)):
            return False
        return indent in self.levels.doc.indents | {""}


def _open_level(opened: list[str], indent: str) -> None:
    """Add the level of a line to those of the blocks that are open; a line further to the left closes blocks."""
    while opened and width_of(opened[-1]) >= width_of(indent):
        opened.pop()
    opened.append(indent)
