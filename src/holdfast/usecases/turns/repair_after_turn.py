"""After a turn's edits: check what it changed as the project does, and repair what it broke."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.tools.context import PROTECTED_CURE
from holdfast.tools.edits.protected_edits import why_protected_edit
from holdfast.tools.text_limits import clean
from holdfast.usecases.repair.descriptions import describe_turn_end, repair_ended
from holdfast.usecases.repair.repair_files import repair_files
from holdfast.usecases.turns.baseline import texts_before
from holdfast.usecases.turns.metered_model import MeteredModel
from holdfast.usecases.turns.repair_report import RepairDeadline, RepairReport
from holdfast.usecases.turns.turn_checks import MOST_FILES, TurnChecks, refusal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.loop.ports import Model
    from holdfast.repair.ports import Check
    from holdfast.usecases.repair.file_repair import FileRepair
    from holdfast.usecases.turns.repair_ports import EditedTurn, TurnRepairs
    from holdfast.usecases.turns.turn_checks import CheckGroup
    from holdfast.vocab.events import Event, TurnEnded

_ROUNDS = 3
"""How often files are checked again: a repair can bring out other errors."""


def repair_turn(
    ended: TurnEnded,
    changed: Sequence[str],
    turn: EditedTurn,
    repairs: TurnRepairs,
    emit: Callable[[Event], None],
) -> TurnEnded:
    """Check and repair the files that a finished turn has changed.

    Return the end of the turn, with the tokens that the repair used. What cannot be checked is
    reported, and does not make the turn fail.
    """
    model = MeteredModel(turn.model)
    report = RepairReport(emit, repairs.secrets)
    deadline = RepairDeadline(turn.cancel, repairs.now)
    written: list[str] = []
    try:
        then = texts_before(turn)
    except LogUnavailable as error:
        report.not_run("", f"{error} Nothing was checked.")
    else:
        checks = TurnChecks(turn, repairs, then, deadline, report)
        work = _Repairs(turn, repairs, model, checks, deadline, report, emit)
        work.run(changed)
        written = work.written

    prompt_tokens, completion_tokens = ended.prompt_tokens, ended.completion_tokens
    for used in model.used:
        emit(used)
        prompt_tokens += used.prompt
        completion_tokens += used.completion

    ended = replace(
        ended,
        message=describe_turn_end(ended.message, report.failing),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        files=tuple(dict.fromkeys((*ended.files, *written))),
    )
    if turn.cancel.is_set():
        message = "Cancelled while the turn's edits were being checked; they are on the disk."
        return replace(ended, stop_reason="cancelled", message=message)

    return ended


class _Repairs:
    """The repair after one turn; `written` are the files that it changed."""

    def __init__(  # noqa: PLR0917 - a turn, what repairs it, and where its results go
        self,
        turn: EditedTurn,
        repairs: TurnRepairs,
        model: Model,
        checks: TurnChecks,
        deadline: RepairDeadline,
        report: RepairReport,
        emit: Callable[[Event], None],
    ) -> None:
        self._turn = turn
        self._repairs = repairs
        self._model = model
        self._checks = checks
        self._deadline = deadline
        self._report = report
        self._emit = emit
        self.written: list[str] = []

    def run(self, changed: Sequence[str]) -> None:
        first, last = [], []
        for group in self._checks.choose_allowed(self._checks.find(changed)):
            if group.found.last:
                last.append(group)
            else:
                first.append(group)

        self._repair_all(first, self._tests_among(last))
        self._repair_all(last, None)

    def _tests_among(self, groups: Sequence[CheckGroup]) -> Check | None:
        """Return the check of the first group that checks more than a file, if there is one."""
        for group in groups:
            if group.whole:
                return self._checks.since(group, group.unit)
        return None

    def _repair_all(self, groups: Sequence[CheckGroup], tests: Check | None) -> None:
        """Check, repair what fails, and check again where one repair may change other results."""
        tried: set[str] = set()
        for done in range(_ROUNDS):
            broken: dict[str, Check] = {}
            again = []
            for group, checked in zip(groups, self._checks.run(groups), strict=True):
                if checked is None:
                    continue
                failing = self._checks.judge(group, checked, again=done > 0)
                given_up = tried.union(self._report.failing)
                for path, check in failing.items():
                    if path in given_up:
                        continue
                    broken[path] = check
                if group.whole and len(failing) > 1:
                    again.append(group)
            written = len(self.written)
            self._repair(broken, tests)
            if len(self.written) == written or not again:
                return
            tried |= broken.keys()
            groups = again

    def _repair(self, broken: dict[str, Check], tests: Check | None) -> None:
        if not broken:
            return

        if len(broken) > 1:
            # The tests fail for each of these files: a repair of one would be refused for the
            # errors of the others.
            tests = None

        broken = self._limit(broken)
        try:
            dependencies = self._repairs.dependencies(self._model, self._deadline, tests)
        except OSError as error:
            problem = f"{error.filename or ''}: {error.strerror}"
            self._report.not_run("", f"{problem}; nothing was repaired.")
            return

        dependencies = replace(
            dependencies,
            owner=self._turn.owner,
            check_for=broken.get,
            may_begin=self._may_begin,
            may_write=self._may_write,
        )
        repair_files(list(broken), dependencies, self._repairs.policy, self._show)

    def _limit(self, broken: dict[str, Check]) -> dict[str, Check]:
        """Return at most `MOST_FILES` of the files, those that the turn changed first."""
        if len(broken) <= MOST_FILES:
            return broken

        message = (
            f"{len(broken)} files fail, and after one turn {MOST_FILES} are repaired; use "
            "`holdfast repair`."
        )
        self._report.not_run("", message)
        order = sorted(broken, key=lambda path: path not in self._checks.then)
        return {path: broken[path] for path in order[:MOST_FILES]}

    def _may_begin(self, path: str) -> str | None:
        late = self._deadline.late()
        if late is None:
            return None
        return f"{path}: {late}"

    def _may_write(self, path: str, diff: str) -> str | None:
        if self._turn.cancel.is_set():
            return f"{path}: {self._deadline.late()}"

        why = f"to repair what fails its check since this turn:\n{clean(diff)}"
        reason = why_protected_edit({path: path}, self._turn.edits).get(path)
        if reason is None:
            return refusal_of(self._turn.gate.ask("edit", path, why), path)

        answer = self._turn.gate.ask("protected", path, f"{path}: {reason}\n{why}")
        return refusal_of(answer, path, f"{PROTECTED_CURE}.")

    def _show(self, repaired: FileRepair) -> None:
        for event in repaired.events:
            self._emit(event)

        if repaired.landed is not None:
            self.written.append(repaired.path)
            self._checks.forget(repaired.path)

        late = self._deadline.late()
        if late is not None and not repaired.success:
            self._report.not_run(repaired.path, late)
            return

        self._report.add(repair_ended(repaired))
