"""Messages to a model about landed and refused edits."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.explain import explain, refusal_record
from holdfast.landing.text.lines import split_lines
from holdfast.tools.text_limits import count, shorten, shorten_line
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Landed, Refused, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.plan import FileLanded, FileRefused
    from holdfast.tools.ports import LandedEdits

ErrorKind: TypeAlias = Literal["patch_error", "edit_error"]

MOST_LINES = 60
"""How many of a file's lines the second refusal on it shows."""
_MOST_CHARACTERS = 6_000
_HUNK = lazy_pattern(r"@@ -(\d+)(?:,(\d+))? \+(\d+)")
_GROWTH = {"+": 1, "-": -1}
_NUMBERED = lazy_pattern(r"^(\d+)\| ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EditMessage:
    """A refusal to describe.

    `now` is the file's text, if it is shown. `stale`: the model saw another text before.
    """

    each: FileRefused
    now: str | None = None
    stale: bool = False


# ------------------------------------------------------------------------------------------- landed


def describe_landed(landing: LandedEdits, hidden: frozenset[str] = frozenset()) -> str:
    """Return a sentence and the changed lines for each file; for `hidden` files no lines."""
    messages: list[str] = []
    for file in landing.files:
        message = _landed(file)
        if hidden & {file.path, file.to}:
            message = message.partition("\n")[0]
        messages.append(message)

    text = "\n".join(messages)
    if landing.proposed:
        text = f"Proposed for review, and part of what you read from now on.\n{text}"

    return shorten(text, _MOST_CHARACTERS)


def _landed(file: FileLanded) -> str:
    parsed = _parse_diff(file.diff)
    match file.action:
        case "create":
            message = f"{file.path}: created, {count(parsed.grown, 'line')}."
            for warning in file.warnings:
                message += f" Warning: {warning}"
            return message
        case "delete":
            return f"{file.path}: deleted."
        case "rename":
            sentence = f"{file.path}: renamed to {file.to}."
            if not parsed.hunks:
                return sentence
            return f"{sentence}\n{_edited(file, parsed)}"
        case _:
            return _edited(file, parsed)


def _edited(file: FileLanded, parsed: _ParsedDiff) -> str:
    warning = " ".join(file.warnings) or None
    landed = Landed("", parsed.hunks, file.rung, file.similarity, parsed.places, warning)
    sentence, _, changed = explain(landed).partition("\n")
    if parsed.grown:
        sentence += f" The lines below moved by {parsed.grown:+d}."

    path = file.to or file.path
    return f"{path}: {sentence}\n{changed}".rstrip()


@dataclass(frozen=True, slots=True)
class _ParsedDiff:
    """The hunks of a diff without the headers of the file.

    `places` have the old number of the first changed line of each place; `grown` is how many
    lines the file has more than before.
    """

    hunks: str
    places: tuple[Span, ...]
    grown: int


def _parse_diff(diff: str) -> _ParsedDiff:
    places: list[Span] = []
    hunks: list[str] = []
    number = grown = 0
    changing = False
    for line in diff.split("\n"):
        header = _HUNK.match(line)
        if header:
            hunks.append(line)
            # A hunk without old lines names the line before it.
            number = int(header[1]) + (header[2] == "0")
            changing = False
            continue
        if not hunks:
            continue
        hunks.append(line)
        sign = line[:1]
        if sign in _GROWTH:
            if not changing:
                places.append(Span(0, 0, number))
            grown += _GROWTH[sign]
            changing = True
        elif sign != "\\":
            changing = False
        if sign in {"-", " "}:
            number += 1

    return _ParsedDiff("\n".join(hunks), tuple(places), grown)


# ------------------------------------------------------------------------------------------ refused


def describe_refused(
    refusals: Sequence[EditMessage], kind: ErrorKind, expected: str, *, others: bool
) -> str:
    """Return the refusals as JSON: a record for one, a list of records for several.

    `others`: the call had more edits, and they were not applied either.
    """
    nothing = "Nothing was written."
    if others:
        nothing = "Nothing was written; the other edits of this call were not applied either."

    records = [_record(each, kind, expected) for each in refusals]
    if len(records) == 1:
        record = records[0]
        if others:
            record["message"] = f"{record['message']}\n{nothing}"
        return _json(record)

    message = f"{count(len(records), 'edit')} were refused. {nothing}"
    return _json({"kind": kind, "message": message, "refusals": records})


def refused_call(refused: Refused, kind: ErrorKind, expected: str) -> str:
    """Return the JSON for a call that could not be parsed."""
    return _json(_refusal(refused, kind, expected))


def _record(message: EditMessage, kind: ErrorKind, expected: str) -> dict[str, object]:
    refused = message.each.refused
    record: dict[str, object] = {"path": message.each.path, **_refusal(refused, kind, expected)}
    if message.stale and refused.reason in {"not_found", "stale", "ambiguous", "out_of_bounds"}:
        cure = "The file has changed since it was shown to you; read it again."
        record["message"] = f"{record['message']}\n{cure}"

    if message.now is not None:
        record["current_lines"] = _lines_around(message.now, refused)

    return record


def _refusal(refused: Refused, kind: ErrorKind, expected: str) -> dict[str, object]:
    """Return the refusal as a record without empty fields."""
    record = refusal_record(replace(refused, kind=kind))
    if record["expected_format"]:
        record["expected_format"] = expected

    compact: dict[str, object] = {}
    for name, value in record.items():
        may_be_empty = name in {"message", "expected_format"}
        if value or may_be_empty:
            compact[name] = value

    return compact


def _lines_around(text: str, refused: Refused) -> str:
    """Return the file's lines around the closest place, with their numbers."""
    lines, _ = split_lines(text)
    first = _closest_line(refused) - 1 - MOST_LINES // 3
    first = max(0, min(first, len(lines) - MOST_LINES))
    shown: list[str] = []
    for number, line in enumerate(lines[first : first + MOST_LINES], first + 1):
        bounded = shorten_line(line, 200)
        shown.append(f"{number}| {bounded}")

    return "\n".join(shown)


def _closest_line(refused: Refused) -> int:
    numbered = _NUMBERED.search(refused.closest)
    if numbered:
        return int(numbered[1])
    if refused.candidates:
        return refused.candidates[0]
    return 1


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)
