"""After a turn's edits: check what it changed as the project does, and repair what it broke."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, assert_never

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import FileFound
from holdfast.guards.commands import Allow, Ask, Refuse
from holdfast.guards.secrets import is_secret
from holdfast.landing.encoding import decode
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.repair.verify import errors_of
from holdfast.tools.ports import Denied, NoApprover
from holdfast.tools.text_limits import clean, sendable, shorten
from holdfast.usecases.redaction import redact
from holdfast.usecases.repair.messages import (
    NOT_REPAIRED,
    NOT_RUN,
    describe_old_errors,
    describe_turn_end,
    repair_ended,
)
from holdfast.usecases.repair.repair_files import repair_files
from holdfast.usecases.turns.baseline import Baseline, SinceCheck, texts_before
from holdfast.usecases.turns.metered_model import MeteredModel
from holdfast.vocab.events import RepairEnded, TurnEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.loop.ports import Model
    from holdfast.repair.ports import Check
    from holdfast.tools.ports import GateAnswer
    from holdfast.usecases.repair.file_repair import FileRepair
    from holdfast.usecases.turns.repair_ports import EditedTurn, ProjectCheck, TurnRepairs
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Diagnostic
    from holdfast.vocab.events import Event

MOST_FILES = 20
SECONDS = 300.0
"""The time limit of the repair after a turn: the user waits for the turn's end."""
_MOST_SHOWN = 4_000
_ROUNDS = 3
"""How often files are checked again: a repair can bring out other errors."""
_AT_ONCE = 2
_TICK = 0.1
_NOT_OURS = frozenset({"node_modules", ".venv", "venv", "vendor", "target", ".holdfast"})
"""Directories of installed or generated files, which are never repaired."""


def repair_turn(
    ended: TurnEnded, turn: EditedTurn, repairs: TurnRepairs, emit: Callable[[Event], None]
) -> TurnEnded:
    """Check and repair the files that a finished turn has changed.

    Return the end of the turn, with the tokens that the repair used. What cannot be checked is
    reported, and does not make the turn fail.
    """
    model = MeteredModel(turn.model)
    work = _Repairs(turn, repairs, emit)
    work.run(ended.files, model)
    for used in model.used:
        emit(used)
    ended = replace(
        ended,
        message=describe_turn_end(ended.message, work.failing),
        prompt_tokens=ended.prompt_tokens + sum(used.prompt for used in model.used),
        completion_tokens=ended.completion_tokens + sum(used.completion for used in model.used),
        files=tuple(dict.fromkeys((*ended.files, *work.written))),
    )
    if turn.cancel.is_set():
        message = "Cancelled while the turn's edits were being checked; they are on the disk."
        return replace(ended, stop_reason="cancelled", message=message)
    return ended


@dataclass(frozen=True, slots=True)
class _Group:
    """Files of one run of a check, each with that check for its own language."""

    founds: dict[str, ProjectCheck]

    @property
    def unit(self) -> str:
        return next(iter(self.founds))

    @property
    def found(self) -> ProjectCheck:
        return self.founds[self.unit]

    @property
    def one(self) -> str:
        """The only file, or "" where there are several."""
        if len(self.founds) == 1:
            return self.unit
        return ""

    @property
    def whole(self) -> bool:
        """Whether one run checks more than the file."""
        return self.found.scope is not None

    @property
    def checks_project(self) -> bool:
        """Whether one run of the command checks the whole project."""
        return self.whole and self.found.scope == self.found.command


class _Repairs:
    """The repair after one turn.

    `written` are the files that it changed, `failing` those that it could not repair.
    """

    def __init__(
        self, turn: EditedTurn, repairs: TurnRepairs, emit: Callable[[Event], None]
    ) -> None:
        self._turn = turn
        self._repairs = repairs
        self._emit = emit
        self._until = _Until(turn.cancel, repairs.now, repairs.now() + SECONDS)
        self._then: dict[str, bytes | None] = {}
        self._now: dict[str, bytes] = {}
        self._known: dict[tuple[str, bytes], Checked] = {}
        self._befores: dict[tuple[str, bool], Baseline] = {}
        self.written: list[str] = []
        self.failing: list[str] = []

    def run(self, changed: Sequence[str], model: Model) -> None:
        try:
            self._then = texts_before(self._turn)
        except LogUnavailable as error:
            self._not_run("", f"{error} Nothing was checked.")
            return
        groups = self._allowed(self._find(changed))
        first = [group for group in groups if not group.found.last]
        last = [group for group in groups if group.found.last]
        self._repair_all(first, model, self._tests_among(last))
        self._repair_all(last, model, None)

    def _tests_among(self, groups: Sequence[_Group]) -> Check | None:
        """Return the check of the first group that checks more than a file, if there is one."""
        for group in groups:
            if group.whole:
                return self._since(group, group.unit)
        return None

    def _repair_all(self, groups: Sequence[_Group], model: Model, tests: Check | None) -> None:
        """Check, repair what fails, and check again where one repair may change other results."""
        tried: set[str] = set()
        for done in range(_ROUNDS):
            broken: dict[str, Check] = {}
            again = []
            for group, checked in zip(groups, self._run_checks(groups), strict=True):
                if checked is None:
                    continue
                failing = self._judge(group, checked, again=done > 0)
                given_up = tried.union(self.failing)
                broken |= {path: failing[path] for path in failing if path not in given_up}
                if group.whole and len(failing) > 1:
                    again.append(group)
            written = len(self.written)
            self._repair(broken, model, tests)
            if len(self.written) == written or not again:
                return
            tried |= broken.keys()
            groups = again

    def _repair(self, broken: dict[str, Check], model: Model, tests: Check | None) -> None:
        if not broken:
            return
        if len(broken) > 1:
            # The tests fail for each of these files: a repair of one would be refused for the
            # errors of the others.
            tests = None
        broken = self._limit(broken)
        try:
            dependencies = self._repairs.dependencies(model, self._until, tests)
        except OSError as error:
            self._not_run("", f"{error.filename or ''}: {error.strerror}; nothing was repaired.")
            return
        dependencies = replace(
            dependencies,
            owner=self._turn.owner,
            check_for=broken.get,
            may_begin=self._may_begin,
            may_write=self._may_write,
        )
        repair_files(list(broken), dependencies, self._repairs.policy, self._show)

    # --------------------------------------------------------------------------------------- checks

    def _find(self, changed: Sequence[str]) -> list[_Group]:
        """Return the checks of the files that can be checked, by their real paths.

        Files that one run checks are in one group.
        """
        groups: dict[tuple[str, bool, bool], dict[str, ProjectCheck]] = {}
        left_out: set[str] = set()
        try:
            for path, data in self._texts(changed):
                for each in self._repairs.find(path, self._until):
                    if len({*self._now, path}) > MOST_FILES:
                        left_out.add(path)
                        continue
                    self._now[path] = data
                    key = (each.scope or path, each.last, each.scope is None)
                    groups.setdefault(key, {})[path] = each
        except ValueError as error:
            self._not_run("", f"the check cannot be read: {error}")
            return []
        if left_out:
            more = "1 more file was"
            if len(left_out) > 1:
                more = f"{len(left_out)} more files were"
            self._not_run(
                "", f"{more} not checked, for one turn checks {MOST_FILES}; use `holdfast repair`."
            )
        return [_Group(founds) for founds in groups.values()]

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the real path and the bytes of each file that a model may see whole."""
        for path in paths:
            looked = self._turn.workspace.files.look(path)
            if isinstance(looked, FileFound) and self._may_be_seen(path, looked):
                yield looked.at, looked.data

    def _may_be_seen(self, path: str, found: FileFound) -> bool:
        """Return whether a model may see the file: it is text, not ours, and has no secrets."""
        if is_secret(path) or is_secret(found.at):
            return False
        if PurePosixPath(found.at).parts[:1] == (".holdfast",):
            return False
        decoded = decode(found.data)
        if decoded.binary:
            return False
        return not any(secret in decoded.text for secret in self._repairs.secrets)

    def _allowed(self, groups: Sequence[_Group]) -> list[_Group]:
        """Return the groups that may run; ask once for each command that needs an approval."""
        commands = dict.fromkeys(group.found.command for group in groups)
        refusals = {command: self._ask(command) for command in commands if command is not None}
        allowed = []
        for group in groups:
            refusal = refusals.get(group.found.command or "")
            if refusal is None:
                allowed.append(group)
            else:
                self._not_run(group.one, refusal)
        return allowed

    def _ask(self, command: str) -> str | None:
        verdict = self._repairs.judge(command)
        match verdict:
            case Allow():
                return None
            case Ask(why):
                answer = self._turn.gate.ask(
                    "command", command, f"to check this turn's edits; {why}"
                )
                return _refusal(
                    answer,
                    command,
                    "; use a terminal, --approve auto, or allow_commands in your settings.",
                )
            case Refuse(message):
                return message
            case _:
                assert_never(verdict)

    def _run_checks(self, groups: Sequence[_Group]) -> list[Checked | None]:
        """Run each check once, some at a time; return None for each that could not be run."""
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="check") as pool:
            begun = [pool.submit(self._check, group) for group in groups]
            # Not one long wait: Ctrl-C may reach another thread, and then this one sees it only
            # when it wakes.
            while wait(begun, _TICK).not_done:
                pass
        return [self._ran(group, ran.result()) for group, ran in zip(groups, begun, strict=True)]

    def _check(self, group: _Group) -> Checked | CheckTimedOut | ToolchainMissing | CheckCrashed:
        if self._until.is_set():
            return CheckTimedOut("", 0.0)
        try:
            return group.found.check.run(group.unit, self._now[group.unit])
        except (ToolchainMissing, CheckCrashed) as error:
            return error

    def _ran(
        self, group: _Group, ran: Checked | CheckTimedOut | ToolchainMissing | CheckCrashed
    ) -> Checked | None:
        match ran:
            case Checked():
                return ran
            case CheckTimedOut(oracle, seconds):
                message = (
                    f"{group.found.command or oracle} was ended after {seconds:g} s without an "
                    "answer."
                )
                self._not_run(group.one, self._late() or message)
            case ToolchainMissing() | CheckCrashed():
                self._not_run(group.one, str(ran))
        return None

    # ------------------------------------------------------------------------------- since the turn

    def _judge(self, group: _Group, checked: Checked, *, again: bool) -> dict[str, Check]:
        """Emit what passes; return the files that fail since this turn, each with its check."""
        judged = self._since(group, group.unit).judge(checked, group.unit, self._now[group.unit])
        if judged.ok:
            if not again:
                self._report_passing(group, checked)
            return {}
        broken = self._broken_files(group, judged)
        if not broken and not again:
            self._report_no_place(group, checked)
        for path in broken:
            if group.whole or path == group.unit:
                self._known[path, self._now[path]] = checked
        return {path: self._since(group, path) for path in broken}

    def _broken_files(self, group: _Group, judged: Checked) -> list[str]:
        """Return the files with errors that may be repaired, each once.

        An error of a whole project counts only if it names a line.
        """
        broken: dict[str, None] = {}
        for error in errors_of(judged):
            if group.whole and error.area is None:
                continue
            if error.path in group.founds or self._is_ours(error.path):
                broken[error.path] = None
        return list(broken)

    def _report_no_place(self, group: _Group, checked: Checked) -> None:
        """Report a check that fails and names no line."""
        output = shorten(clean(checked.output.strip()), _MOST_SHOWN)
        problem = "fails"
        if self._befores[_key(group)].errors():
            problem = "fails otherwise than before this turn"
        title = f"{_title(group, checked)} {problem}"
        message = f"{title}, and names no line that could be repaired:\n{output}"
        path = "" if group.whole else group.one
        self._report(RepairEnded(path, NOT_REPAIRED, success=False, message=message))

    def _is_ours(self, path: str) -> bool:
        """Return whether a file that the turn did not change may be repaired.

        If so, keep its bytes.
        """
        if not _NOT_OURS.isdisjoint(PurePosixPath(path).parts):
            return False
        for at, data in self._texts((path,)):
            if at == path:
                self._now[path] = data
                return True
        return False

    def _limit(self, broken: dict[str, Check]) -> dict[str, Check]:
        """Return at most `MOST_FILES` of the files, those that the turn changed first."""
        if len(broken) <= MOST_FILES:
            return broken
        message = (
            f"{len(broken)} files fail, and after one turn {MOST_FILES} are repaired; use "
            "`holdfast repair`."
        )
        self._not_run("", message)
        order = sorted(broken, key=lambda path: path not in self._then)
        return {path: broken[path] for path in order[:MOST_FILES]}

    def _since(self, group: _Group, path: str) -> SinceCheck:
        """Return the check of a group for one file, in which only new errors count."""
        found = self._check_in(group, path)
        before = self._befores.setdefault(_key(group), self._before(group))
        return SinceCheck(found.check, before, self._then, self._now, self._known)

    def _check_in(self, group: _Group, path: str) -> ProjectCheck:
        """Return the check of the group for the language of the file, else the group's own."""
        if path in group.founds:
            return group.founds[path]
        for each in self._repairs.find(path, self._until):
            if each.scope == group.found.scope:
                return each
        return group.found

    def _before(self, group: _Group) -> Baseline:
        """Return the baseline of a group: its check of the files before the turn."""
        unit, then = group.unit, self._then
        if then.keys().isdisjoint(group.founds):
            return Baseline(None)
        if not group.whole and then[unit] is None:
            return Baseline(None)
        check = group.found.with_files(then)
        text = then.get(unit, self._now[unit]) or b""
        return Baseline(lambda: check.run(unit, text))

    def _report_passing(self, group: _Group, checked: Checked) -> None:
        """Report a check without new errors: for the project, or for each file."""
        old = errors_of(checked)
        if group.checks_project:
            self._report(_passing("", old, f"{group.found.command} passes."))
            return
        for path in group.founds:
            in_file = old
            if group.whole:
                in_file = tuple(each for each in old if each.path == path)
            self._report(_passing(path, in_file, f"by {checked.oracle}"))

    # --------------------------------------------------------------------------------------- repair

    def _may_begin(self, path: str) -> str | None:
        late = self._late()
        if late is None:
            return None
        return f"{path}: {late}"

    def _may_write(self, path: str, diff: str) -> str | None:
        if self._turn.cancel.is_set():
            return f"{path}: {self._late()}"
        shown = shorten(clean(diff), _MOST_SHOWN)
        why = f"to repair what fails its check since this turn:\n{shown}"
        return _refusal(self._turn.gate.ask("edit", path, why), path)

    def _late(self) -> str | None:
        if self._turn.cancel.is_set():
            return "the repair was cancelled."
        if self._until.is_set():
            return (
                f"the {SECONDS:g} s that a repair after a turn may take are over; use "
                "`holdfast repair`."
            )
        return None

    def _show(self, repaired: FileRepair) -> None:
        for event in repaired.events:
            self._emit(event)
        if repaired.landed is not None:
            self._note_written(repaired.path)
        late = self._late()
        if late is not None and not repaired.success:
            self._not_run(repaired.path, late)
            return
        self._report(repair_ended(repaired))

    def _note_written(self, path: str) -> None:
        self.written.append(path)
        # The results of earlier checks are for another text of this file.
        self._known.clear()
        self._now |= dict(self._texts((path,)))

    def _not_run(self, path: str, why: str) -> None:
        self._report(RepairEnded(path, NOT_RUN, success=False, message=why))

    def _report(self, ended: RepairEnded) -> None:
        """Emit the end of a repair, and keep its file if it still fails."""
        if not ended.success and ended.outcome != NOT_RUN:
            self.failing.append(ended.path)
        event = replace(ended, message=sendable(ended.message))
        self._emit(redact(event, self._repairs.secrets))


def _passing(path: str, old: Sequence[Diagnostic], message: str) -> RepairEnded:
    """Return the event of a check whose only errors are old ones."""
    if old:
        message = describe_old_errors(old)
        return RepairEnded(path, "FailedBefore", success=True, message=message)
    return RepairEnded(path, "FirstTrySuccess", success=True, message=message)


def _key(group: _Group) -> tuple[str, bool]:
    return group.found.scope or group.unit, group.found.last


def _title(group: _Group, checked: Checked) -> str:
    return group.found.command or checked.oracle


def _refusal(answer: GateAnswer, subject: str, cure: str = ".") -> str | None:
    match answer:
        case "yes":
            return None
        case Denied(message):
            return message
        case NoApprover():
            return (
                f"{subject}: this needs somebody's approval, and nobody is there to give it{cure}"
            )


class _Until:
    """A cancellation that is set when the turn is cancelled or the time is up (port `Cancel`)."""

    def __init__(self, cancel: Cancel, now: Callable[[], float], deadline: float) -> None:
        self._cancel, self._now, self._deadline = cancel, now, deadline

    def is_set(self) -> bool:
        return self._cancel.is_set() or self._now() >= self._deadline
