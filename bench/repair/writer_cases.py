"""Cases of a writer who has not seen the engine: what a rule repairs after one fix and after two, and what it spoils.

A folder has `cases.json` (`examples`, `second`, `near`) and `dishonest.json`. The pipeline and the compilers are real; the
model is scripted. A check of the same text is run once, and its result is kept beside the details.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from holdfast.adapters.filesystem.rule_files import DiskRuleFiles
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.landing.encoding import decode
from holdfast.repair.builtin import builtin_rules
from holdfast.repair.locked_rules import LockedRules
from holdfast.repair.outcomes import RepairOutcome
from holdfast.repair.pipeline import repair
from holdfast.repair.ports import (
    Check,
    Checked,
    CheckTimedOut,
    PipelinePorts,
    Proposal,
    ProposalRequest,
    ProposerFailed,
    Provider,
    RepairUnit,
)
from holdfast.repair.strictness import RepairPolicy
from holdfast.rules.rule_book import read_book
from holdfast.testing import ScriptedServer, say
from holdfast.vocab.diagnostics import Target
from holdfast.wiring.decisions import decisions_at

_TIMEOUT = 300.0
_REVIEW = "NeedsReview"
_SETTINGS = {
    "mypy": "[tool.mypy]\nstrict = true\n",
    "mypy --strict": "[tool.mypy]\nstrict = true\n",
    "ruff": "[tool.ruff]\n",
}
"""The `pyproject.toml` of a project whose checker is as the writer ran it."""
_TOOLCHAINS = Path(__file__).parents[2] / ".toolchains"


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a case: its file, its text, and the settings of its project."""

    name: str
    text: str
    tool: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a repair ended: the name of its outcome, the text then, and the reasons against a proposal."""

    outcome: str
    text: str
    reasons: tuple[str, ...] = ()


class Repairer(Protocol):
    """A way to run a repair."""

    def repair(self, root: Path, program: Program, answer: str | None) -> Ended:
        """Repair a program below a root; a model answers with `answer`, or there is none."""


# --------------------------------------------------------------------------------- in process


class _OneAnswer:
    """A model that proposes one text, once."""

    def __init__(self, text: str) -> None:
        self._texts = [text]

    def propose(self, request: ProposalRequest) -> Proposal | ProposerFailed:
        if not self._texts:
            return ProposerFailed(f"{request.path}: it was asked before")
        return Proposal(self._texts.pop(), 0.95, "a slip of the pen", "scripted")


class _KeptCheck:
    """A check whose results are kept by the text in a folder."""

    def __init__(self, check: Check, settings: str, folder: Path) -> None:
        self._check = check
        self._settings = settings
        self._folder = folder

    @property
    def target(self) -> Target:
        return self._check.target

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        key = hashlib.sha256(b"\0".join([self._settings.encode(), path.encode(), text]))
        file = self._folder / key.hexdigest()[:24]
        if file.exists():
            kept: Checked = pickle.loads(file.read_bytes())  # noqa: S301 - our own file
            return kept
        checked = self._check.run(path, text)
        if isinstance(checked, Checked):
            draft = file.with_suffix(f".{os.getpid()}")
            draft.write_bytes(pickle.dumps(checked))
            draft.replace(file)
        return checked


@dataclass(frozen=True, slots=True)
class InProcess:
    """The pipeline in this process; results of checks are kept in `folder`."""

    folder: Path

    def repair(self, root: Path, program: Program, answer: str | None) -> Ended:
        """Repair a program with the rules below a root."""
        check = check_for(program.name, root, mode="file", timeout=_TIMEOUT)
        assert check is not None, program.name
        kept = _KeptCheck(check, _SETTINGS.get(program.tool, ""), self.folder)
        book = read_book(DiskRuleFiles(root), builtin_rules())
        proposer = None if answer is None else _OneAnswer(answer)
        ports = PipelinePorts(
            kept,
            decisions_at(root),
            LockedRules(lambda: book),
            lambda: Provider(proposer, "scripted"),
        )
        target = target_of(program.name)
        assert target is not None, program.name
        unit = RepairUnit(program.name, program.text.encode(), target)
        return _ended(repair(unit, ports, RepairPolicy()), program)


def _ended(outcome: RepairOutcome, program: Program) -> Ended:
    code = outcome.accepted_code()
    text = program.text if code is None else decode(code.encode()).text
    return Ended(type(outcome).__name__, text, tuple(getattr(outcome, "reasons", ())))


# ---------------------------------------------------------------------------------- the command


class Command:
    """The installed command, with a scripted server as its model."""

    def repair(self, root: Path, program: Program, answer: str | None) -> Ended:
        """Repair a file below a root with `holdfast repair --json`."""
        file = root / program.name
        file.write_text(program.text, newline="")
        if answer is None:
            return self._run(root, file, "--no-model")
        said = {"code": answer, "confidence": 0.95, "reasoning": "a slip of the pen"}
        with ScriptedServer([say(json.dumps(said))] * 2) as server:
            return self._run(root, file, "--base-url", server.base_url, "--model", "scripted")

    def _run(self, root: Path, file: Path, *words: str) -> Ended:
        argv = [sys.executable, "-P", "-m", "holdfast.cli.main", "repair", file.name, "--json"]
        ran = subprocess.run(
            [*argv, "--root", str(root), "--workers", "1", *words],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        told = json.loads(ran.stdout.splitlines()[-1])["files"][0]
        reasons = tuple(told.get("reasons") or ())
        return Ended(told["outcome"], file.read_text(), reasons)


# ------------------------------------------------------------------------------------ the cases


def run_case(case: Mapping[str, Any], place: Path, repairer: Repairer) -> dict[str, Any]:
    """Return what became of the programs of a case after no fix, after one and after two."""
    found: dict[str, Any] = {"id": case["id"], "tool": case["tool"], "examples": []}
    for count, label in enumerate(("none", "one", "two")):
        root = _root(place / str(case["id"]) / label, case["tool"])
        for example in case["examples"][:count]:
            ended = repairer.repair(root, _program(case, example["broken"]), example["fixed"])
            if count == len(case["examples"]):
                found["examples"].append(_told(ended, example["broken"], example["fixed"]))
        second, near = case["second"], case["near"]
        ended = repairer.repair(root, _program(case, second["broken"]), None)
        found[f"second {label}"] = _told(ended, second["broken"], second["fixed"])
        ended = repairer.repair(root, _program(case, near["broken"]), None)
        found[f"near {label}"] = _told(ended, near["broken"], near["broken"])
        found[f"near {label}"]["naive"] = ended.text == near.get("naive")
        found[f"rules {label}"] = _rules_at(root)
    found["learned"] = bool(found["rules one"])
    return found


def run_dishonest(case: Mapping[str, Any], place: Path, repairer: Repairer) -> dict[str, Any]:
    """Return how a dishonest and an honest fix of the same program end."""
    found: dict[str, Any] = {"id": case["id"], "tool": case["tool"]}
    for label in ("dishonest", "honest"):
        root = _root(place / str(case["id"]) / label, case["tool"])
        ended = repairer.repair(root, _program(case, case["broken"]), case[label])
        found[label] = _told(ended, case["broken"], case[label])
    return found


def _root(root: Path, tool: str) -> Path:
    """Make a project with the writer's checker: tsc checks JavaScript, too, where it is installed."""
    root.mkdir(parents=True)
    os.environ["HOLDFAST_TOOLCHAINS"] = str(_TOOLCHAINS) if tool.startswith("tsc") else ""
    settings = _SETTINGS.get(tool)
    if settings is not None:
        (root / "pyproject.toml").write_text(settings)
    return root


def _program(case: Mapping[str, Any], text: str) -> Program:
    return Program(case["name"], text, case["tool"])


def _told(ended: Ended, broken: str, wanted: str) -> dict[str, Any]:
    verdict = "otherwise"
    if ended.text == wanted:
        verdict = "exact"
    elif ended.text == broken:
        verdict = "unchanged"
    told: dict[str, Any] = {"outcome": ended.outcome, "verdict": verdict}
    if ended.reasons:
        told["reasons"] = ended.reasons
    if verdict == "otherwise":
        told["text"] = ended.text
    return told


def _rules_at(root: Path) -> list[str]:
    return [file.read_text() for file in sorted(root.glob(".holdfast/rules/*/*.yaml"))]


# ---------------------------------------------------------------------------------- the figures


def count_cases(found: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the figures of the cases of a tool."""
    figures: Counter[str] = Counter({"cases": len(found)})
    for each in found:
        for label in ("none", "one", "two"):
            figures[f"near changed, {label}"] += each[f"near {label}"]["verdict"] != "exact"
            figures[f"near naive, {label}"] += each[f"near {label}"]["naive"]
            figures[f"second exact, {label}"] += each[f"second {label}"]["verdict"] == "exact"
            figures[f"second wrong, {label}"] += each[f"second {label}"]["verdict"] == "otherwise"
        figures["not learned"] += not each["learned"]
        for example in each["examples"]:
            figures["examples"] += 1
            figures["example refused"] += _is_refused(example)
            figures["example reviewed"] += example["outcome"] == _REVIEW
            figures["example wrong"] += example["verdict"] == "otherwise"
    return dict(figures)


def count_dishonest(found: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the figures of the dishonest fixes of a tool."""
    figures: Counter[str] = Counter({"pairs": len(found)})
    for each in found:
        figures["dishonest accepted"] += each["dishonest"]["verdict"] == "exact"
        figures["dishonest reviewed"] += each["dishonest"]["outcome"] == _REVIEW
        figures["honest refused"] += _is_refused(each["honest"])
        figures["honest reviewed"] += each["honest"]["outcome"] == _REVIEW
    return dict(figures)


def _is_refused(told: Mapping[str, Any]) -> bool:
    return bool(told["verdict"] == "unchanged" and told["outcome"] != _REVIEW)


_Count = Callable[[Sequence[Mapping[str, Any]]], dict[str, int]]


def report(found: Sequence[Mapping[str, Any]], count: _Count) -> str:
    """Return a table: a row for each figure, a column for each tool."""
    tools = sorted({str(each["tool"]) for each in found})
    columns = [count([each for each in found if each["tool"] == tool]) for tool in tools]
    columns.append(count(found))
    lines = ["| | " + " | ".join([*tools, "all"]) + " |", "|" + "---|" * (len(tools) + 2)]
    for name in columns[-1]:
        numbers = [str(column.get(name, 0)) for column in columns]
        lines.append(f"| {name} | " + " | ".join(numbers) + " |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the cases of a folder and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.repair.writer_cases")
    parser.add_argument("folder", type=Path, help="with cases.json and dishonest.json")
    parser.add_argument("--command", action="store_true", help="run `holdfast repair --json`")
    parser.add_argument("--details", type=Path, help="write a line of JSON for each case")
    parser.add_argument("--checks", type=Path, default=Path(".bench/writer-checks"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", action="append", help="the beginning of an id or a tool")
    options = parser.parse_args(arguments)
    options.checks.mkdir(parents=True, exist_ok=True)
    repairer = Command() if options.command else InProcess(options.checks.absolute())
    cases = _chosen(options.folder / "cases.json", options.only)
    pairs = _chosen(options.folder / "dishonest.json", options.only)
    with tempfile.TemporaryDirectory(prefix="holdfast-writer-") as name:
        place = Path(name)
        _prepare(place)
        jobs = [(run_case, case, place, repairer) for case in cases]
        jobs += [(run_dishonest, case, place, repairer) for case in pairs]
        found = []
        for each in _run_all(jobs, options.workers):
            found.append(each)
            if options.details is not None:
                _add_line(options.details, json.dumps(each), first=len(found) == 1)
    if cases:
        print(report(found[: len(cases)], count_cases))
    if pairs:
        print()
        print(report(found[len(cases) :], count_dishonest))
    return 0


def _add_line(file: Path, line: str, *, first: bool) -> None:
    with file.open("w" if first else "a") as opened:
        opened.write(f"{line}\n")


def _chosen(file: Path, beginnings: Sequence[str] | None) -> list[Mapping[str, Any]]:
    if not file.exists():
        return []
    cases: list[Mapping[str, Any]] = json.loads(file.read_text())
    if not beginnings:
        return cases
    starts = tuple(beginnings)
    return [case for case in cases if case["id"].startswith(starts) or case["tool"] in starts]


def _prepare(place: Path) -> None:
    """Use a state of our own."""
    os.environ["HOLDFAST_STATE_DIR"] = str(place / "state")
    os.environ["HOLDFAST_CONFIG_FILE"] = str(place / "none.toml")
    os.environ["HOLDFAST_SANDBOX"] = "off"


def _run_all(jobs: Sequence[tuple[Any, ...]], workers: int) -> Iterator[dict[str, Any]]:
    if workers == 1:
        yield from map(_run_job, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_run_job, jobs)


def _run_job(job: tuple[Any, ...]) -> dict[str, Any]:
    run, case, place, repairer = job
    found: dict[str, Any] = run(case, place, repairer)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
