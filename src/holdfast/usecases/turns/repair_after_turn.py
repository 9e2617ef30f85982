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
    from holdfast.vocab.events import Event

MOST_FILES = 20
SECONDS = 300.0
"""After so long a repair is ended, whatever it is at: somebody waits for the turn's end."""
_MOST_TOLD = 4_000
_ROUNDS = 3
"""What is mended can bring out what else is broken; not for ever."""
_AT_ONCE = 2
_TICK = 0.1
_NOT_OURS = frozenset({"node_modules", ".venv", "venv", "vendor", "target", ".holdfast"})
"""What is installed or made there is not mended, whoever complains of it."""


def repair_turn(
    ended: TurnEnded, turn: EditedTurn, repairs: TurnRepairs, emit: Callable[[Event], None]
) -> TurnEnded:
    """Check and mend what a turn has changed that came to its end.

    Gives that end, with what the repair took. What cannot be checked is said, and no reason for the
    turn to fail.
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
        told = "Cancelled while the turn's edits were being checked; they are on the disk."
        return replace(ended, stop_reason="cancelled", message=told)
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
        return self.unit if len(self.founds) == 1 else ""


class _Repairs:
    """The repair after one turn.

    `written` are files that it changed, `failing` those that it could not mend.
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
        last = [group for group in groups if group.found.last]
        # Not where several are broken: one that is mended would be refused for what the others do
        # to the tests.
        tests = next(
            (self._since(group, group.unit) for group in last if group.found.scope is not None),
            None,
        )
        self._mend_all([group for group in groups if not group.found.last], model, tests)
        self._mend_all(last, model, None)

    def _mend_all(self, groups: Sequence[_Group], model: Model, tests: Check | None) -> None:
        """Check, repair what fails, and check again where one repair may change other results."""
        tried: set[str] = set()
        for done in range(_ROUNDS):
            broken: dict[str, Check] = {}
            again = []
            for group, checked in zip(groups, self._run_checks(groups), strict=True):
                named = {} if checked is None else self._judge(group, checked, again=done > 0)
                broken |= {
                    path: check
                    for path, check in named.items()
                    if path not in {*tried, *self.failing}
                }
                again += [group] if group.found.scope is not None and len(named) > 1 else []
            written = len(self.written)
            if broken:
                self._mend(self._some(broken), model, tests if len(broken) == 1 else None)
            if len(self.written) == written or not again:
                return
            tried |= broken.keys()
            groups = again

    def _mend(self, broken: dict[str, Check], model: Model, tests: Check | None) -> None:
        try:
            crew = self._repairs.crew(model, self._until, tests)
        except OSError as error:
            self._not_run("", f"{error.filename or ''}: {error.strerror}; nothing was repaired.")
            return
        crew = replace(
            crew,
            owner=self._turn.owner,
            check_for=broken.get,
            may_begin=self._may_begin,
            may_write=self._may_write,
        )
        repair_files(list(broken), crew, self._repairs.policy, self._show)

    # --------------------------------------------------------------------------------------- checks

    def _find(self, changed: Sequence[str]) -> list[_Group]:
        """Return the checks of the files that can be checked, by their real paths.

        Those of one run together.
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
                    groups.setdefault((each.scope or path, each.last, each.scope is None), {})[
                        path
                    ] = each
        except ValueError as error:
            self._not_run("", f"the check cannot be read: {error}")
            return []
        if left_out:
            more = f"{len(left_out)} more files were" if len(left_out) > 1 else "1 more file was"
            self._not_run(
                "", f"{more} not checked, for one turn checks {MOST_FILES}; use `holdfast repair`."
            )
        return [_Group(founds) for founds in groups.values()]

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Return those that a model may see whole: not what is gone, is no text, or holds keys."""
        for path in paths:
            looked = self._turn.workspace.files.look(path)
            if not isinstance(looked, FileFound) or is_secret(path) or is_secret(looked.at):
                continue
            decoded = decode(looked.data)
            holds_key = any(secret in decoded.text for secret in self._repairs.secrets)
            if (
                not decoded.binary
                and not holds_key
                and PurePosixPath(looked.at).parts[:1] != (".holdfast",)
            ):
                yield looked.at, looked.data

    def _allowed(self, groups: Sequence[_Group]) -> list[_Group]:
        """Return those that may run; ask once for each command that needs an approval."""
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
        """Run each check once, some at a time; None where it could not be."""
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
                told = (
                    f"{group.found.command or oracle} was ended after {seconds:g} s without an "
                    "answer."
                )
                self._not_run(group.one, self._late() or told)
            case ToolchainMissing() | CheckCrashed():
                self._not_run(group.one, str(ran))
        return None

    # ------------------------------------------------------------------------------- since the turn

    def _judge(self, group: _Group, checked: Checked, *, again: bool) -> dict[str, Check]:
        """Emit what passes; return the files that fail since this turn, each with its check."""
        judged = self._since(group, group.unit).judge(checked, group.unit, self._now[group.unit])
        if judged.ok:
            if not again:
                self._tell_passing(group, checked)
            return {}
        whole = group.found.scope is not None
        places = [each.path for each in errors_of(judged) if each.area is not None or not whole]
        broken = dict.fromkeys(
            path for path in places if path in group.founds or self._is_ours(path)
        )
        if not broken and not again:
            last = shorten(clean(checked.output.strip()), _MOST_TOLD)
            before = self._befores[_key(group)].errors()
            how = "fails otherwise than before this turn" if before else "fails"
            told = (
                f"{_title(group, checked)} {how}, and names no line that could be repaired:\n{last}"
            )
            self._tell(
                RepairEnded(
                    group.one if not whole else "", NOT_REPAIRED, success=False, message=told
                )
            )
        for path in broken:
            if whole or path == group.unit:
                self._known[path, self._now[path]] = checked
        return {path: self._since(group, path) for path in broken}

    def _is_ours(self, path: str) -> bool:
        """Whether a file that the turn did not change is one that may be mended.

        If so, what it holds is noted.
        """
        if not _NOT_OURS.isdisjoint(PurePosixPath(path).parts):
            return False
        for at, data in self._texts((path,)):
            if at == path:
                self._now[path] = data
                return True
        return False

    def _some(self, broken: dict[str, Check]) -> dict[str, Check]:
        """Return as many as one turn mends, its own files first."""
        if len(broken) <= MOST_FILES:
            return broken
        told = (
            f"{len(broken)} files fail, and after one turn {MOST_FILES} are repaired; use "
            "`holdfast repair`."
        )
        self._not_run("", told)
        order = sorted(broken, key=lambda path: path not in self._then)
        return {path: broken[path] for path in order[:MOST_FILES]}

    def _since(self, group: _Group, path: str) -> SinceCheck:
        """Return the check of a group for one file, in which only new errors count."""
        found = group.founds.get(path)
        if found is None:
            others = self._repairs.find(path, self._until)
            found = next((each for each in others if each.scope == group.found.scope), group.found)
        before = self._befores.setdefault(_key(group), self._before(group))
        return SinceCheck(found.check, before, self._then, self._now, self._known)

    def _before(self, group: _Group) -> Baseline:
        unit, then = group.unit, self._then
        alone = group.found.scope is None
        if then.keys().isdisjoint(group.founds) or (alone and then[unit] is None):
            return Baseline(None)
        check, text = group.found.with_files(then), then.get(unit, self._now[unit])
        return Baseline(lambda: check.run(unit, text if text is not None else b""))

    def _tell_passing(self, group: _Group, checked: Checked) -> None:
        old = errors_of(checked)
        if group.found.scope is not None and group.found.scope == group.found.command:
            told = describe_old_errors(old) if old else f"{group.found.command} passes."
            self._tell(
                RepairEnded(
                    "", "FailedBefore" if old else "FirstTrySuccess", success=True, message=told
                )
            )
            return
        for path in group.founds:
            mine = [each for each in old if each.path == path or group.found.scope is None]
            told = describe_old_errors(mine) if mine else f"by {checked.oracle}"
            self._tell(
                RepairEnded(
                    path, "FailedBefore" if mine else "FirstTrySuccess", success=True, message=told
                )
            )

    # --------------------------------------------------------------------------------------- repair

    def _may_begin(self, path: str) -> str | None:
        late = self._late()
        return f"{path}: {late}" if late else None

    def _may_write(self, path: str, diff: str) -> str | None:
        if self._turn.cancel.is_set():
            return f"{path}: {self._late()}"
        why = f"to mend what fails its check since this turn:\n{shorten(clean(diff), _MOST_TOLD)}"
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

    def _show(self, mended: FileRepair) -> None:
        for event in mended.events:
            self._emit(event)
        if mended.landed is not None:
            self._note_written(mended.path)
        late = self._late()
        if late is not None and not mended.success:
            self._not_run(mended.path, late)
            return
        self._tell(repair_ended(mended))

    def _note_written(self, path: str) -> None:
        self.written.append(path)
        # What was said of the project was said of another text of this file.
        self._known.clear()
        self._now |= dict(self._texts((path,)))

    def _not_run(self, path: str, why: str) -> None:
        self._tell(RepairEnded(path, NOT_RUN, success=False, message=why))

    def _tell(self, told: RepairEnded) -> None:
        if not told.success and told.outcome != NOT_RUN:
            self.failing.append(told.path)
        self._emit(redact(replace(told, message=sendable(told.message)), self._repairs.secrets))


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
    """Says stop when the turn is cancelled, and when the time is up (port `Cancel`)."""

    def __init__(self, cancel: Cancel, now: Callable[[], float], deadline: float) -> None:
        self._cancel, self._now, self._deadline = cancel, now, deadline

    def is_set(self) -> bool:
        return self._cancel.is_set() or self._now() >= self._deadline
