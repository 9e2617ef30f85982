"""How many characters two texts share at both ends."""

from __future__ import annotations


def shared_ends(one: str, other: str) -> tuple[int, int]:
    r"""Return how many characters both texts begin with, and how many of the others both end with.

    >>> shared_ends("a = 1\n", "a = 21\n")
    (4, 2)
    """
    size = min(len(one), len(other))
    head = _shared(one, other, size)
    tail = _shared(one[head:][::-1], other[head:][::-1], size - head)
    return head, tail


def _shared(one: str, other: str, size: int) -> int:
    low, high = 0, size
    # Halving, with whole slices compared: a loop over characters takes a second for a few
    # megabytes.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1

    return low
