r"""`go build`, `go vet` and `go test`: `./a.go:4:2: undefined: x`.

Columns are bytes, and names are mostly not quoted. Lines that begin with a tab are details of the
line before: `\thave (number)`, or `\t./a.go:1:6: other declaration of f`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, Related
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re

_LINE = lazy_pattern(
    r"(?:vet: )?(?:\./)?(?P<path>[^\s:][^:\n]*\.go)"
    r":(?P<line>[0-9]{1,9}):(?:(?P<column>[0-9]{1,9}):)? (?P<message>\S.*)"
)
_DETAIL = lazy_pattern(r"\t\s*\S")
# A module of go.mod that is not downloaded, and that errors were left out: neither is about the
# code.
_NOT_THE_CODE = lazy_pattern(
    r"(?:\S+@v\S+: )?module lookup disabled by GOPROXY=off|missing go\.sum entry .*|too many errors"
)
_SUPPRESSED = lazy_pattern(r" \(and [0-9]+ more errors?\)$")
_CONTEXT = "(?:assignment|return statement|variable declaration)"
_NO_FIELD = r"type (.+) has no field or method (\w+)"
_UNQUOTED = tuple(
    lazy_pattern(pattern)
    for pattern in (
        # The wording changed with Go 1.20.
        r"undefined: (\S+)",
        r"undeclared name: (\S+)",
        r"declared and not used: (\S+)",
        r"(\S+) declared (?:and|but) not used",
        r'imported and not used: "([^"]+)"(?: as (\S+))?',
        r'"([^"]+)" imported and not used',
        r'"([^"]+)" imported as (\S+) and not used',
        rf"(\S+) undefined \({_NO_FIELD}\)",
        rf"(\S+) undefined \({_NO_FIELD}, but does have (?:field |method )?(\w+)\)",
        r"(\w+) redeclared in this block",
        rf"cannot use (.+) \((.+)\) as type (.+) in {_CONTEXT}:?",
        rf"cannot use (.+) \((.+)\) as (.+) value in {_CONTEXT}:?",
        r"cannot use (.+) \((.+)\) as (?:type )?(.+?)(?: value)? in argument to (.+)",
        rf"cannot use (.+) \((.+)\) as (.+) value in {_CONTEXT}: (.+)",
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


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of go; indented lines are details of the line before."""
    found: list[Diagnostic] = []
    for line in plain_lines(output):
        match = _LINE.fullmatch(line)
        if match:
            is_about_code = not _NOT_THE_CODE.fullmatch(match["message"])
            if is_about_code:
                found.append(_diagnostic(match, version, sources))
        elif found and _DETAIL.match(line):
            found[-1] = _with_detail(found[-1], line, sources)

    return tuple(found)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    message = _SUPPRESSED.sub("", match["message"])
    template, args = split_message(message, "any", _UNQUOTED)
    return Diagnostic(
        tool="go",
        tool_version=version,
        code="",
        severity="error",
        message=message,
        template=template,
        args=args,
        path=match["path"],
        area=_area(match, sources),
    )


def _with_detail(found: Diagnostic, line: str, sources: SourceLines) -> Diagnostic:
    """Return the diagnostic with an indented line that follows it; it may name another place."""
    text = line.strip()
    detail = Related(text, found.path)
    other = _LINE.fullmatch(text)
    if other:
        detail = Related(other["message"], other["path"], _area(other, sources))
    return replace(found, message=f"{found.message}\n{line}", related=(*found.related, detail))


def _area(match: re.Match[str], sources: SourceLines) -> Area | None:
    place = int(match["line"]), int(match["column"] or 1)
    return sources.area(match["path"], place, (None, None), "bytes")
