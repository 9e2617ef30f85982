"""Make a rewrite of the header of a function or a type from examples that only add words to it.

The rest of the header is free: its types, its other words, its parameters. What the added words
mean for them, the compiler judges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.match.header_match import (
    FUNCTION,
    PLACES,
    TYPE,
    find_headers,
    is_around,
    offset_of,
    role_of,
)
from holdfast.rules.rule import HeaderRewrite
from holdfast.syntax.tokens import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

    from holdfast.rules.sample import Sample

_MOST_WORDS: Final = 12
_SIGNS: Final = frozenset({"{", "}", ";"})


def header_rewrite(samples: Sequence[Sample]) -> HeaderRewrite | None:
    """Return the rewrite that adds the same words to a header in each sample."""
    made = {_rewrite_of(sample) for sample in samples}
    if len(made) != 1:
        return None

    return made.pop()


def _rewrite_of(sample: Sample) -> HeaderRewrite | None:
    words = texts_of(sample.added_tokens)
    if sample.old_tokens or not 0 < len(words) <= _MOST_WORDS:
        return None

    if not _SIGNS.isdisjoint(words):
        return None

    is_line = "\n" in sample.gap.lstrip()
    for node in reversed(_declarations_around(sample)):
        for place in PLACES:
            gap = sample.high if _is_before(place) else sample.low
            if offset_of(node, place) == gap and is_line == (place == "above"):
                return _tied(node, place, sample)

    return None


def _is_before(place: str) -> bool:
    return not place.startswith("after")


def _declarations_around(sample: Sample) -> list[SgNode]:
    """Return the functions and types that the new words are in, or directly before."""
    found: list[SgNode] = []
    for offset in (sample.low, sample.high):
        for node in sample.source.nodes_around(offset):
            # A keyword is a node, too.
            kind = node.kind()
            if node.is_named() and (FUNCTION.search(kind) or TYPE.match(kind)):
                found.append(node)

    return found


def _tied(node: SgNode, place: str, sample: Sample) -> HeaderRewrite | None:
    """Return the rewrite of a declaration that is around the diagnostic, or named by it."""
    inside = () if _has_name(node) else (role_of(node),)
    words = sample.gap.strip()
    here = sample.place is not None and is_around(node, sample.place)
    made = HeaderRewrite(node.kind(), words, place, named=not here, inside=inside)
    found = find_headers(made, sample.source, sample.diagnostic)
    if len(found) != 1:
        return None

    return made


def _has_name(node: SgNode) -> bool:
    return node.field("name") is not None or node.field("declarator") is not None
