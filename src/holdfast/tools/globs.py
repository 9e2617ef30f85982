"""Globs in the notation that models write."""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.vocab.lazy_pattern import lazy_pattern

_PIECES = lazy_pattern(
    r"(?P<wildcard>\*\*/|\*\*|\*|\?)|\[(?P<set>[^\]]+)\]|\{(?P<choice>[^{}]*)\}|.", re.DOTALL
)
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
    parts: list[str] = []
    for found in _PIECES.finditer(text):
        match found.lastgroup:
            case "wildcard":
                parts.append(_WILDCARDS[found[0]])
            case "set":
                inner = found["set"].replace("\\", "\\\\").replace("[", "\\[")
                inner = re.sub("^!", "^", inner)
                parts.append(f"[{inner}]")
            case "choice":
                alternatives = map(_translate, found["choice"].split(","))
                parts.append(f"(?:{'|'.join(alternatives)})")
            case _:
                parts.append(re.escape(found[0]))

    return "".join(parts)
