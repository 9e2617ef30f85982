"""The variables around a place: what nothing reads, what nothing sets, what a loop counts.

A fix that makes a variable mutable, or writes another name for a member, is right if that variable
is the one that was meant. Another one that is left over says that it was not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.site import SETTING, TARGET
from holdfast.syntax.tree import field_text, first_field, span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.rules.match.site import Site

_LOOPS: Final = re.compile("^(?:for|while|do|loop|enhanced_for)_")
_BRANCHES: Final = frozenset({"if_statement", "if_expression", "switch_statement", "switch_block"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_FILLING: Final = "add|addAll|push|push_back|emplace_back|append|extend|insert|put|set|update"
_NOT_READ: Final = "|".join(
    (
        SETTING,
        r"(?:\+\+|--)NAME\b",
        rf"^[ \t]*NAME(?:\.|->)(?:{_FILLING})\(",
        rf"\)[ \t]*NAME(?:\.|->)(?:{_FILLING})\(",
        r"[\w>\]*&](?<!return)(?<!await)(?<!throw)[ \t]+[*&]*NAME\s*(?:\[\w*\]\s*)?;",
        r"\bfor\b[^\n;]*?\bNAME\s*(?::(?!:)|in\b|of\b)",
        r"\bfor\s*\([^;{}]*;[^;{}]*;[^{}()]*\bNAME\b[^{}()]*\)",
    )
)
"""The places of a variable that read no value of it: it is declared, set, filled, or counts."""
_NUMBER_DECLARED: Final = (
    r"^[ \t]*(?!.*\b(?:const|constexpr|final|readonly)\b)(?:KIND)\s+(\w+)\s*(?::[^=\n]*)?=\s*-?\d"
)
_CHANGEABLE: Final = {"rust": r"let\s+mut"}
_SETS: Final = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--")


def has_unread_variable(site: Site) -> bool:
    """Return whether nothing reads a variable of the function that is declared elsewhere.

    The element or the number of a loop counts if the place is in the body of that loop.
    """
    start, end = site.span
    known = {*_WORD.findall(site.source.text[start:end]), *site.diagnostic.args}
    names = {node.text() for node in site.declared if _is_elsewhere(node, site)} - known
    for function in site.functions[:1]:
        for name in names:
            rest = re.sub(_NOT_READ.replace("NAME", name), "", function.text(), flags=re.MULTILINE)
            is_there = name in _WORD.findall(function.text())
            if is_there and name[0] != "_" and name not in _WORD.findall(rest):
                return True

    return False


def _is_elsewhere(name: SgNode, site: Site) -> bool:
    """Return whether a variable is declared on another line, or for a loop with the place in it."""
    for node in name.ancestors():
        if "parameter" in node.kind():
            return False

        body = first_field(node, "body")
        if _LOOPS.search(node.kind()) and body is not None and span_of(name)[1] <= span_of(body)[0]:
            return span_of(body)[0] <= site.span[0] <= span_of(body)[1]

    return name.text() not in _WORD.findall(site.texts["lines"])


def counts_for_another(site: Site) -> bool:
    """Return whether a loop takes its end from one thing, and uses its number only with others.

    `i < word.length` with `words[i]` in the body.
    """
    there = _WORD.findall(site.source.text[slice(*site.span)])
    for loop in site.outer:
        counters = _WORD.findall(field_text(loop, "update", "increment"))
        condition = first_field(loop, "condition") or loop
        if counters and span_of(condition)[0] <= site.span[0] <= span_of(condition)[1]:
            number = rf"([\w.>-]+)([\[(])\s*(?:{'|'.join(counters)})\b"
            used = re.findall(number, field_text(loop, "body"))
            names = _WORD.findall(" ".join(name for name, _ in used))
            return "[" in "".join(sign for _, sign in used) and set(names).isdisjoint(there)

    return False


def is_overwritten(site: Site) -> bool:
    """Return whether each turn of a loop sets a variable to a value: only the last one counts."""
    names = re.findall(TARGET, site.texts["head"])
    for node in site.outer:
        if node.kind() in _BRANCHES:
            return False

        if _LOOPS.search(node.kind()):
            words = _WORD.findall(node.text())
            return any(words.count(name) == 1 for name in names)

    return False


def is_write_lost(site: Site) -> bool:
    """Return whether nothing reads a variable after the statement that changes it.

    The fix is in the declaration of that variable, the diagnostic in the statement.
    """
    place = site.source.place_of(site.diagnostic) or 0
    declared = set(site.names.values()).intersection(site.diagnostic.args)
    if not declared or place <= site.span[1]:
        return False

    text = site.source.text
    start, _ = _repeated_span(site, place)
    line = text.rfind("\n", 0, place), text.find("\n", place)
    read = _WORD.findall(text[start : line[0]] + text[line[1] : site.function_span[1]])
    return declared.isdisjoint(read)


def has_idle_variable(site: Site) -> bool:
    """Return whether another variable may be what the statement of the diagnostic is to set.

    It has a number to start with and may change, and nothing has changed it until then.
    """
    place = site.source.place_of(site.diagnostic) or 0
    if place <= site.span[1] or not _SETS.search(site.source.line_at(site.diagnostic)):
        return False

    start, end = site.function_span[0], _repeated_span(site, place)[1]
    kind = _CHANGEABLE.get(site.source.language, r"[\w<>]+")
    numbers = re.compile(_NUMBER_DECLARED.replace("KIND", kind), re.MULTILINE)
    for found in numbers.finditer(site.source.text, start, place):
        text = site.source.text[found.end() : end]
        if not re.search(rf"{SETTING}|&(?:mut )?NAME\b".replace("NAME", found[1]), text):
            return True

    return False


def _repeated_span(site: Site, place: int) -> tuple[int, int]:
    """Return the span of the outermost loop around an offset and after the declaration.

    Without such a loop, it is the offset itself.
    """
    loops = [node for node in site.source.nodes_around(place) if _LOOPS.search(node.kind())]
    spans = [span_of(loop) for loop in loops if span_of(loop)[0] >= site.span[1]]
    return min(spans, default=(place, place))
