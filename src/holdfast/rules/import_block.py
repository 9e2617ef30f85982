"""The import block of a text: which lines are in it, and where a new line goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.syntax.edits import Edit

_MODULE_IMPORT: Final = re.compile(r"import[\s{*\"']|(?:const|let|var)\s.*=\s*require\(")
_INCLUDE: Final = re.compile(r"#\s*include\b")
_IMPORT: Final = {
    "python": re.compile(r"import\s|from\s+(?!__future__\s)"),
    "javascript": _MODULE_IMPORT,
    "typescript": _MODULE_IMPORT,
    "c": _INCLUDE,
    "cpp": _INCLUDE,
    "rust": re.compile(r"(?:pub\s+)?use\s"),
    "java": re.compile(r"import\s"),
    "go": re.compile(r"import\s"),
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
_DOCSTRING: Final = r"[rRuU]?(\"\"\"|\'\'\')(?:.|\n)*?\1.*"
_NEVER: Final = "(?!)"
_DEFINITION: Final = re.compile(r"(?:async\s+)?def\s|class\s|@")


def is_import(line: str, language: str) -> bool:
    """Return whether a line of this language imports names."""
    return language in _IMPORT and _IMPORT[language].match(line) is not None


def import_lines(edit: Edit, after: str, language: str) -> list[str]:
    """Return the lines that an edit adds if all of them are imports; else []."""
    lines = list(filter(str.strip, after[edit.new_start : edit.new_end].split("\n")))
    only_imports = edit.start == edit.end and all(is_import(line, language) for line in lines)
    return lines if only_imports else []


@dataclass(frozen=True, slots=True)
class ImportEdit:
    """The text to insert at an offset."""

    at: int
    text: str


def place_import(text: str, new: str, language: str) -> ImportEdit | None:
    """Return the edit that adds an import line; None if the text has that line."""
    lines = text.split("\n")
    if any(line.rstrip() == new for line in lines):
        return None

    newline = "\r\n" if "\r\n" in text else "\n"
    block = _imports(lines, language)
    if block:
        number = _place_in(block, lines, new, language)
        return ImportEdit(_offset(lines, number), new + newline)

    number = _below_header(lines, language)
    wanted = _blank_lines_below(lines, number, language)
    return ImportEdit(_offset(lines, number), new + newline * (1 + wanted))


def _offset(lines: list[str], number: int) -> int:
    return sum(len(line) + 1 for line in lines[:number])


def _place_in(block: list[tuple[int, int]], lines: list[str], new: str, language: str) -> int:
    """Return the line before which an import goes: in order if the block is sorted, else last."""
    keys = [_order(lines[start], language) for start, _ in block]
    if keys != sorted(keys):
        return block[-1][1]

    key = _order(new, language)
    for start, _ in block:
        if _order(lines[start], language) > key:
            return start

    return block[-1][1]


def _order(line: str, language: str) -> tuple[bool, str]:
    """Return the sort key of an import: in Python `import a` comes before `from a import b`."""
    return language == "python" and line.startswith("from"), line


def _imports(lines: list[str], language: str) -> list[tuple[int, int]]:
    """Return the first line of each import of the block, and the line after it."""
    found: list[tuple[int, int]] = []
    number = _header_end(lines, language)
    while number < len(lines):
        line = lines[number]
        if is_import(line, language):
            end = _statement_end(lines, number)
            found.append((number, end))
            number = end
        elif not line.strip() or line.lstrip().startswith(("//", "/*", "*", "#")):
            number += 1
        else:
            break

    return found


def _statement_end(lines: list[str], number: int) -> int:
    depth = 0
    for at in range(number, len(lines)):
        opened = lines[at].count("(") + lines[at].count("{")
        closed = lines[at].count(")") + lines[at].count("}")
        depth += opened - closed
        if depth <= 0:
            return at + 1

    return len(lines)


def _header_end(lines: list[str], language: str) -> int:
    """Return the line after the comments, the docstring and the like at the top of a text."""
    docstring = _DOCSTRING if language == "python" else _NEVER
    line = rf"(?:{docstring}|[ \t]*(?:{_HEADER.get(language, _NEVER)}).*)\n"
    header = re.match(rf"(?:(?:[ \t\r]*\n)*{line})*", "\n".join([*lines, ""]))
    return 0 if header is None else header[0].count("\n")


def _below_header(lines: list[str], language: str) -> int:
    end = _header_end(lines, language)
    if end == 0:
        return 0

    if language == "python":
        # One blank line below a docstring; the others stay above the code.
        has_blank = end < len(lines) - 1 and not lines[end].strip()
        return end + has_blank

    while end < len(lines) - 1 and not lines[end].strip():
        end += 1

    return end


def _blank_lines_below(lines: list[str], number: int, language: str) -> int:
    """Return how many blank lines to add below a new import that is alone."""
    there = 0
    while number + there < len(lines) - 1 and not lines[number + there].strip():
        there += 1

    wanted = 1
    if language == "python" and _DEFINITION.match(lines[number + there]):
        wanted = 2

    return max(0, wanted - there)
