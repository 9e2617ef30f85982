"""The errors of Python's own compiler, one JSON object a line.

`adapters/toolchains/languages/python_child.py` prints them.
"""

from __future__ import annotations

from holdfast.repair.diagnostics.columns import NO_SOURCES, ColumnUnit, SourceLines
from holdfast.repair.diagnostics.lenient_json import Fields, count_of, read_lines, text_of
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity
from holdfast.vocab.lazy_pattern import lazy_pattern

_UNQUOTED = (lazy_pattern(r"keyword argument repeated: (\w+)"),)


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the error that stopped Python, and its warnings; the code is the exception's name."""
    found = []
    for fields in read_lines(plain_lines(output)):
        diagnostic = _diagnostic(fields, version, sources)
        if diagnostic is not None:
            found.append(diagnostic)
    return tuple(found)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message = text_of(fields, "message")
    path = text_of(fields, "path")
    code = text_of(fields, "type")
    if not message or not path or not code:
        return None

    # The parser counts columns in characters; the later passes over the tree count in bytes.
    unit: ColumnUnit = "characters"
    if text_of(fields, "unit") == "bytes":
        unit = "bytes"

    severity: Severity = "error"
    if code.endswith("Warning"):
        severity = "warning"

    begin = count_of(fields, "line"), count_of(fields, "column")
    # An end of 0 or -1 is none, and so is an end without a begin.
    end = count_of(fields, "end_line"), count_of(fields, "end_column")
    template, args = split_message(message, "double", _UNQUOTED)
    return Diagnostic(
        tool="python",
        tool_version=version,
        code=code,
        severity=severity,
        message=message,
        template=template,
        args=args,
        path=path,
        area=sources.area(path, begin, end, unit),
    )
