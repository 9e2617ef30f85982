"""The files before a turn, and a check that reports only the errors that came since."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from holdfast.landing.encoding import decode
from holdfast.repair.check_errors import errors_of, signature
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from holdfast.repair.check_errors import ErrorSignature
    from holdfast.repair.ports import Check
    from holdfast.usecases.turns.repair_ports import EditedTurn
    from holdfast.vocab.diagnostics import Diagnostic, Target

_SECONDS = lazy_pattern(r"[0-9]+(?:\.[0-9]+)? ?m?s\b")


def texts_before(turn: EditedTurn) -> dict[str, bytes | None]:
    """Return what each file that a turn has changed held before it, None for no file.

    Raises `LogUnavailable`.
    """
    then: dict[str, bytes | None] = {}
    changes = turn.workspace.log.list(
        state="applied", session=turn.owner.session, turn=turn.owner.turn
    )
    for change in reversed(changes):
        for swap in change.plan.swaps:
            if swap.has_link:
                continue
            data = None
            if swap.before is not None:
                data = swap.before.data
            then.setdefault(swap.path, data)

    return then


class Baseline:
    """The errors of the project before a turn.

    The check is run once, when the errors are first asked for.
    """

    def __init__(self, run: Callable[[], Checked | CheckTimedOut] | None) -> None:
        """Take the run; None where there was nothing yet."""
        self._run = run
        self._errors: Counter[ErrorSignature] | None = None
        self._lock = threading.Lock()

    def errors(self) -> Counter[ErrorSignature]:
        """Return how often each error was there; empty if the check could not be run."""
        with self._lock:
            if self._errors is None:
                self._errors = self._count_errors()
            return self._errors

    def _count_errors(self) -> Counter[ErrorSignature]:
        if self._run is None:
            return Counter()

        try:
            checked = self._run()
        except (ToolchainMissing, CheckCrashed):
            # Of a project that could not be checked then, all is new.
            return Counter()

        if not isinstance(checked, Checked):
            return Counter()

        return Counter(map(_signature_without_place, errors_of(checked)))


class SinceCheck:
    """A check that leaves out errors older than the turn in lines it did not touch (port `Check`).

    `then` and `now` are the turn's files before it and after it. `known` has the results for files
    on the disk: no check is run twice on the same text.
    """

    def __init__(
        self,
        check: Check,
        before: Baseline,
        then: Mapping[str, bytes | None],
        now: Mapping[str, bytes],
        known: Mapping[tuple[str, bytes], Checked],
    ) -> None:
        """Compare the results of `check` with those in `before`."""
        self.check = check
        self._before, self._then, self._now, self._known = before, then, now, known

    @property
    def target(self) -> Target:
        """What language it checks."""
        return self.check.target

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` as if it held `text`."""
        checked = self._known.get((path, text)) or self.check.run(path, text)
        if not isinstance(checked, Checked):
            return checked
        return self.judge(checked, path, text)

    def judge(self, checked: Checked, path: str, text: bytes) -> Checked:
        """Return the result for a text without the errors from before the turn."""
        if checked.ok:
            return checked

        left = self._before.errors().copy()
        if not left:
            return checked

        touched = _Touched(self._then, {**self._now, path: text})
        kept = []
        for each in checked.diagnostics:
            error = _signature_without_place(each)
            was_there = each.severity == "error" and left[error] > 0
            if was_there and not touched.has(each):
                left[error] -= 1
            else:
                kept.append(each)

        ok = all(each.severity != "error" for each in kept)
        return replace(checked, ok=ok, diagnostics=tuple(kept))


def _signature_without_place(error: Diagnostic) -> ErrorSignature:
    """Return the signature of an error without its place.

    For an error without a place: its whole message except for durations.
    """
    if error.area is not None:
        return signature(error)
    return (error.path, error.tool, error.code, _SECONDS.sub("", error.message), ())


class _Touched:
    """The lines that are not as they were before the turn."""

    def __init__(self, then: Mapping[str, bytes | None], now: Mapping[str, bytes]) -> None:
        self._then, self._now = then, now
        self._lines: dict[str, Collection[int]] = {}

    def has(self, error: Diagnostic) -> bool:
        if error.area is None:
            return False

        path = error.path
        if path not in self._then:
            return False
        if path not in self._now:
            return False

        if path not in self._lines:
            self._lines[path] = _lines_touched(self._then[path], self._now[path])

        return error.area.line in self._lines[path]


def _lines_touched(then: bytes | None, now: bytes) -> Collection[int]:
    """Return the numbers of the lines of `now` that are not in `then`."""
    old = []
    if then is not None:
        old = decode(then).text.split("\n")

    new = decode(now).text.split("\n")
    touched = set(range(1, len(new) + 1))
    for block in SequenceMatcher(None, old, new).get_matching_blocks():
        touched.difference_update(range(block.b + 1, block.b + block.size + 1))

    return touched
