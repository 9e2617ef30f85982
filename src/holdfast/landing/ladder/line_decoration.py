"""What a tool shows before and behind each line (a number, a mark, a path, a prompt), learned from the lines of the file."""

from __future__ import annotations

import re
from itertools import filterfalse, product
from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import indent_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import is_blank, solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.text.lines import Doc

_WIDEST = 80
"""Characters that a tool shows before a line."""
_LONGEST = 2_000
"""Characters of a line that is looked at: each of its endings is compared with the lines of the file."""


@dataclass(frozen=True, slots=True)
class LineDecoration:
    """What is before and behind each line."""

    before: re.Pattern[str]
    behind: str
    is_indented: bool
    """Whether it is behind the indentation of the line."""

    def strip(self, line: str) -> str | None:
        """Return the line without its decoration, None where the line has none; a blank line needs none."""
        if is_blank(line):
            return ""

        start = 0
        if self.is_indented:
            start = len(indent_of(line))
        found = self.before.match(line, start)
        if found is None:
            return None
        if not line.endswith(self.behind, found.end()):
            return None

        stop = len(line) - len(self.behind)
        return line[:start] + line[found.end() : stop]

    def strip_all(self, lines: Sequence[str]) -> list[str] | None:
        """Return all lines without their decoration, None where a line that is not blank has none."""
        bare: list[str] = []
        for line in lines:
            content = self.strip(line)
            if content is None:
                return None
            bare.append(content)

        return bare


def find_decoration(doc: Doc, old: Sequence[str]) -> LineDecoration | None:
    """Return the decoration without which all old lines are lines of the file, or None.

    Numbers must count up. A mark must be before two lines, and be no comment; one line is enough for a pair of backticks.
    """
    solid = solid_lines(old)
    if not solid:
        return None
    if any(map(doc.has, solid)):
        return None
    if max(map(len, solid)) > _LONGEST:
        return None

    for decoration, bare in _without_proven(doc, solid[0], old):
        contents = map(str.rstrip, solid_lines(bare))
        if doc.bare_lines.issuperset(contents):
            return decoration

    return None


def without_file_decoration(doc: Doc, lines: Sequence[str]) -> list[str] | None:
    """Return the lines of a whole file without the decoration that all have, if most of them are lines of the file then."""
    solid = solid_lines(lines)
    if doc.bare_lines.intersection(map(str.rstrip, solid)):
        return None
    for line in solid[:_TRIED]:
        for _, bare in _without_proven(doc, line[:_LONGEST], lines):
            contents = map(str.rstrip, solid_lines(bare))
            known = doc.bare_lines.intersection(contents)
            are_most = 2 * len(known) > len(doc.bare_lines)
            # Where nothing else changes, it is the edit.
            if are_most and bare != doc.lines:
                return bare

    return None


_TRIED = 5
"""Lines of which one is expected to be in the file."""


def _without_proven(
    doc: Doc, line: str, lines: Sequence[str]
) -> Iterator[tuple[LineDecoration, list[str]]]:
    """Yield what may be around a line of the file in `line`, and be around all lines, with the lines without it."""
    for decoration in _decorations(doc, line):
        bare = decoration.strip_all(lines)
        if bare is None:
            continue
        if _is_proven(decoration, lines, bare):
            yield decoration, bare


def _decorations(doc: Doc, line: str) -> Iterator[LineDecoration]:
    """Yield what may be around a line of the file in this line, the shortest first."""
    for is_indented, indent in ((False, ""), (True, indent_of(line))):
        rest = line.removeprefix(indent)
        ends = filterfalse(str.isalnum, ("", rest[-1:]))
        widths = range(min(len(rest), _WIDEST))
        for behind, width in product(ends, widths):
            content = indent + rest[width : len(rest) - len(behind)]
            if is_blank(content):
                continue
            if content.rstrip() in doc.bare_lines:
                yield LineDecoration(_shape_of(rest[:width]), behind, is_indented)


_TOKEN = re.compile(r"[ \t]*\d+|[0-9a-f]{7,40}(?=\W)|[ \t]+\Z|.")
_PROMPTS = (">>> ", "... ")


def _shape_of(before: str) -> re.Pattern[str]:
    """Return the pattern of what is before each line, by what is before the first: numbers may differ, also in width."""
    parts: list[str] = []
    for token in _TOKEN.findall(before):
        if token.strip().isdigit():
            parts.append(r"[ \t]*(\d+)")
        elif len(token) > 1 and token.strip():
            parts.append("[0-9a-f]+")
        elif token.isspace():
            # Not behind the mark of a blank line.
            parts.append(f"(?:{token}|$)")
        else:
            parts.append(re.escape(token))

    shape = "".join(parts)
    if before in _PROMPTS:
        shape = "|".join(f"{re.escape(prompt.rstrip())}(?: |$)" for prompt in _PROMPTS)
    return re.compile(shape)


_CONTENT = re.compile(r"[#;%!]|//|--|/\*|<!--|.*\w", re.DOTALL)
"""The beginning of a comment, or a word."""


def _is_proven(decoration: LineDecoration, old: Sequence[str], bare: Sequence[str]) -> bool:
    """Return whether the decoration is more than a part of another line."""
    if decoration.before.groups:
        return _counts_up(decoration, old)

    first = solid_lines(old)[0].lstrip()
    mark = matched(decoration.before, first)
    if mark == decoration.behind == "`":
        return True
    if len(solid_lines(bare)) < 2:
        return False
    if _CONTENT.match(mark):
        return False
    if not mark:
        return decoration.behind == "$"
    return mark.endswith((" ", ">"))


def _counts_up(decoration: LineDecoration, old: Sequence[str]) -> bool:
    """Return whether one of the numbers before the lines counts them."""
    if len(solid_lines(old)) < 2:
        return False

    rows: list[list[int]] = []
    for n, line in enumerate(old):
        found = decoration.before.match(line)
        if found is not None:
            rows.append([int(number) - n for number in found.groups()])

    columns = map(set, zip(*rows, strict=True))
    return 1 in map(len, columns)
