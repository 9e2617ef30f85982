"""A folded table runs all of its cases, and says which of them fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TABLES = """
import pytest

@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_odd(number):
    assert number % 2 == 1

@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 2)])
@pytest.mark.parametrize("c", "xy")
def test_equal(a, b, c):
    assert a == b

@pytest.mark.parametrize("number", [1, 2])
def test_with_a_fixture(number, tmp_path):
    assert number == 1

@pytest.mark.parametrize("number", [1, 2])
def test_skips(number):
    if number == 1:
        pytest.skip("not this one")
    raise KeyError(number)

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.xfail)])
def test_marked(number):
    assert number == 1

@pytest.mark.parametrize("number", [1, 2])
def test_all_skip(number):
    pytest.skip("none of them")

def test_alone():
    pass
"""


@pytest.mark.slow  # it starts pytest
def test_every_case_runs_and_those_that_fail_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_tables.py").write_text(TABLES)
    words = ["-p", "tests.folded_tables", "-p", "no:cacheprovider", "-c", "/dev/null", "-vv"]
    # Else it removes what earlier runs have left, which can take minutes.
    words += ["--basetemp", str(tmp_path / "base")]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    tests = sorted(
        line.partition("::")[2].partition(" [")[0].split(" (")[0].strip()
        for line in ran.stdout.splitlines()
        if "test_tables.py::" in line and not line.startswith(("FAILED", "SKIPPED"))
    )
    assert tests == [
        "test_all_skip SKIPPED",
        "test_alone PASSED",
        "test_equal PASSED",
        "test_marked[1] PASSED",
        "test_marked[2] XFAIL",
        "test_odd FAILED",
        "test_skips FAILED",
        "test_with_a_fixture[1] PASSED",
        "test_with_a_fixture[2] FAILED",
    ], ran.stdout
    assert "2 of 4 cases fail: test_odd[2], test_odd[4]\n" in ran.stdout
    assert "AssertionError: assert (4 % 2) == 1\n" in ran.stdout
    assert "1 of 2 cases fail: test_skips[2]\n" in ran.stdout
    assert "KeyError: 2" in ran.stdout
