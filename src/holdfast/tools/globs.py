"""Globs in the notation that models write."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|\{[^{}]*\}|.", re.DOTALL)
_WILDCARDS = {
    "**/": "(?:[^/]+/)*",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
}


@lru_cache(maxsize=64)
def glob_to_regex(glob: str) -> re.Pattern[str]:
    """Return the expression that matches whole paths. Without a slash a name matches at any depth.

    >>> bool(glob_to_regex("*.py").fullmatch("src/a.py"))
    True
    >>> bool(glob_to_regex("src/*.py").fullmatch("src/b/a.py"))
    False
    >>> bool(glob_to_regex("**/test_*.{py,js}").fullmatch("test_a.js"))
    True
    """
    glob = glob.removeprefix("./").removeprefix("/")
    if glob.endswith("/"):
        glob += "**"
    if "/" not in glob:
        glob = f"**/{glob}"
    return re.compile(_translate(glob), re.DOTALL)


def _translate(text: str) -> str:
    return "".join(_translate_piece(found[0]) for found in _PIECES.finditer(text))


def _translate_piece(piece: str) -> str:
    if piece in _WILDCARDS:
        return _WILDCARDS[piece]
    if piece.startswith("[") and len(piece) > 2:
        inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        if inner.startswith("!"):
            inner = f"^{inner[1:]}"
        return f"[{inner}]"
    if piece.startswith("{") and len(piece) > 1:
        alternatives = [_translate(each) for each in piece[1:-1].split(",")]
        return f"(?:{'|'.join(alternatives)})"
    return re.escape(piece)
