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

_TRUTHS: Final = "true|false|True|False"
_PLAIN_VALUE: Final = re.compile(rf"(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)[uUlLfFn]*|{_TRUTHS}")
_VALUE: Final = re.compile(rf"[\d.].*|{_TRUTHS}")
_SIGNS: Final = re.compile(r"\w+|[<>=!&|?]+")
_MISSPELT_LOGIC: Final = r"[&|!]|\b(?:not|and|or)\b"
_MISSPELT: Final = dict.fromkeys(("!=", "!=="), "[!<>]")
"""What a new sign may have been before; for the others, see above."""
_WORD: Final = re.compile(r"\w+")


def _changes_number(facts: EditFacts) -> MeaningChange | None:
    """Find a number that was no mistake, and is another one now."""
    lost, gained = _difference(facts, "number", "keyword")
    numbers = filter(_PLAIN_VALUE.fullmatch, lost)
    for one, other in zip(numbers, filter(_VALUE.fullmatch, gained), strict=False):
        if value_of(one) != value_of(other):
            return review(f"it changes the constant {one} to {other}.")

    return None


def _drops_constant(facts: EditFacts) -> MeaningChange | None:
    """Find a number that is gone, with no other in its place."""
    lost, gained = _difference(facts, "number")
    texts = Counter(token.text for token in facts.new.tokens)
    texts.subtract(token.text for token in facts.old.tokens)
    for text in filter(_PLAIN_VALUE.fullmatch, lost):
        if texts[text] < 0 and not gained:
            return review(f"it drops the constant {text}.")

    return None


def _changes_string(facts: EditFacts) -> MeaningChange | None:
    """Find a string whose words are gone."""
    lost, gained = _difference(facts, "string")
    words = set(_WORD.findall(facts.added))
    for text in lost:
        if gained and not words.issuperset(_WORD.findall(text)):
            return review(f"it changes the constant {text} to {gained[0]}.")

    return None


def _changes_operator(facts: EditFacts) -> MeaningChange | None:
    pair = [tables.ARITHMETIC.intersection(texts) for texts in _difference(facts, "operator")]
    if not all(pair):
        return None

    old, new = map(min, pair)
    return review(f"it changes a calculation (`{old}` is now `{new}`).")


def _drops_stop(facts: EditFacts) -> MeaningChange | None:
    """Find a `throw` or `return` that is gone, with nothing like it in its place."""
    lost, gained = map(tables.STOP_WORDS.intersection, _difference(facts, "keyword"))
    if gained:
        return None

    if not lost:
        return None

    return review(f"it drops `{min(lost)}`; keep what the code checks and returns.")


def _swaps_words(facts: EditFacts) -> MeaningChange | None:
    """Find two names that have changed places."""
    old, new = _tokens(facts, "name")
    if old == new:
        return None

    if sorted(old) != sorted(new):
        return None

    return review(f"it changes the order of {', '.join(dict.fromkeys(old))}.")


def _changes_sign(facts: EditFacts) -> MeaningChange | None:
    """Find another comparison where the old one was no mistake."""
    foreign = tables.OTHER_SIGNS.get(facts.old.language, tables.SIGNS_OF_SCRIPTS)
    known = tables.CONDITION_SIGNS - foreign
    old, new = (
        Counter(filter(known.__contains__, _SIGNS.findall(text)))
        for text in (facts.removed, facts.added)
    )
    for one, other in zip(sorted((old - new).elements()), (new - old).elements(), strict=False):
        return review(f"it changes a condition (`{one}` is now `{other}`).")

    for sign in sorted(tables.ADDED_SIGNS.intersection(new - old)):
        if not re.search(_MISSPELT.get(sign, _MISSPELT_LOGIC), facts.removed):
            return review(f"it changes a condition (`{sign}` is new).")

    return None


def _adds_value(facts: EditFacts) -> MeaningChange | None:
    """Find a value that is new where only signs are missing: a syntax error asks for no value."""
    if any(_tokens(facts, "operator")[0]):
        return None

    there = facts.reports.names.union(_WORD.findall(facts.removed))
    variables = set()
    for token in facts.old.tokens:
        if token.kind == "name":
            variables.add(token.text)

    for kind in ("number", "string", "name"):
        lost, gained = _difference(facts, kind)
        for text in gained:
            is_known = lost or there.issuperset(_WORD.findall(text))
            if not is_known and (kind != "name" or text in variables):
                return review(f"it writes `{text}`, which no syntax error asks for.")

    return None


def _leaves_idle(facts: EditFacts) -> MeaningChange | None:
    if facts.new.idle_statements <= facts.old.idle_statements:
        return None

    return review("it leaves a statement without effect.")


def _tokens(facts: EditFacts, *kinds: str) -> tuple[list[str], list[str]]:
    """Return the tokens of these kinds in the old and the new text of an edit."""
    old, new = (
        [token.text for token in tokenize(text, facts.old.language) if token.kind in kinds]
        for text in (facts.removed, facts.added)
    )
    return old, new


def _difference(facts: EditFacts, *kinds: str) -> tuple[list[str], list[str]]:
    """Return the tokens of these kinds that an edit removes, and those that it adds."""
    old, new = map(Counter, _tokens(facts, *kinds))
    return list((old - new).elements()), list((new - old).elements())


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
