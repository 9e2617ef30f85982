"""Cases without end, the same for the same seed on the same Python installation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Final

from bench.landing.cases import Case
from bench.landing.kinds import corners, diffing, numbering, refusing, replacing, twins
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.sources import installed_pool

KINDS: Final[dict[str, Maker]] = {
    **replacing.KINDS,
    **diffing.KINDS,
    **numbering.KINDS,
    **refusing.KINDS,
    **twins.KINDS,
    **corners.KINDS,
}
_TRIES: Final = 400
"""How often a maker may draw in vain before its kind is passed over this time."""


def generate(seed: int, kinds: re.Pattern[str]) -> Iterator[Case]:
    """One case of each kind, then again, in an order that the seed decides."""
    names = [name for name in KINDS if kinds.search(name)]
    order = Random(seed)
    for turn in count():
        order.shuffle(names)
        fruitless = True
        for name in names:
            case = make_case(seed, turn, name)
            if case is not None:
                fruitless = False
                yield case
        if fruitless:
            return


def make_case(seed: int, turn: int, kind: str) -> Case | None:
    """The case of that kind at that turn; None where nothing fitted."""
    name = f"{seed}-{turn}-{kind}"
    shop = Workshop(name, kind, Random(name), installed_pool())
    make = KINDS[kind]
    return next((case for case in (make(shop) for _ in range(_TRIES)) if case is not None), None)
