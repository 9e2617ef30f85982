"""How the request's indentation maps onto the file's."""

from __future__ import annotations

import operator
from collections import Counter
from itertools import chain, filterfalse, product
from typing import TYPE_CHECKING

from holdfast.landing.text.edit_script import common_ends, kept_lines, script_of
from holdfast.landing.text.line_keys import (
    TAB_WIDTH,
    fold,
    indent_of,
    indent_width,
    key_of,
    width_of,
)
from holdfast.landing.text.lines import Doc, is_blank, solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.landing.placement import Placement
    from holdfast.landing.text.edit_script import EditScript


@dataclass(frozen=True, slots=True)
class Indents:
    """A map from the request's indentation to the file's, taken from lines that are on both sides."""

    table: dict[str, str]
    """What the lines on both sides show; empty where they are indented alike."""
    shift: int = 0
    """Columns that the file is further to the right, where levels have the same width on both sides."""
    step: int = 0
    """The request's columns for one level, where the file's levels have another width; else 0."""
    unit: str = ""
    """The file's text for one level."""

    def map(self, indent: str) -> str:
        """Return the file's indentation for a new line that the request indents by `indent`."""
        if not self.table:
            return indent

        known = self.table.get(indent)
        if known is not None:
            return known
        if self._is_of_file(indent):
            return indent
        if not self.step:
            return self._shifted(indent)

        width = width_of(indent)
        below = [key for key in self.table if width_of(key) <= width]
        if not below:
            base = min(self.table, key=width_of)
            levels = -(-(width_of(base) - width) // self.step)
            return self.table[base][: -len(self.unit) * levels]

        base = max(below, key=width_of)
        levels, rest = divmod(width - width_of(base), self.step)
        return self.table[base] + self.unit * levels + " " * rest

    def _is_of_file(self, indent: str) -> bool:
        """Return whether the new line is indented by characters that the file's lines have, and none of the request's old ones."""
        chars, old_chars = frozenset(indent), frozenset("".join(self.table))
        if not old_chars:
            return False
        if chars & old_chars:
            return False
        return chars <= frozenset("".join(self.table.values()))

    def _shifted(self, indent: str) -> str:
        if not self.shift and ("\t" in indent) == (self.unit == "\t"):
            return fold(indent)

        width = max(0, width_of(indent) + self.shift)
        if self.unit != "\t":
            return " " * width

        tabs, blanks = divmod(width, TAB_WIDTH)
        return "\t" * tabs + " " * blanks


def with_file_indents(doc: Doc, script: EditScript, place: Placement) -> EditScript:
    """Return the script with its old lines indented as the file's, if only they are off and the new lines are not."""
    pairs = {j: i for j, i in place.pairs.items() if not is_blank(script.old[j])}
    if not _is_in_file_indentation(doc, script, pairs):
        return script

    old = list(script.old)
    for j, i in pairs.items():
        body = old[j][len(indent_of(old[j])) :]
        old[j] = indent_of(doc.lines[i]) + body
    new = list(map(_with_plain_indent, script.new))
    return script_of(old, new)


def _with_plain_indent(line: str) -> str:
    indent = indent_of(line)
    return fold(indent) + line[len(indent) :]


def _is_in_file_indentation(doc: Doc, script: EditScript, pairs: Mapping[int, int]) -> bool:
    """Return whether the new lines that stand for lines of the file are indented as these, and not as the old lines.

    New lines that begin further to the left than the lines of the file are in the old ones' indentation: a wrapped block.
    """
    off = _pairs_off(doc, script, pairs)
    new = solid_lines(script.new)
    if not off or not new:
        return False

    votes = _votes_around(doc, script, pairs)
    if votes:
        return votes["file"] > votes["old"]

    outer_new = _outermost(new)
    outer_old = _outermost(script.old[j] for j in pairs)
    outer_real = _outermost(doc.lines[i] for i in pairs.values())
    if outer_new < outer_real:
        return False
    if outer_new == outer_real < outer_old:
        return True

    keys = script_of(list(map(key_of, script.old)), list(map(key_of, script.new)))
    kept = [(n, j) for n, j in kept_lines(keys) if j in off]
    votes = _count_votes(doc, script, pairs, kept)
    if votes:
        return votes["file"] > votes["old"]
    return _begins_in_file_indentation(doc, script, off)


def _pairs_off(doc: Doc, script: EditScript, pairs: Mapping[int, int]) -> dict[int, int]:
    """Return the pairs whose old line is indented otherwise than the file's."""
    off = {}
    for j, i in pairs.items():
        written = fold(indent_of(script.old[j]))
        if written != indent_of(doc.lines[i]):
            off[j] = i
    return off


def _votes_around(doc: Doc, script: EditScript, pairs: Mapping[int, int]) -> Counter[str]:
    """Return the votes of the lines around the change.

    What is wrapped begins with another line; below it the lines of a wrapped block may be as deep as the file's by chance.
    """
    head, _ = common_ends(list(map(key_of, script.old)), list(map(key_of, script.new)))
    _, tail = common_ends(script.old[head:], script.new[head:])
    above = zip(range(head), range(head), strict=True)
    last = len(script.new), len(script.old)
    below = zip(*(range(size - tail, size) for size in last), strict=True)
    return _count_votes(doc, script, pairs, chain(above, below))


def _count_votes(
    doc: Doc, script: EditScript, pairs: Mapping[int, int], kept: Iterable[tuple[int, int]]
) -> Counter[str]:
    """Return how many new lines that are old ones too are indented as the file's line is, and how many as the old one.

    A line that is as deep in all three says nothing.
    """
    votes: Counter[str] = Counter()
    for n, j in kept:
        if is_blank(script.new[n]):
            continue
        own = indent_width(script.new[n])
        old = indent_width(script.old[j])
        real = None
        if j in pairs:
            real = indent_width(doc.lines[pairs[j]])
        if own == real != old:
            votes["file"] += 1
        if own == old != real:
            votes["old"] += 1
    return votes


def _outermost(lines: Iterable[str]) -> int:
    """Return the column of the line that begins furthest to the left."""
    return min(map(indent_width, lines))


def _begins_in_file_indentation(doc: Doc, script: EditScript, off: Mapping[int, int]) -> bool:
    """Return whether the new lines of the first edit of such a line begin in the indentation that the file's line has."""
    for edit in script.edits:
        new = solid_lines(script.new[edit.n1 : edit.n2])
        if not new:
            continue
        if edit.o1 not in off:
            continue
        real = doc.lines[off[edit.o1]]
        return fold(indent_of(new[0])) == indent_of(real)
    return False


def map_indents(
    pairs: Iterable[tuple[str, str]], request: Sequence[str], doc: Doc
) -> Indents | None:
    """Return the map of indentations that fits each (request line, file line) pair, or None."""
    table: dict[str, str] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for line, real in pairs:
        indent, meant = indent_of(line), indent_of(real)
        if table.setdefault(indent, meant) != meant:
            return None
        if not _is_off_level(line):
            seen[width_of(indent), width_of(meant)] += 1

    if list(table) == list(table.values()):
        return Indents({})

    unit = unit_of(doc)
    shifts: Counter[int] = Counter()
    for (ours, theirs), count in seen.items():
        shifts[theirs - ours] += count
    # Of as many lines that are off and that are not, those that are off are slips.
    shift = max(shifts, key=lambda columns: (shifts[columns], columns == 0), default=0)
    shifted = shifts[shift]
    scale = _best_scale(seen, request, unit)
    in_levels = shift % width_of(unit) == 0 and _steps_of(request)[0] == width_of(unit)
    enough = shifted
    # Where both explain as many lines, a shift by whole levels is likelier.
    if not shift or in_levels:
        enough += 1
    if scale.explained >= enough:
        return Indents(table, step=scale.step, unit=scale.unit)

    if shifted * 2 > seen.total():
        table = {
            ours: theirs
            for ours, theirs in table.items()
            if not ours or width_of(theirs) - width_of(ours) == shift
        }
    return Indents(table, shift=shift, unit=unit)


@dataclass(frozen=True, slots=True)
class _Scale:
    """The columns of one level of the request, the file's text for one level, and how many lines this explains."""

    step: int
    unit: str
    explained: int


_STEPS = (8, 4, 3, 2, 1)


def _steps_of(request: Sequence[str]) -> list[int]:
    """Return the columns that a level of the request may have, the likeliest first."""
    on_level = filterfalse(_is_off_level, request)
    widths = set(map(indent_width, on_level))
    return sorted(_STEPS, key=lambda step: -sum(width % step == 0 for width in widths))


def _best_scale(seen: Counter[tuple[int, int]], request: Sequence[str], unit: str) -> _Scale:
    """Return the scale that explains most lines."""
    steps = _steps_of(request)
    low = (0, 0)
    if len(seen) > 1:
        low = min(seen)
    else:
        # One line may be off by a column; it takes two to show that a level is no wider.
        steps.remove(1)

    units = [unit]
    if unit != "\t":
        units += [" " * size for size in _STEPS]

    explained: dict[tuple[int, str], int] = {}
    for level, step in product(units, steps):
        explained[step, level] = _count_explained(seen, low, step, width_of(level))

    best = max(explained, key=explained.__getitem__)
    return _Scale(*best, explained[best])


def _count_explained(
    seen: Counter[tuple[int, int]], low: tuple[int, int], step: int, width: int
) -> int:
    """Return how many lines are as many levels deeper than `low` in the file as in the request."""
    explained = 0
    for (ours, theirs), count in seen.items():
        depth, rest = divmod(ours - low[0], step)
        if not rest and depth * width == theirs - low[1]:
            explained += count

    return explained


def _is_off_level(line: str) -> bool:
    """Return whether the line shows nothing about levels: it is blank, or the ` *` line of a block comment."""
    if is_blank(line):
        return True
    return line.lstrip().startswith("*")


_SAMPLE = 2_000
"""Lines looked at: enough to know the unit, and the time does not grow with the file."""


def unit_of(doc: Doc) -> str:
    """Return the file's own level: a tab, or the commonest step between indentations."""
    if doc.unit is None:
        doc.unit = _unit_seen(doc)
    return doc.unit


def _unit_seen(doc: Doc) -> str:
    indents = [indent_of(doc.lines[i]) for i in doc.solid[:_SAMPLE]]
    indented = list(filter(None, indents))
    with_tab = sum("\t" in indent for indent in indented)
    if with_tab * 2 > len(indented):
        return "\t"

    widths = list(map(width_of, indents))
    steps: Iterator[int] = map(operator.sub, widths, [0, *widths])
    known = Counter(filter(_STEPS[:-1].__contains__, steps))
    if not known:
        return " " * 4
    ((step, _),) = known.most_common(1)
    return " " * step
