"""How the request's indentation maps onto the file's."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from math import gcd
from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import fold, indent_of, width_of
from holdfast.landing.text.lines import Doc, is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Indents:
    """A map from the request's indentation to the file's, taken from lines that are on both sides."""

    table: dict[str, str]
    step: int
    """The request's columns for one level."""
    unit: str
    """The file's text for one level."""
    scaled: bool
    """The request's levels have another width (or tabs for blanks).

    Beyond the table, count levels, not columns.
    """

    def map(self, indent: str) -> str:
        """Return the file's indentation for a new line that the request indents by `indent`."""
        known = self.table.get(indent)
        if known is not None:
            return known
        if not self.table:
            return indent
        width = width_of(indent)
        below = [key for key in self.table if width_of(key) <= width]
        if below:
            # A known indentation that the line's own begins with says more than one that is nearly
            # as wide.
            base = max([key for key in below if indent.startswith(key)] or below, key=width_of)
            # Tabs followed by blanks: one more level goes in front of them all.
            if not self.scaled and base and indent.endswith(base) and not indent.startswith(base):
                return fold(indent[: -len(base)]) + self.table[base]
            return self.table[base] + self._deeper(indent, base)
        base = min(self.table, key=width_of)
        return self._shallower(self.table[base], width_of(base) - width)

    def _deeper(self, indent: str, base: str) -> str:
        extra = width_of(indent) - width_of(base)
        levels, rest = divmod(extra, self.step)
        if self.scaled and not rest:
            return self.unit * levels
        if self.scaled:
            return self.unit * levels + " " * rest
        more = fold(indent[len(base) :]) if indent.startswith(base) else " " * extra
        # The file's own unit: blanks for a level become its tab.
        return (
            self.unit * levels if self.unit == "\t" and not rest and not more.strip(" ") else more
        )

    def _shallower(self, mapped: str, columns: int) -> str:
        if not self.scaled:
            return (
                mapped[: max(0, len(mapped) - columns)]
                if not mapped.endswith("\t")
                else mapped[: -(-columns // 8)]
            )
        for _ in range(-(-columns // self.step)):
            mapped = (
                mapped.removesuffix(self.unit)
                if mapped.endswith(self.unit)
                else mapped[: -len(self.unit)]
            )
        return mapped


def map_indents(
    pairs: Iterable[tuple[str, str]], request: Sequence[str], doc: Doc
) -> Indents | None:
    """Return the map of indentations that fits each (request line, file line) pair, or None."""
    table: dict[str, str] = {}
    levels: dict[str, str] = {}
    for line, real in pairs:
        indent, meant = indent_of(line), indent_of(real)
        if table.setdefault(indent, meant) != meant:
            return None
        if not _is_off_level(line):
            levels[indent] = meant
    if all(key == value for key, value in table.items()):
        return Indents({}, 1, "", scaled=False)
    levels = levels or table
    step = step_of([line for line in request if not _is_off_level(line)] or request)
    unit = _unit_in(levels, step) or unit_of(doc)
    return Indents(
        table, step, unit, scaled=not _is_shifted(table) and _is_scaled(levels, step, unit)
    )


def _is_shifted(table: dict[str, str]) -> bool:
    """Return whether two or more indentations are all off by the same number of columns."""
    return (
        len(table) > 1
        and len({width_of(value) - width_of(key) for key, value in table.items()}) == 1
    )


def _is_off_level(line: str) -> bool:
    """Return whether it is a ` *` line of a block comment.

    One column off, it shows nothing about levels.
    """
    return line.lstrip().startswith("*")


def _unit_in(table: dict[str, str], step: int) -> str | None:
    """Return the file's text for one of the request's levels, where the table itself shows it."""
    keys = sorted(table, key=width_of)
    low, high = keys[0], keys[-1]
    columns, text = width_of(high), table[high]
    if columns != width_of(low) and text.startswith(table[low]):
        columns, text = columns - width_of(low), text[len(table[low]) :]
    levels = columns // step
    if not levels or columns % step or not text or len(text) % levels:
        return None
    unit = text[: len(text) // levels]
    return unit if unit * levels == text else None


def _is_scaled(table: dict[str, str], step: int, unit: str) -> bool:
    keys = sorted(table, key=width_of)
    low, high = keys[0], keys[-1]
    if width_of(high) != width_of(low):
        return width_of(table[high]) - width_of(table[low]) != width_of(high) - width_of(low) or (
            ("\t" in table[high]) != ("\t" in high)
        )
    # One indentation only: a level of another width is the likelier reading than a shift by half a
    # level.
    mixes = ("\t" in high) != ("\t" in table[high])
    levels = width_of(high) / step
    fits = unit * int(levels) == table[high] and levels == int(levels)
    return (step != width_of(unit) and fits) or mixes


def step_of(lines: Sequence[str]) -> int:
    """Return the columns of one level in the request.

    What all differences between its indentations have in common.
    """
    widths = {width_of(indent_of(line)) for line in lines if not is_blank(line)}
    lowest = min(widths, default=0)
    step = reduce(gcd, (width - lowest for width in widths), 0)
    if lowest and step:
        return gcd(step, lowest) if gcd(step, lowest) > 1 else step
    return step or lowest or 1


_COMMON_STEPS = (2, 3, 4, 8)
_SAMPLE = 2_000
"""Lines looked at: enough to know the unit, and the time does not grow with the file."""


def unit_of(doc: Doc) -> str:
    """Return the file's own level: a tab, or the commonest step between indentations."""
    if doc.unit is None:
        doc.unit = _unit_seen(doc)
    return doc.unit


def _unit_seen(doc: Doc) -> str:
    tabs = blanks = 0
    steps: Counter[int] = Counter()
    last = 0
    for i in doc.solid[:_SAMPLE]:
        indent = indent_of(doc.lines[i])
        if "\t" in indent:
            tabs += 1
        elif indent:
            blanks += 1
        width = width_of(indent)
        if width > last and width - last in _COMMON_STEPS:
            steps[width - last] += 1
        last = width
    if tabs > blanks:
        return "\t"
    return " " * (steps.most_common(1)[0][0] if steps else 4)
