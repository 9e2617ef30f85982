"""The one judge of every proposal, wherever it comes from: "it compiles" alone is weak."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.preservation.judge import parse_errors, what_is_lost
from holdfast.repair.ports import Check, Checked, CheckTimedOut
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.vocab.diagnostics import Diagnostic, Target

ErrorSignature: TypeAlias = tuple[str, str, str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Verified:
    """It passes, and keeps what it must; `oracle` names all that said so."""

    oracle: str
    checked: Checked


@dataclass(frozen=True, slots=True)
class StillFailing:
    """The check says no."""

    checked: Checked


@dataclass(frozen=True, slots=True)
class GuardRejected:
    """The check may say yes, but the text loses or hides something, or the tests fail."""

    reasons: tuple[str, ...]
    checked: Checked


Verification: TypeAlias = Verified | StillFailing | GuardRejected | CheckTimedOut


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal: its text, and the bytes that the file would have."""

    text: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Judge:
    """Verifies candidates for one unit, against its text and its diagnostics as they were at first.

    `project` says that the check sees other files too: their errors, if they were there before, are not the unit's.
    """

    path: str
    target: Target
    text: str
    data: bytes
    first: Checked
    check: Check
    tests: Check | None = None
    project: bool = False

    def verify(self, candidate: Candidate) -> Verification:
        """Run the check exactly once, then the guards, and at last the tests if there are any."""
        checked = self.check.run(self.path, candidate.data)
        if isinstance(checked, CheckTimedOut):
            return checked
        lost = what_is_lost(
            self.text, candidate.text, self.path, self.target, self.first.diagnostics
        )
        if lost:
            return GuardRejected(lost, checked)
        if not self.passes(checked):
            return StillFailing(checked)
        return self._test(candidate, checked)

    def passes(self, checked: Checked) -> bool:
        """Whether the unit passes; in a project, with errors elsewhere that were there before."""
        if checked.ok:
            return True
        errors = errors_of(checked)
        if not self.project or not errors:
            return False
        elsewhere = all(each.path and each.path != self.path for each in errors)
        return elsewhere and not new_errors(self.first, checked)

    def is_better(self, now: Checked, text: str, then: Checked, before: str) -> bool:
        """Whether a check shows progress: fewer errors and none new, or a text that parses, or does so better.

        Once a text parses, a compiler tells what it had not come to see before: those errors are not the fix's.
        """
        if len(errors_of(now)) < len(errors_of(then)) and not new_errors(then, now):
            return True
        if (
            any(map(is_syntax, errors_of(then)))
            and errors_of(now)
            and not any(map(is_syntax, errors_of(now)))
        ):
            return True
        was = parse_errors(before, self.path, self.target)
        broken = parse_errors(text, self.path, self.target)
        return was is not None and broken is not None and broken < was

    def _test(self, candidate: Candidate, checked: Checked) -> Verification:
        if self.tests is None:
            return Verified(checked.oracle, checked)
        tested = self.tests.run(self.path, candidate.data)
        if isinstance(tested, CheckTimedOut):
            return tested
        if tested.ok:
            return Verified(f"{checked.oracle} + {tested.oracle}", checked)
        if self._failed_before(tested):
            return Verified(checked.oracle, checked)
        last = tested.output.strip().rpartition("\n")[2][-200:]
        return GuardRejected((f"the project's tests fail with it: {last}",), checked)

    def _failed_before(self, tested: Checked) -> bool:
        """Whether all that the tests complain of was so before: two broken files must not bar each other's repair.

        Only for complaints that name a place; that tests fail, without a word where, is never old news.
        """
        errors = errors_of(tested)
        if self.tests is None or not errors or any(each.area is None for each in errors):
            return False
        then = self.tests.run(self.path, self.data)
        return isinstance(then, Checked) and not new_errors(then, tested)


def errors_of(checked: Checked) -> tuple[Diagnostic, ...]:
    """Give the diagnostics that fail a check."""
    return tuple(each for each in checked.diagnostics if each.severity == "error")


def new_errors(then: Checked, now: Checked) -> Counter[ErrorSignature]:
    """Count the errors that were not there before, wherever they stood."""
    return Counter(map(signature, errors_of(now))) - Counter(map(signature, errors_of(then)))


def same_errors(one: Checked, other: Checked) -> bool:
    """Whether two checks complain of the very same; without diagnostics, whether they printed the same."""
    if not errors_of(one) and not errors_of(other):
        return one.output == other.output
    return Counter(map(signature, errors_of(one))) == Counter(map(signature, errors_of(other)))


def signature(diagnostic: Diagnostic) -> ErrorSignature:
    """Give what a diagnostic says, without where: lines move when a text is mended."""
    return (diagnostic.path, diagnostic.tool, diagnostic.code, diagnostic.template, diagnostic.args)


def tell_errors(checked: Checked) -> str:
    """Say what a check complains of, a line each; what it printed, if that could not be read."""
    told = "\n".join(map(tell, errors_of(checked)))
    return told or checked.output.strip() or "the check failed and printed nothing."


def tell(diagnostic: Diagnostic) -> str:
    """Say one complaint as compilers do."""
    area = diagnostic.area
    where = f"{diagnostic.path}:{area.line}:{area.column}" if area is not None else diagnostic.path
    code = f" [{diagnostic.code}]" if diagnostic.code else ""
    return f"{where}: {diagnostic.severity}: {diagnostic.message}{code}"
