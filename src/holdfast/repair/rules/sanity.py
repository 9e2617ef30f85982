"""What a rewritten text must not be, though a compiler may take it: ways in which a rule that fits is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from holdfast.repair.rules.source import Source
from holdfast.repair.rules.tokens import tokenize

_ONLY_VALUES = frozenset({"comparison_operator", "boolean_operator", "not_operator", "binary_expression"})
_ONLY_VALUES |= {"unary_expression", "parenthesized_expression", "conditional_expression", "ternary_expression"}
_CHARACTERS = frozenset({"c", "cpp", "java", "rust", "go"})
_CHARACTER = re.compile(r"[LuU8b]*'(?:[^'\\]|\\(?:u\{?[0-9a-fA-F]+\}?|x[0-9a-fA-F]+|[0-7]{1,3}|.))'")
_ASYNC_MAKER = re.compile(r"\basync\s+(?:def\s+__(?!a)\w+__|constructor\b|[gs]et\s+\w)")
_OF_ITSELF = re.compile(r"\b(self|this)\s*(?:\.|->)\s*([^\W\d]\w*)")
_PYTHON_MEMBER = r"\bdef\s+{0}\b|^[ \t]+{0}\s*(?::|=(?!=))"
_MEMBER = (
    r"^[ \t]+(?!(?:return|await|yield|throw|new|else|case|delete|typeof|void 0)\b)(?:[\w<>\[\],.:*&?]+[ \t]+)*"
    r"#?{0}\s*[?!]?\s*(?:\([^;]*\{{\s*$|[:;]|=(?!=))|\bfn\s+{0}\b"
)
_DECLARATION = re.compile(r"\b(?:let|var|const)\s+([^\W\d][\w$]*)")


def why_not_sane(before: Source, after: Source, made: Sequence[str]) -> str | None:
    """Say what is wrong with a text that came of a rule; None if nothing is. `made` are the new pieces of text."""
    if any("==" in new for new in made) and _comparisons(after) > _comparisons(before):
        return "a comparison would stand there as a statement of its own"
    if before.target in _CHARACTERS and any(_is_long_character(new, before.target) for new in made):
        return "a character would be of more than one"
    if len(_ASYNC_MAKER.findall(after.text)) > len(_ASYNC_MAKER.findall(before.text)):
        return "what makes an object cannot be async"
    return _why_not_of_itself(before, after) or _why_not_assigned(before, after)


def _comparisons(source: Source) -> int:
    """How many statements only compare: `==` is not what was meant there."""
    nodes = source.root.find_all(kind="expression_statement") if source.root is not None else []
    return sum(
        "==" in node.text() and {child.kind() for child in node.children() if child.is_named()} <= _ONLY_VALUES
        for node in nodes
    )


def _is_long_character(new: str, target: str) -> bool:
    return any(
        token.kind == "string" and token.text.endswith("'") and _CHARACTER.fullmatch(token.text) is None
        for token in tokenize(new, target)
    )


def _why_not_of_itself(before: Source, after: Source) -> str | None:
    """Say which member a text now takes from its own object, though nothing says that it has one of that name."""
    known = {name for _, name in _OF_ITSELF.findall(before.text)}
    member = _PYTHON_MEMBER if before.target == "python" else _MEMBER
    for word, name in _OF_ITSELF.findall(after.text):
        if name not in known and re.search(member.format(name), before.text, re.MULTILINE) is None:
            return f"{word} has no {name}"
    return None


def _why_not_assigned(before: Source, after: Source) -> str | None:
    """Say which constant would be assigned to, because a second declaration of its name has gone."""
    if before.target not in {"javascript", "typescript"}:
        return None
    left = Counter(_DECLARATION.findall(after.text))
    gone = Counter(_DECLARATION.findall(before.text)) - left
    constants = (name for name in gone if re.search(rf"\bconst\s+{re.escape(name)}\b", after.text))
    return next((f"{name} is a constant" for name in constants), None)
