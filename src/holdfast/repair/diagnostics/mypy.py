"""`mypy --output json`: one object a line; columns count from 0, in bytes. A note belongs to the error before it."""

from __future__ import annotations

from dataclasses import replace

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.lenient_json import Fields, count_of, read_lines, text_of
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Related, Severity

_NOWHERE = SourceLines()


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what mypy found; () if this is not its output."""
    found: list[Diagnostic] = []
    for fields in read_lines(plain_lines(output)):
        each = _diagnostic(fields, version, sources)
        if each is None:
            continue
        if each.severity == "note" and found and found[-1].path == each.path:
            note = Related(each.message, each.path, each.area)
            found[-1] = replace(found[-1], related=(*found[-1].related, note))
        else:
            found.append(each)
    return tuple(found)


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, path, code = (
        text_of(fields, "message"),
        text_of(fields, "file"),
        text_of(fields, "code"),
    )
    severity: Severity = "note" if text_of(fields, "severity") == "note" else "error"
    if not message or not path or not text_of(fields, "severity"):
        return None
    # The columns of what does not parse are those of Python's own error: characters, from 1.
    add = 0 if code == "syntax" else 1
    area = sources.area(
        path,
        (count_of(fields, "line"), count_of(fields, "column", add)),
        (count_of(fields, "end_line"), count_of(fields, "end_column", add)),
        "characters" if code == "syntax" else "bytes",
    )
    template, args = split(message, "any" if code == "syntax" else "double")
    hint = text_of(fields, "hint")
    related = (Related(hint, path),) if hint else ()
    return Diagnostic(
        "mypy", version, code, severity, message, template, args, path, area, related=related
    )
