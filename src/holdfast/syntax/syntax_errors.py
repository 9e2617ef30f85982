"""Diagnostics of syntax errors: while a text has one, a compiler has not checked the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Diagnostic

_CODES = {
    "python": lazy_pattern(r".*"),
    "node": lazy_pattern(r".*"),
    "ruff": lazy_pattern(r"invalid-syntax|E999"),
    "mypy": lazy_pattern(r"syntax"),
    "tsc": lazy_pattern(r"TS1\d{3}"),
    # A syntax error of rustc has no code.
    "rustc": lazy_pattern(r""),
    "javac": lazy_pattern(
        r"compiler\.err\.(?:expected\d?|illegal\..*|unclosed\..*|int\.number\.too\.large|"
        r"premature\.eof|not\.stmt|else\.without\.if|catch\.without\.try|orphaned|"
        r"invalid\.meth\.decl.*|class.*expected.*)"
    ),
}
_MESSAGES = {
    "go": lazy_pattern(r"syntax error\b"),
    "gcc": lazy_pattern(r"expected "),
    "g++": lazy_pattern(r"expected "),
}
_OTHER_TOOLS = lazy_pattern(r"(?:invalid-)?syntax")


def is_syntax(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic reports that the text does not parse."""
    message = _MESSAGES.get(diagnostic.tool)
    if message is not None:
        return message.match(diagnostic.message) is not None
    code = _CODES.get(diagnostic.tool, _OTHER_TOOLS)
    return code.fullmatch(diagnostic.code) is not None
