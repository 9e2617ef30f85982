"""`node --check`: the place, the line, a row of carets, and then the error's name and message.

/tmp/a.js:1
const x = ;
          ^

SyntaxError: Unexpected token ';'
"""

from __future__ import annotations

import re

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic

_NOWHERE = SourceLines()
_PLACE = re.compile(r"(?:file://)?(?P<path>[^\n]+?):(?P<line>[0-9]{1,9})")
# Another error (a file that is not there, an out-of-memory) says nothing of the code.
_ERROR = re.compile(r"(?P<code>SyntaxError): (?P<message>.+)")
_CARETS = re.compile(r"(?P<before>\s*)(?P<carets>\^+)\s*")
_FAR = 8
"""How many lines there are at most between the place and the error."""


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give the error that node stops at; () if it found none, or if this is not its output."""
    lines = plain_lines(output)
    for at, line in enumerate(lines):
        error = _ERROR.fullmatch(line)
        if not error:
            continue
        before = lines[max(at - _FAR, 0) : at]
        heads = [
            (back, place) for back, each in enumerate(before) if (place := _PLACE.fullmatch(each))
        ]
        if not heads:
            continue
        begin, place = heads[-1]
        template, args = split(error["message"], "single")
        area = _area(place["path"], int(place["line"]), before[begin + 1 :], sources)
        found = Diagnostic(
            "node",
            version,
            error["code"],
            "error",
            error["message"],
            template,
            args,
            place["path"],
            area,
        )
        return (found,)
    return ()


def _area(path: str, line: int, shown: list[str], sources: SourceLines) -> Area | None:
    # The first of these lines is the source's, which may itself consist of carets.
    for row in shown[1:]:
        if carets := _CARETS.fullmatch(row):
            begin = len(carets["before"]) + 1
            return sources.area(path, (line, begin), (line, begin + len(carets["carets"])), "utf16")
    return sources.area(path, (line, 1), (None, None), "utf16")
