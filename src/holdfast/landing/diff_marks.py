"""A diff whose changed lines have their mark twice, or a character like it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.hunks import mark_like
from holdfast.landing.text.lines import Doc, is_blank, solid_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.formats.hunks import Hunk, HunkLine, Mark
    from holdfast.landing.text.file_kinds import FileKind
    from holdfast.vocab.outcomes import Refused


def with_plain_marks(doc: Doc, hunks: Sequence[Hunk]) -> list[Hunk] | Refused:
    """Return the hunks with a mark for each character like one, if the file shows what is meant; else a refusal.

    A line of the file that begins so is context.
    """
    plain: list[Hunk] = []
    for hunk in hunks:
        lines: list[HunkLine] = []
        for line in hunk.lines:
            mark = mark_like(line)
            rest = line.text[1:]
            if mark is None or doc.has(line.text):
                lines.append(line)
            elif mark == "+" or is_blank(rest) or doc.has(rest):
                lines.append(replace(line, mark=mark, text=rest))
            else:
                return _odd_mark(line)
        plain.append(replace(hunk, lines=tuple(lines)))
    return plain


def _odd_mark(line: HunkLine) -> Refused:
    return refusals.plain(
        "malformed",
        f"`{line.text}` begins with `{line.text[0]}`, which is no mark of a diff, and the file has no such line; "
        "write - or + there.",
    )


_ITEM = re.compile(r"\+ {1,3}[\w\[(`*\"']")
"""An item of a list, as prose has it."""


def without_doubled_marks(doc: Doc, hunks: Sequence[Hunk], kind: FileKind) -> Sequence[Hunk] | None:
    """Return the hunks with one mark a line, or None where the second one is content or there is none."""
    texts: dict[Mark, list[str]] = {"+": [], "-": [], " ": [], "?": []}
    for line in chain.from_iterable(hunk.lines for hunk in hunks):
        texts[line.mark].append(line.text)

    added, removed = texts["+"], texts["-"]
    if not all(map(_PLUS.match, added)) or not all(map(_MINUS.match, removed)):
        return None
    if not _are_removable(doc, removed):
        return None
    if not removed and not _are_unlike_file(doc, added, kind):
        return None

    marks = "+-"
    if _has_two_blanks(doc, texts[" "]):
        marks = "+- "
    return [_with_one_mark(hunk, marks) for hunk in hunks]


# The mark is there twice, and not three times: `++i` is code.
_PLUS = re.compile(r"\+(?!\+)")
_MINUS = re.compile(r"-(?!-)")


def _has_two_blanks(doc: Doc, context: Sequence[str]) -> bool:
    """Return whether context lines have their mark twice too: no line is in the file as it is, and all begin with a blank."""
    for line in solid_lines(context):
        if not line.startswith(" ") or line.rstrip() in doc.bare_lines:
            return False
    return True


def _are_removable(doc: Doc, removed: Sequence[str]) -> bool:
    """Return whether the file has all these lines without their second mark, and none with it."""
    if any(map(doc.has, removed)):
        return False
    bare = solid_lines(line[1:] for line in removed)
    return all(map(doc.has, bare))


def _are_unlike_file(doc: Doc, added: Sequence[str], kind: FileKind) -> bool:
    """Return whether a file of this kind has no lines such as these, which begin with `+`."""
    for line in doc.lines:
        if line.startswith("+"):
            return False

    is_list = all(map(_ITEM.match, added))
    return kind != "prose" or not is_list


def _with_one_mark(hunk: Hunk, marks: str) -> Hunk:
    """Return the hunk without the second of these marks."""
    lines: list[HunkLine] = []
    for line in hunk.lines:
        if line.mark in marks:
            lines.append(replace(line, text=line.text[1:]))
        else:
            lines.append(line)

    return replace(hunk, lines=tuple(lines))
