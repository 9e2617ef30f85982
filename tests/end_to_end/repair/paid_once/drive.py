"""Pay for a fix once, and see what comes of the second program and of the near miss.

All of it is real but the model: the compilers, the pipeline at default strictness, the files, the rules on the disk.
There are no builtin rules, so that what repairs the second program was learned of the first one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from holdfast.adapters.filesystem.rule_files import DiskRuleFiles
from holdfast.adapters.toolchains.registry import check_for
from holdfast.repair.builtin import builtin_rules
from holdfast.repair.locked_rules import LockedRules
from holdfast.repair.outcomes import Repaired, RepairOutcome, RuleRepaired
from holdfast.repair.ports import (
    Check,
    PipelinePorts,
    Proposal,
    ProposalRequest,
    Proposer,
    ProposerFailed,
    Provider,
)
from holdfast.repair.strictness import RepairPolicy
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import read_book
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.usecases.repair.repair_files import RepairDependencies, repair_files
from holdfast.wiring.decisions import decisions_at
from holdfast.wiring.workspaces import open_workspace
from tests.end_to_end.repair.paid_once.case import TOOLCHAINS, Case
from tests.waiting import LONGEST

Verdict: TypeAlias = Literal["applied", "missed", "not learned", "WRONG"]


class OneAnswer:
    """A model that gives this text, once."""

    def __init__(self, text: str) -> None:
        self._texts = [text]

    def propose(self, asked: ProposalRequest) -> Proposal | ProposerFailed:
        if not self._texts:
            return ProposerFailed("it was asked before")
        return Proposal(self._texts.pop(), 0.95, "a slip of the pen", "scripted")


class NoApprover:
    """A model that must not be asked."""

    def propose(self, asked: ProposalRequest) -> Proposal:
        raise AssertionError(f"{asked.path}: the model was asked, and the fix was paid for already")


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of a case. `tried` are how often its rules were refused on the near miss, `left` whether that stayed."""

    case: Case
    first: RepairOutcome | None
    second: RepairOutcome | None
    near: RepairOutcome | None
    made: str
    left: bool
    refused: int

    @property
    def verdict(self) -> Verdict:
        """As judged by the recorded file."""
        if not self.left or (self.applied and self.made != self.case.second_fixed):
            return "WRONG"
        if self.applied:
            return "applied"
        learned = isinstance(self.first, Repaired) and self.first.rule_added is not None
        return "missed" if learned else "not learned"

    @property
    def applied(self) -> bool:
        """Whether a rule repaired the second program; the compiler has then verified it."""
        return isinstance(self.second, RuleRepaired)

    def tell(self) -> str:
        """Give a line about it."""
        ends = [type(each).__name__ for each in (self.first, self.second, self.near)]
        return f"{self.case.tool:<7} {self.verdict:<12} {self.case.title} ({', '.join(ends)}; refused {self.refused})"


def drive(case: Case, place: Path) -> Driven:
    """Repair the first program with a model, and the other two without one."""
    root = _emptied(place)
    files = {name: root / name / case.file for name in ("first", "second", "near")}
    for file, text in zip(files.values(), (case.broken, case.second, case.near), strict=True):
        file.parent.mkdir(parents=True)
        file.write_text(text, newline="")
    with _settings(place / "state", case.tool):
        first = _repair(root, f"first/{case.file}", OneAnswer(case.fixed))
        second = _repair(root, f"second/{case.file}", NoApprover())
        rules = _rules(root)
        near = _repair(root, f"near/{case.file}", None)
        refused = sum(rule.failed for rule in _rules(root)) - sum(rule.failed for rule in rules)
    left = files["near"].read_text() == case.near
    return Driven(
        case,
        first.outcome,
        second.outcome,
        near.outcome,
        files["second"].read_text(),
        left,
        refused,
    )


def drive_again(case: Case, place: Path) -> tuple[Verdict, Verdict, bool]:
    """Return what comes of the second program after one example and after two, and whether the near miss stayed both times."""
    root = _emptied(place)

    def repaired(name: str, text: str, proposer: Proposer | None) -> str:
        file = root / name / case.file
        file.parent.mkdir(parents=True)
        file.write_text(text, newline="")
        _repair(root, f"{name}/{case.file}", proposer)
        return file.read_text()

    def judged(made: str) -> Verdict:
        if made == case.second:
            return "missed"
        return "applied" if made == case.second_fixed else "WRONG"

    with _settings(place / "state", case.tool):
        repaired("first", case.broken, OneAnswer(case.fixed))
        one = judged(repaired("one", case.second, None))
        near = repaired("near", case.near, None)
        repaired("again", case.again, OneAnswer(case.again_fixed))
        two = judged(repaired("two", case.second, None))
        near_again = repaired("near again", case.near, None)
    return one, two, near == near_again == case.near


def _emptied(place: Path) -> Path:
    """Remove what the case before has left, and return the root.

    Cases that are driven in the same place have the same root, and so the same scratch folder with the caches of their
    tools: mypy reads the standard library for the first of them only.
    """
    shutil.rmtree(place, ignore_errors=True)
    return place / "root"


def repair_cold(tool: str, file: str, text: str, place: Path) -> str | None:
    """Give what comes of a program without a model and without anything learned: fix-its and the builtin rules."""
    root = place / "root"
    root.mkdir(parents=True)
    (root / file).write_text(text, newline="")
    with _settings(place / "state", tool):
        repaired = _repair(root, file, None, builtin_rules())
    return (root / file).read_text() if repaired.success else None


def _repair(
    root: Path, path: str, proposer: Proposer | None, builtin: Sequence[Rule] = ()
) -> FileRepair:
    book = read_book(DiskRuleFiles(root), builtin)

    def world(check: Check) -> PipelinePorts:
        rules = LockedRules(lambda: book)
        return PipelinePorts(
            check,
            decisions_at(root),
            rules,
            lambda: Provider(proposer, "scripted"),
        )

    with open_workspace(root) as workspace:
        dependencies = RepairDependencies(
            workspace,
            lambda path: check_for(path, root, mode="file", timeout=LONGEST),
            world,
            lambda *_: False,
            workers=1,
        )
        try:
            [repaired] = repair_files([path], dependencies, RepairPolicy())
        except AssertionError:
            if not isinstance(proposer, NoApprover):
                raise
            return FileRepair(path, "any", None)
    assert repaired.trouble is None, repaired.trouble
    return repaired


def _rules(root: Path) -> Sequence[Rule]:
    return list(read_book(DiskRuleFiles(root)))


@contextmanager
def _settings(state: Path, tool: str) -> Iterator[None]:
    """Use a state of our own; tsc only where a case is about it, since it would check JavaScript too."""
    wanted = {
        "HOLDFAST_STATE_DIR": str(state),
        "HOLDFAST_TOOLCHAINS": str(TOOLCHAINS) if tool == "tsc" else "",
    }
    saved = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in saved.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
