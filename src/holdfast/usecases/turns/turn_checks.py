"""The checks of a turn's files.

They are found, allowed and run, and their results compared with those before the turn.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, assert_never

from holdfast.changes.ports import FileFound
from holdfast.guards.commands import Allow, AllowRead, Ask, Refuse
from holdfast.guards.tokens import has_token
from holdfast.landing.encoding import decode
from holdfast.repair.check_errors import errors_of
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.tools.ports import Denied, NoApprover, TurnCancelled
from holdfast.tools.text_limits import clean, shorten
from holdfast.usecases.repair.descriptions import NOT_REPAIRED, describe_old_errors
from holdfast.usecases.trust.project_trust import CURE, describe_items, name_items
from holdfast.usecases.turns.baseline import Baseline, SinceCheck
from holdfast.vocab.events import RepairEnded
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.repair.ports import Check
    from holdfast.tools.ports import GateAnswer
    from holdfast.usecases.turns.repair_ports import EditedTurn, ProjectCheck, TurnRepairs
    from holdfast.usecases.turns.repair_report import RepairDeadline, RepairReport
    from holdfast.vocab.diagnostics import Diagnostic
    from holdfast.vocab.trust import CodeItem, JudgedItem

MOST_FILES = 20
MOST_SHOWN = 4_000
"""The most characters of an output or a diff that are shown."""
_AT_ONCE = 2
_TICK = 0.1
_NOT_OURS = frozenset({"node_modules", ".venv", "venv", "vendor", "target", ".holdfast"})
"""Directories of installed or generated files, which are never repaired."""


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """Files of one run of a check, each with that check for its own language."""

    founds: dict[str, ProjectCheck]

    @property
    def unit(self) -> str:
        """The file that the check is run on."""
        return next(iter(self.founds))

    @property
    def found(self) -> ProjectCheck:
        """The check that is run."""
        return self.founds[self.unit]

    @property
    def key(self) -> tuple[str, bool]:
        """What the group checks, and whether that is run after the others."""
        return self.found.scope or self.unit, self.found.last

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
    def code(self) -> tuple[CodeItem, ...]:
        """What of the project's own one run of the check runs, each item once."""
        items: dict[CodeItem, None] = {}
        for found in self.founds.values():
            items |= dict.fromkeys(found.code)
        return tuple(items)

    @property
    def outside(self) -> CheckGroup | None:
        """The same files, checked with nothing of the project's own; None if that cannot be."""
        founds: dict[str, ProjectCheck] = {}
        for path, found in self.founds.items():
            without = found.outside
            if found.command is None and not found.code:
                without = found
            if without is None:
                return None
            founds[path] = without

        return CheckGroup(founds)

    @property
    def checks_project(self) -> bool:
        """Whether one run of the command checks the whole project."""
        return self.whole and self.found.scope == self.found.command


@dataclass(frozen=True, slots=True)
class _Distrust:
    """The code of the project that may not run, and the sentence that says so."""

    items: frozenset[CodeItem]
    refusal: str

    def allows(self, group: CheckGroup) -> bool:
        return self.items.isdisjoint(group.code)


class TurnChecks:
    """The checks of the files of one turn.

    `then` are the files that the turn changed, as they were before it.
    """

    def __init__(
        self,
        turn: EditedTurn,
        repairs: TurnRepairs,
        then: Mapping[str, bytes | None],
        deadline: RepairDeadline,
        report: RepairReport,
    ) -> None:
        """Report each check that passes or cannot be run to `report`."""
        self._turn = turn
        self._repairs = repairs
        self.then = then
        self._deadline = deadline
        self._report = report
        self._now: dict[str, bytes] = {}
        self._known: dict[tuple[str, bytes], Checked] = {}
        self._befores: dict[tuple[str, bool], Baseline] = {}

    def find(self, changed: Sequence[str]) -> list[CheckGroup]:
        """Return the checks of the files that can be checked, by their real paths.

        Files that one run checks are in one group.
        """
        groups: dict[tuple[str, bool, bool], dict[str, ProjectCheck]] = {}
        left_out: set[str] = set()
        try:
            for path, data in self._texts(changed):
                for each in self._repairs.find(path, self._deadline):
                    if len({*self._now, path}) > MOST_FILES:
                        left_out.add(path)
                        continue
                    self._now[path] = data
                    key = (each.scope or path, each.last, each.scope is None)
                    groups.setdefault(key, {})[path] = each
        except ValueError as error:
            self._report.not_run("", f"the check cannot be read: {error}")
            return []

        if left_out:
            self._report_left_out(len(left_out))

        return [CheckGroup(founds) for founds in groups.values()]

    def _report_left_out(self, count: int) -> None:
        more = "1 more file was"
        if count > 1:
            more = f"{count} more files were"
        why = f"one turn checks {MOST_FILES}; use `holdfast repair`."
        self._report.not_run("", f"{more} not checked, for {why}")

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the real path and the bytes of each file that a model may see whole."""
        for path in paths:
            looked = self._turn.workspace.files.look(path)
            if not isinstance(looked, FileFound):
                continue
            if self._may_be_seen(path, looked):
                yield looked.at, looked.data

    def _may_be_seen(self, path: str, found: FileFound) -> bool:
        """Return whether a model may see the file: it is text, not ours, and has no secrets."""
        if self._repairs.is_secret(path, found.at):
            return False
        if PurePosixPath(found.at).parts[:1] == (".holdfast",):
            return False

        decoded = decode(found.data)
        if decoded.binary:
            return False
        if has_token(decoded.text):
            return False

        return all(secret not in decoded.text for secret in self._repairs.secrets)

    def choose_allowed(self, groups: Sequence[CheckGroup]) -> list[CheckGroup]:
        """Return the groups that may run, without the project's own code where it is not trusted.

        Ask once for each command that needs an approval, and once for all code of the project.
        """
        decisions = self._decide_all(groups)
        code: dict[CodeItem, None] = {}
        for group in groups:
            if decisions[group.found.command] == "trust":
                code |= dict.fromkeys(group.code)

        distrust = self._ask_trust(tuple(code))
        allowed: list[CheckGroup] = []
        outside: list[CheckGroup] = []
        for group in groups:
            decision = decisions[group.found.command]
            if decision == "run" or (decision == "trust" and distrust.allows(group)):
                allowed.append(group)
                continue
            without = group.outside
            if without is None:
                refusal = distrust.refusal if decision == "trust" else decision
                self._report.not_run(group.one, refusal)
            else:
                outside.append(without)

        if outside:
            instead = "The files were checked with tools outside the project."
            self._report.not_run("", f"{distrust.refusal} {instead}")

        return allowed + outside

    def _decide_all(self, groups: Sequence[CheckGroup]) -> dict[str | None, str]:
        """Return what becomes of each command: "run", "trust", or the sentence that refuses it."""
        decisions: dict[str | None, str] = {None: "trust"}
        for group in groups:
            command = group.found.command
            if command not in decisions:
                decisions[command] = self._decide(command or "", group)
        return decisions

    def _decide(self, command: str, group: CheckGroup) -> str:
        verdict = self._repairs.judge(command)
        match verdict:
            case Allow():
                return "run"
            case AllowRead():
                # It runs as a check does: by the settings of the project, and by its programs.
                return "trust" if group.code else "run"
            case Ask(why):
                if group.code:
                    return "trust"
                return self._ask_command(command, why) or "run"
            case Refuse(message):
                return message
            case _:
                assert_never(verdict)

    def _ask_command(self, command: str, why: str) -> str | None:
        purpose = f"to check this turn's edits; {why}"
        answer = self._turn.gate.ask("command", command, purpose)
        cure = "; use a terminal, --approve auto, or allow_commands in your settings."
        return refusal_of(answer, command, cure)

    def _ask_trust(self, items: Sequence[CodeItem]) -> _Distrust:
        """Ask for the code that is not trusted yet, once; return what may not run, and why."""
        trust = self._repairs.trust
        judged = trust.untrusted(items)
        if not judged:
            return _Distrust(frozenset(), "")

        names = name_items(judged)
        shown = describe_items(judged)
        why = f"to check this turn's edits, which runs this code of the project:\n{shown}"
        answer = self._turn.gate.ask("trust", names, why)
        if answer == "yes":
            self._accept(judged)
            return _Distrust(frozenset(), "")

        refusal = f"not run, because it is not trusted: {names}. {CURE}"
        if isinstance(answer, Denied):
            refusal = answer.message

        return _Distrust(frozenset(each.item for each in judged), refusal)

    def _accept(self, judged: Sequence[JudgedItem]) -> None:
        try:
            self._repairs.trust.accept(judged)
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}"
            self._report.not_run("", f"{problem}; what you trust is not remembered.")

    def run(self, groups: Sequence[CheckGroup]) -> list[Checked | None]:
        """Run each check once, some at a time; return None for each that could not be run."""
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="check") as pool:
            # In the context of the turn: it marks the processes that are started.
            begun = [pool.submit(copy_context().run, self._check, group) for group in groups]
            # Not one long wait: Ctrl-C may reach another thread, and then this one sees it only
            # when it wakes.
            while wait(begun, _TICK).not_done:
                pass

        results = []
        for group, ran in zip(groups, begun, strict=True):
            results.append(self._ran(group, ran.result()))

        return results

    def _check(
        self, group: CheckGroup
    ) -> Checked | CheckTimedOut | ToolchainMissing | CheckCrashed:
        if self._deadline.is_set():
            return CheckTimedOut("", 0.0)
        try:
            return group.found.check.run(group.unit, self._now[group.unit])
        except (ToolchainMissing, CheckCrashed) as error:
            return error

    def _ran(
        self, group: CheckGroup, ran: Checked | CheckTimedOut | ToolchainMissing | CheckCrashed
    ) -> Checked | None:
        match ran:
            case Checked():
                return ran
            case CheckTimedOut(oracle, seconds):
                title = group.found.command or oracle
                message = f"{title} was ended after {seconds:g} s without an answer."
                self._report.not_run(group.one, self._deadline.late() or message)
            case ToolchainMissing() | CheckCrashed():
                self._report.not_run(group.one, str(ran))

        return None

    def forget(self, path: str) -> None:
        """Read a file that was written again, and forget its earlier checks."""
        # The results of earlier checks are for another text of this file.
        self._known.clear()
        self._now |= dict(self._texts((path,)))

    def judge(self, group: CheckGroup, checked: Checked, *, again: bool) -> dict[str, Check]:
        """Emit what passes; return the files that fail since this turn, each with its check."""
        judged = self.since(group, group.unit).judge(checked, group.unit, self._now[group.unit])
        if judged.ok:
            if not again:
                self._report_passing(group, checked)
            return {}

        broken = self._broken_files(group, judged)
        if not broken and not again:
            self._report_no_place(group, checked)

        checks: dict[str, Check] = {}
        for path in broken:
            if group.whole or path == group.unit:
                self._known[path, self._now[path]] = checked
            checks[path] = self.since(group, path)

        return checks

    def _broken_files(self, group: CheckGroup, judged: Checked) -> list[str]:
        """Return the files with errors that may be repaired, each once.

        An error of a whole project counts only if it names a line. Code that the check itself runs
        is not repaired: the check of a repair would run what nobody has seen.
        """
        code = {item.path for item in group.code}
        broken: dict[str, None] = {}
        for error in errors_of(judged):
            path = error.path
            if path in code:
                continue
            if group.whole and error.area is None:
                continue
            if path in group.founds or self._is_ours(path):
                broken[path] = None

        return list(broken)

    def _report_no_place(self, group: CheckGroup, checked: Checked) -> None:
        """Report a check that fails and names no line."""
        output = shorten(clean(checked.output.strip()), MOST_SHOWN)
        problem = "fails"
        if self._befores[group.key].errors():
            problem = "fails otherwise than before this turn"

        title = f"{group.found.command or checked.oracle} {problem}"
        message = f"{title}, and names no line that could be repaired:\n{output}"
        path = group.one
        if group.whole:
            path = ""

        self._report.add(RepairEnded(path, NOT_REPAIRED, success=False, message=message))

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

    def since(self, group: CheckGroup, path: str) -> SinceCheck:
        """Return the check of a group for one file, in which only new errors count."""
        found = self._check_in(group, path)
        before = self._befores.setdefault(group.key, self._before(group))
        return SinceCheck(found.check, before, self.then, self._now, self._known)

    def _check_in(self, group: CheckGroup, path: str) -> ProjectCheck:
        """Return the check of the group for the language of the file, else the group's own."""
        if path in group.founds:
            return group.founds[path]

        for each in self._repairs.find(path, self._deadline):
            if each.scope != group.found.scope:
                continue
            if set(each.code) <= set(group.code):
                return each
            # Code that no person has approved.
            return each.outside or group.found

        return group.found

    def _before(self, group: CheckGroup) -> Baseline:
        """Return the baseline of a group: its check of the files before the turn."""
        unit, then = group.unit, self.then
        if then.keys().isdisjoint(group.founds):
            return Baseline(None)
        if not group.whole and then[unit] is None:
            return Baseline(None)
        if not then.keys().isdisjoint(item.path for item in group.code):
            # The code that was there before the turn is not the code that is trusted.
            return Baseline(None)

        check = group.found.with_files(then)
        text = then.get(unit, self._now[unit]) or b""
        return Baseline(lambda: check.run(unit, text))

    def _report_passing(self, group: CheckGroup, checked: Checked) -> None:
        """Report a check without new errors: for the project, or for each file."""
        old = errors_of(checked)
        if group.checks_project:
            self._report.add(_passing("", old, f"{group.found.command} passes."))
            return

        for path in group.founds:
            in_file: Sequence[Diagnostic] = old
            if group.whole:
                in_file = [each for each in old if each.path == path]
            self._report.add(_passing(path, in_file, f"by {checked.oracle}"))


def _passing(path: str, old: Sequence[Diagnostic], message: str) -> RepairEnded:
    """Return the event of a check whose only errors are old ones."""
    if old:
        message = describe_old_errors(old)
        return RepairEnded(path, "FailedBefore", success=True, message=message)
    return RepairEnded(path, "FirstTrySuccess", success=True, message=message)


def refusal_of(answer: GateAnswer, subject: str, cure: str = ".") -> str | None:
    """Return why the user's answer refuses something, or None if it is allowed."""
    match answer:
        case "yes":
            return None
        case Denied(message):
            return message
        case NoApprover():
            return (
                f"{subject}: this needs somebody's approval, and nobody is there to give it{cure}"
            )
        case TurnCancelled():
            return f"{subject}: the turn was cancelled before this was allowed."
