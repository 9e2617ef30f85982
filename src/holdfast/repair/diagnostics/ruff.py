"""`ruff check --output-format json`. Its columns are characters already."""

from __future__ import annotations

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_array,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Severity, TextEdit

_SEVERITIES: dict[str, Severity] = {"warning": "warning"}


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of ruff with its fixes; () for any other output."""
    found = []
    for fields in read_array(plain_lines(output)):
        diagnostic = _diagnostic(fields, version, sources)
        if diagnostic is not None:
            found.append(diagnostic)
    return tuple(found)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path = text_of(fields, "message"), text_of(fields, "filename")
    if not message or not path:
        return None

    template, args = split_message(message, "backtick")
    return Diagnostic(
        tool="ruff",
        tool_version=version,
        # Older versions print neither code nor severity for a syntax error.
        code=text_of(fields, "code") or "invalid-syntax",
        severity=_SEVERITIES.get(text_of(fields, "severity"), "error"),
        message=message,
        template=template,
        args=args,
        path=path,
        area=_area(fields, path, sources),
        fixits=_fixits(fields_of(fields, "fix"), path, sources),
    )


def _fixits(fix: Fields, path: str, sources: SourceLines) -> tuple[FixIt, ...]:
    applicability = text_of(fix, "applicability")
    # "display" is a fix that ruff itself never applies.
    if applicability not in {"safe", "unsafe"}:
        return ()

    edits = []
    for each in list_of(fix, "edits"):
        area = _area(each, path, sources)
        if area is None:
            return ()
        edits.append(TextEdit(path, area, text_of(each, "content")))

    if not edits:
        return ()

    return (FixIt(text_of(fix, "message"), tuple(edits), safe=applicability == "safe"),)


def _area(fields: Fields, path: str, sources: SourceLines) -> Area | None:
    begin, end = fields_of(fields, "location"), fields_of(fields, "end_location")
    return sources.area(path, _place(begin), _place(end), "characters")


def _place(fields: Fields) -> tuple[int | None, int | None]:
    return count_of(fields, "row"), count_of(fields, "column")
