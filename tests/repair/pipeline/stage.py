"""A small checker in the process, scripted proposers, and a ledger in memory: for the tests of the pipeline alone.

The checker is a real one: Python's own parser, and a look for names that nobody defines. What real compilers do to the
pipeline is in tests/end_to_end/repair.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.manifest import Manifest
from holdfast.repair.outcomes import RepairOutcome
from holdfast.repair.pipeline import repair
from holdfast.repair.ports import (
    Checked,
    CheckTimedOut,
    NoRule,
    PipelinePorts,
    Proposal,
    ProposalRequest,
    ProposerFailed,
    Provider,
    RepairUnit,
    RuleFits,
    RuleMatch,
)
from holdfast.repair.strictness import RepairPolicy, Strictness
from holdfast.rules.ports import UpdateBytes
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Target, TextEdit

ORACLE = "names 1.0"


class NamesCheck:
    """Finds syntax errors and undefined names; `runs` are the texts that it was given."""

    target: Target = "python"

    def __init__(
        self,
        fixits: Callable[[str, ast.Name], tuple[FixIt, ...]] = lambda _, __: (),
        hangs: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.runs: list[str] = []
        self._fixits = fixits
        self._hangs = hangs

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        code = text.decode(errors="replace")
        self.runs.append(code)
        if self._hangs(code):
            return CheckTimedOut(ORACLE, 5.0)
        if "\0" in code:  # that is no syntax error to the parser
            return Checked(False, (), ORACLE, "a NUL")
        try:
            tree = ast.parse(code)
        except SyntaxError as error:
            at = Area(error.lineno or 1, error.offset or 1, error.lineno or 1, error.offset or 1)
            said = Diagnostic("names", "1.0", "syntax", "error", error.msg, error.msg, (), path, at)
            return Checked(False, (said,), ORACLE)
        found = tuple(self._complain(path, code, name) for name in _undefined(tree))
        return Checked(not found, found, ORACLE)

    def _complain(self, path: str, code: str, name: ast.Name) -> Diagnostic:
        at = Area(name.lineno, name.col_offset + 1, name.lineno, name.col_offset + 1 + len(name.id))
        return Diagnostic(
            "names", "1.0", "undefined", "error", f"undefined name `{name.id}`", "undefined name `{0}`", (name.id,), path, at,
            self._fixits(path, name),
        )  # fmt: skip


def _undefined(tree: ast.Module) -> list[ast.Name]:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    known = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
        if isinstance(node, ast.arg):
            known.add(node.arg)
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {each.asname or each.name for each in node.names}
    return sorted((n for n in names if n.id not in known), key=lambda n: (n.lineno, n.col_offset))


def renames(
    old: str, new: str, *, safe: bool = True
) -> Callable[[str, ast.Name], tuple[FixIt, ...]]:
    """A compiler that proposes a name for another one."""

    def fixits(path: str, name: ast.Name) -> tuple[FixIt, ...]:
        if name.id != old:
            return ()
        at = Area(name.lineno, name.col_offset + 1, name.lineno, name.col_offset + 1 + len(old))
        return (FixIt(f"did you mean {new}?", (TextEdit(path, at, new),), safe),)

    return fixits


class Proposing:
    """Returns these proposals, one after the other; `asked` has the questions. Without proposals, a question is an error."""

    def __init__(self, *proposals: Proposal | ProposerFailed | str) -> None:
        self._script = list(proposals)
        self.asked: list[ProposalRequest] = []

    def propose(self, asked: ProposalRequest) -> Proposal | ProposerFailed:
        self.asked.append(asked)
        given = self._script[len(self.asked) - 1]
        return Proposal(given, 0.9, "because", "scripted") if isinstance(given, str) else given


@dataclass
class MemoryRules:
    """Rules that replace text by text; `records` and `learned` are what the pipeline reported."""

    swaps: dict[str, tuple[str, str]] = field(default_factory=dict)
    pinned: set[str] = field(default_factory=set)
    records: list[tuple[str, bool]] = field(default_factory=list)
    learned: list[tuple[str, str]] = field(default_factory=list)
    proposed: list[tuple[str, str]] = field(default_factory=list)
    reviewed: bool = True

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
        *,
        unsafe: bool = False,
    ) -> RuleMatch:
        if unsafe:
            return NoRule()
        fit = [name for name, (old, _) in self.swaps.items() if old in text and name not in without]
        allowed = [name for name in fit if strictness != "production" or name in self.pinned]
        if not allowed:
            return NoRule()
        made = text.replace(*self.swaps[allowed[0]])
        return RuleFits(allowed[0], made, reviewed=self.reviewed)

    def record(self, rule_id: str, *, helped: bool) -> None:
        self.records.append((rule_id, helped))

    def learn(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        model: str,
    ) -> str | None:
        self.learned.append((before, after))
        # As in a real book, the same pair makes the same rule.
        return f"rule-{self.learned.index((before, after)) + 1}"

    def propose(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        rule: tuple[str, str],
        *,
        model: str,
    ) -> str | None:
        self.proposed.append(rule)
        return "proposed"


class MemoryDecisionFiles:
    """The port `DecisionFiles` in memory."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str], bytes] = {}

    def read_all(
        self, scope: Literal["build", "runtime"], start: str = ""
    ) -> list[tuple[str, bytes]]:
        found = []
        for (at, name), data in self.files.items():
            if at == scope and name.startswith(start):
                found.append((name, data))
        return sorted(found)

    def place(self, scope: Literal["build", "runtime"], name: str) -> str:
        return f"{scope}/{name}.json"

    def update(
        self, scope: Literal["build", "runtime"], name: str, change: UpdateBytes
    ) -> bytes | None:
        after = change(self.files.get((scope, name)))
        if after is None:
            self.files.pop((scope, name), None)
        else:
            self.files[scope, name] = after
        return after


class MemoryAnswers(dict[str, bytes]):
    """The port `Answers` in memory."""

    def put(self, key: str, response: bytes) -> None:
        self[key] = response


@dataclass
class Stage:
    """All that a repair meets, to be looked at afterwards."""

    check: NamesCheck = field(default_factory=NamesCheck)
    proposer: Proposing | None = None
    rules: MemoryRules = field(default_factory=MemoryRules)
    answers: MemoryAnswers = field(default_factory=MemoryAnswers)
    files: MemoryDecisionFiles = field(default_factory=MemoryDecisionFiles)
    tests: NamesCheck | None = None

    @property
    def manifest(self) -> Manifest:
        return Manifest(self.files)

    @property
    def decisions(self) -> list[Decision]:
        return list(self.manifest.list())

    def told(self) -> list[tuple[str, str, str]]:
        """Each decision in short: its type, what was chosen, and the verdict."""
        return sorted((each.decision_type, each.choice, each.verdict) for each in self.decisions)

    def repair(
        self, text: str | bytes, path: str = "shop/cart.py", **policy: object
    ) -> RepairOutcome:
        data = text.encode() if isinstance(text, str) else text
        world = PipelinePorts(
            check=self.check,
            ledger=self.manifest,
            rules=self.rules,
            provider=lambda: Provider(self.proposer, "scripted"),
            answers=self.answers,
            tests=self.tests,
        )
        return repair(RepairUnit(path, data, "python"), world, replace(RepairPolicy(), **policy))  # type: ignore[arg-type]
