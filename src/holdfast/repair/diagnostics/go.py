r"""`go build`, `go vet` and `go test`: `./a.go:4:2: undefined: x`; columns in bytes, names mostly without quotes.

Lines that begin with a tab say more of the one before: `\thave (number)`, or `\t./a.go:1:6: other declaration of f`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, Related

_NOWHERE = SourceLines()
_LINE = re.compile(
    r"(?:vet: )?(?:\./)?(?P<path>[^\s:][^:\n]*\.go):(?P<line>[0-9]{1,9}):(?:(?P<column>[0-9]{1,9}):)? (?P<message>\S.*)"
)
# A module that go.mod asks for and that nobody has fetched; and that there is more: neither is about the code.
_NOT_THE_CODE = re.compile(
    r"(?:\S+@v\S+: )?module lookup disabled by GOPROXY=off|missing go\.sum entry .*|too many errors"
)
_SUPPRESSED = re.compile(r" \(and [0-9]+ more errors?\)$")
_UNQUOTED = tuple(
    re.compile(pattern)
    for pattern in (
        # Go 1.19 and before say it one way, 1.20 and later another.
        r"undefined: (\S+)",
        r"undeclared name: (\S+)",
        r"declared and not used: (\S+)",
        r"(\S+) declared (?:and|but) not used",
        r'imported and not used: "([^"]+)"(?: as (\S+))?',
        r'"([^"]+)" imported and not used',
        r'"([^"]+)" imported as (\S+) and not used',
        r"(\S+) undefined \(type (.+) has no field or method (\w+)\)",
        r"(\S+) undefined \(type (.+) has no field or method (\w+), but does have (?:field |method )?(\w+)\)",
        r"(\w+) redeclared in this block",
        r"cannot use (.+) \((.+)\) as type (.+) in (?:assignment|return statement|variable declaration):?",
        r"cannot use (.+) \((.+)\) as (.+) value in (?:assignment|return statement|variable declaration):?",
        r"cannot use (.+) \((.+)\) as (?:type )?(.+?)(?: value)? in argument to (.+)",
        r"cannot use (.+) \((.+)\) as (.+) value in (?:assignment|return statement|variable declaration): (.+)",
        r"invalid operation: (.+) \(mismatched types (.+) and (.+)\)",
        r"(?:not enough|too many) arguments in call to (\S+)",
        r"assignment mismatch: ([0-9]+) variables? but (\S+) returns? ([0-9]+) values?",
        r"assignment mismatch: ([0-9]+) variables? but ([0-9]+) values?",
        r"(?:break|continue|goto) label not defined: (\w+)",
        r"label (\w+) (?:not defined|defined and not used)",
        r"cannot find module providing package (\S+)(?:: .*)?",
        r"no required module provides package (\S+?)[;:] .*",
        r"package (\S+) is not in (?:std|GOROOT)(?: \((.+)\))?",
        r"self-assignment of (\S+) to (\S+)",
        r"(\S+) passes lock by value: (\S+) contains (\S+)",
        r"(\S+) format (\S+) has arg (.+) of wrong type (.+)",
        r"(\S+) format (\S+) reads arg #([0-9]+), but call has ([0-9]+) args?",
        r"(\S+) call needs ([0-9]+) args? but has ([0-9]+) args?",
    )
)


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what go found; lines that are indented say more of the one before."""
    found: list[Diagnostic] = []
    for line in plain_lines(output):
        match = _LINE.fullmatch(line)
        if match and not _NOT_THE_CODE.fullmatch(match["message"]):
            found.append(_diagnostic(match, version, sources))
        elif found and line.startswith("\t") and line.strip():
            found[-1] = _with_more(found[-1], line, sources)
    return tuple(found)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    message = _SUPPRESSED.sub("", match["message"])
    template, args = split(message, "any", _UNQUOTED)
    return Diagnostic(
        "go", version, "", "error", message, template, args, match["path"], _area(match, sources)
    )


def _with_more(found: Diagnostic, line: str, sources: SourceLines) -> Diagnostic:
    """Give the diagnostic with what an indented line says: of another place, or of this."""
    other = _LINE.fullmatch(line.strip())
    if other:
        more = Related(other["message"], other["path"], _area(other, sources))
    else:
        more = Related(line.strip(), found.path)
    return replace(found, message=f"{found.message}\n{line}", related=(*found.related, more))


def _area(match: re.Match[str], sources: SourceLines) -> Area | None:
    return sources.area(
        match["path"], (int(match["line"]), int(match["column"] or 1)), (None, None), "bytes"
    )
