"""A diff whose changed lines have their mark twice, a blank behind it, or a character like it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.hunks import counts_of, mark_like
from holdfast.landing.text.line_keys import indent_of
from holdfast.landing.text.lines import Doc, is_blank, keys_in, solid_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.formats.hunks import Hunk, HunkLine
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
    if mark is None:
        return line
    if doc.has(line.text):
        return line

    rest = line.text[1:]
    plain = replace(line, mark=mark, text=rest)
    if mark == "+" or is_blank(rest):
        return plain
    if doc.has(rest):
        return plain
    return None


def judge_lost_pluses(doc: Doc, hunk: Hunk) -> Refused | None:
    """Return the refusal of a hunk whose new lines lost their +: the file has all other lines, and none like these; or None."""
    lost = _unknown_beside_changed(doc, hunk.lines)
    if not lost:
        return None
    others: list[str] = []
    for n, line in enumerate(hunk.lines):
        if n not in lost and line.mark != "+":
            others.append(line.text)
    if not doc.runs(keys_in(others)):
        return None
    if hunk.counts == counts_of(hunk.lines):
        return None
    return _lost_plus(hunk.lines[lost[0]])


_CHANGES = frozenset("+-")


def _unknown_beside_changed(doc: Doc, lines: Sequence[HunkLine]) -> list[int]:
    """Return the numbers of the context lines that the file does not have, directly behind a changed line or before it."""
    found: list[int] = []
    marks = ["", *(line.mark for line in lines), ""]
    for n, line in enumerate(lines):
        if line.mark != " ":
            continue
        if is_blank(line.text):
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


_SECOND_MARKS = {"+-": "doubled marks", "-": "doubled marks", " ": "a blank behind each mark"}
"""The names of what is behind the marks of all removed and new lines."""


def without_second_marks(doc: Doc, hunks: Sequence[Hunk]) -> tuple[str, list[Hunk]] | None:
    """Return the hunks with one mark a line and the name of the second one, or None where that is content or there is none.

    The removed lines prove it: the file has all of them without their first character, and none with it. Without any, the
    indentations of the new lines do.
    """
    texts: dict[str, list[str]] = {"-": [], "+": [], " ": [], "?": []}
    for hunk in hunks:
        for line in hunk.lines:
            texts[line.mark] += solid_lines([line.text])

    removed, added, context = texts["-"], texts["+"], texts[" "]
    seconds = _first_characters([*removed, *added])
    name = _SECOND_MARKS.get("".join(sorted(seconds)))
    if name is None or not _is_second(doc, removed, added):
        return None
    doubled = "+-"
    if _first_characters(context) == {" "} and not any(map(doc.has_line, context)):
        # Where all lines of the diff are further to the right, they are shifted as a whole.
        if " " in seconds:
            return None
        doubled = "+- "
    return name, [_with_one_mark(hunk, doubled) for hunk in hunks]


def _first_characters(lines: Sequence[str]) -> set[str]:
    return {line[0] for line in lines}


def _is_second(doc: Doc, removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether the lines of the file begin behind the first character of the changed lines, and not with it."""
    if any(map(doc.has_line, removed)):
        return False
    if removed:
        return all(doc.has_line(line[1:]) for line in removed)

    indents = {indent_of(line[1:]) for line in added}
    if not doc.indents.issuperset(indents):
        return False
    return doc.indents.isdisjoint(map(indent_of, added))


def _with_one_mark(hunk: Hunk, marks: str) -> Hunk:
    """Return the hunk without the second of these marks."""
    lines: list[HunkLine] = []
    for line in hunk.lines:
        if line.mark in marks:
            lines.append(replace(line, text=line.text[1:]))
        else:
            lines.append(line)

    return replace(hunk, lines=tuple(lines))
