"""The verification of proposals from every source: a text that compiles is not accepted yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.encoding import decode, encode
from holdfast.landing.readers.file_ending import with_file_endings
from holdfast.preservation.judge import judge_fix, parse_errors
from holdfast.repair.check_errors import errors_of, new_errors
from holdfast.repair.ports import Check, Checked, CheckTimedOut, RepairUnit
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import WriteFile

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Diagnostic, Target

_BOM = "\ufeff"


# --------------------------------------------------------------------------------------- candidates


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal: its text, and the bytes that the file would have."""

    text: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CheckedCandidate:
    """A text of the unit with its bytes, and the result of its check."""

    candidate: Candidate
    checked: Checked


def land_proposal(unit: RepairUnit, text: str) -> Candidate | Refused:
    """Return the text that a model sent, landed as a whole file: without a fence around it, say."""
    # Most repairs need no model, and the landing engine takes long to import.
    from holdfast.landing.land import land  # noqa: PLC0415 - see above

    landed = land(decode(unit.data).text, WriteFile(text), unit.path)
    if isinstance(landed, Refused):
        return landed
    return make_candidate(unit, landed.text)


def make_candidate(unit: RepairUnit, text: str) -> Candidate | Refused:
    """Return a text in the unit's own line endings and encoding."""
    decoded = decode(unit.data)
    whole = with_file_endings(decoded.text, text)
    if decoded.marked:
        whole = whole.removeprefix(_BOM)

    try:
        return Candidate(whole, encode(whole, decoded.encoding))
    except UnicodeEncodeError:
        return Refused(
            "conflict", f"{unit.path}: the file is {decoded.encoding} and cannot encode this text."
        )


# ----------------------------------------------------------------------------------------- verdicts


@dataclass(frozen=True, slots=True)
class Verified:
    """The text passes and keeps what it must; `oracle` names all tools that checked it."""

    oracle: str
    checked: Checked


@dataclass(frozen=True, slots=True)
class StillFailing:
    """The check fails. `doubtful`: the text may also change the meaning of the code."""

    checked: Checked
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class GuardRejected:
    """The text loses or hides something, or the tests fail, whatever the check reports."""

    reasons: tuple[str, ...]
    checked: Checked


@dataclass(frozen=True, slots=True)
class ReviewNeeded:
    """The text passes, but changes the meaning of the code; a person has to look at it."""

    reasons: tuple[str, ...]
    checked: Checked
    candidate: Candidate


Verification: TypeAlias = Verified | StillFailing | GuardRejected | ReviewNeeded | CheckTimedOut


@dataclass(frozen=True, slots=True)
class Judge:
    """The judge of candidates for one unit, against its first text and diagnostics.

    `project` means that the check sees other files too. Errors in other files that were there
    before are not the unit's.
    """

    path: str
    target: Target
    text: str
    data: bytes
    first: Checked
    check: Check
    tests: Check | None = None
    project: bool = False

    def verify(
        self, candidate: Candidate, *, base: CheckedCandidate | None = None, review: bool = False
    ) -> Verification:
        """Run the check exactly once, then the guards, then the tests if there are any.

        The guards compare the text with `base`, the text after the steps that helped, and with the
        errors of `base`: the errors that a syntax error has hidden are known only then. With
        `review`, a text that passes and may change the meaning of the code is `ReviewNeeded`.
        """
        checked = self.check.run(self.path, candidate.data)
        if isinstance(checked, CheckTimedOut):
            return checked

        before, diagnostics = self.text, self.first.diagnostics
        if base is not None:
            before, diagnostics = base.candidate.text, base.checked.diagnostics

        changes = judge_fix(before, candidate.text, self.path, self.target, diagnostics)
        refused = tuple(change.reason for change in changes if change.severity == "refused")
        if refused:
            return GuardRejected(refused, checked)
        if not self.passes(checked):
            return StillFailing(checked, doubtful=review and bool(changes))

        tested = self._test(candidate, checked)
        if review and changes and isinstance(tested, Verified):
            reasons = tuple(change.reason for change in changes)
            return ReviewNeeded(reasons, checked, candidate)

        return tested

    def passes(self, checked: Checked) -> bool:
        """Return whether the unit passes; in a project, old errors in other files do not count."""
        if checked.ok:
            return True

        errors = errors_of(checked)
        if not self.project or not errors:
            return False

        paths = {error.path for error in errors}
        if paths & {"", self.path}:
            return False

        return not new_errors(self.first, checked)

    def is_better(self, now: CheckedCandidate, then: CheckedCandidate) -> bool:
        """Return whether `now` is progress over `then`.

        Progress is fewer errors and no new ones, the end of all syntax errors, or fewer parse
        errors. Once a text parses, a compiler reports errors that it could not see before; these
        are not the fix's.
        """
        errors_now, errors_then = errors_of(now.checked), errors_of(then.checked)
        fewer = len(errors_now) < len(errors_then)
        if fewer and not new_errors(then.checked, now.checked):
            return True

        other_errors_left = errors_now and not _has_syntax_error(errors_now)
        if other_errors_left and _has_syntax_error(errors_then):
            return True

        broken_then = parse_errors(then.candidate.text, self.path, self.target)
        broken_now = parse_errors(now.candidate.text, self.path, self.target)
        if broken_then is None or broken_now is None:
            return False

        return broken_now < broken_then

    def _test(self, candidate: Candidate, checked: Checked) -> Verification:
        if self.tests is None:
            return Verified(checked.oracle, checked)

        tested = self.tests.run(self.path, candidate.data)
        if isinstance(tested, CheckTimedOut):
            return tested
        if tested.ok:
            return Verified(f"{checked.oracle} + {tested.oracle}", checked)
        if self._failed_before(self.tests, tested):
            return Verified(checked.oracle, checked)

        last_line = tested.output.strip().rpartition("\n")[2][-200:]
        said = last_line or "it printed nothing"
        return GuardRejected((f"the project's tests fail with it: {said}",), checked)

    def _failed_before(self, tests: Check, tested: Checked) -> bool:
        """Return whether the tests fail with no error that they did not have before.

        Two broken files must not prevent each other's repair. An error without a place always
        counts as new.
        """
        errors = errors_of(tested)
        places = [error.area for error in errors]
        if not places or None in places:
            return False

        then = tests.run(self.path, self.data)
        if isinstance(then, CheckTimedOut):
            return False

        return not new_errors(then, tested)


def _has_syntax_error(errors: tuple[Diagnostic, ...]) -> bool:
    return any(map(is_syntax, errors))
