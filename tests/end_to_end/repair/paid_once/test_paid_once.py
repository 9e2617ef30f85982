"""A fix is paid for once: what a model fixed in one program, a rule fixes in the next, without a model.

`-s` prints what came of each case; `make bench-repair` makes the table of docs/benchmarks.md of the same cases.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from holdfast.testing import RecordedRequest
from tests.end_to_end.repair.paid_once.case import TOOLS, Case, missing, read_cases
from tests.end_to_end.repair.paid_once.drive import drive
from tests.end_to_end.repair.workshop import Workshop, fix

# How many of its cases a rule must fix, at least. From the other errors no rule is learned yet; they stay here.
LEAST = {
    "python": 17,
    "ruff": 9,
    "mypy": 6,
    "gcc": 25,
    "g++": 14,
    "rustc": 15,
    "javac": 7,
    "go": 6,
    "node": 21,
    "tsc": 5,
}
# One run of these takes a second, and a case has five: every so many cases are enough here; the benchmark has them all.
EVERY = {"python": 2, "ruff": 2, "mypy": 3, "javac": 3, "tsc": 3}


def _driven_here(tool: str) -> list[Case]:
    return read_cases(tool)[:: EVERY.get(tool, 1)]


def test_the_cases_are_as_many_as_is_said() -> None:
    cases = [case for tool in TOOLS for case in _driven_here(tool)]
    assert len(cases) >= 160
    assert len({(case.tool, case.title) for case in cases}) == len(cases)
    assert all(
        len({case.broken, case.fixed, case.second, case.second_fixed, case.near}) == 5
        for case in cases
    )


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_a_second_program_is_repaired_by_a_rule_learned_from_the_first(
    tool: str, tmp_path: Path
) -> None:
    if (hint := missing(tool)) is not None:
        pytest.skip(hint)
    driven = [drive(case, tmp_path / str(number)) for number, case in enumerate(_driven_here(tool))]
    print("", *(each.tell() for each in driven), sep="\n")

    assert {type(each.first).__name__ for each in driven} == {"Repaired"}, "each is paid for once"
    assert {type(each.near).__name__ for each in driven} == {"NoProvider"}, (
        "no near miss passes, and none is repaired"
    )
    verdicts = Counter(each.verdict for each in driven)
    assert verdicts["WRONG"] == 0
    assert verdicts["applied"] >= LEAST[tool]


# ------------------------------------------------------------------------------------------------- the command itself


def _chosen(tool: str, title: str) -> Case:
    return next(case for case in read_cases(tool) if case.title == title)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "title"),
    [
        ("gcc", "a loop variable without a type"),
        ("g++", "a method that is not const"),
        ("python", "two exceptions without parentheses"),
        ("rustc", "an index of the wrong type"),
    ],
)
def test_the_command_pays_once_over_http(workshop: Workshop, tool: str, title: str) -> None:
    if (hint := missing(tool)) is not None:
        pytest.skip(hint)
    case = _chosen(tool, title)
    first = workshop.write(f"first/{case.file}", case.broken)
    second = workshop.write(f"second/{case.file}", case.second)
    near = workshop.write(f"near/{case.file}", case.near)

    paid = workshop.repair(f"first/{case.file}", script=[fix(case.fixed)])
    assert (paid.code, paid.questions, first.read_text()) == (0, 1, case.fixed), (
        paid.out,
        paid.err,
    )

    def nobody(asked: RecordedRequest) -> None:
        raise AssertionError(f"the model was asked: {asked}")

    free = workshop.repair(f"second/{case.file}", script=nobody)  # type: ignore[arg-type]
    assert (free.code, free.questions) == (0, 0), (free.out, free.err)
    assert free.outcomes == {f"second/{case.file}": "RuleRepaired"}
    assert second.read_text() == case.second_fixed

    left = workshop.repair(f"near/{case.file}")
    assert (left.code, near.read_text()) == (1, case.near), (left.out, left.err)
