"""The import block of a text: which lines are in it, and where a new one goes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_IMPORT: Final = {
    "python": re.compile(r"(?:import|from)\s"),
    "javascript": re.compile(r"import[\s{*\"']|(?:const|let|var)\s.*=\s*require\("),
    "typescript": re.compile(r"import[\s{*\"']|(?:const|let|var)\s.*=\s*require\("),
    "c": re.compile(r"#\s*include\b"),
    "cpp": re.compile(r"#\s*include\b"),
    "rust": re.compile(r"(?:pub\s+)?use\s"),
    "java": re.compile(r"import\s"),
    "go": re.compile(r"import\s"),
}
_HEADER: Final = {
    "python": re.compile(r"#|from\s+__future__\s"),
    "javascript": re.compile(r"#!|//|/\*|\*|[\"']use strict[\"']"),
    "typescript": re.compile(r"#!|//|/\*|\*|[\"']use strict[\"']"),
    "c": re.compile(r"//|/\*|\*|#\s*(?:pragma|ifndef|define)\b"),
    "cpp": re.compile(r"//|/\*|\*|#\s*(?:pragma|ifndef|define)\b"),
    "rust": re.compile(r"//|/\*|\*|#!\["),
    "java": re.compile(r"//|/\*|\*|package\s"),
    "go": re.compile(r"//|/\*|\*|package\s"),
}
IN_BLOCK: Final = ("sorted", "last", "first")
"""Places in an import block: in alphabetical order, after the last import, before the first."""
NO_BLOCK: Final = ("header", "top")
"""Places without an import block: below the header and its blank lines, or at the top."""


def is_import(line: str, target: str) -> bool:
    """Return whether a line of this language imports names."""
    pattern = _IMPORT.get(target)
    return pattern is not None and pattern.match(line) is not None and not _future(line)


def has_block(lines: list[str], target: str) -> bool:
    """Return whether the text has imports."""
    return bool(_imports(lines, target))


def line_for(place: str, lines: list[str], new: str, target: str) -> int | None:
    """Return the line (0-based) before which a new import goes; None without such a place."""
    imports = _imports(lines, target)
    if place == "top":
        return 0
    if place == "header":
        return _below_header(lines, target) if not imports else None
    if not imports:
        return None
    if place == "first":
        return imports[0][0]
    if place == "last":
        return imports[-1][1]
    keys = [_order(lines[start], target) for start, _ in imports]
    if keys != sorted(keys) or any(end != start for (_, end), (start, _) in pairwise(imports)):
        return None
    return next(
        (start for start, _ in imports if _order(lines[start], target) > _order(new, target)),
        imports[-1][1],
    )


def _order(line: str, target: str) -> tuple[bool, str]:
    """Return the sort key of an import: in Python `import a` comes before `from a import b`."""
    return target == "python" and line.startswith("from"), line


def _imports(lines: list[str], target: str) -> list[tuple[int, int]]:
    """Return the first and the last line of each import of the block."""
    found = []
    number = _header_end(lines, target)
    while number < len(lines):
        line = lines[number]
        if is_import(line, target):
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
    while number < len(lines):
        depth += sum(lines[number].count(sign) for sign in "({") - sum(
            lines[number].count(sign) for sign in ")}"
        )
        number += 1
        if depth <= 0:
            break
    return number


def _header_end(lines: list[str], target: str) -> int:
    header = _HEADER.get(target)
    end = number = 0
    while header is not None and number < len(lines):
        line = lines[number]
        if target == "python" and (quote := re.match(r"[rRuU]?(\"\"\"|''')", line)):
            number = _docstring_end(lines, number, quote[1])
            end = number
        elif header.match(line.lstrip()) and not is_import(line, target):
            number += 1
            end = number
        elif not line.strip():
            number += 1
        else:
            break
    return end


_LIST = re.compile(
    r"(?P<head>from\s+\S+\s+import\s+|(?:import|export)\s+(?:type\s+)?\{\s*|use\s+[\w:]+::\{\s*)"
    r"(?P<names>[\w$]+(?:,\s*[\w$]+)+)(?P<tail>\s*(?:\}.*)?)"
)


def in_order(before: str, after: str) -> str:
    """Return the new text of a line with its imported names sorted, if the old names were sorted.

    >>> in_order("from typing import Any, Optional", "from typing import Any, Optional, List")
    'from typing import Any, List, Optional'
    """
    old, new = _LIST.fullmatch(before.strip()), _LIST.fullmatch(after.strip())
    if old is None or new is None or old["head"] != new["head"]:
        return after
    names = re.split(r",\s*", old["names"])
    if before != after and names != sorted(names):
        return after
    listed = ", ".join(sorted(re.split(r",\s*", new["names"])))
    return after.replace(new["names"], listed, 1)


def blank_lines(lines: list[str], number: int) -> int:
    """Return how many blank lines begin at this one; the end of the text is not blank."""
    end = number
    while end < len(lines) - 1 and not lines[end].strip():
        end += 1
    return end - number


def _below_header(lines: list[str], target: str) -> int:
    end = _header_end(lines, target)
    if target == "python" and 0 < end < len(lines) - 1:
        # One blank line below a docstring; the blank lines between it and the code stay above the
        # code.
        return end if lines[end].strip() else end + 1
    while 0 < end < len(lines) - 1 and not lines[end].strip():
        end += 1
    return end


def _docstring_end(lines: list[str], number: int, quote: str) -> int:
    if lines[number].count(quote) >= 2:
        return number + 1
    number += 1
    while number < len(lines) and quote not in lines[number]:
        number += 1
    return min(number + 1, len(lines))


def _future(line: str) -> bool:
    return re.match(r"from\s+__future__\s", line) is not None
