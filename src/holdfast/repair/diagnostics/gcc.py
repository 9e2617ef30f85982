"""gcc and g++ with `-fdiagnostics-format=json`: an array on the error stream.

Columns are bytes, and an end is the last byte of an area.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_array,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, Severity, TextEdit
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_MOST_ERRORS = 200
_SHORTENED = "initialization of"
"""How a message begins for which gcc reports only the first token of an expression."""
_CERTAIN = lazy_pattern(r"\s*(?:[;,:\s]+|#include\s*[<\"][^>\"]+[>\"])\s*")

# Not "internal compiler error": it is not about the code.
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "fatal error": "error",
    "sorry, unimplemented": "error",
    "warning": "warning",
    "pedwarn": "warning",
    "permerror": "error",
    "note": "note",
}
# A complaint about how gcc was called.
_NOT_THE_CODE = lazy_pattern(r"unrecognized command[- ]line option")
_UNQUOTED = (lazy_pattern(r"(\S+): No such file or directory"),)
# In the C locale gcc prints the number of a character that is not ASCII.
_NUMBERED = lazy_pattern(r"\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})")
_PROGRAM = lazy_pattern(r"^cc1(?:plus)?: (?:warning|error|note): ")
# The type behind an alias varies and does not make a different complaint.
_ALSO_KNOWN_AS = lazy_pattern(r" \{aka (?:'[^']*'|‘[^’]*’)\}")
# Nor does a similar name in scope; it is tried as a fix-it anyway. A name with its namespace is
# more than a similar name, and has no fix-it.
_GUESS = lazy_pattern(r"; did you mean (?:'\w+'|‘\w+’)\?$")


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES, tool: str = "gcc"
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of gcc up to the 200th error; the code is the warning's option.

    A note belongs to the diagnostic before it.
    """
    found: list[Diagnostic] = []
    left = _MOST_ERRORS
    for fields in _flatten(read_array(plain_lines(output))):
        diagnostic = _diagnostic(fields, version, sources, tool)
        if diagnostic is None:
            continue
        if diagnostic.severity == "note" and found:
            note = Related(diagnostic.message, diagnostic.path, diagnostic.area)
            found[-1] = replace(found[-1], related=(*found[-1].related, note))
            continue

        left -= diagnostic.severity == "error"
        if left < 0:
            break
        found.append(diagnostic)

    return tuple(found)


def _flatten(reports: Iterable[Fields]) -> Iterator[Fields]:
    """Yield each report, and its children that are not notes.

    In a header gcc nests everything below its first warning.
    """
    for report in reports:
        yield report
        for child in list_of(report, "children"):
            if text_of(child, "kind") != "note":
                yield child


def _diagnostic(fields: Fields, version: str, sources: SourceLines, tool: str) -> Diagnostic | None:
    message = _readable(text_of(fields, "message"))
    severity = _SEVERITIES.get(text_of(fields, "kind"))
    if not message or severity is None or _NOT_THE_CODE.match(message):
        return None

    without_guess = _GUESS.sub("", _ALSO_KNOWN_AS.sub("", message))
    template, args = split_message(without_guess, "single", _UNQUOTED)
    path, area = _first_place(fields, sources)
    if area is not None and message.startswith(_SHORTENED):
        area = replace(area, end_line=area.line, end_column=area.column)

    return Diagnostic(
        tool=tool,
        tool_version=version,
        # A warning that is made an error is the same complaint.
        code=text_of(fields, "option").replace("-Werror=", "-W", 1),
        severity=severity,
        message=message,
        template=template,
        args=args,
        path=path,
        area=area,
        fixits=_fixits(fields, message, sources),
        related=tuple(_notes(fields, sources)),
    )


def _notes(fields: Fields, sources: SourceLines) -> Iterator[Related]:
    for child in list_of(fields, "children"):
        if text_of(child, "kind") == "note":
            message = _readable(text_of(child, "message")).strip()
            yield Related(message, *_first_place(child, sources))


def _first_place(fields: Fields, sources: SourceLines) -> tuple[str, Area | None]:
    """Return the file and area of the first location; no file if there is no location."""
    locations = list_of(fields, "locations")
    if not locations:
        return "", None

    location = locations[0]
    caret = fields_of(location, "caret")
    begin = fields_of(location, "start") or caret
    finish = fields_of(location, "finish") or caret
    path = text_of(caret, "file")
    end_column = _column(finish)
    # With only a caret, the place is a point.
    if end_column is not None and "finish" in location:
        end_column += 1

    end = count_of(finish, "line"), end_column
    return path, sources.area(path, (count_of(begin, "line"), _column(begin)), end, "bytes")


def _fixits(fields: Fields, message: str, sources: SourceLines) -> tuple[FixIt, ...]:
    """Return the fix: all its edits together. gcc does not report whether it keeps the meaning."""
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

    if not edits:
        return ()

    return (FixIt(message, tuple(edits), safe=all(map(_is_certain, edits))),)


def _is_certain(edit: TextEdit) -> bool:
    """Return whether an edit adds only a separator or an include; gcc guesses all else.

    A bracket is a guess too: where it belongs, only the writer of the code knows.
    """
    is_added = (edit.area.line, edit.area.column) == (edit.area.end_line, edit.area.end_column)
    return is_added and _CERTAIN.fullmatch(edit.text) is not None


def _column(place: Fields) -> int | None:
    """Return the column in bytes; gcc before version 11 counts only bytes and calls it `column`."""
    in_bytes = count_of(place, "byte-column")
    if in_bytes is None:
        return count_of(place, "column")
    return in_bytes


def _readable(message: str) -> str:
    """Return the message with its characters in place of their numbers."""

    def character(found: re.Match[str]) -> str:
        number = int(found[1] or found[2], 16)
        if number >= 0x110000:
            return found[0]
        return chr(number)

    # After a complaint about its own options gcc 12 prints its program name before every message.
    return _NUMBERED.sub(character, _PROGRAM.sub("", message))
