"""The first names of a long list, for a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def name_first(names: Sequence[str], most: int, noun: str = "") -> str:
    """Return the first names, and how many more there are.

    >>> name_first(["a", "b", "c", "d"], 2), name_first(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    >>> name_first(["a", "b", "c"], 2, "file"), name_first(["a", "b", "c"], 1, "file")
    ('a, b and 1 more file', 'a and 2 more files')
    """
    shown = ", ".join(names[:most])
    more = len(names) - most
    if more <= 0:
        return shown
    ending = f" and {more} more"
    if noun:
        ending += f" {noun}"
    if noun and more > 1:
        ending += "s"
    return shown + ending
