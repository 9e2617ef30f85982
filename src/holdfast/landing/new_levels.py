"""The indentation of new lines in the levels of the file.

A request whose old lines are the file's own does not show that its new lines have levels of another width, or none. The
file does: below a line that ends so it indents by four blanks, and the new text by two.
"""

from __future__ import annotations

from itertools import accumulate, compress, count, pairwise
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
from holdfast.landing.text.lines import Doc, solid_lines, solid_numbers, split_lines
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.outcomes import Refused

_SEVERAL = 2
_SAMPLE = 30_000
"""Characters of the file that are looked at: the time does not grow with it."""
_BESIDE = 2_000
"""Characters beside the change in which the lines above and below it are."""
_TAB_WIDTHS = (2, 4, 8)


def in_file_levels(before: str, after: str, path: str | None) -> str | Refused:
    """Return the text after an edit with its new lines in the levels of the file, or the refusal of lines in others."""
    if path is None:
        return after
    change = _Change(before, after, path)
    if not change.added:
        return after

    lines = change.lines
    if not change.is_prose:
        lines = change.in_levels()
        # What was converted must be certain.
        change.is_strict = lines != change.lines
    odd = change.odd_line(lines)
    if odd:
        readings = [one for one in change.in_file_chars() if not change.odd_line(one)]
        if len(readings) != 1:
            return refusals.foreign_levels(odd, unit_of(change.levels.doc))
        (lines,) = readings

    middle = "".join(map(add, lines, change.ends))
    return after[: change.start] + middle + after[change.stop :]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not blank: its number among the changed ones, or -1 beside them."""

    n: int
    text: str
    is_new: bool = False


def _line_beside(line: str) -> _Line:
    return _Line(-1, line)


def _new_of(above: _Line, line: _Line) -> _Line | None:
    """Return which of two lines is new, the lower one if both are; None if none is."""
    if line.is_new:
        return line
    if above.is_new:
        return above
    return None


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
        solid = solid_numbers(self.lines)
        self.added = sorted(set(self.script.added).intersection(solid).difference(moved))
        self.is_prose = kind_of(path) == "prose"
        self.is_strict = False
        """Whether a line may be deeper only below a line that opens a block."""
        self.levels = FileLevels(Doc(before[:_SAMPLE], language_of(path)))

    @property
    def above(self) -> list[str]:
        """The last lines above the change that are not blank."""
        # From the beginning of a line on.
        first = self.after.rfind("\n", 0, max(0, self.start - _BESIDE)) + 1
        return solid_lines(split_lines(self.after[first : self.start])[0])

    @property
    def below(self) -> list[str]:
        """The first line below the change that is not blank, if it is near."""
        return solid_lines(split_lines(self.after[self.stop : self.stop + _BESIDE])[0])[:1]

    def in_levels(self) -> list[str]:
        """Return the lines with the new ones in the levels of the file, where all of these have another width."""
        lines = list(self.lines)
        beside = self.above
        for edit in self.script.edits:
            if set(self.added).isdisjoint(range(edit.n1, edit.n2)):
                continue
            above = next(filter(key_of, reversed([*beside, *lines[: edit.n1]])), "")
            lines[edit.n1 : edit.n2] = self.levels.written(above, lines[edit.n1 : edit.n2])
        return lines

    def in_file_chars(self) -> Iterator[list[str]]:
        """Yield the lines with the new ones indented as the file's are, for each width that a level of theirs may have."""
        unit = unit_of(self.levels.doc)
        for width in _TAB_WIDTHS:
            lines = list(self.lines)
            for n in self.added:
                indent = indent_of(lines[n])
                levels = indent.replace(" " * width, "\t")
                if self._is_foreign(lines[n]) and set(levels) == {"\t"}:
                    lines[n] = unit * len(levels) + lines[n][len(indent) :]
            yield lines
            if unit != "\t":
                return

    def odd_line(self, lines: Sequence[str]) -> str:
        """Return a new line in an indentation that the file would not have there, or "".

        Lines inside strings and comments have any.
        """
        # Strings and comments take long to find, and most requests are right without.
        odd = self._odd_lines(lines, frozenset()) and self._odd_lines(lines, self._covered())
        return "".join(lines[n].strip() for n in odd[:1])

    def _odd_lines(self, lines: Sequence[str], covered: frozenset[int]) -> list[int]:
        """Return the new lines in an indentation that the file would not have there; not those that are `covered`."""
        judged = sorted(set(self.added) - covered)
        foreign = map(self._is_foreign, map(lines.__getitem__, judged))
        odd = list(compress(judged, foreign))
        if self.is_prose:
            return odd
        return odd + self._misplaced(lines, covered)

    def _covered(self) -> frozenset[int]:
        """Return the changed lines that begin in a string or a comment."""
        spans = code_spans(self.after, self.levels.doc.language)
        sizes = map(len, map(add, self.lines, self.ends))
        starts = accumulate(sizes, initial=self.start)
        before = map((-1).__add__, starts)
        return frozenset(compress(count(), map(spans.covers, before)))

    def _is_foreign(self, line: str) -> bool:
        """Return whether the line is indented by another character than all lines of the file."""
        char, indent = self.levels.char, indent_of(line)
        # One blank is before each line of a block comment; behind tabs blanks align.
        if not char or indent in {"", " "}:
            return False
        if not indent.startswith(char):
            return True
        return "\t" in indent.lstrip(char)

    def _misplaced(self, lines: Sequence[str], covered: frozenset[int]) -> list[int]:
        """Return the new lines that begin at no open level, or beside which is a step that the file does not make."""
        walked = self._walked(lines, covered)
        removed = self._removed_indents()
        below = _kept_below(walked)
        opened: list[str] = []
        odd: list[int] = []
        # Below a line that goes on in the next one there is any indentation.
        is_open = False
        for at, (above, line) in enumerate(pairwise(walked), 1):
            _open_level(opened, indent_of(above.text))
            was_open, is_open = is_open, goes_on(above.text)
            if was_open or is_open:
                continue

            beside = _new_of(above, line)
            if beside is None:
                continue
            known = removed[beside.n] | below[at]
            is_known = above.is_new != line.is_new and indent_of(beside.text) in known
            if is_known:
                continue
            if not self._fits(above.text, line.text, opened):
                odd.append(beside.n)
        return odd

    def _walked(self, lines: Sequence[str], covered: frozenset[int]) -> list[_Line]:
        """Return the lines of code above the change, of it and below it, without those that are `covered`."""
        new = frozenset(self.added)
        walked = list(map(_line_beside, self.above))
        for n, line in enumerate(lines):
            if n not in covered:
                walked.append(_Line(n, line, n in new))
        walked += map(_line_beside, self.below)
        return list(filter(self._has_level, walked))

    def _has_level(self, line: _Line) -> bool:
        """Return whether the line is at a level of the code: it is not blank and no comment."""
        return key_of(line.text) != "" and not is_comment_like(line.text, self.levels.doc.language)

    def _removed_indents(self) -> dict[int, set[str]]:
        """Return for each new line the indentations of the lines that its edit removes."""
        found: dict[int, set[str]] = {}
        for edit in self.script.edits:
            removed = set(map(indent_of, self.script.old[edit.o1 : edit.o2]))
            found.update(dict.fromkeys(range(edit.n1, edit.n2), removed))
        return found

    def _fits(self, above: str, line: str, opened: Sequence[str]) -> bool:
        """Return whether the line may be below the other, which is the last of the open levels."""
        step = step_between(above, line)
        if step and self.is_strict and not self.levels.may_open(above):
            return False
        if step:
            return self.levels.is_step_below(above, step)
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


def _kept_below(walked: Sequence[_Line]) -> list[set[str]]:
    """Return for each line the indentation of the next line below it that is not new, if there is one."""
    found: list[set[str]] = []
    below: set[str] = set()
    for line in reversed(walked):
        found.append(below)
        if not line.is_new:
            below = {indent_of(line.text)}
    return found[::-1]


def _open_level(opened: list[str], indent: str) -> None:
    """Add the level of a line to those of the blocks that are open; a line further to the left closes blocks."""
    while opened and width_of(opened[-1]) >= width_of(indent):
        opened.pop()
    opened.append(indent)
