"""Suggestions for a path at which there is no file."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIMIT = 3


def similar_paths(path: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the paths most similar to `path`: those with the same file name, then a similar one.

    >>> similar_paths("src/util.py", ["docs/a.md", "src/utils.py", "src/app/util.py"])
    ('src/app/util.py', 'src/utils.py')
    """
    wanted = _base(path)
    same = [name for name in names if _base(name) == wanted]
    by_stem: dict[str, list[str]] = {}
    for name in names:
        by_stem.setdefault(_stem(name), []).append(name)
    similar: list[str] = []
    for stem in get_close_matches(_stem(path), sorted(by_stem), _LIMIT):
        similar.extend(by_stem[stem])
    return tuple(dict.fromkeys([*same, *similar]))[:_LIMIT]


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    """Return the file name without suffixes: with them, `a.py` and `b.py` would be similar."""
    return _base(path).partition(".")[0]
