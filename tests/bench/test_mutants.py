"""Mutation testing: what is mutated, and that a mutant is killed by a test that checks its line and by no other."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bench.mutants.__main__ import main
from bench.mutants.mutations import Mutation, draw, find_mutations
from bench.mutants.run import Mutant, run_mutant
from bench.mutants.tree_copy import TreeCopy
from tests.samples import only_whole, sample

LIMITS = '''\
import sys


def is_adult(age: int) -> bool:
    """Tested at 17 and 18."""
    return age >= 18


def is_child(age: int) -> bool:
    """Tested at 5 only."""
    return age < 13


def is_seven(age: int) -> bool:
    """Tested nowhere."""
    return age == 7


def main() -> None:
    """Tested by its output, in a process."""
    print("adult" if is_adult(int(sys.argv[1])) else "minor")


if __name__ == "__main__":
    main()
'''
TESTS = """\
import subprocess
import sys

from sample.core.limits import is_adult, is_child


def test_adult():
    assert is_adult(18)
    assert not is_adult(17)


def test_child():
    assert is_child(5)


def test_command():
    command = [sys.executable, "-m", "sample.core.limits", "40"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "adult\\n"


def test_that_fails_without_a_mutation():
    assert not is_child(5)
"""


def changed_lines(source: str) -> list[str]:
    """Return the line of each mutation of a function with this body, after the mutation."""
    text = f"def f():\n    {source}\n"
    return [mutation.new_line(text) for mutation in find_mutations("a.py", text)]


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("return a < b", ["return a <= b"]),
        ("return a <= b", ["return a < b"]),
        ("return a > b", ["return a >= b"]),
        ("return a >= b", ["return a > b"]),
        ("return a == b", ["return a != b"]),
        ("return a != b", ["return a == b"]),
        ("return a in b", ["return a not in b"]),
        ("return a not in b", ["return a in b"]),
        ("return a is b", ["return a is not b"]),
        ("return a is  not b", ["return a is b"]),
        ("return a < b < c", ["return a <= b < c", "return a < b <= c"]),
        ("return (a) == (b)", ["return (a) != (b)"]),
        ("return a and b or c", ["return a or b or c", "return a and b and c"]),
        ("return not (a)", ["return (a)"]),
        ("return a + b", ["return a - b"]),
        ("return a - b", ["return a + b"]),
        ("a += b", ["a -= b"]),
        ("return 7", ["return 6", "return 8"]),
        ("return 'é', 7", ["return 'é', 6", "return 'é', 8"]),
        ("return True", ["return False"]),
        ("return False", ["return True"]),
        ("a.run(b)", ["pass"]),
        ("a = b if c else d", ["a = b if False else d", "a = b if True else d", "a = b if not (c) else d"]),
        ("a = [b for b in c if not b]", [
            "a = [b for b in c if False]",
            "a = [b for b in c if True]",
            "a = [b for b in c if b]",
        ]),
        ("while a: a = b", ["while False: a = b", "while not (a): a = b"]),
    ],
)  # fmt: skip
def test_each_kind_of_mutation(line: str, mutants: list[str]) -> None:
    assert sorted(changed_lines(line)) == sorted(mutants)


@pytest.mark.parametrize(
    "line",
    [
        '"""Return 1 < 2."""',
        "a: Literal[1] = b",
        'return f"{a < b}"',
        'return a + "b"',
        "return a + [b]",
        "assert_never(a)",
        "return None",
        "while True: pass",
        "def g(a: Literal[1] = 2) -> Literal[3]: return a",
    ],
)
def test_what_no_test_could_notice_is_not_mutated(line: str) -> None:
    assert changed_lines(line) == []


def test_only_what_runs_inside_of_functions_is_mutated() -> None:
    text = dedent("""\
        LIMIT = 3
        if TYPE_CHECKING:
            def f(): return 1 < 2

        class A:
            size = 4

            def g(self, a=5):
                return a < self.size
        """)
    assert [(each.line, each.kind) for each in find_mutations("a.py", text)] == [(9, "comparison")]


def test_a_mutation_in_a_long_statement_names_its_line_and_the_lines_of_the_statement() -> None:
    text = dedent("""\
        def f(a, b, c):
            if (
                a
                < b  # and not a <= b
            ):
                return c
        """)
    (mutation,) = [each for each in find_mutations("a.py", text) if each.kind == "comparison"]
    assert (mutation.line, mutation.lines) == (4, (2, 5))
    assert mutation.old_line(text) == "< b  # and not a <= b"
    assert mutation.new_line(text) == "<= b  # and not a <= b"


def test_the_same_seed_draws_the_same_and_never_two_of_one_line() -> None:
    text = "def f(a, b):\n" + "    if a < b and b < 3: a.run()\n" * 40
    mutations = find_mutations("a.py", text)
    drawn = draw(mutations, 30, "2026-11-16")
    assert drawn == draw(mutations, 30, "2026-11-16")
    assert drawn != draw(mutations, 30, "2026-11-17")
    assert len({each.line for each in drawn}) == len(drawn) == 30


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    core = root / "src" / "sample" / "core"
    core.mkdir(parents=True)
    (root / "tests" / "core").mkdir(parents=True)
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (core / "limits.py").write_text(LIMITS)
    (root / "tests" / "core" / "test_limits.py").write_text(TESTS)
    return root


def run(project: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Run the tool on every line of the project; return its exit code and its JSON."""
    found = project.parent / "found.json"
    place = (
        "--root",
        str(project),
        "--project",
        "sample",
        "--cache",
        str(project.parent / "cache"),
    )
    code = main(
        [
            *place,
            "--seed",
            "1",
            "--json",
            str(found),
            "--tests",
            "tests",
            "--packages",
            "core",
            *words,
        ]
    )
    return code, json.loads(found.read_text())


@pytest.mark.slow
@only_whole
def test_a_mutant_of_a_tested_condition_is_killed_and_one_of_an_untested_survives(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run(project, "--packages", "core", "nowhere", "--limit", "50")
    shown = capsys.readouterr()
    assert code == 0
    assert {(each["line"], each["fate"]) for each in found["mutants"]} == {
        (6, "killed"),
        (11, "survived"),
        (16, "not covered"),
        (21, "killed"),  # only a process that a test starts reaches this line
    }
    assert found["survivor_percent"] == 50.0
    survivor = next(each for each in found["mutants"] if each["fate"] == "survived")
    assert shown.out.count(f"  - return age < 13\n  + {survivor['new']}\n") == 1
    assert "src/sample/core/limits.py:11 (survived; 1 of 1 tests that reach the line)" in shown.out
    assert (
        "4 mutants: 2 killed, 0 timeout, 1 survived, 1 not covered. Survivors: 50.0 %" in shown.out
    )
    assert "note: there is no nowhere below src/sample" in shown.err
    assert "test_that_fails_without_a_mutation" in shown.err

    code, _ = run(project, "--packages", "core/limits.py", "--limit", "49")
    assert code == 1
    assert (project / "src/sample/core/limits.py").read_text() == LIMITS


@pytest.mark.slow
@pytest.mark.parametrize("hang", sample(["while True: pass", "threading.Event().wait()"], 1))
def test_tests_stop_at_the_limit(project: Path, tmp_path: Path, hang: str) -> None:
    (project / "tests" / "test_hang.py").write_text(
        f"import threading\n\ndef test_hang():\n    {hang}\n"
    )
    copy = TreeCopy(project, tmp_path / "copy")
    try:
        assert copy.run_chosen(["tests/test_hang.py::test_hang"], limit=1).code is None
        assert copy.run_chosen(["tests/core/test_limits.py::test_adult"]).code == 0
    finally:
        copy.close()


@pytest.mark.slow
@only_whole
def test_after_a_change_only_the_tests_that_it_concerns_are_recorded_again(project: Path) -> None:
    tests = project / "tests"
    (tests / "test_seven.py").write_text("def test_nothing():\n    pass\n")
    one = ("--workers", "1")
    _, found = run(project, *one)
    assert fate_of(found, line=16) == "not covered"

    seven = "from sample.core.limits import is_seven\n\ndef test_seven():\n    assert is_seven(7)\n"
    (tests / "test_seven.py").write_text(seven)
    _, found = run(project, *one)
    assert fate_of(found, line=16) == "killed"
    assert recorded_last(project) == {"tests/test_seven.py::test_seven"}

    limits = project / "src" / "sample" / "core" / "limits.py"
    limits.write_text(f"# One line more.\n{LIMITS}")
    _, found = run(project, *one)
    assert (fate_of(found, line=7), fate_of(found, line=17)) == ("killed", "killed")
    assert "tests/test_seven.py::test_seven" in recorded_last(project)


def fate_of(found: dict[str, Any], *, line: int) -> str:
    (fate,) = [each["fate"] for each in found["mutants"] if each["line"] == line]
    return str(fate)


def recorded_last(project: Path) -> set[str]:
    """Return the tests in the last layer of the newest coverage map."""
    maps = (project.parent / "cache").glob("*/map.json")
    newest = max(maps, key=lambda file: file.stat().st_mtime_ns)
    return set(json.loads(newest.read_text())["map"]["layers"][-1]["seconds"])


@pytest.mark.slow
def test_a_test_that_fails_without_the_mutation_too_kills_nothing(
    project: Path, tmp_path: Path
) -> None:
    mutation = next(
        each for each in find_mutations("src/sample/core/limits.py", LIMITS) if each.line == 11
    )
    failing = "tests/core/test_limits.py::test_that_fails_without_a_mutation"
    passing = "tests/core/test_limits.py::test_child"
    copy = TreeCopy(project, tmp_path / "copy")
    try:
        mutant = Mutant(mutation, (failing, passing), 2)
        result = run_mutant(copy, mutant, {failing: 0.1, passing: 0.1})
        assert (result.fate, result.killer) == ("survived", "")
    finally:
        copy.close()


def test_the_copy_is_as_before_after_a_mutant(project: Path, tmp_path: Path) -> None:
    copy = TreeCopy(project, tmp_path / "copy")
    file = copy.root / "src/sample/core/limits.py"
    first = find_mutations("src/sample/core/limits.py", LIMITS)[0]
    before = file.stat().st_mtime_ns
    seen = {before}
    for _ in range(2):
        with copy.mutated(first):
            assert file.read_text() == first.apply(LIMITS)
            seen.add(file.stat().st_mtime_ns)
        assert file.read_text() == LIMITS
        assert file.stat().st_mtime_ns == before
    assert len(seen) == 3  # so that no bytecode fits two of them


def test_a_mutation_is_applied_at_its_place_only() -> None:
    mutation = Mutation("a.py", 1, (1, 1), "number", 4, 5, "2")
    assert mutation.apply("a = 1; b = 1\n") == "a = 2; b = 1\n"
