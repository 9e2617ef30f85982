"""A diff whose changed lines have their mark twice, a blank behind it, or a character like it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.hunks import mark_like
from holdfast.landing.text.line_keys import indent_of, key_of
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
            meant = _with_plain_mark(doc, line)
            if meant is None:
                return _odd_mark(line)
            lines.append(meant)
        plain.append(replace(hunk, lines=tuple(lines)))
    return plain


def _with_plain_mark(doc: Doc, line: HunkLine) -> HunkLine | None:
    """Return the line with a mark for a character like one, or None where the file has no such line to remove."""
    mark = mark_like(line)
    if mark is None or doc.has(line.text):
        return line

    rest = line.text[1:]
    plain = replace(line, mark=mark, text=rest)
    if mark == "+" or is_blank(rest):
        return plain
    if doc.has(rest):
        return plain
    return None


def with_lost_pluses(doc: Doc, hunk: Hunk) -> Hunk | Refused:
    """Return the hunk with a + before new lines that lost it, if its header counts them as new; a refusal if it is not clear.

    Such a line is context beside changed lines, the file has none like it, and has all others without it.
    """
    lost = _unknown_beside_changed(doc, hunk.lines)
    if not lost:
        return hunk

    lines = list(hunk.lines)
    for n in lost:
        lines[n] = replace(lines[n], mark="+")
    others = [line.text for line in lines if line.mark != "+"]
    keys = list(map(key_of, solid_lines(others)))
    if not doc.runs(keys):
        return hunk

    marks = [line.mark for line in hunk.lines]
    old = len(marks) - marks.count("+")
    new = len(marks) - marks.count("-")
    if hunk.counts == (old, new):
        return hunk
    if hunk.counts != (old - len(lost), new):
        return _lost_plus(hunk.lines[lost[0]])
    return replace(hunk, lines=tuple(lines))


_CHANGES = frozenset("+-")


def _unknown_beside_changed(doc: Doc, lines: Sequence[HunkLine]) -> list[int]:
    """Return the numbers of the context lines that the file does not have, directly behind a changed line or before it."""
    found: list[int] = []
    marks = ["", *(line.mark for line in lines), ""]
    for n, line in enumerate(lines):
        if line.mark != " " or is_blank(line.text):
            continue
        if doc.has(line.text):
            continue
        beside = {marks[n], marks[n + 2]}
        if beside & _CHANGES:
            found.append(n)
    return found


def _lost_plus(line: HunkLine) -> Refused:
    return refusals.plain(
        "malformed",
        f"`{line.text.strip()}` has no mark and is not in the file: if it is new, write + before it; if not, leave it out.",
    )


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
    texts = _texts_by_mark(hunks)
    added, removed = texts["+"], texts["-"]
    if not all(map(_PLUS.match, added)):
        return None
    if not _are_removable(doc, removed):
        return None
    if not _are_unlike_file(doc, added, kind):
        return None

    marks = "+-"
    if _has_two_blanks(doc, texts[" "]):
        marks = "+- "
    return [_with_one_mark(hunk, marks) for hunk in hunks]


def _texts_by_mark(hunks: Sequence[Hunk]) -> dict[Mark, list[str]]:
    texts: dict[Mark, list[str]] = {"+": [], "-": [], " ": [], "?": []}
    for hunk in hunks:
        for line in hunk.lines:
            texts[line.mark].append(line.text)
    return texts


def without_blanks_behind_marks(doc: Doc, hunks: Sequence[Hunk]) -> Sequence[Hunk] | None:
    """Return the hunks without a blank behind each + and -, or None where it is a part of the lines."""
    texts = _texts_by_mark(hunks)
    added, removed = solid_lines(texts["+"]), solid_lines(texts["-"])
    if not all(line.startswith(" ") for line in added + removed):
        return None
    # Where all lines of the diff are further to the right, they are shifted as a whole.
    if not any(map(doc.has_line, solid_lines(texts[" "]))):
        return None

    if not _have_blank_too_many(doc, added, removed):
        return None
    return [_with_one_mark(hunk, "+-") for hunk in hunks]


def _have_blank_too_many(doc: Doc, added: Sequence[str], removed: Sequence[str]) -> bool:
    """Return whether the file shows that the first blank of these lines is no part of them."""
    if not removed:
        return _fit_only_without_blank(doc, added)
    known = list(filter(doc.has, removed))
    return _are_one_blank_off(doc, known)


def _are_one_blank_off(doc: Doc, lines: Sequence[str]) -> bool:
    """Return whether there are lines, and the file has all of them without their first blank and none with it."""
    if not lines:
        return False
    if any(map(doc.has_line, lines)):
        return False
    without_blank = [line[1:] for line in lines]
    return all(map(doc.has_line, without_blank))


def _fit_only_without_blank(doc: Doc, added: Sequence[str]) -> bool:
    """Return whether the file indents no line as any of these, and some as each of these without its first blank."""
    indents = set(map(indent_of, added))
    if doc.indents & indents:
        return False
    without_blank = [indent[1:] for indent in indents]
    return doc.indents.issuperset(without_blank)


# The mark is there twice, and not three times: `++i` is code.
_PLUS = re.compile(r"\+(?!\+)")


def _has_two_blanks(doc: Doc, context: Sequence[str]) -> bool:
    """Return whether context lines have their mark twice too: no line is in the file as it is, and all begin with a blank."""
    for line in solid_lines(context):
        if not line.startswith(" "):
            return False
        if line.rstrip() in doc.bare_lines:
            return False
    return True


def _are_removable(doc: Doc, removed: Sequence[str]) -> bool:
    """Return whether the file has all these lines without their second mark, and none with it."""
    if any(map(doc.has, removed)):
        return False
    if not all(line.startswith("-") for line in solid_lines(removed)):
        return False
    bare = solid_lines(line[1:] for line in removed)
    return all(map(doc.has, bare))


def _are_unlike_file(doc: Doc, added: Sequence[str], kind: FileKind) -> bool:
    """Return whether a file of this kind has no lines such as these, which begin with `+`."""
    for line in doc.lines:
        if line.startswith("+"):
            return False

    if kind != "prose":
        return True
    is_list = all(map(_ITEM.match, added))
    return not is_list


def _with_one_mark(hunk: Hunk, marks: str) -> Hunk:
    """Return the hunk without the second of these marks."""
    lines: list[HunkLine] = []
    for line in hunk.lines:
        if line.mark in marks:
            lines.append(replace(line, text=line.text[1:]))
        else:
            lines.append(line)

    return replace(hunk, lines=tuple(lines))
