"""Landings and refusals, as a model is told of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.explain import explain, refusal_record
from holdfast.landing.text.lines import split_lines
from holdfast.tools.text_limits import count, shorten, shorten_line
from holdfast.vocab.outcomes import Landed, Refused, Span

if TYPE_CHECKING:
    from holdfast.changes.plan import FileLanded, FileRefused
    from holdfast.tools.ports import LandedEdits

ErrorKind: TypeAlias = Literal["patch_error", "edit_error"]

MOST_LINES = 60
"""So many of a file's lines go with the second refusal on it."""
_MOST_CHARACTERS = 6_000
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)")
_NUMBERED = re.compile(r"^(\d+)\| ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EditMessage:
    """A refusal; `now` is the file's text where it is to be shown, `stale` says it is not the text that was shown."""

    each: FileRefused
    now: str | None = None
    stale: bool = False


# -------------------------------------------------------------------------------------------------------------- landed


def tell_landed(landing: LandedEdits, hidden: frozenset[str] = frozenset()) -> str:
    """Give a sentence and the changed lines for each file; of those that are `hidden` only the sentence."""
    told = "\n".join(
        _landed(file) if not hidden & {file.path, file.to} else _landed(file).partition("\n")[0]
        for file in landing.files
    )
    if landing.proposed:
        told = f"Proposed for review, and part of what you read from now on.\n{told}"
    return shorten(told, _MOST_CHARACTERS)


def _landed(file: FileLanded) -> str:
    lines, grown, diff = _read(file.diff)
    warnings = "".join(f" Warning: {warning}" for warning in file.warnings)
    match file.action:
        case "create":
            return f"{file.path}: created, {count(grown, 'line')}.{warnings}"
        case "delete":
            return f"{file.path}: deleted."
        case "rename" if not diff:
            return f"{file.path}: renamed to {file.to}."
        case _:
            renamed = f"{file.path}: renamed to {file.to}.\n" if file.action == "rename" else ""
            spans = tuple(Span(0, 0, line) for line in lines)
            landed = Landed(
                "", diff, file.rung, file.similarity, spans, " ".join(file.warnings) or None
            )
            sentence, _, changed = explain(landed).partition("\n")
            moved = f" The lines below moved by {grown:+d}." if grown else ""
            return f"{renamed}{file.to or file.path}: {sentence}{moved}\n{changed}".rstrip()


def _read(diff: str) -> tuple[list[int], int, str]:
    """Give the old numbers of the first changed line of each place, how many lines were added, and the hunks alone."""
    places: list[int] = []
    hunks: list[str] = []
    at = grown = 0
    changing = False
    for line in diff.split("\n"):
        header = _HUNK.match(line)
        if header:
            # A hunk without old lines names the line before it.
            at = int(header[1]) + (header[2] == "0")
            changing = False
        if header or hunks:
            hunks.append(line)
        if header or not hunks:
            continue
        if line[:1] in {"+", "-"}:
            places += [] if changing else [at]
            grown += 1 if line[0] == "+" else -1
        changing = line[:1] in {"+", "-"} or (changing and line[:1] == "\\")
        at += line[:1] in {"-", " "}
    return places, grown, "\n".join(hunks)


# ------------------------------------------------------------------------------------------------------------- refused


def tell_refused(
    told: Sequence[EditMessage], kind: ErrorKind, expected: str, *, others: bool
) -> str:
    """Give the refusals as JSON: one as itself, several as a list. `others`: more was asked, and is not done either."""
    records = [_record(each, kind, expected) for each in told]
    nothing = (
        "Nothing was written, the other edits of this call neither."
        if others
        else "Nothing was written."
    )
    if len(records) == 1:
        record = records[0]
        if others:
            record["message"] = f"{record['message']}\n{nothing}"
        return _json(record)
    message = f"{count(len(records), 'edit')} were refused. {nothing}"
    return _json({"kind": kind, "message": message, "refusals": records})


def refused_call(refused: Refused, kind: ErrorKind, expected: str) -> str:
    """Give the JSON for a call that could not be read."""
    return _json(_of(refused, kind, expected))


def _record(told: EditMessage, kind: ErrorKind, expected: str) -> dict[str, object]:
    refused = told.each.refused
    record: dict[str, object] = {"path": told.each.path, **_of(refused, kind, expected)}
    if told.stale and refused.reason in {"not_found", "stale", "ambiguous", "out_of_bounds"}:
        record["message"] = (
            f"{record['message']}\nThe file has changed since it was shown to you; read it again."
        )
    if told.now is not None:
        record["current_lines"] = _around(told.now, refused)
    return record


def _of(refused: Refused, kind: ErrorKind, expected: str) -> dict[str, object]:
    record = refusal_record(replace(refused, kind=kind))
    if record["expected_format"]:
        record["expected_format"] = expected
    return {
        name: value
        for name, value in record.items()
        if value or name in {"message", "expected_format"}
    }


def _around(text: str, refused: Refused) -> str:
    """Give the file's lines around the closest place."""
    lines, _ = split_lines(text)
    named = _NUMBERED.search(refused.closest)
    place = int(named[1]) if named else refused.candidates[0] if refused.candidates else 1
    first = max(0, min(place - 1 - MOST_LINES // 3, len(lines) - MOST_LINES))
    shown = [
        f"{i + 1}| {shorten_line(lines[i], 200)}"
        for i in range(first, min(len(lines), first + MOST_LINES))
    ]
    return "\n".join(shown)


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)
