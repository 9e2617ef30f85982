"""Diagnostics of syntax errors: while a text has one, a compiler has not checked the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Diagnostic

_CODES = {
    "python": re.compile(r".*"),
    "node": re.compile(r".*"),
    "ruff": re.compile(r"invalid-syntax|E999"),
    "mypy": re.compile(r"syntax"),
    "tsc": re.compile(r"TS1\d{3}"),
    # A syntax error of rustc has no code.
    "rustc": re.compile(r""),
    "javac": re.compile(
        r"compiler\.err\.(?:expected\d?|illegal\..*|unclosed\..*|int\.number\.too\.large|"
        r"premature\.eof|not\.stmt|else\.without\.if|catch\.without\.try|orphaned|"
        r"invalid\.meth\.decl.*|class.*expected.*)"
    ),
}
_MESSAGES = {
    "go": re.compile(r"syntax error\b"),
    "gcc": re.compile(r"expected "),
    "g++": re.compile(r"expected "),
}
_OTHER_TOOLS = re.compile(r"(?:invalid-)?syntax")


def is_syntax(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic reports that the text does not parse."""
    message = _MESSAGES.get(diagnostic.tool)
    if message is not None:
        return message.match(diagnostic.message) is not None
    code = _CODES.get(diagnostic.tool, _OTHER_TOOLS)
    return code.fullmatch(diagnostic.code) is not None
