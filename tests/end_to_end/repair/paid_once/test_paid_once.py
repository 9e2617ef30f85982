"""A fix is paid for once: what a model fixed in one program, a rule fixes in the next, without a model.

`-s` prints what came of each case; `make bench-repair` makes the table of docs/benchmarks.md of the same cases.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from holdfast.testing import RecordedRequest
from tests.end_to_end.repair.paid_once.case import TOOLS, Case, missing, read_cases
from tests.end_to_end.repair.paid_once.drive import drive, drive_again
from tests.end_to_end.repair.workshop import Workshop, fix

# How many of its cases a rule must fix after one example, at least: of the sample, and of all. A rule holds what in the
# program says that the same fix is needed; a value that it writes is a hint until a second fix agrees.
LEAST = {
    "python": (1, 10),
    "ruff": (1, 12),
    "mypy": (1, 5),
    "gcc": (3, 13),
    "g++": (1, 11),
    "rustc": (1, 5),
    "javac": (1, 12),
    "go": (0, 2),
    "node": (3, 15),
    "tsc": (0, 7),
}
# The cases of somebody else: how many second programs are exact after one example and after two, at least.
WRITER = {
    "gcc": (3, 5),
    "g++": (5, 6),
    "rustc": (5, 7),
    "javac": (7, 7),
    "node": (5, 5),
    "python": (2, 3),
    "mypy": (0, 0),
    "ruff": (1, 1),
}
EVERY = 3
# Each run of these takes about a second (a file of Python is checked by mypy too), and a case has up to ten runs: of the third, every
# second, fourth or ninth one. Of javac those in which one is fixed by a rule.
FEWER = {
    "python": slice(0, None, 2),
    "ruff": slice(0, None, 2),
    "mypy": slice(0, None, 2),
    "g++": slice(0, None, 2),
    "javac": slice(1, None, 4),
    "tsc": slice(0, None, 9),
}
ALL = bool(os.environ.get("HOLDFAST_ALL_EXAMPLES"))


def _sample(cases: list[Case]) -> list[Case]:
    """A third of the cases of a tool, or a share of its own, always the same ones; `make soak` runs them all."""
    if ALL:
        return cases
    chosen = random.Random(16).sample(cases, max(1, len(cases) // EVERY))
    return chosen[FEWER.get(cases[0].tool, slice(None))]


def test_the_cases_are_as_many_as_is_said() -> None:
    cases = [case for tool in TOOLS for case in read_cases(tool)]
    assert len(cases) >= 250
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
    cases = _sample(read_cases(tool))
    driven = [drive(case, tmp_path / "place") for case in cases]
    print("", *(each.tell() for each in driven), sep="\n")

    assert {type(each.near).__name__ for each in driven} == {"NoProvider"}, (
        "no near miss passes, and none is repaired"
    )
    verdicts = Counter(each.verdict for each in driven)
    assert verdicts["WRONG"] == 0
    assert verdicts["applied"] >= LEAST[tool][ALL]


@pytest.mark.slow
@pytest.mark.parametrize("tool", list(WRITER))
def test_a_second_example_widens_a_rule_as_much_as_the_two_differ(
    tool: str, tmp_path: Path
) -> None:
    if (hint := missing(tool)) is not None:
        pytest.skip(hint)
    cases = _sample(read_cases(tool, "writer"))
    driven = [(case.title, *drive_again(case, tmp_path / "place")) for case in cases]
    print("", *driven, sep="\n")
    assert not [each for each in driven if "WRONG" in each]
    assert {title for title, _, _, kept in driven if not kept} == set()
    if ALL:
        assert sum(one == "applied" for _, one, _, _ in driven) >= WRITER[tool][0]
        assert sum(two == "applied" for _, _, two, _ in driven) >= WRITER[tool][1]


# ------------------------------------------------------------------------------------------------- the command itself


def _chosen(tool: str, title: str) -> Case:
    return next(case for case in read_cases(tool) if case.title == title)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "title"),
    [
        ("gcc", "a text assigned to an array"),
        ("g++", "a comma after the last argument"),
        ("ruff", "a method without self"),
        ("node", "a missing comma in an object"),
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
