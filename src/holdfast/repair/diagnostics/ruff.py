"""`ruff check --output-format json`. Columns are characters already."""

from __future__ import annotations

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_array,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Severity, TextEdit

_NOWHERE = SourceLines()


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what ruff found, with its fixes; () if this is not its output."""
    found = (_diagnostic(fields, version, sources) for fields in read_array(plain_lines(output)))
    return tuple(each for each in found if each is not None)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path = text_of(fields, "message"), text_of(fields, "filename")
    if not message or not path:
        return None
    # Older versions say no code and no severity of what does not parse.
    code = text_of(fields, "code") or "invalid-syntax"
    template, args = split(message, "backtick")
    severity: Severity = "warning" if text_of(fields, "severity") == "warning" else "error"
    fixits = _fixits(fields_of(fields, "fix"), path, sources)
    area = _area(fields, path, sources)
    return Diagnostic("ruff", version, code, severity, message, template, args, path, area, fixits)


def _fixits(fix: Fields, path: str, sources: SourceLines) -> tuple[FixIt, ...]:
    edits = []
    for each in list_of(fix, "edits"):
        area = _area(each, path, sources)
        if area is None:
            return ()
        edits.append(TextEdit(path, area, text_of(each, "content")))
    # "display" is a fix that ruff itself never makes.
    if not edits or text_of(fix, "applicability") not in {"safe", "unsafe"}:
        return ()
    return (
        FixIt(text_of(fix, "message"), tuple(edits), safe=text_of(fix, "applicability") == "safe"),
    )


def _area(fields: Fields, path: str, sources: SourceLines) -> Area | None:
    begin, end = fields_of(fields, "location"), fields_of(fields, "end_location")
    return sources.area(path, _place(begin), _place(end), "characters")


def _place(fields: Fields) -> tuple[int | None, int | None]:
    return count_of(fields, "row"), count_of(fields, "column")
