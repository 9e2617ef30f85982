"""The numbers that a missing function is for: whole ones, fractions, or complex ones.

Several libraries have a function of the same name for other numbers: `abs` and `fabs`, `math.sqrt`
and `cmath.sqrt`. What the examples import may be wrong for numbers that none of them has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import owners_at, types_in
from holdfast.rules.match.node_classes import CALLS
from holdfast.syntax.tree import field_text, span_of

if TYPE_CHECKING:
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_DOMAINS: Final = (
    re.compile(r"\b[Cc]omplex\w*\b"),
    re.compile(r"\b(?:float|double|f32|f64|Float|Double|Decimal)\b"),
)
"""The types of each domain of numbers, the widest first."""


def number_domain(source: ParsedSource, diagnostic: Diagnostic) -> int:
    """Return how wide the numbers of the call at a diagnostic are; 0 for whole ones or none.

    They are what the call gets, and what the function around returns.
    """
    place = source.place_of(diagnostic)
    if place is None:
        return 0

    types: list[str] = []
    for node in source.nodes_around(place):
        if node.kind() in CALLS and span_of(node)[0] == place:
            types += types_in(source, node.text(), place)

    for owner in owners_at(source, place)[-1:]:
        types.append(field_text(owner, "return_type", "type"))

    text = " ".join(types)
    fitting = [domain for domain in _DOMAINS if domain.search(text)]
    if not fitting:
        return 0

    return len(_DOMAINS) - _DOMAINS.index(fitting[0])
