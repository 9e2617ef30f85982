"""Reasons why a name, a call or a declaration may be gone: an error asks for it, or it is a slip."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.edit_facts import most_similar
from holdfast.preservation.fact_rule import (
    Condition,
    is_conversion,
    is_named,
    is_related,
    may_delete,
)
from holdfast.syntax.tokens import COMMON
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.fact import Fact

_WORD: Final = lazy_pattern(r"\w+")


def is_explained(fact: Fact, facts: EditFacts) -> bool:
    """Return whether there is a reason why a name, a call or a declaration is gone."""
    return any(explains(fact, facts) for explains in EXPLANATIONS)


def _is_misread(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a name is a misspelt keyword, or two words that were written as one."""
    if not facts.is_syntax:
        return False

    if fact.text in COMMON:
        return True

    if not facts.is_similar:
        return False

    words = _WORD.findall(facts.added)
    pairs = map("".join, pairwise(words))
    if not facts.gained.of("name"):
        return True

    return fact.text in pairs


def _is_foreign_comment(_: Fact, facts: EditFacts) -> bool:
    """Return whether a comment of another language was taken for code."""
    if not facts.is_syntax:
        return False

    marks = tables.FOREIGN_COMMENTS[facts.old.language]
    return facts.removed.startswith(marks)


def _is_misspelt(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error points at a name that is replaced by a similar one."""
    similar = most_similar(fact.text, facts.gained.texts("name"))
    if fact.text not in facts.reports.pointed:
        return False

    return bool(similar)


def _is_of_family(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a related function takes the place of one with too many arguments."""
    return facts.may_drop_part and is_related(fact, facts)


def _is_renamed(_: Fact, facts: EditFacts) -> bool:
    """Return whether names that errors miss take the place of as many others."""
    new = facts.gained.texts("name")
    if len(new) < max(1, len(facts.lost.texts("name", "call"))):
        return False

    return new <= facts.reports.names


def _is_replaced(fact: Fact, facts: EditFacts) -> bool:
    """Return whether something takes the place of a name that an error is about."""
    if not is_named(fact, facts):
        return False

    values = facts.gained.texts("literal")
    if not values:
        return bool(facts.gained)

    # The capital of `True` was missing, or it was `null` for `None`.
    lost = map(str.lower, facts.lost.texts("name", "call"))
    return tables.NAMES_OF_NOTHING.issuperset(lost)


EXPLANATIONS: Final[tuple[Condition, ...]] = (
    may_delete,
    is_conversion,
    _is_misread,
    _is_foreign_comment,
    _is_misspelt,
    _is_of_family,
    _is_renamed,
    _is_replaced,
)
