"""`mypy --output json`: one object a line; columns count from 0, in bytes.

A note belongs to the error before it.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.lenient_json import Fields, count_of, read_lines, text_of
from holdfast.repair.diagnostics.message_template import Quotes, split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, Related, Severity

_SEVERITIES: dict[str, Severity] = {"note": "note"}


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of mypy; () for any other output."""
    found: list[Diagnostic] = []
    for fields in read_lines(plain_lines(output)):
        diagnostic = _diagnostic(fields, version, sources)
        if diagnostic is None:
            continue
        follows = bool(found) and found[-1].path == diagnostic.path
        if follows and diagnostic.severity == "note":
            note = Related(diagnostic.message, diagnostic.path, diagnostic.area)
            found[-1] = replace(found[-1], related=(*found[-1].related, note))
        else:
            found.append(diagnostic)

    return tuple(found)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message = text_of(fields, "message")
    path = text_of(fields, "file")
    severity = text_of(fields, "severity")
    if not message or not path or not severity:
        return None

    code = text_of(fields, "code")
    quotes: Quotes = "double"
    if code == "syntax":
        quotes = "any"

    template, args = split_message(message, quotes)
    related: tuple[Related, ...] = ()
    hint = text_of(fields, "hint")
    if hint:
        related = (Related(hint, path),)

    return Diagnostic(
        tool="mypy",
        tool_version=version,
        code=code,
        severity=_SEVERITIES.get(severity, "error"),
        message=message,
        template=template,
        args=args,
        path=path,
        area=_area(fields, path, code, sources),
        related=related,
    )


def _area(fields: Fields, path: str, code: str, sources: SourceLines) -> Area | None:
    line, end_line = count_of(fields, "line"), count_of(fields, "end_line")
    if code == "syntax":
        # These columns are those of Python's own error: characters, from 1.
        begin = line, count_of(fields, "column")
        end = end_line, count_of(fields, "end_column")
        return sources.area(path, begin, end, "characters")

    begin = line, count_of(fields, "column", 1)
    end = end_line, count_of(fields, "end_column", 1)
    return sources.area(path, begin, end, "bytes")
