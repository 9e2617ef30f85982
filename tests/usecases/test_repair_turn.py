"""The repair after a turn, with a check and a clock of our own."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from unittest.mock import ANY

import pytest

from holdfast.adapters.project.secret_files import is_secret_file
from holdfast.changes.change import ChangeOwner
from holdfast.guards.commands import Allow, AllowRead, Ask, CommandVerdict, Refuse
from holdfast.guards.shell.read_command import ReadCommand
from holdfast.loop.ports import Model
from holdfast.repair.ports import Check, CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.repair.strictness import RepairPolicy
from holdfast.testing import ScriptedModel
from holdfast.testing.memory_edit_guard import MemoryEditGuard
from holdfast.tools.ports import Denied, GateAnswer
from holdfast.usecases.repair.repair_files import RepairDependencies
from holdfast.usecases.trust.project_trust import ProjectTrust
from holdfast.usecases.turns.repair_after_turn import repair_turn
from holdfast.usecases.turns.repair_ports import EditedTurn, ProjectCheck, TurnRepairs
from holdfast.usecases.turns.repair_report import SECONDS
from holdfast.usecases.turns.turn_checks import MOST_FILES
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from holdfast.vocab.events import Event, RepairEnded, TurnEnded
from holdfast.vocab.trust import CodeItem
from tests.usecases.memory_trust import MemoryTrust
from tests.usecases.world import World


class _Check:
    """Returns the given result (port `Check`), and counts its runs."""

    target: Target = "any"

    def __init__(self, says: Checked | CheckTimedOut | Exception) -> None:
        self._says = says
        self.runs = 0

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        self.runs += 1
        if isinstance(self._says, Exception):
            raise self._says
        return self._says


def found(check: _Check, command: str | None = None, *, whole: bool = False) -> ProjectCheck:
    """Give a check of a project that is always the same, whatever is in its files."""

    def with_files(_: Mapping[str, bytes | None]) -> Check:
        return check

    return ProjectCheck(check, with_files, command, scope=command if whole else None)


class _Gate:
    """Says no, and counts (port `Gate`)."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def ask(self, what: str, subject: str, why: str, *, in_auto: bool = False) -> GateAnswer:
        self.asked.append((what, subject))
        return Denied(f"{subject}: no.")


PASSES = Checked(ok=True, diagnostics=(), oracle="own 1")
SLIP = Diagnostic("own", "1", "", "error", "a slip", "a slip", (), "a.py", Area(1, 1, 1, 2))
FAILS = Checked(ok=False, diagnostics=(SLIP,), oracle="own 1")
COMMAND = "make check"
READS = AllowRead(ReadCommand(("git", "diff"), ()))


def after(
    world: World,
    files: Collection[str],
    check: ProjectCheck | Exception,
    *,
    verdict: CommandVerdict | None = None,
    trusted: Collection[CodeItem] = (),
    error: OSError | None = None,
    message: str = "Done.",
) -> tuple[list[RepairEnded], _Gate]:
    """Change these files in a turn; return the events of the repair, and the gate that was asked."""
    events: list[Event] = []
    gate = _Gate()

    def find(path: str, cancel: Cancel) -> tuple[ProjectCheck, ...]:
        if isinstance(check, Exception):
            raise check
        return (check,)

    def no_dependencies(model: Model, cancel: Cancel, tests: Check | None) -> RepairDependencies:
        raise error or AssertionError("nobody is needed")

    with world.workspace() as workspace:
        turn = EditedTurn(
            ChangeOwner("s", "t"),
            ScriptedModel([]),
            gate,
            workspace,
            MemoryEditGuard(),
            threading.Event(),
        )
        repairs = TurnRepairs(
            find,
            lambda _: verdict or Allow(),
            no_dependencies,
            partial(is_secret_file, str(world.root)),
            ProjectTrust(MemoryTrust(*trusted)),
            lambda: 0.0,
            RepairPolicy(),
            ("sk-12345678",),
        )
        ended = TurnEnded("done", "Done.", 1, 2, 3, tuple(files))
        repaired = repair_turn(ended, ended.files, turn, repairs, events.append)
        assert repaired == replace(ended, message=message)
    return [event for event in events if isinstance(event, RepairEnded)], gate


def test_a_check_of_the_whole_runs_once_for_at_most_so_many_files(world: World) -> None:
    names = [f"f{number:02}" for number in range(MOST_FILES + 3)]
    world.write(**dict.fromkeys(names, "x\n"))
    check = _Check(PASSES)
    report, _ = after(world, [f"{name}.py" for name in names], found(check, COMMAND, whole=True))
    assert check.runs == 1
    assert [(each.path, each.outcome, each.success) for each in report] == [
        ("", "NotRun", False),
        ("", "FirstTrySuccess", True),
    ]
    assert report[0].message.startswith("3 more files were not checked")


@pytest.mark.parametrize(
    "says",
    [ToolchainMissing("install it."), CheckCrashed("it crashed."), CheckTimedOut("own 1", 5)],
)
def test_a_check_that_gives_no_answer_is_said(
    world: World, says: Exception | CheckTimedOut
) -> None:
    world.write(a="x\n")
    [report], _ = after(world, ["a.py"], found(_Check(says), COMMAND, whole=True))
    assert (report.outcome, report.success) == ("NotRun", False)
    assert report.message in {
        "install it.",
        "it crashed.",
        "make check was ended after 5 s without an answer.",
    }


def test_rules_that_cannot_be_read_are_said(world: World) -> None:
    world.write(a="x\n")
    error = OSError(13, "Permission denied", "rules")
    [report], _ = after(world, ["a.py"], found(_Check(FAILS)), error=error)
    assert report.message == "rules: Permission denied; nothing was repaired."


@pytest.mark.parametrize(
    "path", ["node_modules/x.js", "../out.py", "gone.py", ".holdfast/own.py", "", "key.py"]
)
def test_a_file_outside_the_project_is_not_repaired_whichever_tool_reports_it(
    world: World, path: str
) -> None:
    (world.root / "node_modules").mkdir()
    (world.root / "node_modules/x.js").write_text("x\n")
    (world.root.parent / "out.py").write_text("x\n")
    world.write(a="x\n", key="KEY = 'sk-12345678'\n")
    says = Checked(
        ok=False,
        diagnostics=(replace(SLIP, path=path),),
        oracle="own 1",
        output="sk-12345678 is no key",
    )
    ended = "Done. Its check still fails: the project."
    [report], _ = after(world, ["a.py"], found(_Check(says), COMMAND, whole=True), message=ended)
    assert (report.path, report.outcome, report.success) == ("", "NotRepaired", False)
    assert report.message.startswith(
        "make check fails, and names no line that could be repaired:\n"
    )
    assert "sk-12345678" not in report.message


def test_an_error_in_a_file_that_the_turn_left_alone_is_repaired(world: World) -> None:
    world.write(a="x\n", b="y\n")
    says = replace(FAILS, diagnostics=(replace(SLIP, path="b.py"),))
    # The rules are read only for a repair.
    error = OSError(13, "Permission denied", "rules")
    check = found(_Check(says), COMMAND, whole=True)
    [report], _ = after(world, ["a.py"], check, error=error)
    assert report.message == "rules: Permission denied; nothing was repaired."


def test_a_file_of_holdfast_that_the_turn_changed_is_not_checked(world: World) -> None:
    own = world.root / ".holdfast/own.py"
    own.parent.mkdir()
    own.write_text("x\n")
    check = _Check(FAILS)
    assert after(world, [".holdfast/own.py"], found(check)) == ([], ANY)
    assert check.runs == 0


def test_a_setting_that_cannot_be_read_is_said(world: World) -> None:
    world.write(a="x\n")
    [report], _ = after(world, ["a.py"], ValueError("No closing quotation"))
    assert report.message == "the check cannot be read: No closing quotation"


@pytest.mark.parametrize("verdict", [Ask("not on the list"), Refuse("make check: never.")])
def test_a_command_is_asked_for_once_and_one_that_is_forbidden_not_at_all(
    world: World, verdict: CommandVerdict
) -> None:
    world.write(a="x\n", b="y\n")
    check = _Check(PASSES)
    report, gate = after(world, ["a.py", "b.py"], found(check, COMMAND), verdict=verdict)
    assert check.runs == 0
    assert [(each.path, each.outcome) for each in report] == [
        ("a.py", "NotRun"),
        ("b.py", "NotRun"),
    ]
    assert gate.asked == ([("command", COMMAND)] if isinstance(verdict, Ask) else [])


def test_what_is_gone_is_no_text_or_holds_a_key_is_not_looked_at(world: World) -> None:
    world.write(key="KEY = 'sk-12345678'\n", binary="\0\1\2")
    report, _ = after(
        world, ["gone.py", "key.py", "binary.py"], found(_Check(PASSES), COMMAND, whole=True)
    )
    assert report == []


PLUGIN = CodeItem("plugin", "own.py", "1", "x\n")
SCRIPT = CodeItem("build", "a.py", "2", "y\n")


def own(
    check: _Check, outside: _Check | None, *code: CodeItem, command: str | None = None
) -> ProjectCheck:
    """Return a check that runs code of the project, and the same without that code."""
    without = None
    if outside is not None:
        without = found(outside)
    return replace(found(check, command), code=code, outside=without)


def test_code_of_the_project_that_is_refused_is_not_run_and_the_check_outside_is(
    world: World,
) -> None:
    world.write(a="x\n", b="x\n")
    check, outside = _Check(FAILS), _Check(PASSES)
    report, gate = after(world, ["a.py", "b.py"], own(check, outside, PLUGIN))
    assert (check.runs, outside.runs) == (0, 2)
    assert gate.asked == [("trust", "own.py (plugin, new)")]
    assert [(each.path, each.outcome, each.message) for each in report] == [
        (
            "",
            "NotRun",
            "own.py (plugin, new): no. The files were checked with tools outside the project.",
        ),
        ("a.py", "FirstTrySuccess", "by own 1"),
        ("b.py", "FirstTrySuccess", "by own 1"),
    ]


@pytest.mark.parametrize("verdict", [Ask("it is a command"), READS])
def test_a_command_that_is_not_trusted_has_no_check_in_its_place(
    world: World, verdict: CommandVerdict
) -> None:
    world.write(a="x\n")
    check = _Check(PASSES)
    checked = own(check, None, PLUGIN, command=COMMAND)
    report, gate = after(world, ["a.py"], checked, verdict=verdict)
    assert check.runs == 0
    assert gate.asked == [("trust", "own.py (plugin, new)")]
    assert [(each.path, each.outcome, each.message) for each in report] == [
        ("a.py", "NotRun", "own.py (plugin, new): no.")
    ]


def test_trusted_code_runs_and_nobody_is_asked(world: World) -> None:
    world.write(a="x\n")
    check = _Check(PASSES)
    checked = own(check, None, PLUGIN, command=COMMAND)
    ask = Ask("it is a command")
    _, gate = after(world, ["a.py"], checked, verdict=ask, trusted=[PLUGIN])
    assert (check.runs, gate.asked) == (1, [])


def test_code_that_the_check_runs_is_not_repaired(world: World) -> None:
    world.write(a="x\n")
    report, gate = after(
        world,
        ["a.py"],
        own(_Check(FAILS), None, SCRIPT),
        trusted=[SCRIPT],
        message="Done. Its check still fails: a.py.",
    )
    assert [(each.path, each.outcome) for each in report] == [("a.py", "NotRepaired")]
    assert gate.asked == []


def test_a_repair_has_an_end(world: World) -> None:
    world.write(a="x\n")
    clock = iter([0.0])
    events: list[Event] = []
    check = _Check(CheckTimedOut("own 1", 5))
    with world.workspace() as workspace:
        turn = EditedTurn(
            ChangeOwner("s", "t"),
            ScriptedModel([]),
            _Gate(),
            workspace,
            MemoryEditGuard(),
            threading.Event(),
        )
        repairs = TurnRepairs(
            lambda *_: (found(check, COMMAND, whole=True),),
            lambda _: Allow(),
            lambda *_: pytest.fail("nobody is needed"),
            lambda *_: False,
            ProjectTrust(MemoryTrust()),
            lambda: next(clock, SECONDS),
            RepairPolicy(),
        )
        ended = TurnEnded("done", "Done.", 1, 2, 3, ("a.py",))
        repair_turn(ended, ended.files, turn, repairs, events.append)
    [report] = [event for event in events if isinstance(event, RepairEnded)]
    assert report.message.startswith("the 300 s that a repair after a turn may take are over")


def test_a_file_with_a_token_or_a_secret_name_is_not_looked_at(world: World) -> None:
    world.write(token="KEY = 'ghp_" + "a" * 36 + "'\n")
    (world.root / ".env").write_text("A=1\n")
    (world.root / "linked.py").hardlink_to(world.root / ".env")
    check = _Check(PASSES)
    assert after(world, ["token.py", ".env", "linked.py"], found(check))[0] == []
    assert check.runs == 0


def test_one_file_too_many_is_counted_as_one(world: World) -> None:
    names = [f"f{number:02}" for number in range(MOST_FILES + 1)]
    world.write(**dict.fromkeys(names, "x\n"))
    report, _ = after(world, [f"{name}.py" for name in names], found(_Check(PASSES)))
    assert report[0].message == (
        f"1 more file was not checked, for one turn checks {MOST_FILES}; use `holdfast repair`."
    )
    exactly = [f"{name}.py" for name in names[:MOST_FILES]]
    report, _ = after(world, exactly, found(_Check(PASSES)))
    assert [each.outcome for each in report] == ["FirstTrySuccess"] * MOST_FILES


class _Consent(_Gate):
    """Says yes."""

    def ask(self, what: str, subject: str, why: str, *, in_auto: bool = False) -> GateAnswer:
        super().ask(what, subject, why)
        return "yes"


def consented(
    world: World, check: ProjectCheck, trust: MemoryTrust
) -> tuple[list[RepairEnded], _Gate]:
    events: list[Event] = []
    gate = _Consent()
    with world.workspace() as workspace:
        owner = ChangeOwner("s", "t")
        turn = EditedTurn(
            owner, ScriptedModel([]), gate, workspace, MemoryEditGuard(), threading.Event()
        )
        repairs = TurnRepairs(
            lambda *_: (check,),
            lambda _: Ask("it is a command"),
            lambda *_: pytest.fail("nobody is needed"),
            lambda *_: False,
            ProjectTrust(trust),
            lambda: 0.0,
            RepairPolicy(),
        )
        ended = TurnEnded("done", "Done.", 1, 2, 3, ("a.py",))
        repair_turn(ended, ended.files, turn, repairs, events.append)
    return [event for event in events if isinstance(event, RepairEnded)], gate


def test_code_that_a_person_trusts_runs_and_is_asked_for_once(world: World) -> None:
    world.write(a="x\n")
    trust = MemoryTrust()
    check = _Check(PASSES)
    report, gate = consented(world, own(check, None, PLUGIN, command=COMMAND), trust)
    assert (check.runs, [each.outcome for each in report]) == (1, ["FirstTrySuccess"])
    assert gate.asked == [("trust", "own.py (plugin, new)")]
    _, again = consented(world, own(check, None, PLUGIN, command=COMMAND), trust)
    assert again.asked == []


def test_a_command_that_a_person_allows_runs(world: World) -> None:
    world.write(a="x\n")
    check = _Check(PASSES)
    _, gate = consented(world, found(check, COMMAND, whole=True), MemoryTrust())
    assert (check.runs, gate.asked) == (1, [("command", COMMAND)])


def test_trust_that_cannot_be_remembered_counts_this_time_and_that_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(a="x\n")
    check = _Check(PASSES)

    def full(*_: object) -> None:
        raise OSError(28, "No space left", "/trust")

    monkeypatch.setattr(ProjectTrust, "accept", full)
    report, _ = consented(world, own(check, None, PLUGIN, command=COMMAND), MemoryTrust())
    assert check.runs == 1
    assert report[0].message == "/trust: No space left; what you trust is not remembered."
