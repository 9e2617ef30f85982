"""Changes of meaning where the old text does not parse: its tokens are compared, not its tree.

A syntax error asks for a separator, a bracket or a keyword. The constants, the operators and the
words that end a function are not what it is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.fact_rule import TextRule
from holdfast.preservation.meaning_change import review
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.meaning_change import MeaningChange, MeaningRule

_TRUTHS: Final = "true|false|True|False"
_PLAIN_VALUE: Final = rf"(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)[uUlLfFn]*|{_TRUTHS}"
_COMPARISON: Final = "[=!<>]=|[<>]"
_ARITHMETIC: Final = r"[-+*/%&|^]|\*\*|//|<<|>>"
_AND: Final = "and|&&"
_OR: Final = r"or|\|\|"
_SIGNS: Final = ("operator", "keyword")
_NOTHING: Final = lazy_pattern(r"\A\Z")


def _with(words: str) -> re.Pattern[str]:
    """Return a pattern of tokens, one of which is one of these; that one is the group."""
    return lazy_pattern(rf"(?:\A|.* )({words})(?: .*)?\Z", re.DOTALL)


def _one_of(words: Iterable[str]) -> re.Pattern[str]:
    return _with("|".join(map(re.escape, sorted(words))))


def _leaves_idle(facts: EditFacts) -> MeaningChange | None:
    if facts.new.idle_statements <= facts.old.idle_statements:
        return None

    return review("it leaves a statement without effect.")


_CONDITION: Final = "it changes a condition (`{1}` is now `{0}`)."
_CONSTANT: Final = "it changes the constant {1} to {0}."

RULES: Final[tuple[MeaningRule, ...]] = (
    TextRule(_CONDITION, _with(_COMPARISON), _with(_COMPARISON), _SIGNS),
    TextRule(_CONDITION, _with(_OR), _with(_AND), _SIGNS),
    TextRule(_CONDITION, _with(_AND), _with(_OR), _SIGNS),
    TextRule(
        "it changes a condition (`{0}` is new).",
        _with(rf"!==?|not|!|{_AND}|{_OR}"),
        lazy_pattern(r"(?:[=>]+ ?)*"),
        _SIGNS,
    ),
    TextRule(_CONSTANT, _with(rf"[\d.]\S*|{_TRUTHS}"), _with(_PLAIN_VALUE), ("number", "keyword")),
    TextRule("it drops the constant {1}.", _NOTHING, _with(_PLAIN_VALUE), ("number",)),
    TextRule(
        _CONSTANT, lazy_pattern("(.+)", re.DOTALL), lazy_pattern("(.+)", re.DOTALL), ("string",)
    ),
    TextRule(
        "it changes a calculation (`{1}` is now `{0}`).",
        _with(_ARITHMETIC),
        _with(_ARITHMETIC),
        ("operator",),
    ),
    TextRule(
        "it drops `{1}`; keep what the code checks and returns.",
        _NOTHING,
        _one_of(tables.STOP_WORDS),
        ("keyword",),
    ),
    TextRule(
        "it writes `{0}`, which no syntax error asks for.",
        lazy_pattern(r"(?:\S+ )*([\d\"'`].*)\Z", re.DOTALL),
        _NOTHING,
        ("number", "string", "operator"),
    ),
    _leaves_idle,
)
"""For an edit where the old text does not parse."""
