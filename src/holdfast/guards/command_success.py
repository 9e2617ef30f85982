"""Whether the output of a command reports success or failure, judged by its words."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_pattern import lazy_pattern

_BAD = lazy_pattern(
    r"\b(?:fail(?:ed|ure|ures|s|ing)?|errors?|errored|exceptions?|traceback|panic(?:ked)?|abort(?:ed)?|cannot|undefined|"
    r"not found|no such|denied|refused|timed? ?out|mismatch|wrong|expected|"
    r"exit(?:ed)?(?: with)?(?: the)?(?: exit)?(?: code| status)?[ :=]+-?[1-9]\d*)\b",
    re.IGNORECASE,
)
_NO_HARM = lazy_pattern(
    r"\b(?:0|no|without) (?:failed|failures?|errors?|problems?|issues?)\b", re.IGNORECASE
)
_GOOD = lazy_pattern(
    r"\b(?:pass(?:ed|es)?|ok|success(?:ful|fully)?|succeeded|up[ -]to[ -]date|clean|compiled|finished|"
    r"0 errors?|no (?:issues?|errors?|problems?))\b",
    re.IGNORECASE,
)
_FILLERS = lazy_pattern(
    r"\b(?:the|command|exit(?:ed)?|ended|with|code|status|0|no|output|printed|nothing|done|in|it|was|and|there|"
    r"\d+(?:\.\d+)? ?(?:m?s|seconds?))\b|\W",
    re.IGNORECASE,
)
_IDLE = lazy_pattern(r"\s*(?:(?::|true|echo|printf)(?:\s[^;&|<>$`]*)?|#[^\n]*)")
"""Commands without effect: their success means nothing."""
_BUILDS = lazy_pattern(
    r"\s*(?:cd\s+\S+\s*&&\s*)?(?:\w+=\S*\s+)*(?:(?:npx|poetry run|uv run|time|python3? -m)\s+)?"
    r"(?:make|cmake|ninja|meson|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|go (?:build|vet|install)|cargo|rustc|javac|mvn|"
    r"\S*gradlew?|"
    r"tsc|webpack|vite|rollup|esbuild|(?:npm|yarn|pnpm|bun) (?:run )?(?:build|install|ci|lint|typecheck)|"
    r"(?:dotnet|swift|docker|zig) build|pip3? install|ruff|black|isort|flake8|pylint|mypy|pyright|prettier|eslint|"
    r"compileall|py_compile)\b[^;&|]*(?:2>&1)?\s*(?:\|\s*(?:tail|head)\b[^;&|]*)?"
)
"""Commands that print the same lines each time they succeed: here the exit code decides."""
_SURE = lazy_pattern(
    r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|^OK\b|\btest result: ok\b|"
    r"\ball (?:\d+ )?(?:tests|checks) (?:have )?passed\b|"
    r"\bBUILD SUCCESS",
    re.IGNORECASE | re.MULTILINE,
)
_COUNTED_HARM = lazy_pattern(
    r"\b[1-9]\d* (?:tests? )?(?:fail(?:ed|ures?|ing)?|errors?|errored)\b|^FAILED\b", re.MULTILINE
)
"""In a successful run, `PASS errors.test.ts` and `test_wrong_key ok` are names of tests."""
_FAILED = lazy_pattern(r"\s*(?:exit code -?[1-9]|ended by )", re.IGNORECASE)
_SUCCEEDED = lazy_pattern(r"\s*exit code 0\b", re.IGNORECASE)
_LOOK = 4_000
"""How many characters of the end are read: a test run or a compiler prints its verdict there."""


def is_fine(output: str, command: str = "") -> bool:
    r"""Return whether the output reports success or is empty, so that repeating the command is no bad sign.

    >>> is_fine("12 passed in 0.1s"), is_fine("All checks passed!"), is_fine("exit code 0, no output")
    (True, True, True)
    >>> is_fine("1 failed, 11 passed in 0.1s"), is_fine("undefined"), is_fine("hello")
    (False, False, False)
    >>> is_fine("Exit code 0.\ncc -o app app.c", "make"), is_fine("Exit code 0.\n(no output)", ": all is well")
    (True, False)
    """
    if is_bad(output):
        return False
    if _IDLE.fullmatch(command):
        return False

    said = output[-_LOOK:]
    if _GOOD.search(said):
        return True
    if _FILLERS.sub("", said) == "":
        return True

    succeeded = _SUCCEEDED.match(output) is not None
    return succeeded and _BUILDS.fullmatch(command) is not None


def is_bad(output: str) -> bool:
    r"""Return whether the output of a command reports a failure.

    >>> is_bad("Exit code 1.\n(no output)"), is_bad("Found 0 errors."), is_bad("hello")
    (True, False, False)
    """
    said = output[-_LOOK:]
    if _SUCCEEDED.match(output) and _SURE.search(said):
        return _COUNTED_HARM.search(said) is not None
    if _FAILED.match(output):
        return True

    return _BAD.search(_NO_HARM.sub("", said)) is not None
