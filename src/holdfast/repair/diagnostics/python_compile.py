"""What Python's own compiler says, as `adapters/toolchains/languages/python_child.py` prints it: one object a line."""

from __future__ import annotations

import re

from holdfast.repair.diagnostics.columns import ColumnUnit, SourceLines
from holdfast.repair.diagnostics.lenient_json import Fields, count_of, read_lines, text_of
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity

_NOWHERE = SourceLines()
_UNQUOTED = (re.compile(r"keyword argument repeated: (\w+)"),)


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give the error that Python stops at, and its warnings; the code is the exception's name."""
    found = (_diagnostic(fields, version, sources) for fields in read_lines(plain_lines(output)))
    return tuple(each for each in found if each is not None)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path, code = (
        text_of(fields, "message"),
        text_of(fields, "path"),
        text_of(fields, "type"),
    )
    if not message or not path or not code:
        return None
    # What the parser finds is told in characters; what is found later, in the tree, in bytes.
    unit: ColumnUnit = "bytes" if text_of(fields, "unit") == "bytes" else "characters"
    begin = count_of(fields, "line"), count_of(fields, "column")
    # An end of 0 or -1 is none, and so is any for which there is no begin.
    end = count_of(fields, "end_line"), count_of(fields, "end_column")
    template, args = split(message, "double", _UNQUOTED)
    severity: Severity = "warning" if code.endswith("Warning") else "error"
    area = sources.area(path, begin, end, unit)
    return Diagnostic("python", version, code, severity, message, template, args, path, area)
