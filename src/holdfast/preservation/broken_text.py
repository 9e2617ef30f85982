"""Changes of meaning where the old text does not parse: its tokens are compared, not its tree.

A syntax error asks for a separator, a bracket or a keyword. The constants, the operators and the
words that end a function are not what it is about.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.facts import value_of
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, review
from holdfast.syntax.tokens import tokenize

if TYPE_CHECKING:
    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.syntax.source import ParsedSource

_PLAIN_NUMBER: Final = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)[uUlLfFn]*")
_TRUTHS: Final = frozenset({"true", "false", "True", "False"})
_SIGNS: Final = re.compile(r"\w+|[<>=!&|?]+")
_WORD: Final = re.compile(r"\w+")


def _changes_number(facts: EditFacts) -> MeaningChange | None:
    """Find a number that was no mistake, and is another one now."""
    lost, gained = _lost_and_gained(facts, "number")
    words, new_words = _lost_and_gained(facts, "keyword")
    plain = [text for text in lost if _PLAIN_NUMBER.fullmatch(text)]
    plain += [text for text in words if text in _TRUTHS]
    gained += [text for text in new_words if text in _TRUTHS]
    for one, other in zip(plain, gained, strict=False):
        if value_of(one) != value_of(other):
            return review(f"it changes the constant {one} to {other}.")
    return None


def _drops_constant(facts: EditFacts) -> MeaningChange | None:
    """Find a number that is gone, with no other in its place."""
    lost, gained = _lost_and_gained(facts, "number")
    for text in lost:
        is_gone = _count(facts.new, text) < _count(facts.old, text)
        if not gained and is_gone and _PLAIN_NUMBER.fullmatch(text):
            return review(f"it drops the constant {text}.")
    return None


def _changes_string(facts: EditFacts) -> MeaningChange | None:
    """Find a string whose words are gone."""
    lost, gained = _lost_and_gained(facts, "string")
    if not lost or not gained:
        return None

    words = set(_WORD.findall(facts.added))
    for text in lost:
        if not words.issuperset(_WORD.findall(text)):
            return review(f"it changes the constant {text} to {gained[0]}.")
    return None


def _changes_operator(facts: EditFacts) -> MeaningChange | None:
    lost, gained = _lost_and_gained(facts, "operator")
    old = [text for text in lost if text in tables.ARITHMETIC]
    new = [text for text in gained if text in tables.ARITHMETIC]
    if old and new:
        return review(f"it changes a calculation (`{old[0]}` is now `{new[0]}`).")
    return None


def _drops_stop(facts: EditFacts) -> MeaningChange | None:
    """Find a `throw` or `return` that is gone, with nothing like it in its place."""
    lost, gained = _lost_and_gained(facts, "keyword")
    stops = [text for text in lost if text in tables.STOP_WORDS]
    if not stops or not tables.STOP_WORDS.isdisjoint(gained):
        return None
    return review(f"it drops `{stops[0]}`; keep what the code checks and returns.")


def _swaps_words(facts: EditFacts) -> MeaningChange | None:
    """Find two names that have changed places."""
    old = _names(facts.removed, facts.old.language)
    new = _names(facts.added, facts.old.language)
    if old != new and sorted(old) == sorted(new):
        return review(f"it changes the order of {', '.join(dict.fromkeys(old))}.")
    return None


def _count(source: ParsedSource, text: str) -> int:
    return sum(token.text == text for token in source.tokens)


def _names(text: str, language: str) -> list[str]:
    return [token.text for token in tokenize(text, language) if token.kind == "name"]


def _lost_and_gained(facts: EditFacts, kind: str) -> tuple[list[str], list[str]]:
    """Return the tokens of a kind that an edit removes, and those that it adds."""
    language = facts.old.language
    old = Counter(each.text for each in tokenize(facts.removed, language) if each.kind == kind)
    new = Counter(each.text for each in tokenize(facts.added, language) if each.kind == kind)
    return list((old - new).elements()), list((new - old).elements())


def _changes_sign(facts: EditFacts) -> MeaningChange | None:
    """Find another comparison where the old one was no mistake."""
    old, new = _signs(facts.removed, facts.old.language), _signs(facts.added, facts.old.language)
    for one, other in zip(sorted((old - new).elements()), (new - old).elements(), strict=False):
        return review(f"it changes a condition (`{one}` is now `{other}`).")
    for sign in sorted(tables.ADDED_SIGNS.intersection(new - old)):
        misspelt = r"[!<>]" if sign.startswith("!=") else r"[&|!]|\b(?:not|and|or)\b"
        if not re.search(misspelt, facts.removed):
            return review(f"it changes a condition (`{sign}` is new).")
    return None


def _signs(text: str, language: str) -> Counter[str]:
    """Count the comparisons and the logic of a text that stand alone and are of its language."""
    foreign = tables.OTHER_SIGNS.get(language, tables.SIGNS_OF_SCRIPTS)
    known = (tables.COMPARISONS | tables.LOGIC) - foreign
    return Counter(word for word in _SIGNS.findall(text) if word in known)


def _adds_value(facts: EditFacts) -> MeaningChange | None:
    """Find a value that is new where only signs are missing: a syntax error asks for no value."""
    if any(token.kind == "operator" for token in tokenize(facts.removed, facts.old.language)):
        return None
    words = set(_WORD.findall(facts.removed))
    variables = {token.text for token in facts.old.tokens if token.kind == "name"}
    for kind in ("number", "string", "name"):
        lost, gained = _lost_and_gained(facts, kind)
        for text in gained:
            is_there = (words | facts.reports.names).issuperset(_WORD.findall(text))
            is_other = kind == "name" and text not in variables
            if not lost and not is_there and not is_other:
                return review(f"it writes `{text}`, which no syntax error asks for.")
    return None


def _leaves_idle(facts: EditFacts) -> MeaningChange | None:
    if facts.new.idle_statements > facts.old.idle_statements:
        return review("it leaves a statement without effect.")
    return None


RULES: Final[tuple[MeaningRule, ...]] = (
    _changes_sign,
    _changes_number,
    _drops_constant,
    _changes_string,
    _changes_operator,
    _drops_stop,
    _swaps_words,
    _adds_value,
    _leaves_idle,
)
"""For an edit where the old text does not parse."""
