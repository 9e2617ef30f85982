"""`pyright --outputjson`: lines and columns from 0, columns in UTF-16 units.

A syntax error has no rule.
"""

from __future__ import annotations

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_whole,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Related, Severity

_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "information": "note"}


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of pyright; () for any other output."""
    report = read_whole(plain_lines(output)) or {}
    found = []
    for fields in list_of(report, "generalDiagnostics"):
        diagnostic = _diagnostic(fields, version, sources)
        if diagnostic is not None:
            found.append(diagnostic)

    return tuple(found)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path = text_of(fields, "message"), text_of(fields, "file")
    severity = _SEVERITIES.get(text_of(fields, "severity"))
    if not message or not path or severity is None:
        return None

    # The lines after the first are the reasons, each deeper; their number varies.
    first, *reasons = message.split("\n")
    template, args = split_message(first, "double")
    place = fields_of(fields, "range")
    begin, end = _place(fields_of(place, "start")), _place(fields_of(place, "end"))
    return Diagnostic(
        tool="pyright",
        tool_version=version,
        code=text_of(fields, "rule"),
        severity=severity,
        message=message,
        template=template,
        args=args,
        path=path,
        area=sources.area(path, begin, end, "utf16"),
        related=tuple(Related(line.strip(), path) for line in reasons if line.strip()),
    )


def _place(fields: Fields) -> tuple[int | None, int | None]:
    return count_of(fields, "line", 1), count_of(fields, "character", 1)
