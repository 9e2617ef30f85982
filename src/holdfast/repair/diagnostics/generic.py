"""`file:line:column: message`, as most tools print it; column and severity may be missing."""

from __future__ import annotations

import re

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity
from holdfast.vocab.lazy_pattern import lazy_pattern

_LINE = lazy_pattern(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n]*)"
    r":(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?: *"
    r"(?:(?P<severity>fatal error|error|warning|note|info)(?:\[(?P<code>[\w.-]+)\])?: *)?"
    r"(?P<message>\S.*)",
    re.IGNORECASE,
)
_SEVERITIES: dict[str, Severity] = {"warning": "warning", "note": "note", "info": "note"}


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES, tool: str = "command"
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for every line with a place and a message."""
    found = []
    for line in plain_lines(output):
        match = _LINE.fullmatch(line)
        if match:
            found.append(_diagnostic(match, version, sources, tool))
    return tuple(found)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines, tool: str) -> Diagnostic:
    message, path = match["message"], match["path"]
    template, args = split_message(message)
    place = int(match["line"]), int(match["column"] or 1)
    return Diagnostic(
        tool=tool,
        tool_version=version,
        code=match["code"] or "",
        severity=_SEVERITIES.get((match["severity"] or "").lower(), "error"),
        message=message,
        template=template,
        args=args,
        path=path,
        area=sources.area(path, place, (None, None), "characters"),
    )
