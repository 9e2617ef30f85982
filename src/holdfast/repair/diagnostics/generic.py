"""`file:line:column: message`, as most tools say it; the column and the severity may be missing."""

from __future__ import annotations

import re

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity

_NOWHERE = SourceLines()
_LINE = re.compile(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n]*):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?: *"
    r"(?:(?P<severity>fatal error|error|warning|note|info)(?:\[(?P<code>[\w.-]+)\])?: *)?(?P<message>\S.*)",
    re.IGNORECASE,
)
_SEVERITIES: dict[str, Severity] = {"warning": "warning", "note": "note", "info": "note"}


def parse(
    output: str, *, version: str, sources: SourceLines = _NOWHERE, tool: str = "command"
) -> tuple[Diagnostic, ...]:
    """Give every line that names a place and says something of it."""
    found = (_LINE.fullmatch(line) for line in plain_lines(output))
    return tuple(_diagnostic(match, version, sources, tool) for match in found if match)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines, tool: str) -> Diagnostic:
    message, path = match["message"], match["path"]
    template, args = split(message)
    place = int(match["line"]), int(match["column"] or 1)
    area = sources.area(path, place, (None, None), "characters")
    severity = _SEVERITIES.get((match["severity"] or "").lower(), "error")
    return Diagnostic(
        tool, version, match["code"] or "", severity, message, template, args, path, area
    )
