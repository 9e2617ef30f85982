"""Words that tell a checker to be silent: a fix that adds one has hidden the error, not mended it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_PYTHON: Final = (
    r"#\s*noqa\b",
    r"#\s*type:\s*ignore",
    r"#\s*pyright:",
    r"#\s*mypy:",
    r"#\s*ruff:",
    r"#\s*flake8:",
    r"#\s*pylint:\s*disable",
    r"\bno_type_check\b",
    r":\s*(?:typing\.)?Any\b",
    r"->\s*(?:typing\.)?Any\b",
    r"\bcast\(\s*['\"]?(?:typing\.)?Any\b",
)
_SCRIPT: Final = (
    r"@ts-ignore\b",
    r"@ts-expect-error\b",
    r"@ts-nocheck\b",
    r"eslint-disable",
    r"biome-ignore",
    r":\s*any\b",
    r"\bas\s+any\b",
    r"<any>",
    r"\bany\[\]",
    r"[<,|&]\s*any\b",
    r"\bas\s+unknown\s+as\b",
    r"@type\s*\{\s*(?:any|\*)\s*\}",
)
_C: Final = (
    r"^\s*#\s*pragma\b",
    r"\b_Pragma\b",
    r"^\s*#\s*if\s+0\b",
    r"^\s*#\s*line\b",
    r"\bNOLINT",
    r"\b__attribute__\b",
    r"\[\[\s*(?:maybe_unused|gnu::)",
)
_RUST: Final = (r"#!?\[\s*(?:allow|expect)\b", r"\bunsafe\b", r"\b#!?\[\s*cfg_attr\b", r"\btransmute\b")
_JAVA: Final = (r"@SuppressWarnings\b", r"//\s*noinspection\b", r"@SuppressFBWarnings\b", r"\bNOSONAR\b")
_GO: Final = (r"//\s*nolint\b", r"//\s*#nosec\b", r"\bunsafe\b", r"//go:build\s+ignore\b")
_ANY: Final = (*_PYTHON[:7], *_SCRIPT[:5], _C[0], *_RUST[:1], _JAVA[0], _GO[0])

_BY_LANGUAGE: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile("|".join(f"(?:{word})" for word in words), re.MULTILINE)
    for name, words in {
        "python": _PYTHON,
        "javascript": _SCRIPT,
        "typescript": _SCRIPT,
        "tsx": _SCRIPT,
        "c": _C,
        "cpp": _C,
        "rust": _RUST,
        "java": _JAVA,
        "go": _GO,
        "": _ANY,
    }.items()
}


def suppressions_added(before: str, after: str, language: str) -> tuple[str, ...]:
    r"""Give the suppressions that are in the new text more often than in the old one.

    >>> suppressions_added("x = y\n", "x = y  # noqa: F821\n", "python")
    ('# noqa',)
    """
    pattern = _BY_LANGUAGE.get(language, _BY_LANGUAGE[""])
    had, has = _count(pattern, before), _count(pattern, after)
    return tuple(word for word, times in has.items() if times > had.get(word, 0))


def _count(pattern: re.Pattern[str], text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for found in pattern.finditer(text):
        word = " ".join(found.group().split())
        counts[word] = counts.get(word, 0) + 1
    return counts
