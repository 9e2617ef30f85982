"""What a tool shows before each line (a number, a mark, a path), learned from the lines of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import is_blank, solid_lines
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.text.lines import Doc

_WIDEST = 80
"""Characters that a tool shows before a line."""
_LONGEST = 2_000
"""Characters of a line that is looked at: each of its endings is compared with the lines of the file."""
_TRIED = 5
"""Lines of which one is expected to be in the file."""


def strip_all(before: re.Pattern[str], lines: Sequence[str]) -> list[str] | None:
    """Return all lines without what is before them, None where a line that is not blank has none."""
    bare: list[str] = []
    for line in lines:
        found = before.match(line)
        if found is not None:
            bare.append(line[found.end() :])
        elif is_blank(line):
            bare.append("")
        else:
            return None
    return bare


def find_decoration(doc: Doc, old: Sequence[str]) -> re.Pattern[str] | None:
    """Return what is before all old lines and without which they are lines of the file, or None."""
    solid = solid_lines(old)
    if any(map(doc.has, solid)):
        return None
    for before, bare in _proven_before(doc, solid[:_TRIED], old):
        contents = map(str.rstrip, solid_lines(bare))
        if doc.bare_lines.issuperset(contents):
            return before
    return None


def without_decoration(doc: Doc, new: Sequence[str]) -> list[str] | None:
    """Return new lines without what is before all of them, if most lines of the file come back by that; else None."""
    solid = solid_lines(new)
    before = doc.bare_lines.intersection(map(str.rstrip, solid))
    for shape, bare in _proven_before(doc, solid[:_TRIED], new):
        # Where nothing else changes, it is the edit.
        if bare == doc.lines:
            continue
        known = doc.bare_lines.intersection(map(str.rstrip, solid_lines(bare)))
        if len(known) <= 2 * len(before):
            continue
        # Numbers that count the lines prove nearly as much as lines that come back.
        if shape.groups > 0 or 2 * len(known) > len(doc.bare_lines):
            return bare
    return None


def _proven_before(
    doc: Doc, samples: Sequence[str], lines: Sequence[str]
) -> Iterator[tuple[re.Pattern[str], list[str]]]:
    """Yield what is before a line of the file in a sample and before all lines, with the lines without it."""
    for sample in samples:
        for width in range(1, min(len(sample), _WIDEST)):
            content = sample[width:_LONGEST].rstrip()
            if content not in doc.bare_lines:
                continue
            if is_blank(content):
                continue
            before = _shape_of(sample[:width])
            bare = strip_all(before, lines)
            if bare is None:
                continue
            if _is_proven(before, lines):
                yield before, bare


_TOKEN = lazy_pattern(r"[ \t]*\d+|[0-9a-f]{7,40}(?=\W)|[ \t]+\Z|.")


def _shape_of(before: str) -> re.Pattern[str]:
    """Return the pattern of what is before each line, by what is before one: numbers may differ, also in width."""
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
    return re.compile("".join(parts))


_CONTENT = lazy_pattern(r"[#;%!]|//|--|/\*|<!--|.*\w", re.DOTALL)
"""The beginning of a comment, or a word."""


def _is_proven(before: re.Pattern[str], lines: Sequence[str]) -> bool:
    """Return whether what is before the lines is more than a part of them: a number counts them, or it is a mark."""
    solid = solid_lines(lines)
    if len(solid) < 2:
        return False
    if not before.groups:
        return _CONTENT.match(matched(before, solid[0])) is None

    matches = map(before.match, lines)
    rows = [
        [int(number) - n for number in found.groups()] for n, found in enumerate(matches) if found
    ]
    columns = map(set, zip(*rows, strict=True))
    return 1 in map(len, columns)
