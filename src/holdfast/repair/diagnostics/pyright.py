"""`pyright --outputjson`: lines and columns from 0, columns in UTF-16 units; what does not parse has no rule."""

from __future__ import annotations

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_whole,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Related, Severity

_NOWHERE = SourceLines()
_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "information": "note"}


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what pyright found; () if this is not its output."""
    whole = read_whole(plain_lines(output)) or {}
    found = (_diagnostic(each, version, sources) for each in list_of(whole, "generalDiagnostics"))
    return tuple(each for each in found if each is not None)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path = text_of(fields, "message"), text_of(fields, "file")
    severity = _SEVERITIES.get(text_of(fields, "severity"))
    if not message or not path or severity is None:
        return None
    # The lines below the first say why, each deeper; how many there are differs from case to case.
    first, *more = message.split("\n")
    template, args = split(first, "double")
    place = fields_of(fields, "range")
    begin, end = fields_of(place, "start"), fields_of(place, "end")
    area = sources.area(path, _place(begin), _place(end), "utf16")
    related = tuple(Related(line.strip(), path) for line in more if line.strip())
    code = text_of(fields, "rule")
    return Diagnostic(
        "pyright", version, code, severity, message, template, args, path, area, related=related
    )


def _place(fields: Fields) -> tuple[int | None, int | None]:
    return count_of(fields, "line", 1), count_of(fields, "character", 1)
