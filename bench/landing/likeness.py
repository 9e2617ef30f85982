"""How alike lines and blocks are: the generator's own measure, so that its cases are truly clear or truly not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

STRONG_LETTERS: Final = 6
SKELETON_WEIGHT: Final = 0.6
"""What a line counts that has the same shape and other names."""

_FOLD: Final = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": "'",
        "\u201d": "'",
        '"': "'",
        "`": "'",
        "\u2013": "-",
        "\u2014": "-",
        "\u2026": "...",
        "\u200b": None,
        "\u200c": None,
        "\u2060": None,
        "\ufeff": None,
    }
)
_NAME_OR_NUMBER: Final = re.compile(r"[^\W\d]\w*|\d+")


@lru_cache(maxsize=400_000)
def key(line: str) -> str:
    """The line without what a model mistakes most easily: white space, quotes, typography.

    >>> key('  x = "a"') == key("x='a'")
    True
    """
    return "".join(unicodedata.normalize("NFC", line.translate(_FOLD)).split())


@lru_cache(maxsize=400_000)
def skeleton(line: str) -> str:
    """The line's shape: every name and number is the same."""
    return _NAME_OR_NUMBER.sub("x", key(line))


def keys(lines: Sequence[str]) -> tuple[str, ...]:
    """The keys of the lines that are not blank."""
    return _keys(tuple(lines))


def windows(lines: Sequence[str], block: Sequence[str]) -> int:
    """How often the block stands in the lines, blank lines aside.

    >>> windows(["a", "", "b", "a", " b"], ["a", "b"])
    2
    """
    hay, needle = keys(lines), keys(block)
    if not needle:
        return 0
    size = len(needle)
    first = needle[0]
    return sum(found == first and hay[at : at + size] == needle for at, found in enumerate(hay))


def rival_share(above: Sequence[str], block: Sequence[str], below: Sequence[str]) -> float:
    """How much of the block the second-best place in the file shares, 0 to 1."""
    needle = keys(block)
    if not needle:
        return 1.0
    hay = (*keys(above), *needle, *keys(below))
    places: dict[str, list[int]] = {}
    for at, found in enumerate(hay):
        places.setdefault(skeleton(found), []).append(at)
    votes: dict[int, float] = {}
    for offset, wanted in enumerate(needle):
        for at in places[skeleton(wanted)]:
            votes[at - offset] = votes.get(at - offset, 0) + (
                1 if hay[at] == wanted else SKELETON_WEIGHT
            )
    del votes[len(keys(above))]
    return max(votes.values(), default=0.0) / len(needle)


def strong_lines(lines: Sequence[str]) -> int:
    """How many lines say enough to recognise a place by."""
    return sum(sum(letter.isalnum() for letter in line) >= STRONG_LETTERS for line in lines)


@lru_cache(maxsize=512)
def _keys(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(found for found in map(key, lines) if found)
