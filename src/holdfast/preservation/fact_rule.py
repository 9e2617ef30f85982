"""Rules about single facts: which of those that an edit removes and adds are changes of meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.meaning_change import ChangeSeverity, MeaningChange
from holdfast.syntax.node_kinds import functions_in
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re

    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.fact import Fact, FactKind

_ANY: Final = lazy_pattern("")

Condition: TypeAlias = Callable[["Fact", "EditFacts"], bool]


def text_of(fact: Fact, _: EditFacts) -> str:
    """Return the text of a fact."""
    return fact.text


@dataclass(frozen=True, slots=True)
class FactRule:
    """A change of meaning that one fact shows, and the sentence about it.

    The fact is of a kind in `lost` or `gained`; all conditions in `only` are true of it, and none
    in `unless`. In `reason`, `{0}` is its text, and `{1}` what `shown` returns; a fact for which
    `shown` returns "" shows no change.
    """

    reason: str
    lost: tuple[FactKind, ...] = ()
    gained: tuple[FactKind, ...] = ()
    only: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    shown: Callable[[Fact, EditFacts], str] = text_of
    severity: ChangeSeverity = "review"

    def __call__(self, facts: EditFacts) -> MeaningChange | None:
        """Return the change that the first such fact of an edit shows; None without one."""
        for fact in (*facts.lost.of(*self.lost), *facts.gained.of(*self.gained)):
            if not self._concerns(fact, facts):
                continue

            shown = self.shown(fact, facts)
            if shown:
                return MeaningChange(self.severity, self.reason.format(fact.text, shown))

        return None

    def _concerns(self, fact: Fact, facts: EditFacts) -> bool:
        if any(condition(fact, facts) for condition in self.unless):
            return False

        return all(condition(fact, facts) for condition in self.only)


@dataclass(frozen=True, slots=True)
class TextRule:
    """A change of meaning that the texts of an edit show, and the sentence about it.

    The old text of the edit fits `removed` as a whole, and the new one has `added`. With `kinds`,
    the texts are the tokens of these kinds that are gone, and those that are new. In `reason`,
    `{0}` and `{1}` are the last groups of `added` and `removed`. `line` fits the old text from
    the line on that the edit is in, or behind.
    """

    reason: str
    added: re.Pattern[str]
    removed: re.Pattern[str]
    kinds: tuple[str, ...] = ()
    line: re.Pattern[str] = _ANY

    def __call__(self, facts: EditFacts) -> MeaningChange | None:
        """Return the change if an edit is one; else None."""
        old, new = facts.removed, facts.added
        if self.kinds:
            old, new = facts.changed_tokens(*self.kinds)

        gone = self.removed.fullmatch(old)
        found = self.added.search(new)
        place = facts.old.gap_before(facts.edit.start)
        line = facts.old.text.rfind("\n", 0, place) + 1
        if gone is None or found is None:
            return None

        if self.line.match(facts.old.text, line) is None:
            return None

        words = found[self.added.groups], gone[self.removed.groups]
        return MeaningChange("review", self.reason.format(*words))


# ---------------------------------------------------------------------------------- conditions


def is_broken(_: Fact, facts: EditFacts) -> bool:
    """Return whether the old text does not parse at an edit."""
    return facts.is_syntax


def may_delete(_: Fact, facts: EditFacts) -> bool:
    """Return whether an edit removes something superfluous."""
    return facts.may_delete


def is_superfluous(_: Fact, facts: EditFacts) -> bool:
    """Return whether an error calls something at an edit superfluous."""
    return facts.is_superfluous


def is_named(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error names the text of a fact."""
    return fact.text in facts.reports.names


def is_miscalled(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error wants a function to get more or fewer arguments."""
    return fact.text in facts.reports.miscalled


def is_related(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a function of the same family is called instead: `split_whitespace`."""
    return any(call.startswith(f"{fact.text}_") for call in facts.gained.texts("call"))


def is_new_statement(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an added fact is in a statement that the edit adds as a whole."""
    line = facts.new.text.rfind("\n", 0, fact.start) + 1
    first = facts.new.gap_after(line)
    return facts.edit.new_start <= first


def is_conversion(fact: Fact, _: EditFacts) -> bool:
    """Return whether a fact is a call that only changes the type of a value."""
    return fact.text in tables.CONVERSIONS


def is_narrowing(fact: Fact, _: EditFacts) -> bool:
    """Return whether a fact is a word such as `private`."""
    return fact.text in tables.NARROWING


def is_in_function(_: Fact, facts: EditFacts) -> bool:
    """Return whether an edit is in a function."""
    around = facts.new.nodes_around(facts.edit.new_start)
    return bool(functions_in(around))
