"""What share of errors is mended without a model: cold, and after a model was paid once for each kind.

The cases are those of tests/end_to_end/repair/paid_once: real compilers, a scripted model for the first program only.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.repair.paid_once.case import TOOLS, Case, missing, read_cases
from tests.end_to_end.repair.paid_once.drive import Driven, drive, repair_cold


@dataclass(frozen=True, slots=True)
class Share:
    """The cases of one tool. `cold`: mended with builtin rules and fix-its alone."""

    tool: str
    cases: int
    cold: int
    learned: int
    applied: int
    as_recorded: int
    refused: int
    wrong: int


def measure(tools: Sequence[str] = TOOLS) -> list[Share]:
    """Run all cases whose tool is installed."""
    shares = []
    for tool in tools:
        hint = missing(tool)
        if hint is not None:
            sys.stderr.write(f"left out: {hint}\n")
            continue
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-repair-") as name:
            shares.append(_measure_tool(tool, Path(name)))
    return shares


def _measure_tool(tool: str, place: Path) -> Share:
    cases = read_cases(tool)
    cold = sum(_is_mended_cold(case, place / f"cold-{number}") for number, case in enumerate(cases))
    driven = [drive(case, place / "learned") for case in cases]
    for each in driven:
        sys.stderr.write(f"{each.tell()}\n")
    return share_of(tool, cold, driven)


def _is_mended_cold(case: Case, place: Path) -> bool:
    return repair_cold(case.tool, case.file, case.second, place) == case.second_fixed


def share_of(tool: str, cold: int, driven: Sequence[Driven]) -> Share:
    """Count what came of the cases of a tool."""
    return Share(
        tool,
        len(driven),
        cold,
        learned=sum(each.verdict != "not learned" for each in driven),
        applied=sum(each.applied for each in driven),
        as_recorded=sum(each.applied and each.made == each.case.second_fixed for each in driven),
        refused=sum(each.refused for each in driven),
        wrong=sum(each.verdict == "WRONG" for each in driven),
    )


def report(shares: Sequence[Share]) -> str:
    """Give the table."""
    rows = [
        (s.tool, s.cases, s.cold, s.learned, s.applied, s.as_recorded, s.refused, s.wrong)
        for s in shares
    ]
    rows.append(("all", *(sum(numbers) for numbers in list(zip(*rows, strict=True))[1:])))
    lines = [
        "| tool | cases | cold | learned | applied and verified | as recorded | near misses refused | wrong |"
    ]
    lines.append("|" + "---|" * 8)
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)
