"""The loops around a place: what they count, what they set, and what their number is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.syntax.tree import field_text, first_field, signs_of, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site

LOOPS: Final = re.compile("^(?:for|while|do|loop|enhanced_for)_")
"""The kinds of nodes that are loops."""
_BRANCHES: Final = frozenset({"if_statement", "if_expression", "switch_statement", "switch_block"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_ADDRESS: Final = re.compile(r"&(?:mut )?\$([A-Z]\w*)")


def _counters(loop: SgNode) -> set[str]:
    """Return the names that a loop with a number changes in each turn."""
    return set(_WORD.findall(field_text(loop, "update", "increment")))


def counts_for_another(site: Site) -> bool:
    """Return whether a loop takes its end from one thing, and uses its number only with others.

    `i < word.length` with `words[i]` in the body.
    """
    for loop in site.outer:
        condition = first_field(loop, "condition")
        counters = _counters(loop)
        if not counters or condition is None:
            continue

        start, end = span_of(condition)
        if start <= site.span[0] and site.span[1] <= end:
            return _is_for_others(field_text(loop, "body"), counters, site)

    return False


def _is_for_others(body: str, counters: set[str], site: Site) -> bool:
    """Return whether a body uses a number as an index, and never with a name at the place."""
    number = "|".join(map(re.escape, counters))
    indexed = re.findall(rf"([\w.>-]+)\[\s*(?:{number})\b", body)
    asked = re.findall(rf"([\w.>-]+)\(\s*(?:{number})\b", body)
    there = _WORD.findall(site.source.text[site.span[0] : site.span[1]])
    if not indexed:
        return False

    used = _WORD.findall(" ".join(indexed + asked))
    return set(used).isdisjoint(there)


def is_overwritten(site: Site) -> bool:
    """Return whether each turn of a loop sets a variable to a value: only the last one counts."""
    target = ""
    for node in site.outer:
        kind = node.kind()
        if kind in _BRANCHES:
            return False

        if kind == "assignment_expression":
            target = _variable_set_anew(node, site)

        if target and LOOPS.search(kind):
            return _WORD.findall(node.text()).count(target) == 1

    return False


def _variable_set_anew(assignment: SgNode, site: Site) -> str:
    """Return the variable that gets the value at a place, and no value computed from itself."""
    if "=" not in signs_of(assignment):
        return ""

    target, value = field_text(assignment, "left"), field_text(assignment, "right")
    start = span_of(assignment)[1] - len(value)
    is_new = start <= site.span[1] and target not in _WORD.findall(value)
    if is_new:
        return target

    return ""


def counters_given(site: Site) -> Iterator[str]:
    """Yield the holes whose address a fix passes and that count the turns of a loop around.

    A function that changes the number changes the loop.
    """
    given = set(_ADDRESS.findall(site.rewrite.fix)) - set(_ADDRESS.findall(site.rewrite.pattern))
    counters: set[str] = set()
    for node in site.outer:
        counters.update(_WORD.findall(field_text(node, "update", "increment")))

    for hole in given:
        if site.holes.get(hole) in counters:
            yield hole
