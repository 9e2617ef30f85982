"""`tsc --pretty false`: `file(line,column): error TS2304: message`, and indented lines that say more of it."""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Related, Severity

_NOWHERE = SourceLines()
_HEAD = re.compile(
    r"(?:(?P<path>[^\n]+?)\((?P<line>[0-9]{1,9}),(?P<column>[0-9]{1,9})\): )?"
    r"(?P<severity>error|warning|message) (?P<code>TS[0-9]{1,6}): (?P<message>.+)"
)


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what tsc found; the first line of a message makes the template, the others are `related`."""
    found: list[Diagnostic] = []
    for line in plain_lines(output):
        head = _HEAD.fullmatch(line)
        if head:
            found.append(_diagnostic(head, version, sources))
        elif found and line.startswith("  ") and line.strip():
            more = Related(line.strip(), found[-1].path)
            message = f"{found[-1].message}\n{line}"
            found[-1] = replace(found[-1], message=message, related=(*found[-1].related, more))
    return tuple(found)


def _diagnostic(head: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    path = head["path"] or ""
    severity: Severity = "error" if head["severity"] == "error" else "warning"
    place = (int(head["line"]), int(head["column"])) if head["line"] else (None, None)
    template, args = split(head["message"], "single")
    area = sources.area(path, place, (None, None), "utf16")
    return Diagnostic(
        "tsc", version, head["code"], severity, head["message"], template, args, path, area
    )
