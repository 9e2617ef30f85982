"""The rule book for repairs (port `Rules`): shared by parallel repairs, or read-only."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from holdfast.repair.ports import NoRule, RepairUnit, RuleFits, RuleMatch, Rules
from holdfast.repair.rule_lookup import Applied, lookup
from holdfast.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from holdfast.repair.strictness import Strictness
    from holdfast.rules.rule_book import RuleBook
    from holdfast.vocab.diagnostics import Diagnostic


class LockedRules:
    """One rule book behind a lock. A rule that one repair learns is available to the next."""

    def __init__(self, book: RuleBook, now: Callable[[], str]) -> None:
        """Use this book; `now` returns the creation date of learned rules."""
        self._book = book
        self._now = now
        self._lock = threading.Lock()

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
    ) -> RuleMatch:
        """Find the best rule for one of the errors, other than those in `without`."""
        own = _errors_of_unit(errors, unit)
        with self._lock:
            found = lookup(self._book, own, text, unit.target, strictness, without=without)
        if isinstance(found, Applied):
            rule = found.rule
            return RuleFits(rule.id, found.code, rule.confidence, rule.pinned)
        return NoRule()

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count whether the text that a rule made passed; raise OSError if that cannot be saved."""
        with self._lock:
            self._book.record(rule_id, helped=helped)

    def learn(
        self, unit: RepairUnit, before: str, after: str, errors: Sequence[Diagnostic]
    ) -> str | None:
        """Learn a rule from a verified pair of texts and return its id; raise OSError."""
        own = _errors_of_unit(errors, unit)
        with self._lock:
            learned = self._book.learn(before, after, own, unit.target, created=self._now())
        if isinstance(learned, Rule):
            return learned.id
        return None


class DryRules:
    """Rules that are applied, but neither counted nor learned."""

    def __init__(self, rules: Rules) -> None:
        """Look rules up in these."""
        self._rules = rules

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
    ) -> RuleMatch:
        """Find the best rule for one of the errors, other than those in `without`."""
        return self._rules.look_up(unit, text, errors, strictness, without)

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count nothing."""

    def learn(
        self,
        unit: RepairUnit,  # noqa: ARG002 - the port's
        before: str,  # noqa: ARG002 - the port's
        after: str,  # noqa: ARG002 - the port's
        errors: Sequence[Diagnostic],  # noqa: ARG002 - the port's
    ) -> str | None:
        """Learn nothing and return None."""
        return None


def _errors_of_unit(errors: Sequence[Diagnostic], unit: RepairUnit) -> list[Diagnostic]:
    """Return the errors in this unit, and those without a path."""
    return [error for error in errors if error.path in {unit.path, ""}]
