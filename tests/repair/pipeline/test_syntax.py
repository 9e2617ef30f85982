"""Which complaints say that a text does not parse."""

from __future__ import annotations

import pytest

from holdfast.syntax.syntax_errors import is_syntax
from holdfast.vocab.diagnostics import Diagnostic


@pytest.mark.parametrize(
    ("tool", "code", "message", "expected"),
    [
        ("python", "SyntaxError", "invalid syntax", True),
        ("ruff", "invalid-syntax", "Expected an expression", True),
        ("ruff", "F821", "Undefined name", False),
        ("mypy", "syntax", "invalid syntax", True),
        ("mypy", "name-defined", "Name is not defined", False),
        ("tsc", "TS1005", "';' expected.", True),
        ("tsc", "TS2304", "Cannot find name", False),
        ("rustc", "", "expected one of `;`", True),
        ("rustc", "E0425", "cannot find value", False),
        ("javac", "compiler.err.expected", "';' expected", True),
        ("javac", "compiler.err.cant.resolve.location", "cannot find symbol", False),
        ("go", "", "syntax error: unexpected newline", True),
        ("go", "", "undefined: x", False),
        ("gcc", "", "expected ';' before 'return'", True),
        ("gcc", "", "'x' undeclared", False),
        ("make", "", "expected", False),
    ],
)
def test_a_text_that_does_not_parse(tool: str, code: str, message: str, *, expected: bool) -> None:
    assert (
        is_syntax(Diagnostic(tool, "1", code, "error", message, message, (), "a", None)) is expected
    )
