"""How much of a long test runs: a seeded sample in `make test`, everything in `make soak`."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

import pytest

_Item = TypeVar("_Item")

WHOLE = bool(os.environ.get("HOLDFAST_ALL_KILLS"))
"""Whether everything is to run."""


only_whole = pytest.mark.skipif(
    not WHOLE, reason="takes ten seconds of a processor or more: `make soak` runs it"
)
"""Marks a test that runs only where everything runs."""


def sample(items: Sequence[_Item], most: int, *, last: int = 0) -> list[_Item]:
    """Return the items, or in their order at most so many, among them the last ones.

    >>> len(sample(range(1000), 20)), sample(range(1000), 5, last=2)[-2:], sample("ab", 5)
    (20, [998, 999], ['a', 'b'])
    """
    if WHOLE or len(items) <= most:
        return list(items)
    early = random.Random(len(items)).sample(range(len(items) - last), most - last)
    chosen = [*sorted(early), *range(len(items) - last, len(items))]
    return [items[at] for at in chosen]
