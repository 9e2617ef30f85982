"""`node --check`: the place, the line, a row of carets, and then the error's name and message.

/tmp/a.js:1
const x = ;
          ^

SyntaxError: Unexpected token ';'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re

_PLACE = lazy_pattern(r"(?:file://)?(?P<path>[^\n]+?):(?P<line>[0-9]{1,9})")
# Other errors (a missing file, an out-of-memory) are not about the code.
_ERROR = lazy_pattern(r"(?P<code>SyntaxError): (?P<message>.+)")
_CARETS = lazy_pattern(r"(?P<before>\s*)(?P<carets>\^+)\s*")
_FAR = 8
"""The most lines between the place and the error."""


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the error that stopped node; () if there is none, or for any other output."""
    lines = plain_lines(output)
    for at, line in enumerate(lines):
        error = _ERROR.fullmatch(line)
        if not error:
            continue
        found = _diagnostic(error, lines[max(at - _FAR, 0) : at], version, sources)
        if found is not None:
            return (found,)

    return ()


def _diagnostic(
    error: re.Match[str], before: list[str], version: str, sources: SourceLines
) -> Diagnostic | None:
    """Return the diagnostic; None if the lines before the error do not name a place."""
    for at in reversed(range(len(before))):
        place = _PLACE.fullmatch(before[at])
        if not place:
            continue
        template, args = split_message(error["message"], "single")
        return Diagnostic(
            tool="node",
            tool_version=version,
            code=error["code"],
            severity="error",
            message=error["message"],
            template=template,
            args=args,
            path=place["path"],
            area=_area(place["path"], int(place["line"]), before[at + 1 :], sources),
        )

    return None


def _area(path: str, line: int, shown: list[str], sources: SourceLines) -> Area | None:
    # The first of these lines is the source's, which may itself consist of carets.
    for row in shown[1:]:
        carets = _CARETS.fullmatch(row)
        if carets:
            begin = len(carets["before"]) + 1
            end = begin + len(carets["carets"])
            return sources.area(path, (line, begin), (line, end), "utf16")

    return sources.area(path, (line, 1), (None, None), "utf16")
