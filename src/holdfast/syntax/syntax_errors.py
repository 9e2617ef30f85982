"""Complaints that a text does not parse: while one stands, a compiler has not looked at the rest."""

from __future__ import annotations

import re

from holdfast.vocab.diagnostics import Diagnostic

_CODES = {
    "python": re.compile(r".*"),
    "node": re.compile(r".*"),
    "ruff": re.compile(r"invalid-syntax|E999"),
    "mypy": re.compile(r"syntax"),
    "tsc": re.compile(r"TS1\d{3}"),
    # What rustc finds while it parses has no number.
    "rustc": re.compile(r""),
    "javac": re.compile(
        r"compiler\.err\.(?:expected\d?|illegal\..*|unclosed\..*|int\.number\.too\.large|premature\.eof|not\.stmt|"
        r"else\.without\.if|catch\.without\.try|orphaned|invalid\.meth\.decl.*|class.*expected.*)"
    ),
}
_MESSAGES = {
    "go": re.compile(r"syntax error\b"),
    "gcc": re.compile(r"expected "),
    "g++": re.compile(r"expected "),
}
_CALLED_SO = re.compile(r"(?:invalid-)?syntax")


def is_syntax(diagnostic: Diagnostic) -> bool:
    """Whether it says that the text does not parse."""
    message = _MESSAGES.get(diagnostic.tool)
    if message is not None:
        return message.match(diagnostic.message) is not None
    return _CODES.get(diagnostic.tool, _CALLED_SO).fullmatch(diagnostic.code) is not None
