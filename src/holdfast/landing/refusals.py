"""Refusals, each with its cure: where, what, and the next step. Short.

Local models have small contexts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from holdfast.landing.closest import closest_lines, first_difference, numbered
from holdfast.landing.placement import (
    AlreadyApplied,
    Doubtful,
    Elsewhere,
    Nowhere,
    SeveralPlaces,
    Veto,
)
from holdfast.landing.projection.projection import UnclearProjection
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Landed, Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript
    from holdfast.landing.text.lines import Doc

_FEW = 12


def of(
    doc: Doc,
    script: EditScript,
    found: SeveralPlaces | Nowhere | AlreadyApplied | Doubtful | Elsewhere | UnclearProjection,
) -> Refused:
    """Return the refusal for a place that was not found, or not clearly."""
    match found:
        case SeveralPlaces(lines):
            return ambiguous(doc, [line + 1 for line in lines])
        case AlreadyApplied(line):
            return already_applied(line + 1)
        case Doubtful(line, done):
            return doubtful(line + 1, done + 1)
        case Elsewhere(line, named):
            return elsewhere(line + 1, named + 1)
        case Nowhere(closest, veto):
            return not_found(doc, script, closest, veto)
        case UnclearProjection(first, last):
            return not_found(doc, script, (first, last))
        case _:
            assert_never(found)


def quoted(line: str) -> str:
    """Return the line in backticks as a message shows it: without its indentation, and not all of a very long one."""
    bare = line.strip()
    if len(bare) > _LONGEST:
        bare = f"{bare[:_LONGEST]}…"
    return f"`{bare}`"


_LONGEST = 160
"""Characters of a line in a message: a whole file may be on one line."""


def sentence(line: str) -> Refused:
    """Return the refusal of a new text with a sentence beside its code."""
    return Refused("malformed", f"{quoted(line)} is no code; send the content alone.")


def left_over(line: str) -> Refused:
    """Return the refusal of a new line with a mark that no line of the file has."""
    return plain(
        "malformed",
        f"the request has marks around or in its lines, and {quoted(line)} would keep one that the file has nowhere. Send the "
        "lines alone, as the file has them; if the mark is meant, send an edit of that line alone.",
    )


def not_found(
    doc: Doc, script: EditScript, region: tuple[int, int] | None, veto: Veto | None = None
) -> Refused:
    """Return the refusal of an old text that is not in the file, with the closest lines and the first difference."""
    closest, start = closest_lines(doc, script.old, region)
    if not closest:
        return Refused(
            "not_found",
            "the old text is not in the file. Read the file and copy the lines to change.",
        )

    difference = first_difference(doc, script.old, start)
    why = name = ""
    if veto is not None:
        why, name = f" ({veto.reason}: `{veto.line}`)", veto.name
    return Refused(
        "not_found",
        f"the old text is not in the file. {difference}Copy the lines to change from the file as they are{why}; "
        f"the closest are:\n{closest}",
        closest=closest,
        veto=name,
    )


def ambiguous(doc: Doc, lines: Sequence[int]) -> Refused:
    """Return the refusal of an old text that matches several places, with the first lines of a few of them."""
    some = ", ".join(map(str, lines[:_FEW]))
    if len(lines) > _FEW:
        some += " and more"
    # Each with the line above and the line below it.
    places = "\n\n".join(numbered(doc, line - 2, line + 1) for line in lines[:_SHOWN_PLACES])
    return Refused(
        "ambiguous",
        f"the old text is at lines {some}; add a line of context above or below it to pick one:\n{places}",
        closest=places,
        candidates=tuple(lines),
    )


_SHOWN_PLACES = 3


def elsewhere(line: int, named: int) -> Refused:
    """Return the refusal of a deletion whose text occurs once, but not at the named line."""
    return Refused(
        "ambiguous",
        f"the old text is at line {line}, and line {named} was named; it may have been deleted there already. "
        "Read the file again, and add a line of context.",
        candidates=(line,),
    )


def doubtful(line: int, done: int) -> Refused:
    """Return the refusal where the old text matches only loosely and the new text is in the file too."""
    return Refused(
        "ambiguous",
        f"the new text is already in the file, at line {done}; at line {line} there is text like the old one. "
        "If that is meant, copy it from the file as it is, with its white space.",
        candidates=(line, done),
    )


def already_applied(line: int) -> Refused:
    """Return the refusal of an edit whose new text is already there."""
    return Refused(
        "already_applied",
        f"the new text is already in the file, at line {line}; nothing to do. Go on with the next step.",
        candidates=(line,),
    )


def no_change() -> Refused:
    """Return the refusal of a request that changes nothing."""
    return Refused(
        "no_change", "old and new are the same; send the text as it should become in new."
    )


def empty_old() -> Refused:
    """Return the refusal of an empty old text."""
    return Refused(
        "empty_old",
        "the old text is empty or only white space; copy the lines to change, or write the whole file.",
    )


def doubled_line(line: str, at: int) -> Refused:
    """Return the refusal of a new text that begins or ends with the line that is beside the old one in the file."""
    return Refused(
        "malformed",
        f"{quoted(line)} is in the file already, beside the old text (line {at}), and would be there twice. Leave it out of new, or "
        "put it into old too.",
        candidates=(at,),
    )


def joined_lines(line: int) -> Refused:
    """Return the refusal of a new text that would be joined with the line above or below the old one."""
    return Refused(
        "malformed",
        f"the new text would be joined with the line beside it (at line {line}): old begins or ends with a newline there, "
        "and new does not. Begin and end new as old; to join two lines, send both of them in old.",
        candidates=(line,),
    )


def foreign_levels(line: str, unit: str) -> Refused:
    """Return the refusal of a new line in an indentation that the file does not have there."""
    own = "a tab"
    if unit != "\t":
        own = f"{len(unit)} blanks"
    return Refused(
        "malformed",
        f"{quoted(line)} is indented as no line of the file would be there; the file indents by {own}. Send the new lines in the "
        "indentation of the lines around them.",
    )


def lost_lines(line: str, *, whole_file: bool) -> Refused:
    """Return the refusal of a new text with a placeholder where lines of the old text vanish."""
    cure = "Write those lines out, or put the same line into the old text"
    if whole_file:
        cure = "Write the whole file out, or send an edit of the lines that change"

    return Refused(
        "elision",
        f"the new text has {quoted(line)}, and lines of the old text would be lost there. {cure}; if they are to be "
        "deleted, leave that line out.",
    )


def breaks_syntax(outcome: Landed, language: str) -> Refused:
    """Return the refusal of a landing on a loose rung after which the file no longer parses."""
    line = outcome.spans[0].line
    written = _ADDED_LINE.findall(outcome.diff)
    new = "\n".join(written[:_FEW])
    return Refused(
        "syntax",
        f"the old text was found only loosely (line {line}), and with the new text the file no longer parses as "
        f"{language}. Either the new text is at fault or the place is. These lines would be written; check their "
        f"brackets and indentation, and copy the old lines from the file as they are:\n{new}",
        closest=new,
        candidates=(line,),
    )


_ADDED_LINE = lazy_pattern(r"^\+(.*)", re.MULTILINE)


def breaks_undone(outcome: Landed, language: str) -> Refused:
    """Return the refusal of a new text that does not parse although a mangling of it was undone."""
    return Refused(
        "syntax",
        f"{outcome.warning} Even so the file no longer parses as {language} (edit at line {outcome.spans[0].line}). Send "
        "the new text alone and as it is to be in the file.",
        candidates=(outcome.spans[0].line,),
    )


def overlap(lines: Sequence[int]) -> Refused:
    """Two edits change the same lines."""
    places = sorted(set(lines))
    some = ", ".join(map(str, places[:_FEW]))
    sentence = f"two edits change the same place (line {some}); join them into one edit."
    return Refused("overlap", sentence, candidates=tuple(places))


def plain(reason: Reason, message: str, candidates: Sequence[int] = ()) -> Refused:
    """Return a refusal that is only a sentence."""
    return Refused(reason, message, candidates=tuple(candidates))
