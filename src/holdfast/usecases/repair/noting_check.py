"""A check that keeps the diagnostics of its first run: those of the file as it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.ports import Checked

if TYPE_CHECKING:
    from holdfast.repair.ports import Check, CheckTimedOut, RepairUnit
    from holdfast.vocab.diagnostics import Diagnostic, Target


class NotingCheck:
    """Another check (port `Check`), whose first diagnostics are in `first`."""

    def __init__(self, check: Check, known: Checked | CheckTimedOut | None = None) -> None:
        """Run this check; `known` is the result of the first run, if it is known already."""
        self._check = check
        self._known: Checked | CheckTimedOut | None = known
        self._has_run = False
        self.first: tuple[Diagnostic, ...] = ()

    @property
    def target(self) -> Target:
        """The language that is checked."""
        return self._check.target

    def run_first(self, unit: RepairUnit) -> None:
        """Run the check on a unit as it was found; the first `run` returns the result."""
        if self._known is None:
            self._known = self._check.run(unit.path, unit.data)

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Run the check on this text."""
        known, self._known = self._known, None
        result = known or self._check.run(path, text)
        if not self._has_run and isinstance(result, Checked):
            self.first = result.diagnostics
        self._has_run = True
        return result
