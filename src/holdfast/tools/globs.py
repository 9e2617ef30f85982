"""Globs, as models write them."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|\{[^{}]*\}|.", re.DOTALL)


@lru_cache(maxsize=64)
def glob_to_regex(glob: str) -> re.Pattern[str]:
    """Give the expression that matches whole paths. One without a slash matches a name at any depth.

    >>> bool(glob_to_regex("*.py").fullmatch("src/a.py")), bool(glob_to_regex("src/*.py").fullmatch("src/b/a.py"))
    (True, False)
    >>> bool(glob_to_regex("**/test_*.{py,js}").fullmatch("test_a.js"))
    True
    """
    glob = glob.removeprefix("./").removeprefix("/")
    if glob.endswith("/"):
        glob += "**"
    if "/" not in glob:
        glob = f"**/{glob}"
    return re.compile("".join(_piece(found[0]) for found in _PIECES.finditer(glob)), re.DOTALL)


def _piece(piece: str) -> str:
    match piece:
        case "**/":
            return "(?:[^/]+/)*"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
    if piece.startswith("[") and len(piece) > 2:
        inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        inner = f"^{inner[1:]}" if inner[0] == "!" else inner
        return f"[{inner}]"
    if piece.startswith("{") and len(piece) > 1:
        return f"(?:{'|'.join(_alternative(each) for each in piece[1:-1].split(','))})"
    return re.escape(piece)


def _alternative(text: str) -> str:
    return "".join(_piece(found[0]) for found in _PIECES.finditer(text))
