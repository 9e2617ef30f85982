"""Words that tell a checker to be silent: a fix that adds one hides the error.

A word counts where the checker reads it: a directive in a comment, a type in the code, never in a
string.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.preservation.silenced_checks import silenced_in
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.syntax.source import ParsedSource

_CODES: Final = r"(?:\s*[:=(\[]\s*(?P<codes>[\w\-/, ]+))?"
_HASH: Final = (
    r"#\s*noqa\b" + _CODES,
    r"#\s*type:\s*ignore\b" + _CODES,
    r"#\s*pyright:\s*(?:basic|standard|off|ignore|report\w+)\b" + _CODES,
    r"#\s*mypy:\s*(?:ignore|disable|allow|no|follow)[\w-]*" + _CODES,
    r"#\s*(?:ruff|flake8|pylint|pytype|isort|yapf|bandit|autopep8|pyre):"
    r"\s*(?:noqa|disable|skip|off|ignore)[\w-]*" + _CODES,
    r"#\s*fmt:\s*(?:off|skip)",
    r"#\s*pyre-(?:ignore|fixme|unsafe)\w*",
    r"#\s*pragma:\s*no\s*(?:cover|branch)",
    r"#\s*(?:nosec|skipcq|nosemgrep)\b",
)
_OTHER_CHECKERS: Final = "rubocop|shellcheck|phpcs|phpstan|swiftlint|luacheck|hadolint|yamllint"
_START: Final = r"(?:^|\n)[\s/*]*"
"""The start of a directive in a comment that may contain prose too."""
_SCRIPT: Final = (
    _START + r"@ts-(?:ignore|expect-error|nocheck)\b",
    r"\b(?:eslint|tslint|oxlint|stylelint|jshint|jslint|standard)[-:\s]+(?:disable|ignore)[\w-]*"
    + _CODES,
    r"^/\*\s*(?:eslint-env|globals?)\s+[\w$]",
    r"\b(?:biome|prettier|deno-lint|dprint|rome)-ignore[\w-]*",
    r"\b(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)",
    r"\$Flow(?:FixMe|Ignore)\w*|@noflow\b",
    r"@suppress\b",
    r"@\w+\s*\{\s*(?:\*|[^{}\n]*\bany\b[^{}\n]*)\s*\}",
    r"\b(?:nosemgrep|NOSONAR)\b",
)
_C: Final = (
    r"\bNOLINT\w*" + _CODES,
    r"\bcppcheck-suppress\w*|\bcoverity\[\w+|-V::\d+|clang-format\s+off",
    r"\b(?:LCOV|GCOV)\w*_EXCL\w*",
    r"\bNOSONAR\b",
)
_RUST: Final = (r"\b(?:nosemgrep|NOSONAR)\b",)
_JAVA: Final = (
    r"\bnoinspection\b" + _CODES,
    r"\b(?:NOSONAR|NOPMD|NOCHECKSTYLE)\b|\bCHECKSTYLE[:.]\s*OFF",
    r"@formatter:off",
)
_GO: Final = (
    r"^//\s*nolint\b" + _CODES,
    r"^//\s*lint:(?:file-)?ignore\b",
    r"#nosec\b",
    r"^//\s*\+build\b|^//go:build\b",
    r"^//go:linkname\b",
)
_ANY: Final = lazy_pattern(
    "|".join(
        f"(?:{word})"
        for word in (
            r"#\s*noqa\b",
            r"#\s*type:\s*ignore",
            r"#\s*(?:pyright|mypy|ruff|flake8):",
            r"#\s*pylint:\s*disable",
            r"@ts-(?:ignore|expect-error|nocheck)\b",
            r"eslint-disable",
            r"biome-ignore",
            r"^\s*#\s*pragma\b",
            r"#!?\[\s*(?:allow|expect)\b",
            r"@SuppressWarnings\b",
            r"//\s*nolint\b",
            rf"\b(?:{_OTHER_CHECKERS})[:\s]+[@\w-]*(?:disable|ignore)\w*",
            r"@phpstan-ignore\w*|@psalm-suppress\b|#pragma\s+warning",
        )
    ),
    re.MULTILINE | re.IGNORECASE,
)


_IN_COMMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "python": _HASH,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "c": _C,
    "cpp": _C,
    "rust": _RUST,
    "java": _JAVA,
    "go": _GO,
}
"""Patterns of the comments of a language; `re` compiles those of the languages that are checked."""


def suppressions_between(old: ParsedSource, new: ParsedSource) -> tuple[str, ...]:
    """Return the suppressions that the new text has more often.

    A suppression of one code may replace a suppression of all codes, and not the reverse.
    """
    had = Counter(_suppressions(old))
    has = Counter(_suppressions(new))
    added: dict[str, None] = {}
    for (word, code), times in has.items():
        # A suppression of all codes may become one of a single code.
        known = sum(had[word, each] for each in {code, "*"})
        if times > known:
            added[word] = None

    return tuple(added)


def suppressions_in_text(before: str, after: str) -> tuple[str, ...]:
    r"""Return the suppressions that a text has more often than the old one, in any place.

    It is for a language that is not parsed, whose comments are not known.

    >>> suppressions_in_text("x = y\n", "x = y  # noqa: F821\n")
    ('# noqa',)
    """
    counts: list[Counter[str]] = []
    for text in (before, after):
        words = [found.group().split() for found in _ANY.finditer(text)]
        counts.append(Counter(map(" ".join, words)))

    had, has = counts
    return tuple(has - had)


def _suppressions(reading: ParsedSource) -> Iterator[tuple[str, str]]:
    for comment in reading.comments():
        for pattern in _IN_COMMENTS[reading.language]:
            for found in re.finditer(pattern, comment.text(), re.IGNORECASE):
                yield from _coded(found)

    for word in silenced_in(reading):
        yield word, ""


def _coded(found: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a suppression with each code that it names; `*` for all codes."""
    whole = found.group()
    codes = found.groupdict().get("codes") or ""
    if codes:
        whole = whole[: found.start("codes") - found.start()]

    word = whole.strip(" \t\n/*")
    word = re.sub(r"^#\s*", "# ", word.rstrip(":=([ \t"))
    word = " ".join(word.split()).lower()
    named = re.findall(r"[\w\-/]+", codes)
    for code in named or ["*"]:
        yield word, code
