"""The files before a turn, and a check that reports only the errors that came since."""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from holdfast.landing.encoding import decode
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.repair.verify import errors_of, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from holdfast.repair.ports import Check
    from holdfast.repair.verify import ErrorSignature
    from holdfast.usecases.turns.repair_ports import EditedTurn
    from holdfast.vocab.diagnostics import Diagnostic, Target

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)? ?m?s\b")


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
            then.setdefault(swap.path, swap.before.data if swap.before is not None else None)
    return then


class Baseline:
    """What a check said of the project as it was before a turn.

    It is run when that is first asked for, and once.
    """

    def __init__(self, run: Callable[[], Checked | CheckTimedOut] | None) -> None:
        """Take the run; None where there was nothing yet."""
        self._run = run
        self._errors: Counter[ErrorSignature] | None = None
        self._lock = threading.Lock()

    def errors(self) -> Counter[ErrorSignature]:
        """Count the errors that were there; none if nobody can tell."""
        with self._lock:
            if self._errors is None:
                self._errors = self._ask()
            return self._errors

    def _ask(self) -> Counter[ErrorSignature]:
        if self._run is None:
            return Counter()
        try:
            checked = self._run()
        except (ToolchainMissing, CheckCrashed):
            # Of a project that could not be checked then, all is new.
            return Counter()
        return Counter(map(_say, errors_of(checked))) if isinstance(checked, Checked) else Counter()


class SinceCheck:
    """A check without the errors of before the turn in lines that it left alone (port `Check`).

    `then` and `now` are the turn's files before it and after it. `known` is what was said already
    of a file on the disk: nothing is run twice to hear it again.
    """

    def __init__(
        self,
        check: Check,
        before: Baseline,
        then: Mapping[str, bytes | None],
        now: Mapping[str, bytes],
        known: Mapping[tuple[str, bytes], Checked],
    ) -> None:
        """Hold what came since against the code."""
        self.check = check
        self._before, self._then, self._now, self._known = before, then, now, known

    @property
    def target(self) -> Target:
        """What language it checks."""
        return self.check.target

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` as if it held `text`."""
        checked = self._known.get((path, text)) or self.check.run(path, text)
        return self.judge(checked, path, text) if isinstance(checked, Checked) else checked

    def judge(self, checked: Checked, path: str, text: bytes) -> Checked:
        """Return what was said of a text without what was said before the turn."""
        if checked.ok:
            return checked
        left = self._before.errors().copy()
        if not left:
            return checked
        touched = _Touched(self._then, {**self._now, path: text})
        kept = []
        for each in checked.diagnostics:
            said = _say(each)
            if each.severity == "error" and left[said] > 0 and not touched.has(each):
                left[said] -= 1
            else:
                kept.append(each)
        return replace(
            checked, ok=all(each.severity != "error" for each in kept), diagnostics=tuple(kept)
        )


def _say(error: Diagnostic) -> ErrorSignature:
    """Return what an error says without where.

    If it names no place, in all its words but how long something took.
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
        if path not in self._lines:
            changed = path in self._then and path in self._now
            self._lines[path] = _lines_touched(self._then[path], self._now[path]) if changed else ()
        return error.area.line in self._lines[path]


def _lines_touched(then: bytes | None, now: bytes) -> Collection[int]:
    old = decode(then).text.split("\n") if then is not None else []
    new = decode(now).text.split("\n")
    same = SequenceMatcher(None, old, new).get_matching_blocks()
    kept = {at for block in same for at in range(block.b + 1, block.b + block.size + 1)}
    return {at for at in range(1, len(new) + 1) if at not in kept}
