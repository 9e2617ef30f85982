"""The rule book for repairs (port `Rules`): shared by parallel repairs, or read-only."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from holdfast.repair.ports import NoRule, RepairUnit, RuleFits, RuleMatch, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from holdfast.repair.strictness import Strictness
    from holdfast.rules.rule_book import RuleBook
    from holdfast.vocab.diagnostics import Diagnostic


class LockedRules:
    """One rule book behind a lock. A rule that one repair learns is available to the next."""

    def __init__(self, read: Callable[[], RuleBook]) -> None:
        """Use the book that `read` returns each time; a repair without rules does not read it."""
        self._read = read
        self._lock = threading.Lock()

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
        *,
        unsafe: bool = False,
    ) -> RuleMatch:
        """Find the best rule for one of the errors, other than those in `without`."""
        # Here and below: most repairs need no rule, and rules take long to import.
        from holdfast.repair.rule_lookup import Applied, lookup  # noqa: PLC0415 - see above
        from holdfast.rules.rule_book import confidence_of_file  # noqa: PLC0415 - see above

        own = _errors_of_unit(errors, unit)
        with self._lock:
            found = lookup(
                self._read(), own, text, unit.target, strictness, without=without, unsafe=unsafe
            )

        if isinstance(found, Applied):
            rule = found.rule
            return RuleFits(
                rule.id,
                found.code,
                # It is recorded, and the record must be the same on every machine.
                confidence_of_file(rule),
                pinned=rule.pinned,
                reviewed=rule.reviewed and rule.provenance != "builtin",
                model_id=rule.model,
            )

        return NoRule()

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count whether the text that a rule made passed; raise OSError if that cannot be saved."""
        with self._lock:
            self._read().record(rule_id, helped=helped)

    def learn(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        model: str,
    ) -> str | None:
        """Learn a rule from a verified pair of texts and return its id; raise OSError.

        What a person has disabled is not learned again.
        """
        from holdfast.rules.rule import Rule  # noqa: PLC0415 - as above

        own = _errors_of_unit(errors, unit)
        with self._lock:
            learned = self._read().learn(before, after, own, unit.target, model=model)
        if isinstance(learned, Rule) and not learned.disabled:
            return learned.id
        return None

    def propose(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        rule: tuple[str, str],
        *,
        model: str,
    ) -> str | None:
        """Keep the rule that a model suggests as proposed, and return its id; raise OSError."""
        own = _errors_of_unit(errors, unit)
        with self._lock:
            kept = self._read().propose(before, after, own, unit.target, rule, model=model)
        return kept.id if kept is not None else None


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
        *,
        unsafe: bool = False,
    ) -> RuleMatch:
        """Find the best rule for one of the errors, other than those in `without`."""
        return self._rules.look_up(unit, text, errors, strictness, without, unsafe=unsafe)

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count nothing."""

    def learn(
        self,
        unit: RepairUnit,  # noqa: ARG002 - the port's
        before: str,  # noqa: ARG002 - the port's
        after: str,  # noqa: ARG002 - the port's
        errors: Sequence[Diagnostic],  # noqa: ARG002 - the port's
        model: str,  # noqa: ARG002 - the port's
    ) -> str | None:
        """Learn nothing and return None."""
        return None

    def propose(
        self,
        unit: RepairUnit,  # noqa: ARG002 - the port's
        before: str,  # noqa: ARG002 - the port's
        after: str,  # noqa: ARG002 - the port's
        errors: Sequence[Diagnostic],  # noqa: ARG002 - the port's
        rule: tuple[str, str],  # noqa: ARG002 - the port's
        *,
        model: str,  # noqa: ARG002 - the port's
    ) -> str | None:
        """Keep nothing and return None."""
        return None


def _errors_of_unit(errors: Sequence[Diagnostic], unit: RepairUnit) -> list[Diagnostic]:
    """Return the errors in this unit, and those without a path."""
    return [error for error in errors if error.path in {unit.path, ""}]
