"""The import block of a text: which lines are in it, and where a new line goes."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.syntax.edits import Edit

_MODULE_IMPORT: Final = r"import[\s{*\"']|(?:const|let|var)\s.*=\s*require\("
_INCLUDE: Final = r"#\s*include\b"
_IMPORT: Final = {
    "python": r"import\s|from\s+(?!__future__\s)",
    "javascript": _MODULE_IMPORT,
    "typescript": _MODULE_IMPORT,
    "c": _INCLUDE,
    "cpp": _INCLUDE,
    "rust": r"(?:pub\s+)?use\s",
    "java": r"import\s",
    "go": r"import\s",
}
_COMMENT: Final = r"//|/\*|\*"
_SCRIPT_HEADER: Final = rf"#!|{_COMMENT}|[\"']use strict[\"']"
_C_HEADER: Final = rf"{_COMMENT}|#\s*(?:pragma|ifndef|define)\b"
_HEADER: Final = {
    "python": r"#|from\s+__future__\s",
    "javascript": _SCRIPT_HEADER,
    "typescript": _SCRIPT_HEADER,
    "c": _C_HEADER,
    "cpp": _C_HEADER,
    "rust": rf"{_COMMENT}|#!\[",
    "java": rf"{_COMMENT}|package\s",
    "go": rf"{_COMMENT}|package\s",
}
"""How the lines above the imports begin."""
_DOCSTRING: Final = {"python": r"[rRuU]?(?:\"{3}(?:.|\n)*?\"{3}|'{3}(?:.|\n)*?'{3}).*"}
_BELOW_HEADER: Final = {"python": 1}
"""How many blank lines stay above a first import; the others stay above the code."""
_BETWEEN_IMPORTS: Final = lazy_pattern(r"\s*(?://|/\*|\*|#|$)")
_LISTED: Final = lazy_pattern(r"^\s*((?:[\w.]+\s+)?\"[^\"]*\")\s*$")
"""A line of a list of imports in Go."""
_LIST_BEGINS: Final = lazy_pattern(r"import\s*\(\s*$")
_OPENED: Final = lazy_pattern(r"[({]")
_CLOSED: Final = lazy_pattern(r"[)}]")
_NEVER: Final = "(?!)"
_DEFINITION: Final = lazy_pattern(r"(?:async\s+)?def\s|class\s|@")


def is_import(line: str, language: str) -> bool:
    """Return whether a line of this language imports names."""
    return re.match(_IMPORT.get(language, _NEVER), line) is not None


def import_lines(edit: Edit, after: str, language: str) -> list[str]:
    """Return the lines that an edit adds if all of them are imports; else []."""
    lines = list(filter(str.strip, after[edit.new_start : edit.new_end].split("\n")))
    if language == "go":
        lines = [_LISTED.sub(r"import \1", line) for line in lines]

    if edit.start == edit.end and all(is_import(line, language) for line in lines):
        return lines

    return []


@dataclass(frozen=True, slots=True)
class ImportEdit:
    """The text to insert at an offset."""

    at: int
    text: str


def place_import(text: str, new: str, language: str) -> ImportEdit | None:
    """Return the edit that adds an import line; None if the text has that line."""
    lines = text.split("\n")
    if new in map(str.rstrip, lines):
        return None

    newline = "\r\n" if "\r\n" in text else "\n"
    block = _imports(lines, language)
    if block and _LIST_BEGINS.match(lines[block[0][0]]):
        return _listed_import(lines, block[0], new, newline)

    if block:
        number = _place_in(block, lines, new, language)
        return ImportEdit(_offset(lines, number), new + newline)

    number = _header_end(lines, language)
    if number > 0:
        number += _blank_lines(lines, number, most=_BELOW_HEADER.get(language, len(lines)))

    wanted = 1
    there = _blank_lines(lines, number, most=len(lines))
    following = "".join(lines[number + there :][:1])
    if language == "python" and _DEFINITION.match(following):
        wanted = 2

    return ImportEdit(_offset(lines, number), new + newline * (1 + max(0, wanted - there)))


def _listed_import(
    lines: list[str], block: tuple[int, int], new: str, newline: str
) -> ImportEdit | None:
    """Return the edit that adds an import to a list in brackets, in order; None if it is there."""
    listed = new.removeprefix("import ").strip()
    start, end = block
    entries = list(map(str.strip, lines[start + 1 : end - 1]))
    if listed in entries:
        return None

    # What follows a blank line is of another kind.
    group = list(takewhile(bool, entries))
    number = start + 1 + bisect_right(group, listed)
    return ImportEdit(_offset(lines, number), f"\t{listed}{newline}")


def _offset(lines: list[str], number: int) -> int:
    return sum(len(line) + 1 for line in lines[:number])


def _blank_lines(lines: list[str], number: int, *, most: int) -> int:
    """Return how many blank lines there are from a line on, without the end of the text."""
    found = 0
    for line in lines[number:-1][:most]:
        if line.strip():
            break

        found += 1

    return found


def _place_in(block: list[tuple[int, int]], lines: list[str], new: str, language: str) -> int:
    """Return the line before which an import goes: in order if the block is sorted, else last."""
    keys = [_order(lines[start], language) for start, _ in block]
    key = _order(new, language)
    if keys == sorted(keys) and key < keys[-1]:
        return block[bisect_right(keys, key)][0]

    return block[-1][1]


def _order(line: str, language: str) -> tuple[bool, str]:
    """Return the sort key of an import: in Python `import a` comes before `from a import b`."""
    return language == "python" and line.startswith("from"), line


def _imports(lines: list[str], language: str) -> list[tuple[int, int]]:
    """Return the first line of each import of the block, and the line after it."""
    found: list[tuple[int, int]] = []
    number = _header_end(lines, language)
    while number < len(lines):
        end = number + 1
        if is_import(lines[number], language):
            end = _statement_end(lines, number)
            found.append((number, end))
        elif not _BETWEEN_IMPORTS.match(lines[number]):
            break

        number = end

    return found


def _statement_end(lines: list[str], number: int) -> int:
    """Return the line after an import, which may have a list in brackets."""
    depth = 0
    for at, line in enumerate(lines[number:], number + 1):
        depth += len(_OPENED.findall(line)) - len(_CLOSED.findall(line))
        if depth <= 0:
            return at

    return len(lines)


def _header_end(lines: list[str], language: str) -> int:
    """Return the line after the comments, the docstring and the like at the top of a text."""
    line = rf"(?:{_DOCSTRING.get(language, _NEVER)}|[ \t]*(?:{_HEADER.get(language, _NEVER)}).*)\n"
    header = re.findall(rf"\A(?:(?:[ \t\r]*\n)*{line})*", "\n".join([*lines, ""]))
    return "".join(header).count("\n")
