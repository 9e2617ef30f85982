"""Refusals, each with its cure: where, what, and the next step. Short: local models have small contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from holdfast.landing.closest import closest_lines, first_difference
from holdfast.landing.lines import Doc
from holdfast.landing.placement import Applied, Nowhere, Several
from holdfast.landing.project import Unclear
from holdfast.landing.script import Script
from holdfast.vocab.outcomes import Reason, Refused

_FEW = 12


def of(doc: Doc, script: Script, found: Several | Nowhere | Applied | Unclear) -> Refused:
    """The refusal for a place that was not found, or not clearly."""
    match found:
        case Several(lines):
            return ambiguous([line + 1 for line in lines])
        case Applied(line):
            return already_applied(line + 1)
        case Nowhere(closest):
            return not_found(doc, script, closest)
        case Unclear(first, last):
            return not_found(doc, script, (first, last))
        case _:
            assert_never(found)


def not_found(doc: Doc, script: Script, region: tuple[int, int] | None) -> Refused:
    """The old text is not there; shows the closest real lines and the first difference."""
    closest, start = closest_lines(doc, script.old, region)
    if not closest:
        return Refused("not_found", "the old text is not in the file. Read the file and copy the lines to change.")
    difference = first_difference(doc, script.old, start)
    return Refused(
        "not_found",
        f"the old text is not in the file. {difference}Copy the lines to change from the file as they are; "
        f"the closest are:\n{closest}",
        closest=closest,
    )


def ambiguous(lines: Sequence[int]) -> Refused:
    """The old text could be meant in several places."""
    some = ", ".join(map(str, lines[:_FEW])) + (" and more" if len(lines) > _FEW else "")
    return Refused(
        "ambiguous",
        f"the old text is at lines {some}; add a line of context above or below it to pick one.",
        candidates=tuple(lines),
    )


def already_applied(line: int) -> Refused:
    """The new text stands there."""
    return Refused(
        "already_applied",
        f"the new text is already in the file, at line {line}; nothing to do. Go on with the next step.",
        candidates=(line,),
    )


def no_change() -> Refused:
    """The request changes nothing."""
    return Refused("no_change", "old and new are the same; send the text as it should become in new.")


def empty_old() -> Refused:
    """There is no old text to find."""
    return Refused(
        "empty_old",
        "the old text is empty or only white space; copy the lines to change, or write the whole file.",
    )


def unpaired_gap(line: str, cure: str = "write the lines out, or put the same line into the old text") -> Refused:
    """The new text has a placeholder for code that the old text does not have."""
    return Refused(
        "elision", f"the new text has `{line.strip()}` in place of code, which would be written to the file; {cure}."
    )


def overlap(lines: Sequence[int]) -> Refused:
    """Two edits change the same lines."""
    places = sorted(set(lines))
    some = ", ".join(map(str, places[:_FEW]))
    sentence = f"two edits change the same place (line {some}); join them into one edit."
    return Refused("overlap", sentence, candidates=tuple(places))


def plain(reason: Reason, message: str, candidates: Sequence[int] = ()) -> Refused:
    """A refusal that is only a sentence."""
    return Refused(reason, message, candidates=tuple(candidates))
