"""The numbers that a missing function is for: whole ones, fractions, or complex ones.

Several libraries have a function of the same name for other numbers: `abs` and `fabs`, `math.sqrt`
and `cmath.sqrt`. What the examples import may be wrong for numbers that none of them has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import owners_at

if TYPE_CHECKING:
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_DOMAINS: Final = (
    re.compile(""),
    re.compile(r"\b(?:float|double|f32|f64|Float|Double|Decimal)\b"),
    re.compile(r"\b[Cc]omplex\w*\b"),
)
"""The types of each domain of numbers, the widest last."""


def number_domain(source: ParsedSource, diagnostic: Diagnostic) -> int:
    """Return how wide the numbers of the function at a diagnostic are; 0 for whole ones or none."""
    owners = owners_at(source, source.place_of(diagnostic) or 0)
    text = "".join(owner.text() for owner in owners[-1:])
    return max(width for width, domain in enumerate(_DOMAINS) if domain.search(text))
