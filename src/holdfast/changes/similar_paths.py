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
    wanted_file, wanted_stem = _file_and_stem(path)
    found: list[str] = []
    by_stem: dict[str, list[str]] = {}
    for name in names:
        file, stem = _file_and_stem(name)
        by_stem.setdefault(stem, []).append(name)
        if file == wanted_file:
            found.append(name)

    for stem in get_close_matches(wanted_stem, sorted(by_stem), _LIMIT):
        found.extend(by_stem[stem])

    return tuple(dict.fromkeys(found))[:_LIMIT]


def _file_and_stem(path: str) -> tuple[str, str]:
    """Return the file name, and the same without suffixes.

    With their suffixes, `a.py` and `b.py` would be similar.
    """
    _, _, file = path.rpartition("/")
    stem, _, _ = file.partition(".")
    return file, stem
