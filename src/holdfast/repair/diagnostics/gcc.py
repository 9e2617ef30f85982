"""gcc and g++ with `-fdiagnostics-format=json`: an array on the error stream; columns in bytes, to the last one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_array,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, Severity, TextEdit

_NOWHERE = SourceLines()
# An internal compiler error is none of these: it says nothing of the code.
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "fatal error": "error",
    "sorry, unimplemented": "error",
    "warning": "warning",
    "pedwarn": "warning",
    "permerror": "error",
    "note": "note",
}
# It is about how gcc was called.
_NOT_THE_CODE = re.compile(r"unrecognized command[- ]line option")
_UNQUOTED = (re.compile(r"(\S+): No such file or directory"),)
# In the C locale gcc names a character that is not ASCII by its number.
_NUMBERED = re.compile(r"\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})")
_SPEAKER = re.compile(r"^cc1(?:plus)?: (?:warning|error|note): ")
# What a type is an alias of differs from type to type, and is no other complaint.
_ALSO_KNOWN_AS = re.compile(r" \{aka (?:'[^']*'|‘[^’]*’)\}")
# Nor is it another complaint where some name happens to look like the missing one; as a fix-it it is tried anyway.
# A name with its namespace is more than a likeness, and no fix-it.
_GUESS = re.compile(r"; did you mean (?:'\w+'|‘\w+’)\?$")


def parse(
    output: str, *, version: str, sources: SourceLines = _NOWHERE, tool: str = "gcc"
) -> tuple[Diagnostic, ...]:
    """Give what gcc found; the code is the warning's option. A note belongs to what stands before it."""
    found: list[Diagnostic] = []
    for fields in _flat(read_array(plain_lines(output))):
        each = _diagnostic(fields, version, sources, tool)
        if each is None:
            continue
        if each.severity == "note" and found:
            note = Related(each.message, each.path, each.area)
            found[-1] = replace(found[-1], related=(*found[-1].related, note))
        else:
            found.append(each)
    return tuple(found)


def _flat(told: Iterable[Fields]) -> Iterator[Fields]:
    """Give what stands below another, too, where it is no note: of a header gcc puts all below its first warning."""
    for fields in told:
        yield fields
        yield from (
            child for child in list_of(fields, "children") if text_of(child, "kind") != "note"
        )


def _diagnostic(fields: Fields, version: str, sources: SourceLines, tool: str) -> Diagnostic | None:
    message, severity = (
        _readable(text_of(fields, "message")),
        _SEVERITIES.get(text_of(fields, "kind")),
    )
    if not message or severity is None or _NOT_THE_CODE.match(message):
        return None
    template, args = split(_GUESS.sub("", _ALSO_KNOWN_AS.sub("", message)), "single", _UNQUOTED)
    path, area = _first_place(fields, sources)
    related = tuple(
        Related(_readable(text_of(child, "message")).strip(), *_first_place(child, sources))
        for child in list_of(fields, "children")
        if text_of(child, "kind") == "note"
    )
    # A warning that is made an error is the same complaint.
    code = text_of(fields, "option").replace("-Werror=", "-W", 1)
    fixits = _fixits(fields, message, sources)
    return Diagnostic(
        tool, version, code, severity, message, template, args, path, area, fixits, related
    )


def _first_place(fields: Fields, sources: SourceLines) -> tuple[str, Area | None]:
    """Give the file and area of the first location; one without a location is about the whole."""
    for location in list_of(fields, "locations"):
        caret = fields_of(location, "caret")
        begin, finish = (
            fields_of(location, "start") or caret,
            fields_of(location, "finish") or caret,
        )
        path = text_of(caret, "file")
        last = _column(finish)
        # Beside its caret alone, the place is a point.
        after = last + 1 if last is not None and "finish" in location else last
        end = (count_of(finish, "line"), after)
        return path, sources.area(path, (count_of(begin, "line"), _column(begin)), end, "bytes")
    return "", None


def _fixits(fields: Fields, message: str, sources: SourceLines) -> tuple[FixIt, ...]:
    """Give the fix, which is all its edits together. gcc does not say whether the meaning stays."""
    edits = []
    for each in list_of(fields, "fixits"):
        begin, after = fields_of(each, "start"), fields_of(each, "next")
        path = text_of(begin, "file")
        area = sources.area(
            path,
            (count_of(begin, "line"), _column(begin)),
            (count_of(after, "line"), _column(after)),
            "bytes",
        )
        if area is None or not path:
            return ()
        edits.append(TextEdit(path, area, text_of(each, "string")))
    return (FixIt(message, tuple(edits)),) if edits else ()


def _column(place: Fields) -> int | None:
    """Give the column in bytes; gcc before version 11 counts in them only, and calls them `column`."""
    in_bytes = count_of(place, "byte-column")
    return count_of(place, "column") if in_bytes is None else in_bytes


def _readable(message: str) -> str:
    def character(found: re.Match[str]) -> str:
        number = int(found[1] or found[2], 16)
        return chr(number) if number < 0x110000 else found[0]

    # After a complaint about its own options gcc 12 says who speaks before every message.
    return _NUMBERED.sub(character, _SPEAKER.sub("", message))
