"""Which outputs say that all is well."""

from __future__ import annotations

import pytest

from holdfast.guards.verdicts import is_fine


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
    ],
)
def test_anything_else_is_not(output: str) -> None:
    assert not is_fine(output)
