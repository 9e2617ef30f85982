"""`go build` and `go vet`: `./a.go:4:2: undefined: x`; columns in bytes, names mostly without quotes.

Written after the compiler's documented messages, not after a run: go is not installed here.
"""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.repair.diagnostics.plain import plain_lines
from holdfast.repair.diagnostics.sources import Sources
from holdfast.repair.diagnostics.template import split
from holdfast.vocab.diagnostics import Diagnostic, Related

_NOWHERE = Sources()
_LINE = re.compile(
    r"(?:vet: )?(?:\./)?(?P<path>[^\s:][^:\n]*\.go):(?P<line>[0-9]{1,9}):(?:(?P<column>[0-9]{1,9}):)? (?P<message>\S.*)"
)
_UNQUOTED = tuple(
    re.compile(pattern)
    for pattern in (
        r"undefined: (\S+)",
        r"declared and not used: (\S+)",
        r"(\S+) declared (?:and|but) not used",
        r'"([^"]+)" imported and not used',
        r'"([^"]+)" imported as (\S+) and not used',
        r"(\S+) undefined \(type (.+) has no field or method (\w+)\)",
        r"(\S+) undefined \(type (.+) has no field or method (\w+), but does have (?:field|method) (\w+)\)",
        r"(\w+) redeclared in this block",
        r"cannot use (.+) \((.+)\) as (.+) value in (?:assignment|return statement|variable declaration)",
        r"cannot use (.+) \((.+)\) as (.+) value in argument to (.+)",
        r"cannot use (.+) as (.+) value in (?:assignment|argument|return statement|variable declaration)",
        r"(?:not enough|too many) arguments in call to (\S+)",
        r"assignment mismatch: ([0-9]+) variables? but (\S+) returns ([0-9]+) values?",
        r"package (\S+) is not in std.*",
        r"missing return",
    )
)


def parse(output: str, *, version: str, sources: Sources = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what go found; lines that are indented say more of the one before."""
    found: list[Diagnostic] = []
    for line in plain_lines(output):
        match = _LINE.fullmatch(line)
        if match:
            found.append(_diagnostic(match, version, sources))
        elif found and line.startswith("\t") and line.strip():
            more = Related(line.strip(), found[-1].path)
            found[-1] = replace(found[-1], related=(*found[-1].related, more))
    return tuple(found)


def _diagnostic(match: re.Match[str], version: str, sources: Sources) -> Diagnostic:
    template, args = split(match["message"], "any", _UNQUOTED)
    path = match["path"]
    area = sources.area(path, (int(match["line"]), int(match["column"] or 1)), (None, None), "bytes")
    return Diagnostic("go", version, "", "error", match["message"], template, args, path, area)
