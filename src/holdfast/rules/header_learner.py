"""Make a rewrite of the header of a function or a type from examples that only add words to it.

The rest of the header is free: its types, its other words, its parameters. What the added words
mean for them, the compiler judges.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.header_match import PLACES, declarations_at, find_headers, role_of
from holdfast.rules.rule import HeaderRewrite
from holdfast.syntax.tokens import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rules.sample import Sample

_SIGNS: Final = frozenset({"{", "}", ";"})


def header_rewrite(samples: Sequence[Sample]) -> HeaderRewrite | None:
    """Return the rewrite that adds the same words to a header in each sample."""
    made = {_rewrite_of(sample) for sample in samples}
    return made.pop() if len(made) == 1 else None


def _rewrite_of(sample: Sample) -> HeaderRewrite | None:
    """Return the rewrite of the innermost declaration in or before which there are new words."""
    words = texts_of(sample.added_tokens)
    if sample.old_tokens or not _SIGNS.isdisjoint(words):
        return None

    is_line = "\n" in sample.gap.lstrip()
    source = sample.source
    nodes = [*declarations_at(source, sample.low), *declarations_at(source, sample.high)]
    for node, place, named in product(reversed(nodes), PLACES, (False, True)):
        made = HeaderRewrite(node.kind(), sample.gap.strip(), place, named, role_of(node))
        found = [each.at for each in find_headers(made, source, sample.diagnostic)]
        if is_line == (place == "above") and found in ([sample.low], [sample.high]):
            return made

    return None
