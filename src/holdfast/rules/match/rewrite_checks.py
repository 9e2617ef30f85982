"""Checks of a rewritten text that a compiler does not make: ways in which a rule can be wrong."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from holdfast.rules.match.bound_names import binds
from holdfast.syntax.node_kinds import FUNCTIONS
from holdfast.syntax.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.syntax.source import ParsedSource

_ONLY_VALUES = frozenset(
    {"comparison_operator", "boolean_operator", "not_operator", "binary_expression"}
)
_ONLY_VALUES |= {
    "unary_expression",
    "parenthesized_expression",
    "conditional_expression",
    "ternary_expression",
}
_CHARACTERS = frozenset({"c", "cpp", "java", "rust", "go"})
_CHARACTER = re.compile(
    r"[LuU8b]*'(?:[^'\\]|\\(?:u\{?[0-9a-fA-F]+\}?|x[0-9a-fA-F]+|[0-7]{1,3}|.))'"
)
_ASYNC_MAKER = re.compile(r"\basync\s+(?:def\s+__(?!a)\w+__|constructor\b|[gs]et\s+\w)")
_OF_ITSELF = re.compile(r"\b(self|this)\s*(?:\.|->)\s*([^\W\d]\w*)")
_PYTHON_MEMBER = r"\bdef\s+{0}\b|^[ \t]+{0}\s*(?::|=(?!=))"
_MEMBER = (
    r"^[ \t]+(?!(?:return|await|yield|throw|new|else|case|delete|typeof|void 0)\b)"
    r"(?:[\w<>\[\],.:*&?]+[ \t]+)*"
    r"#?{0}\s*[?!]?\s*(?:\([^;]*\{{\s*$|[:;]|=(?!=))|\bfn\s+{0}\b"
)
_GLOBAL = re.compile(r"^[ \t]+global\s+([^\W\d]\w*)\s*$", re.MULTILINE)
_CONVERTED = re.compile(
    r"\b(?:str|int|float|bool|Number|String|parseInt|parseFloat|to_string|valueOf|Itoa|"
    r"static_cast<\w+>)"
    r"\(\s*(?:\d+(?:\.\d+)?|\"[^\"\n]*\"|'[^'\n]*')\s*\)"
)
_READ = re.compile(
    r"\b(?:int|float|Number|parseInt|parseFloat|parseDouble|parseLong)\(\s*([^\W\d]\w*)\s*\)"
)
_FEW = 4
_DECLARATION = re.compile(r"\b(?:let|var|const)\s+([^\W\d][\w$]*)")


def why_not_sane(before: ParsedSource, after: ParsedSource, made: Sequence[str]) -> str | None:
    """Return what is wrong with a rewritten text, or None. `made` are the new pieces of text."""
    if any("==" in new for new in made) and _comparisons(after) > _comparisons(before):
        return "a comparison would be a statement of its own"
    if before.language in _CHARACTERS and any(
        _is_long_character(new, before.language) for new in made
    ):
        return "a character literal would contain several characters"
    if len(_ASYNC_MAKER.findall(after.text)) > len(_ASYNC_MAKER.findall(before.text)):
        return "a constructor cannot be async"
    if len(_CONVERTED.findall(after.text)) > len(_CONVERTED.findall(before.text)):
        return "a literal would be converted instead of written with the wanted type"
    reasons = (_why_not_of_itself, _why_not_assigned, _why_not_global, _why_not_read)
    return next((why for reason in reasons if (why := reason(before, after)) is not None), None)


def why_not_deleted(deleted: str, text: str, target: str, args: Sequence[str]) -> str | None:
    """Return why a rule that only deletes may not delete this text, or None.

    It may delete code that is named or that is there a second time.
    """
    tokens = [token.text for token in tokenize(deleted, target)]
    if len(tokens) <= _FEW or any(arg in tokens for arg in args):
        return None
    words = " ".join(deleted.split())
    return (
        None
        if " ".join(text.split()).count(words) > 1
        else "it would delete code that is nowhere else"
    )


def _comparisons(source: ParsedSource) -> int:
    """Return how many statements only compare: there `==` was not meant."""
    nodes = source.root.find_all(kind="expression_statement") if source.root is not None else []
    return sum(
        "==" in node.text()
        and {child.kind() for child in node.children() if child.is_named()} <= _ONLY_VALUES
        for node in nodes
    )


def _is_long_character(new: str, target: str) -> bool:
    return any(
        token.kind == "string"
        and token.text.endswith("'")
        and _CHARACTER.fullmatch(token.text) is None
        for token in tokenize(new, target)
    )


def _why_not_of_itself(before: ParsedSource, after: ParsedSource) -> str | None:
    """Return why a member may not be read from its own object: nothing shows that there is one."""
    known = {name for _, name in _OF_ITSELF.findall(before.text)}
    member = _PYTHON_MEMBER if before.language == "python" else _MEMBER
    for word, name in _OF_ITSELF.findall(after.text):
        if name not in known and re.search(member.format(name), before.text, re.MULTILINE) is None:
            return f"{word} has no {name}"
    return None


def _why_not_global(before: ParsedSource, after: ParsedSource) -> str | None:
    """Return why a name may not be made global: it is an import, a function, or unknown."""
    if before.language != "python":
        return None
    made = set(_GLOBAL.findall(after.text)) - set(_GLOBAL.findall(before.text))
    plain = (
        name
        for name in made
        if re.search(rf"^{name}\s*(?::|=(?!=))", before.text, re.MULTILINE) is None
    )
    return next((f"{name} is no variable of the module" for name in plain), None)


def _why_not_read(before: ParsedSource, after: ParsedSource) -> str | None:
    """Return why a text may not be read as a number: the function also uses it as a text."""
    known = _READ.findall(before.text)
    for found in _READ.finditer(after.text):
        if found[1] in known:
            continue
        around = [node for node in after.nodes_around(found.start()) if node.kind() in FUNCTIONS]
        uses = around[-1].find_all(kind="identifier") if around else []
        if sum(node.text() == found[1] and not binds(node) for node in uses) > 1:
            return f"{found[1]} is used as a text, too"
    return None


def _why_not_assigned(before: ParsedSource, after: ParsedSource) -> str | None:
    """Return why a constant would be assigned: a second declaration of its name is removed."""
    if before.language not in {"javascript", "typescript"}:
        return None
    left = Counter(_DECLARATION.findall(after.text))
    gone = Counter(_DECLARATION.findall(before.text)) - left
    constants = (name for name in gone if re.search(rf"\bconst\s+{re.escape(name)}\b", after.text))
    return next((f"{name} is a constant" for name in constants), None)
