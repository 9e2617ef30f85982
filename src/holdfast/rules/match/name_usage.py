"""How a program uses a name: a type added by a fix is right only for a name used alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

USED: Final = "@used "
_RECKONING = frozenset(
    {
        "*",
        "-",
        "/",
        "%",
        "**",
        "//",
        "<",
        ">",
        "<=",
        ">=",
        "-=",
        "*=",
        "/=",
        "%=",
        "++",
        "--",
        "+",
        "+=",
    }
)
_MEMBER = frozenset(
    {
        "member_expression",
        "attribute",
        "field_expression",
        "field_access",
        "selector_expression",
        "method_invocation",
    }
)
_INDEX = frozenset({"subscript_expression", "subscript", "index_expression", "array_access"})
_CALL = frozenset({"call", "call_expression"})
_CAUGHT = frozenset({"catch_clause", "except_clause", "catch_formal_parameter"})
_SET = frozenset(
    {
        "variable_declarator",
        "init_declarator",
        "assignment",
        "assignment_expression",
        "let_declaration",
    }
)
_INTEGER = re.compile(r"-?\d[\d_]*|-?0[xX][0-9a-fA-F_]+")
_FLOAT = re.compile(r"-?[\d_]*\.\d[\d_]*(?:[eE][+-]?\d+)?[fFdD]?|-?\d[\d_]*\.(?:\d[\d_]*)?")


def uses_of(source: ParsedSource, name: str) -> frozenset[str]:
    """Return the uses of a name in a text that show what it stands for.

    >>> from holdfast.syntax.source import ParsedSource
    >>> sorted(uses_of(ParsedSource("let n = 0; while (n < 3) n++; log(n)", "javascript"), "n"))
    ['is:integer', 'reckoned']
    >>> source = ParsedSource("try { f() } catch (e) { log(e.message) }", "javascript")
    >>> sorted(uses_of(source, "e"))
    ['caught', 'member:message']
    """
    if source.root is None:
        return frozenset()
    uses = (
        _use_of(node) for node in source.root.find_all(kind="identifier") if node.text() == name
    )
    return frozenset(use for use in uses if use is not None)


def used_alike(value: str, source: ParsedSource, name: str) -> bool:
    """Return whether a name is used as a rule demands.

    It must share one of the demanded uses, and have no other value.
    """
    wanted = frozenset(value.removeprefix(USED).split())
    uses = uses_of(source, name)
    values = {use for use in uses if use.startswith("is:")}
    return bool(uses & wanted) and values <= wanted


def demand(source: ParsedSource, name: str) -> str | None:
    """Return the uses that a rule demands of a name; None if they show nothing."""
    uses = uses_of(source, name)
    return USED + " ".join(sorted(uses)) if uses else None


def _use_of(node: SgNode) -> str | None:
    parent = node.parent()
    if parent is None:
        return None
    kind = parent.kind()
    children = parent.children()
    first = bool(children) and children[0].range().start.index == node.range().start.index
    if kind in _CAUGHT:
        return "caught"
    if kind in _MEMBER and first:
        return (
            f"member:{re.split(r'[^0-9A-Za-z_]', children[-1].text().lstrip('.->'))[0]}"
            if len(children) > 1
            else None
        )
    if kind in _INDEX and first:
        return "index"
    if kind in _SET and first and (value := _value_of(children[-1].text())) is not None:
        return value
    signs = {child.text() for child in children if not child.is_named()}
    texts = any(quote in parent.text() for quote in ('"', "'", "`"))
    return (
        "reckoned"
        if signs & _RECKONING and kind not in _CALL and not texts and "(" not in signs
        else None
    )


def _value_of(text: str) -> str | None:
    if _INTEGER.fullmatch(text):
        return "is:integer"
    if _FLOAT.fullmatch(text):
        return "is:float"
    if text[:1] in {'"', "'", "`"}:
        return "is:string"
    if text in {"true", "false", "True", "False"}:
        return "is:boolean"
    return None
