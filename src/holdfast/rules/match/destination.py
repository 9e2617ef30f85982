"""What becomes of the value of an expression: what it is beside, and what it is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import types_in
from holdfast.rules.match.node_classes import is_literal
from holdfast.rules.type_text import is_number
from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.site import Site

_USED: Final = re.compile(
    r"(?:.*[{};])?(?P<declared>[^{};]*?)(?:\breturn\b|(?<![=!<>])=)\s*\(*(?:[\w.]+\s*[-+*/%]\s*)*\(*$"
)
"""The line before a value that is returned or stored, alone or in a calculation."""
_LISTED: Final = re.compile(r"\([^()]*\)")
_FRACTIONS: Final = re.compile(r"\b(?:float|double|f32|f64|Float|Double|Decimal)\b")
_POINTER: Final = re.compile(r"\*\s*\w*\s*$")
_NAMES: Final = re.compile(r"[^\W\d]\w*")
_NUMBER: Final = re.compile(r"(?<![\w.$])\d[\w.]*")
_POINTERS: Final = frozenset({"c", "cpp"})


def form_of_result(site: Site) -> Iterator[str]:
    """Yield what a value of C is for: a `pointer` or another `value`."""
    declared = _declaration_for(site)
    if not declared or site.source.language not in _POINTERS:
        return

    if _POINTER.search(declared):
        yield "pointer"
    elif not _FRACTIONS.search(declared):
        yield "value"


def is_fraction(site: Site) -> bool:
    """Return whether a value is for something that is declared as a fraction."""
    return _FRACTIONS.search(_declaration_for(site)) is not None


def _declaration_for(site: Site) -> str:
    """Return the declaration that a value initializes, or the header of the function around."""
    used = _USED.fullmatch(site.texts["head"])
    if used is None:
        return ""

    header = _LISTED.sub("", "".join(owner.text() for owner in site.owners[-1:]))
    return used["declared"].strip() or re.split(r"[{\n]", header)[0].strip()


def kind_beside(site: Site) -> Iterator[str]:
    """Yield what the operand that changes is combined with: a `text` or a `value`.

    A variable that is set to a text is one.
    """
    for node in reversed(site.source.nodes_around(site.start)):
        if "binary_" not in node.kind():
            continue

        for operand in node.named_children():
            low, high = span_of(operand)
            if not low <= site.start <= high:
                yield _kind_of_operand(operand, site)

        return


def _kind_of_operand(operand: SgNode, site: Site) -> str:
    is_text = "string" in operand.kind()
    if not is_literal(operand):
        name = re.escape(operand.text())
        is_text = re.search(rf"\b{name}(?::[^=\n]*)?\s*=\s*[\"']", site.source.text) is not None

    return "text" if is_text else "value"


def types_missing(site: Site) -> set[str]:
    """Return the types of numbers in a message that no variable at the place has.

    In `(char) (letter + 1)` a letter becomes a letter again; the sum of two digits is none. Where
    the message names no type, return those that the variables have.
    """
    start, end = site.span
    declared = types_in(site.source, site.source.text[start:end], start)
    types = set(site.diagnostic.args)
    if not types:
        return set(declared)

    if not all(map(is_number, types - {"char"})):
        return set()

    return types.difference(_NAMES.findall(" ".join(declared)))


def numbers_beside(site: Site) -> list[str]:
    """Return the numbers on the lines of a place, if the fix writes a number of its own.

    The number may belong to a formula: `4 / 3 * r ** 3` is no `r ** 2`.
    """
    written = set(_NUMBER.findall(site.rewrite.fix))
    if written.issubset(_NUMBER.findall(site.rewrite.pattern)):
        return []

    return _NUMBER.findall(site.texts["head"] + site.texts["after"].partition("\n")[0])
