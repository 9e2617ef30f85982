"""Many files repaired at once: what is written rests on what is on record, whoever else is at work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from holdfast.adapters.project.secret_files import is_secret_file
from holdfast.landing.land import land
from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.decision_ids import module_of, sha_of
from holdfast.repair.decisions.manifest import Manifest
from holdfast.repair.outcomes import FirstTrySuccess, Repaired, RuleRepaired, TimedOut
from holdfast.repair.ports import (
    Checked,
    CheckTimedOut,
    Proposal,
    ProposalRequest,
    Proposer,
    Provider,
    RepairUnit,
    ToolchainMissing,
)
from holdfast.repair.ports import PipelinePorts as RepairWorld
from holdfast.repair.strictness import RepairPolicy
from holdfast.usecases.events.ports import EventLog, EventsUnavailable, LoggedEvent
from holdfast.usecases.repair import repair_files as repair_files_module
from holdfast.usecases.repair.file_repair import AlreadyThere, FileRepair
from holdfast.usecases.repair.repair_files import CheckedUnit, RepairDependencies, repair_files
from holdfast.usecases.repair.repaired_code import write_repaired
from holdfast.vocab.outcomes import Landed
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.requests import WriteFile
from holdfast.wiring.workspaces import DiskWorkspace
from tests.repair.pipeline.stage import MemoryDecisionFiles, MemoryRules, NamesCheck
from tests.usecases.world import World
from tests.waiting import LONGEST

BAD = "def total(prices):\n    return sum(price)\n"
GOOD = "def total(prices):\n    return sum(prices)\n"


class WatchedCheck(NamesCheck):
    """Does something when it is asked about a text that passes: after the repair began, before it is written."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self._act = act

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        checked = super().run(path, text)
        if isinstance(checked, Checked) and checked.ok:
            self._act()
        return checked


class SlowModel:
    """Answers only after the check of another file has passed."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def propose(self, asked: ProposalRequest) -> Proposal:
        text = asked.text if self.may_answer.wait(LONGEST) else ""
        return Proposal(text.replace("(cost)", "(costs)"), 0.95, "a letter", "scripted")


class Shop:
    """A root with files, a rule that repairs them, and decisions."""

    def __init__(self, world: World, workspace: DiskWorkspace) -> None:
        self.root = world.root
        self.workspace = workspace
        self.manifest = Manifest(MemoryDecisionFiles())
        self.check = NamesCheck()
        self.may_write: Callable[[str, str], str | None] = lambda _path, _diff: None
        self.events: EventLog | None = None
        self.dry_run = False
        self.model: Proposer | None = None
        self.stopped = 0
        self.together: Callable[[Sequence[CheckedUnit]], Mapping[str, Checked]] | None = None
        self.file = self.write("a.py", BAD)

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.write_text(text)
        return file

    def repair(self, *paths: str, met: tuple[str, ...] = ()) -> tuple[FileRepair, ...]:
        rules = MemoryRules({"r1": ("price)", "prices)")})
        provider = Provider(self.model, "scripted")
        dependencies = RepairDependencies(
            self.workspace,
            check_for=lambda _: self.check,
            world_for=lambda check: RepairWorld(check, self.manifest, rules, lambda: provider),
            is_secret=partial(is_secret_file, str(self.root)),
            can_batch=lambda _path: self.together is not None,
            check_together=lambda units: self.together(units) if self.together else {},
            workers=1,
            withdraw=self.manifest.withdraw,
            may_write=self.may_write,
            events=self.events,
            dry_run=self.dry_run,
            stop=self._stop,
        )
        return repair_files(paths or ("a.py",), dependencies, RepairPolicy(), met=met)

    def _stop(self) -> None:
        self.stopped += 1

    def verdicts(self) -> list[str]:
        return [each.verdict for each in self.manifest.list()]


@pytest.fixture
def shop(world: World) -> Iterator[Shop]:
    with world.workspace() as workspace:
        yield Shop(world, workspace)


def test_a_worker_that_waits_for_a_model_goes_on_with_the_next_file(shop: Shop) -> None:
    model = SlowModel()
    shop.model, shop.check = model, WatchedCheck(model.may_answer.set)
    shop.write("a.py", BAD.replace("price", "cost", 1).replace("(price)", "(cost)"))
    shop.write("b.py", GOOD)
    first, second = shop.repair("a.py", "b.py")
    assert [type(each.outcome) for each in (first, second)] == [Repaired, FirstTrySuccess]


def test_what_failed_is_repaired_before_further_files_are_checked(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair_files_module, "_LARGEST_CHUNK", 2)
    steps: list[str] = []

    def together(units: Sequence[CheckedUnit]) -> dict[str, Checked]:
        steps.append(" ".join(unit.path for _, unit in units))
        checked = {unit.path: check.run(unit.path, unit.data) for check, unit in units}
        return {path: each for path, each in checked.items() if isinstance(each, Checked)}

    shop.together = together
    shop.check = WatchedCheck(lambda: steps.append("passes"))
    for name in ("b.py", "c.py", "d.py"):
        shop.write(name, GOOD)

    shop.repair("a.py", "b.py", "c.py", "d.py")
    # The check of `b.py`, then that of what a rule made of `a.py`.
    assert steps[:4] == ["a.py b.py", "passes", "passes", "c.py d.py"]


# ------------------------------------------------------------------------------------------------------ somebody else


def test_a_file_is_repaired_and_the_repair_is_recorded(shop: Shop) -> None:
    [repaired] = shop.repair()
    assert isinstance(repaired.outcome, RuleRepaired)
    assert (repaired.success, shop.file.read_text(), shop.verdicts()) == (True, GOOD, ["accepted"])
    assert [repaired.change_id] == [change.id for change in shop.workspace.log.list()]
    assert repaired.note == ""


def test_a_pinned_decision_that_does_not_help_is_named_with_the_reason(shop: Shop) -> None:
    worse = BAD.replace("price)", "prize + pris)")
    landed = land(BAD, WriteFile(worse), "a.py")
    assert isinstance(landed, Landed)
    pinned = Decision("7" * 16, module_of("a.py"), "a.py", "python", "repair", "x")
    shop.manifest.record(
        replace(pinned, before_sha=sha_of(BAD.encode()), diff=landed.diff, pinned=True)
    )
    [repaired] = shop.repair()
    assert (repaired.success, shop.file.read_text()) == (True, GOOD)
    assert repaired.note == (
        f"the pinned decision {'7' * 16} was tried and refused: "
        "a.py:2:16: error: undefined name `prize` [undefined]"
    )


def test_a_rule_that_does_not_help_is_no_pinned_decision(shop: Shop) -> None:
    shop.write("a.py", BAD.replace("prices", "costs"))
    [repaired] = shop.repair()
    assert (repaired.success, repaired.note, shop.verdicts()) == (False, "", ["failed"])


def test_the_same_text_by_another_s_hand_is_a_success_and_stays_on_record(shop: Shop) -> None:
    shop.check = WatchedCheck(lambda: shop.write("a.py", GOOD))
    [repaired] = shop.repair()
    assert (repaired.success, repaired.trouble, repaired.change_id) == (True, None, None)
    assert "another process has written the very same text" in repaired.note
    assert (shop.file.read_text(), shop.verdicts()) == (GOOD, ["accepted"])


def test_another_text_by_another_s_hand_is_left_to_them_and_the_decision_does_not_stand(
    shop: Shop,
) -> None:
    shop.check = WatchedCheck(lambda: shop.write("a.py", BAD + "# mine\n"))
    [repaired] = shop.repair()
    assert (repaired.success, repaired.diff, repaired.change_id) == (False, "", None)
    assert "changed while it was repaired" in (repaired.trouble or "")
    assert (shop.file.read_text(), shop.verdicts()) == (BAD + "# mine\n", ["failed"])


def test_what_may_not_be_written_is_withdrawn_unless_somebody_else_has_written_just_that(
    shop: Shop,
) -> None:
    shop.may_write = lambda _path, _diff: "no."
    assert [each.trouble for each in shop.repair()] == ["no."]
    assert (shop.file.read_text(), shop.verdicts()) == (BAD, ["failed"])
    shop.check = WatchedCheck(lambda: shop.write("a.py", GOOD))
    assert [each.trouble for each in shop.repair()] == ["no."]
    assert shop.verdicts() == ["accepted"]


def test_what_another_process_has_withdrawn_is_on_record_again_when_it_is_written(
    shop: Shop,
) -> None:
    def withdraw(_path: str, _diff: str) -> None:
        [decision] = shop.manifest.list()
        shop.manifest.withdraw(decision.module, decision.id, "the other one was not allowed to")
        assert shop.verdicts() == ["failed"]

    shop.may_write = withdraw
    [repaired] = shop.repair()
    assert (repaired.success, repaired.note, shop.file.read_text(), shop.verdicts()) == (
        True,
        "",
        GOOD,
        ["accepted"],
    )


def test_an_earlier_decision_that_led_to_the_text_stays_when_a_later_one_is_withdrawn(
    shop: Shop,
) -> None:
    shop.repair()
    [later] = shop.manifest.list()
    earlier = replace(later, id="0" * 16, before_sha="x", after_sha=later.before_sha)
    shop.manifest.record(earlier)
    shop.write("a.py", BAD)
    shop.check = WatchedCheck(lambda: shop.write("a.py", BAD + "# mine\n"))
    shop.repair()
    assert {each.id: each.verdict for each in shop.manifest.list()} == {
        earlier.id: "accepted",
        later.id: "failed",
    }


def test_to_write_what_is_there_already_is_no_change(shop: Shop) -> None:
    shop.write("a.py", GOOD)
    assert (
        write_repaired(RepairUnit("a.py", BAD.encode(), "python"), GOOD, shop.workspace)
        == AlreadyThere()
    )
    assert shop.workspace.log.list() == ()


def test_verified_code_is_written_byte_for_byte_whatever_a_model_s_text_would_be_judged_for(
    shop: Shop,
) -> None:
    fenced = "```\r\nx = 1\r\n```\r\n"
    shop.file.write_bytes(b"x = (\r\n")
    write_repaired(RepairUnit("a.py", b"x = (\r\n", "python"), fenced, shop.workspace)
    assert shop.file.read_bytes() == fenced.encode()
    [change] = shop.workspace.log.list()
    assert [(file.action, file.rung, file.diff) for file in change.plan.files] == [
        (
            "edit",
            "exact",
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1,3 @@\n-x = (\r\n+```\r\n+x = 1\r\n+```\r\n",
        )
    ]


# ---------------------------------------------------------------------------------------------------------- what is met


def test_what_is_only_met_and_is_no_text_or_a_link_is_skipped_with_a_reason(
    shop: Shop, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_text(BAD)
    (shop.root / "binary.py").write_bytes(b"a\0b")
    (shop.root / "link.py").symlink_to("a.py")
    (shop.root / "dangling.py").symlink_to("nothing.py")
    (shop.root / "outside.py").symlink_to(tmp_path / "outside.py")
    names = ("a.py", "binary.py", "dangling.py", "link.py", "outside.py")
    repaired = shop.repair(*names, met=names)
    assert [each.path for each in repaired if each.success] == ["a.py"]
    assert [each.path for each in repaired if each.skipped] == list(names[1:])
    assert all(
        each.trouble is None and each.path in (each.skipped or each.path) for each in repaired
    )
    assert len(shop.manifest.list()) == 1


@pytest.mark.parametrize("name", ["binary.py", "dangling.py", "nothing.py"])
def test_what_was_named_and_cannot_be_repaired_is_trouble(shop: Shop, name: str) -> None:
    (shop.root / "binary.py").write_bytes(b"a\0b")
    (shop.root / "dangling.py").symlink_to("missing.py")
    [repaired] = shop.repair(name)
    assert (repaired.success, repaired.skipped) == (False, None)
    assert repaired.trouble is not None
    assert repaired.trouble.count(name) == 1


# ----------------------------------------------------------------------------------------------------------- the tools


def test_a_tool_that_timed_out_three_times_is_not_run_again(shop: Shop) -> None:
    shop.check = NamesCheck(hangs=lambda _: True)
    names = [f"{number}.py" for number in range(6)]
    for name in names:
        shop.write(name, BAD)
    repaired = shop.repair(*names)
    assert [isinstance(each.outcome, TimedOut) for each in repaired] == [True] * 3 + [False] * 3
    assert len(shop.check.runs) == 3
    assert [each.trouble for each in repaired[3:]] == [
        f"{name}: not run, for names 1.0 timed out three times; see why it hangs, or give it longer with "
        "`command_timeout`."
        for name in names[3:]
    ]


class _Missing(NamesCheck):
    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        raise ToolchainMissing(f"{path}: names is not installed; install names.")


def test_a_path_is_said_once(shop: Shop) -> None:
    shop.check = _Missing()
    [repaired] = shop.repair()
    assert repaired.trouble == "a.py: names is not installed; install names."


# ------------------------------------------------------------------------------------------------------- on record


class Log:
    """Events that were published outside of a turn (port `EventLog`)."""

    def __init__(self, away: str = "") -> None:
        self.kinds: list[str] = []
        self.away = away

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> Sequence[LoggedEvent]:
        return ()

    def last(self) -> int:
        return 7

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        if self.away:
            raise EventsUnavailable(self.away)
        self.kinds += [each.event.kind for each in events]
        return 7


UNKNOWN = "def total(prices):\n    return sum(cost)\n"


def test_a_repair_that_wrote_no_file_is_published_if_it_was_tried(shop: Shop) -> None:
    shop.events = log = Log()
    shop.write("good.py", GOOD)
    shop.write("b.py", UNKNOWN)
    good, failed = shop.repair("good.py", "b.py")
    assert (good.success, good.seq) == (True, None)
    assert (failed.success, failed.seq) == (False, 7)
    assert log.kinds == ["repair"]
    [written] = shop.repair("a.py")
    # Its end was published with its change.
    assert (written.success, log.kinds) == (True, ["repair"])
    assert written.seq not in {None, 7}


def test_a_dry_run_publishes_nothing_and_a_turn_records_its_own(shop: Shop) -> None:
    shop.write("b.py", UNKNOWN)
    assert [each.seq for each in shop.repair("b.py")] == [None]
    shop.events, shop.dry_run = log = Log(), True
    assert [each.seq for each in shop.repair("a.py", "b.py")] == [None, None]
    assert (log[0].kinds, shop.file.read_text()) == ([], BAD)


def test_a_log_that_is_away_is_a_note(shop: Shop) -> None:
    shop.events = Log("the store is away.")
    shop.write("b.py", UNKNOWN)
    [failed] = shop.repair("b.py")
    assert failed.note == "this is not in the event log: the store is away."


def test_an_error_stops_what_still_runs(shop: Shop) -> None:
    def broken(_path: str, _diff: str) -> str | None:
        raise ZeroDivisionError

    shop.may_write = broken
    with pytest.raises(ZeroDivisionError):
        shop.repair()
    assert shop.stopped == 1


@pytest.mark.parametrize("name", ["/f", None])
def test_a_disk_that_refuses_is_trouble_of_the_file(shop: Shop, name: str | None) -> None:
    def full(_path: str, _text: bytes) -> Checked | CheckTimedOut:
        raise OSError(28, "No space left", name)

    shop.check.run = full  # type: ignore[method-assign,assignment]
    [repaired] = shop.repair()
    where = f"{name}: " if name else ""
    assert repaired.trouble == f"a.py: the disk refused: {where}No space left."
