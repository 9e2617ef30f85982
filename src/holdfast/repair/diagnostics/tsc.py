"""`tsc --pretty false`: `file(line,column): error TS2304: message`, then indented details."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Related, Severity
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re

_HEAD = lazy_pattern(
    r"(?:(?P<path>[^\n]+?)\((?P<line>[0-9]{1,9}),(?P<column>[0-9]{1,9})\): )?"
    r"(?P<severity>error|warning|message) (?P<code>TS[0-9]{1,6}): (?P<message>.+)"
)
_DETAIL = lazy_pattern(r"  \s*\S")
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "message": "warning",
}


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of tsc.

    The first line of a message becomes the template, the others become `related`.
    """
    found: list[Diagnostic] = []
    for line in plain_lines(output):
        head = _HEAD.fullmatch(line)
        if head:
            found.append(_diagnostic(head, version, sources))
        elif found and _DETAIL.match(line):
            found[-1] = _with_detail(found[-1], line)

    return tuple(found)


def _diagnostic(head: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    path, message = head["path"] or "", head["message"]
    template, args = split_message(message, "single")
    area = None
    if head["line"]:
        place = int(head["line"]), int(head["column"])
        area = sources.area(path, place, (None, None), "utf16")

    return Diagnostic(
        tool="tsc",
        tool_version=version,
        code=head["code"],
        severity=_SEVERITIES[head["severity"]],
        message=message,
        template=template,
        args=args,
        path=path,
        area=area,
    )


def _with_detail(found: Diagnostic, line: str) -> Diagnostic:
    """Return the diagnostic with an indented line that follows it."""
    detail = Related(line.strip(), found.path)
    return replace(found, message=f"{found.message}\n{line}", related=(*found.related, detail))
