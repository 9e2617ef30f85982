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
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.preservation.edit_facts import EditFacts

_TRUTHS: Final = "true|false|True|False"
_PLAIN_VALUE: Final = re.compile(rf"(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)[uUlLfFn]*|{_TRUTHS}")
_VALUE: Final = re.compile(rf"[\d.].*|{_TRUTHS}")
_SIGNS: Final = re.compile(r"\w+|[<>=!&|?]+")
_MISSPELT_LOGIC: Final = r"[&|!]|\b(?:not|and|or)\b"
_MISSPELT: Final = dict.fromkeys(("!=", "!=="), "[!<>]")
"""What a new sign may have been before; for the others, see above."""
_WORD: Final = re.compile(r"\w+")
_ANY: Final = re.compile(".*", re.DOTALL)


def _one_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)))


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A change of tokens of some kinds that no syntax error asks for.

    A token that `lost` matches is gone, and one that `gained` matches with another value takes its
    place; without `gained`, none does. In `reason`, `{0}` and `{1}` are the two.
    """

    reason: str
    kinds: tuple[str, ...]
    lost: re.Pattern[str] = _ANY
    gained: re.Pattern[str] | None = None

    def __call__(self, facts: EditFacts) -> MeaningChange | None:
        """Return the first such change of an edit; None without one."""
        lost, gained = _difference(facts, *self.kinds)
        new = list(filter((self.gained or self.lost).fullmatch, gained))
        known = set(map(value_of, [*gained, facts.added]))
        for one in filter(self.lost.fullmatch, lost):
            if bool(new) is (self.gained is not None) and not _is_among(value_of(one), known):
                return review(self.reason.format(one, *new))

        return None


def _is_among(value: str, known: set[str]) -> bool:
    """Return whether texts have the words of a value; a sign is its own word."""
    words = _WORD.findall(value) or [value]
    return set(words) <= known.union(_WORD.findall(" ".join(known)))


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
    TokenRule(
        "it changes the constant {0} to {1}.", ("number", "keyword"), _PLAIN_VALUE, gained=_VALUE
    ),
    TokenRule("it drops the constant {0}.", ("number",), _PLAIN_VALUE),
    TokenRule("it changes the constant {0} to {1}.", ("string",), gained=_ANY),
    TokenRule(
        "it changes a calculation (`{0}` is now `{1}`).",
        ("operator",),
        _one_of(tables.ARITHMETIC),
        gained=_one_of(tables.ARITHMETIC),
    ),
    TokenRule(
        "it drops `{0}`; keep what the code checks and returns.",
        ("keyword",),
        _one_of(tables.STOP_WORDS),
    ),
    _swaps_words,
    _adds_value,
    _leaves_idle,
)
"""For an edit where the old text does not parse."""
