"""The rule book as a repair uses it (port `Rules`): several repairs at once may look into one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence

from holdfast.repair.context import NoRule, RepairUnit, Ruled, RuleFits
from holdfast.repair.rule_lookup import Applied, MissNeedsPin, lookup
from holdfast.repair.strictness import Strictness
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook
from holdfast.vocab.diagnostics import Diagnostic


class LockedRules:
    """One book; what one repair learns the next one knows."""

    def __init__(self, book: RuleBook, now: Callable[[], str]) -> None:
        """Use this book; `now` dates what is learned."""
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
    ) -> Ruled:
        """Find the best rule for one of the errors, other than those in `without`."""
        own = [each for each in errors if each.path in {unit.path, ""}]
        with self._lock:
            found = lookup(self._book, own, text, unit.target, strictness, without=without)
        if isinstance(found, Applied):
            return RuleFits(found.rule.id, found.code)
        return NoRule((found.rule.id,) if isinstance(found, MissNeedsPin) else ())

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count whether what a rule made passed; raises OSError."""
        with self._lock:
            self._book.record(rule_id, helped=helped)

    def learn(
        self, unit: RepairUnit, before: str, after: str, errors: Sequence[Diagnostic]
    ) -> str | None:
        """Learn a rule of a pair that was verified; raises OSError."""
        own = [each for each in errors if each.path in {unit.path, ""}]
        with self._lock:
            learned = self._book.learn(before, after, own, unit.target, created=self._now())
        return learned.id if isinstance(learned, Rule) else None
