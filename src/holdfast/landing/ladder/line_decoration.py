"""What a tool shows before and behind each line (a number, a mark, a path, a prompt), learned from the lines of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import indent_of
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
        """Return the line without its decoration, None where the line has none."""
        indent = indent_of(line) if self.is_indented else ""
        found = self.before.match(line, len(indent))
        if found is None or not line.endswith(self.behind, found.end()):
            return None
        return indent + line[found.end() : len(line) - len(self.behind)]

    def strip_all(self, lines: Sequence[str]) -> list[str] | None:
        """Return all lines without their decoration, None where a line that is not blank has none."""
        bare: list[str] = []
        for line in lines:
            content = "" if is_blank(line) else self.strip(line)
            if content is None:
                return None
            bare.append(content)
        return bare


def find_decoration(doc: Doc, old: Sequence[str]) -> LineDecoration | None:
    """Return the decoration without which all old lines are lines of the file, or None.

    Numbers must count up. A mark must be before two lines, and be no comment; one line is enough for a pair of backticks.
    """
    solid = solid_lines(old)
    if not solid or any(map(doc.has, solid)) or max(map(len, solid)) > _LONGEST:
        return None

    for decoration in _decorations(doc, solid[0]):
        bare = decoration.strip_all(old)
        if bare is None or not doc.bare_lines.issuperset(map(str.rstrip, solid_lines(bare))):
            continue
        if _is_proven(decoration, old, bare):
            return decoration
    return None


def without_file_decoration(doc: Doc, lines: Sequence[str]) -> list[str] | None:
    """Return the lines of a whole file without the decoration that all have, if most of them are lines of the file then."""
    solid = solid_lines(lines)
    if doc.bare_lines.intersection(map(str.rstrip, solid)):
        return None
    for line in solid[:_TRIED]:
        for decoration in _decorations(doc, line[:_LONGEST]):
            bare = decoration.strip_all(lines)
            if bare is None or not _is_proven(decoration, lines, bare):
                continue
            known = doc.bare_lines.intersection(map(str.rstrip, solid_lines(bare)))
            # Where nothing else changes, it is the edit.
            if 2 * len(known) > len(doc.bare_lines) and bare != doc.lines:
                return bare
    return None


_TRIED = 5
"""Lines of which one is expected to be in the file."""


def _decorations(doc: Doc, line: str) -> Iterator[LineDecoration]:
    """Yield what may be around a line of the file in this line, the shortest first."""
    for is_indented in (False, True):
        indent = indent_of(line) if is_indented else ""
        rest = line[len(indent) :]
        last = rest[-1:]
        for behind in ("", last):
            if behind.isalnum():
                continue
            for width in range(min(len(rest), _WIDEST)):
                content = indent + rest[width : len(rest) - len(behind)]
                if content.rstrip() in doc.bare_lines and not is_blank(content):
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


_COMMENT = re.compile(r"[#;%!]|//|--|/\*|<!--")


def _is_proven(decoration: LineDecoration, old: Sequence[str], bare: Sequence[str]) -> bool:
    """Return whether the decoration is more than a part of another line."""
    first = solid_lines(old)[0].lstrip()
    if decoration.before.groups:
        return _counts_up(decoration, old)
    before = decoration.before.match(first)
    mark = before[0] if before else ""
    if mark == decoration.behind == "`":
        return True
    if len(solid_lines(bare)) < 2 or re.search(r"\w", mark) or _COMMENT.match(mark):
        return False
    return mark.endswith((" ", ">")) or (not mark and decoration.behind == "$")


def _counts_up(decoration: LineDecoration, old: Sequence[str]) -> bool:
    """Return whether one of the numbers before the lines counts them."""
    if len(solid_lines(old)) < 2:
        return False
    rows: list[list[int]] = []
    for n, line in enumerate(old):
        found = decoration.before.match(line)
        if found is not None:
            rows.append([int(number) - n for number in found.groups()])
    return any(len(set(column)) == 1 for column in zip(*rows, strict=True))
