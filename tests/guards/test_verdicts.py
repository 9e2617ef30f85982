"""Which outputs say that all is well."""

from __future__ import annotations

import pytest

from holdfast.guards.command_success import is_bad, is_fine


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Exit code 0.\n(no output)",
        "Exit code 0.\n12 passed in 0.31s",
        "Exit code 0.\nRan 3 tests in 0.001s\n\nOK",
        "All checks passed!",
        "Success: no issues found in 12 source files",
        "Found 0 errors.",
        "test result: ok. 12 passed; 0 failed",
        "Everything up-to-date",
        "12 passed, 3 warnings in 0.2s",
        "Exit code 0.\nPASS src/errors.test.ts\nTests: 14 passed, 14 total",
        "Exit code 0.\ntest_wrong_key ... ok\ntest_no_such_file ... ok\n\nRan 2 tests in 0.1s\n\nOK",
    ],
)
def test_a_good_end_is_fine(output: str) -> None:
    assert is_fine(output)


@pytest.mark.parametrize(
    "output",
    [
        "Exit code 1.\n(no output)",
        "1 failed, 12 passed in 0.3s",
        "Found 1 error.",
        "Traceback (most recent call last):\nKeyError: 'ok'",
        "undefined",
        "42",
        "Exit code 0.\nhello",
        "sh: pytest: not found",
        "test result: FAILED. 11 passed; 1 failed",
        "Exit code 2.\nmake: up to date",
        "Exit code 0.\nFAILED test_a\n1 failed, 3 passed",
        "Exit code 1.\n3 passed\nTypeError: wrong",
    ],
)
def test_anything_else_is_not(output: str) -> None:
    assert not is_fine(output)


@pytest.mark.parametrize(
    "command",
    [
        "make",
        "make -j4 all",
        "cd app && make",
        "gcc -o app app.c",
        "npx tsc --noEmit",
        "npm run build",
        "CI=1 npm run build",
    ],
)
def test_of_a_build_the_exit_code_is_the_verdict(command: str) -> None:
    assert is_fine("Exit code 0.\ncc -c -o a.o a.c", command)
    assert not is_fine("Exit code 2.\ncc -c -o a.o a.c", command)
    assert not is_fine("Exit code 0.\na.c:3: error: expected ;", command)


@pytest.mark.parametrize("command", ["python app.py", "make; python app.py", "cat makefile"])
def test_of_anything_else_it_is_not(command: str) -> None:
    assert not is_fine("Exit code 0.\nhello", command)


@pytest.mark.parametrize(
    "command", [": all is well", "true", "echo passed", "# nothing", "printf ok"]
)
def test_what_does_nothing_proves_nothing(command: str) -> None:
    assert not is_fine("Exit code 0.\n(no output)", command)


@pytest.mark.parametrize("command", ["echo x >> notes", "echo $(pytest -q)", "trueish"])
def test_what_only_looks_so_may(command: str) -> None:
    assert is_fine("Exit code 0.\n(no output)", command)


@pytest.mark.parametrize(
    ("output", "bad"),
    [("Exit code 1.\nhello", True), ("Ended by SIGKILL.", True), ("hello", False)],
)
def test_bad_is_more_than_not_fine(output: str, bad: bool) -> None:
    assert is_bad(output) is bad
