"""Which files are repaired after a turn, in which order and how often; the repair of a file is the test's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.changes.change import NO_OWNER, ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileLanded
from holdfast.guards.commands import Allow
from holdfast.loop.ports import Model, ModelRequest, UsagePiece
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    NoProvider,
    ProductionBlocked,
    ProviderError,
    RejectedLowConfidence,
    Repaired,
    RepairOutcome,
    Replayed,
    RuleRepaired,
    VerificationRejected,
)
from holdfast.repair.ports import Check, Checked, CheckTimedOut
from holdfast.repair.strictness import RepairPolicy
from holdfast.testing import ScriptedModel
from holdfast.testing.memory_edit_guard import MemoryEditGuard
from holdfast.tools.ports import Denied, GateAnswer, NoApprover, TurnCancelled
from holdfast.usecases.changes.apply import AppliedReply, apply_reply
from holdfast.usecases.repair.descriptions import (
    describe_old_errors,
    describe_turn_end,
    repair_ended,
)
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.usecases.repair.repair_files import RepairDependencies
from holdfast.usecases.trust.project_trust import ProjectTrust
from holdfast.usecases.turns import repair_after_turn
from holdfast.usecases.turns.repair_after_turn import repair_turn
from holdfast.usecases.turns.repair_ports import EditedTurn, ProjectCheck, TurnRepairs
from holdfast.usecases.turns.repair_report import SECONDS
from holdfast.usecases.turns.turn_checks import MOST_FILES
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from holdfast.vocab.events import Event, RepairEnded, TurnEnded, UsageReported
from tests.usecases.memory_trust import MemoryTrust
from tests.usecases.test_owner import start_turn, whole
from tests.usecases.world import World

SLIP = Diagnostic("own", "1", "", "error", "a slip", "a slip", (), "a.py", Area(1, 1, 1, 2))


@dataclass
class Linter:
    """Finds a slip in each file with the word `bad` (port `Check`); with `whole`, in all at once."""

    root: Path
    whole: bool = False
    target: Target = "any"
    ran: list[str] = field(default_factory=list)

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        self.ran.append(path)
        texts = {path: text}
        if self.whole:
            files = sorted(self.root.glob("*.py"))
            texts = {each.name: each.read_bytes() for each in files} | texts
        slips = tuple(replace(SLIP, path=name) for name in texts if b"bad" in texts[name])
        return Checked(ok=not slips, diagnostics=slips, oracle="own 1")


class Gate:
    """Answers as the test says (port `Gate`)."""

    def __init__(self) -> None:
        self.answer: GateAnswer = "yes"
        self.asked: list[tuple[str, str, str]] = []

    def ask(self, what: str, subject: str, why: str, *, in_auto: bool = False) -> GateAnswer:
        self.asked.append((what, subject, why))
        return self.answer


@dataclass
class Round:
    """One call of the repair: its files, and what it was given."""

    paths: list[str]
    dependencies: RepairDependencies
    tests: Check | None


class Scene:
    """A turn that has ended, and a repair that rewrites files as the test says."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.world = world
        self.gate = Gate()
        self.cancel = threading.Event()
        self.checks: list[ProjectCheck] = []
        self.rounds: list[Round] = []
        self.events: list[Event] = []
        self.texts: dict[str, str] = {}
        self.outcomes: dict[str, FileRepair] = {}
        self.owner: ChangeOwner = NO_OWNER
        self.time = 0.0
        self.during: Callable[[], object] = lambda: None
        self._tests: Check | None = None
        monkeypatch.setattr(repair_after_turn, "repair_files", self._repair)

    def check(self, linter: Linter, *, scope: str | None = None, last: bool = False) -> None:
        def with_files(_: Mapping[str, bytes | None]) -> Check:
            return Nothing()

        self.checks.append(ProjectCheck(linter, with_files, None, scope=scope, last=last))

    def _dependencies(self, model: Model, cancel: Cancel, tests: Check | None) -> Any:
        self._tests = tests
        self.model = model
        return RepairDependencies(None, lambda _: None, lambda _: None, lambda *_: False)  # type: ignore[arg-type,return-value]

    def _repair(
        self,
        paths: Sequence[str],
        dependencies: RepairDependencies,
        _: RepairPolicy,
        show: Callable[[FileRepair], None],
    ) -> None:
        self.rounds.append(Round(list(paths), dependencies, self._tests))
        self.during()
        for path in paths:
            repaired = self.outcomes.get(path)
            if repaired is None and path in self.texts:
                (self.world.root / path).write_text(self.texts[path])
                landed = FileLanded(path, "edit", "exact", 1.0, "")
                repaired = FileRepair(path, "own", Repaired("", 1), landed=landed)
            show(repaired or FileRepair(path, "own", NoProvider("it fails.")))

    def run(self, *files: str) -> TurnEnded:
        with self.world.workspace() as workspace:
            turn = EditedTurn(
                self.owner, ScriptedModel([]), self.gate, workspace, MemoryEditGuard(), self.cancel
            )
            repairs = TurnRepairs(
                lambda *_: tuple(self.checks),
                lambda _: Allow(),
                self._dependencies,
                lambda *_: False,
                ProjectTrust(MemoryTrust()),
                lambda: self.time,
                RepairPolicy(),
            )
            ended = TurnEnded("done", "Done.", 1, 2, 3, files)
            return repair_turn(ended, files, turn, repairs, self.events.append)

    def reports(self) -> list[tuple[str, str]]:
        ended = [event for event in self.events if isinstance(event, RepairEnded)]
        return [(event.path, event.outcome) for event in ended]


class Nothing:
    """A check of the files before the turn, which had no errors."""

    target: Target = "any"

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        return Checked(ok=True, diagnostics=(), oracle="own 1")


@pytest.fixture
def scene(world: World, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(world, monkeypatch)


def test_a_file_that_fails_is_repaired_and_is_a_file_of_the_turn(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n", b="good\n")
    scene.check(Linter(world.root))
    scene.texts = {"a.py": "good\n"}
    ended = scene.run("a.py", "b.py")
    assert [each.paths for each in scene.rounds] == [["a.py"]]
    assert (ended.message, ended.files) == ("Done.", ("a.py", "b.py"))
    assert scene.reports() == [("b.py", "FirstTrySuccess"), ("a.py", "Repaired")]
    dependencies = scene.rounds[0].dependencies
    assert dependencies.check_for("a.py") is not None
    assert dependencies.check_for("b.py") is None
    assert dependencies.owner == scene.owner


def test_a_file_that_still_fails_is_named_at_the_end_of_the_turn(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n")
    scene.check(Linter(world.root))
    ended = scene.run("a.py")
    assert ended.message == "Done. Its check still fails: a.py."
    assert scene.reports() == [("a.py", "NoProvider")]
    assert len(scene.rounds) == 1


def test_one_file_that_a_check_of_all_names_is_checked_no_second_time(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n")
    linter = Linter(world.root, whole=True)
    scene.check(linter, scope="all")
    scene.texts = {"a.py": "good\n"}
    scene.run("a.py")
    assert (len(scene.rounds), len(linter.ran)) == (1, 1)


def test_several_files_that_a_check_of_all_names_are_checked_again_after_a_repair(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n", b="bad\n")
    linter = Linter(world.root, whole=True)
    scene.check(linter, scope="all")
    scene.texts = {"a.py": "good\n"}
    # The repair of a.py brings an error in c.py out.
    scene.during = lambda: world.write(c="bad\n")
    ended = scene.run("a.py", "b.py")
    assert [each.paths for each in scene.rounds] == [["a.py", "b.py"], ["c.py"]]
    assert ended.message == "Done. Its check still fails: b.py, c.py."


def test_what_no_repair_has_changed_is_not_checked_again(world: World, scene: Scene) -> None:
    world.write(a="bad\n", b="bad\n")
    linter = Linter(world.root, whole=True)
    scene.check(linter, scope="all")
    scene.run("a.py", "b.py")
    assert ([each.paths for each in scene.rounds], len(linter.ran)) == ([["a.py", "b.py"]], 1)


def test_there_are_three_rounds_at_most(world: World, scene: Scene) -> None:
    world.write(a="bad\n", b="bad\n")
    scene.check(Linter(world.root, whole=True), scope="all")
    names = iter("cdefghij")

    def more() -> None:
        for name in (next(names), next(names)):
            world.write(**{name: "bad\n"})

    scene.during = more
    scene.texts = {f"{name}.py": "good\n" for name in "abcdefghij"}
    scene.run("a.py", "b.py")
    assert [each.paths for each in scene.rounds] == [
        ["a.py", "b.py"],
        ["c.py", "d.py"],
        ["e.py", "f.py"],
    ]


def test_the_tests_of_the_project_judge_a_repair_of_one_file_and_run_last(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n")
    tests = Linter(world.root, whole=True)
    scene.check(tests, scope="tests", last=True)
    linter = Linter(world.root)
    scene.check(linter)
    scene.texts = {"a.py": "good\n"}
    scene.run("a.py")
    [first] = scene.rounds
    assert first.tests is not None
    assert first.tests.run("a.py", b"bad\n") == tests.run("a.py", b"bad\n")
    assert scene.reports() == [("a.py", "Repaired"), ("a.py", "FirstTrySuccess")]


def test_a_check_of_single_files_is_no_test_of_a_repair(world: World, scene: Scene) -> None:
    world.write(a="bad\n")
    scene.check(Linter(world.root), last=True)
    scene.check(Linter(world.root))
    scene.texts = {"a.py": "good\n"}
    scene.run("a.py")
    assert scene.rounds[0].tests is None


def test_the_tests_do_not_judge_the_repair_of_several_files(world: World, scene: Scene) -> None:
    world.write(a="bad\n", b="bad\n")
    scene.check(Linter(world.root, whole=True), scope="tests", last=True)
    scene.check(Linter(world.root))
    scene.texts = {"a.py": "good\n", "b.py": "good\n"}
    scene.run("a.py", "b.py")
    assert scene.rounds[0].tests is None


@pytest.mark.parametrize("more", [0, 1])
def test_at_most_so_many_files_are_repaired_those_of_the_turn_first(
    world: World, scene: Scene, more: int
) -> None:
    scene.owner = start_turn(world)
    world.write(z="good\n")
    with world.workspace() as workspace:
        applied = apply_reply(whole("z.py", "bad\n"), workspace, owner=scene.owner)
        assert isinstance(applied, AppliedReply)
    names = [f"f{number:02}" for number in range(MOST_FILES - 1 + more)]
    world.write(**dict.fromkeys(names, "bad\n"))
    scene.check(Linter(world.root, whole=True), scope="all")
    scene.run("z.py")
    [first] = scene.rounds
    assert len(first.paths) == MOST_FILES
    assert "z.py" in first.paths
    if more:
        assert first.paths[0] == "z.py"
        [note, *_] = [event for event in scene.events if isinstance(event, RepairEnded)]
        assert note.message == (
            f"{MOST_FILES + 1} files fail, and after one turn {MOST_FILES} are repaired; use "
            "`holdfast repair`."
        )


def test_the_tokens_of_the_repair_count_for_the_turn(world: World, scene: Scene) -> None:
    world.write(a="bad\n")
    scene.check(Linter(world.root))

    class Counted:
        name, context = "m", 100

        def stream(self, *_: object) -> Any:
            return iter([UsagePiece(10, 20), UsagePiece(1, 2)])

    def ask() -> None:
        scene.model._model = Counted()  # type: ignore[attr-defined]
        assert (scene.model.name, scene.model.context) == ("m", 100)
        list(scene.model.stream(ModelRequest((), ()), scene.cancel))

    scene.during = ask
    ended = scene.run("a.py")
    assert (ended.prompt_tokens, ended.completion_tokens) == (13, 25)
    assert [event for event in scene.events if isinstance(event, UsageReported)] == [
        UsageReported(10, 20),
        UsageReported(1, 2),
    ]


def test_without_a_record_of_the_turn_nothing_is_checked(
    world: World, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> dict[str, bytes | None]:
        raise LogUnavailable("the store is away.")

    monkeypatch.setattr(repair_after_turn, "texts_before", away)
    scene.run("a.py")
    [report] = [event for event in scene.events if isinstance(event, RepairEnded)]
    assert report.message == "the store is away. Nothing was checked."


def test_a_repair_that_is_cancelled_cancels_the_turn_and_leaves_its_edits(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n", b="bad\n")
    scene.check(Linter(world.root))
    scene.during = scene.cancel.set
    scene.texts = {"a.py": "good\n"}
    ended = scene.run("a.py", "b.py")
    assert (ended.stop_reason, ended.message) == (
        "cancelled",
        "Cancelled while the turn's edits were being checked; they are on the disk.",
    )
    reports = [event for event in scene.events if isinstance(event, RepairEnded)]
    assert [(each.path, each.outcome, each.message) for each in reports] == [
        ("a.py", "Repaired", "after 1 model request"),
        ("b.py", "NotRun", "the repair was cancelled."),
    ]
    [first] = scene.rounds
    assert first.dependencies.may_begin("a.py") == "a.py: the repair was cancelled."
    assert first.dependencies.may_write("a.py", "diff") == "a.py: the repair was cancelled."
    assert scene.gate.asked == []


def test_a_repair_begins_only_in_time_and_writes_only_what_is_allowed(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n")
    scene.check(Linter(world.root))
    scene.run("a.py")
    [first] = scene.rounds
    may_begin, may_write = first.dependencies.may_begin, first.dependencies.may_write
    scene.time = SECONDS - 1
    assert may_begin("a.py") is None
    scene.time = SECONDS
    late = "a.py: the 300 s that a repair after a turn may take are over; use `holdfast repair`."
    assert may_begin("a.py") == late
    # What was found in time may be written.
    assert may_write("a.py", "+x") is None
    assert scene.gate.asked == [
        ("edit", "a.py", "to repair what fails its check since this turn:\n+x")
    ]
    scene.gate.answer = Denied("no.")
    assert may_write("a.py", "+x") == "no."
    scene.gate.answer = TurnCancelled()
    assert may_write("a.py", "+x") == "a.py: the turn was cancelled before this was allowed."
    scene.gate.answer = NoApprover()
    refused = may_write(".github/workflows/ci.yml", "+x") or ""
    assert scene.gate.asked[-1][:2] == ("protected", ".github/workflows/ci.yml")
    assert refused.startswith(".github/workflows/ci.yml: this needs somebody's approval")
    assert may_write("a.py", "+x") == (
        "a.py: this needs somebody's approval, and nobody is there to give it."
    )


# ---- in words


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (RuleRepaired("", ("r1", "r2")), "by rule r1 and rule r2"),
        (Replayed("", "d1"), "by decision d1"),
        (Repaired("", 0), "by a cached response"),
        (Repaired("", 2, "r1"), "after 2 model requests; learned rule r1"),
        (FirstTrySuccess("", "ruff 1"), "by ruff 1"),
        (NoProvider("it fails."), "it fails."),
        (ProviderError("it fails.", "no answer."), "no answer.\nit fails."),
        (VerificationRejected("it fails.", ("a.", "b.")), "a.\nb.\nit fails."),
        (Exhausted(3, "it fails.", message="three tries."), "three tries.\nit fails."),
        (
            RejectedLowConfidence("it fails.", 0.5, 0.75),
            (
                "the model's confidence is 0.5, and 0.75 is asked for; look at its proposal with "
                "`holdfast decisions list`, and pin it if it is right.\nit fails."
            ),
        ),
        (
            ProductionBlocked(""),
            (
                "repair it at --strictness development, look at the decision, and pin it "
                "(`holdfast decisions pin`)."
            ),
        ),
        (
            ProductionBlocked("", ("r1", "r2", "d1"), ("d1",)),
            (
                "pin this rule to fix it: `holdfast rules pin r1` and `holdfast rules pin "
                "r2`.\nthis fixed exactly this text before; look at it, and pin it: `holdfast "
                "decisions pin d1`."
            ),
        ),
    ],
)
def test_the_end_of_a_repair_says_what_comes_next(outcome: RepairOutcome, message: str) -> None:
    ended = repair_ended(FileRepair("a.py", "python", outcome, change_id="c"))
    assert (ended.outcome, ended.message) == (outcome.name, message)
    assert (ended.success, ended.change_id) == (outcome.is_success(), "c")


def test_a_repair_that_was_not_carried_out_says_why() -> None:
    rules = [
        repair_ended(FileRepair("a.py", "python", each)).rule_ids
        for each in (RuleRepaired("", ("r1",)), Repaired("", 1, "r2"), Repaired("", 1))
    ]
    assert rules == [("r1",), ("r2",), ()]
    trouble = repair_ended(FileRepair("a.py", "python", Repaired("", 1), trouble="it moved."))
    assert (trouble.outcome, trouble.success, trouble.message) == (
        "NotRepaired",
        False,
        "it moved.",
    )
    unrun = repair_ended(FileRepair("a.py", "python", None, trouble="no check."))
    assert (unrun.outcome, unrun.message) == ("NotRun", "no check.")


def test_five_errors_and_files_are_named_and_the_rest_is_counted() -> None:
    one = describe_old_errors([SLIP])
    assert one.startswith("1 error was there before, and is left alone:\n")
    five = describe_old_errors([SLIP] * 5)
    assert five.startswith("5 errors were there before, and are left alone:\n")
    assert (len(five.split("\n")), "more" in five) == (6, False)
    assert describe_old_errors([SLIP] * 6).endswith("\nand 1 more")
    assert describe_turn_end("Done.", ["", "a.py", ""]) == (
        "Done. Its check still fails: the project, a.py."
    )
    assert describe_turn_end("Done.", list("abcdef")) == (
        "Done. Its check still fails: a, b, c, d, e, and 1 more."
    )


def test_what_the_check_of_all_has_found_is_known_to_the_repair_of_each_file(
    world: World, scene: Scene
) -> None:
    world.write(a="bad\n", b="bad\n")
    linter = Linter(world.root, whole=True)
    scene.check(linter, scope="all")
    scene.texts = {"a.py": "good\n"}
    ran: list[int] = []

    def look() -> None:
        check = scene.rounds[0].dependencies.check_for("b.py")
        assert check is not None
        check.run("b.py", b"bad\n")
        ran.append(len(linter.ran))

    scene.during = look
    scene.run("a.py", "b.py")
    assert ran[0] == 1
