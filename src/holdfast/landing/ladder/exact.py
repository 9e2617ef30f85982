"""The exact rung: the old text is in the file, character for character."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.placement import AlreadyApplied, Placement
from holdfast.landing.projection.already_applied import find_around, judge_placed
from holdfast.landing.projection.projection import UnclearProjection, project
from holdfast.landing.projection.splices import Splice, landed, line_at, lines_at
from holdfast.landing.text.edit_script import kept_lines, script_of
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import cuts_token, knows_word, strength
from holdfast.landing.text.lines import Doc, contents_of, split_lines

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Outcome, Rung
    from holdfast.vocab.requests import Replace


def land_exactly(text: str, request: Replace) -> Outcome | None:
    """Return the splice at the old text.

    None where the text is missing, or only a piece of other words.
    """
    for old in _in_file_newlines(text, request.old):
        hits = _hits(text, old)
        whole = _uncut(text, old, hits)
        if whole:
            return _land_on(text, request, old, whole)
        if len(hits) == 1 and _cuts_only_context(text, hits[0], old, request):
            return _land_on(text, request, old, hits)
    return None


def whole_hits(text: str, old: str) -> list[int]:
    """Return where `old` is without cutting an identifier or a number in two at its edges."""
    return _uncut(text, old, _hits(text, old))


def _uncut(text: str, old: str, hits: list[int]) -> list[int]:
    return [at for at in hits if cuts_token(text, at, at + len(old)) == (False, False)]


def _hits(text: str, old: str) -> list[int]:
    """Return where `old` is; of places that overlap each other, enough to show that there are several.

    To look at the next character after each of 100,000 overlapping places takes 20 seconds.
    """
    hits: list[int] = []
    at = text.find(old)
    while at >= 0:
        overlaps = bool(hits) and at < hits[-1] + len(old)
        hits.append(at)
        at = text.find(old, at + (len(old) if overlaps else 1))
    return hits


def _hits_on_line(text: str, old: str, line: int) -> list[int]:
    """Return where `old` begins on the line (1-based)."""
    doc = Doc(text)
    if not 0 < line <= len(doc.lines):
        return []
    first = doc.offset(line - 1)
    size = len(doc.lines[line - 1]) + len(doc.ends[line - 1])
    hits = _hits(text[first : first + size - 1 + len(old)], old)
    return _uncut(text, old, [first + at for at in hits])


def _in_file_newlines(text: str, old: str) -> list[str]:
    """Return the old text as it is, and with the file's own line endings where those are others."""
    if "\n" not in old and "\r" not in old:
        return [old]
    # A single character is found ten times as fast as two: most files have no carriage return.
    newline = (
        next((end for end in ("\r\n", "\n", "\r") if end in text), "\n") if "\r" in text else "\n"
    )
    same = newline.join(_plain(old).split("\n"))
    return [old] if same == old else [old, same]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_FEW_LINES = 2
_TELLING = 6


def _cuts_only_context(text: str, at: int, old: str, request: Replace) -> bool:
    """Return whether each cut word is on a line that the request leaves alone, and can be no other word.

    Then the old text is a part of that place, copied from the middle of a line to the middle of another.
    """
    script = script_of(contents_of(request.old), contents_of(request.new))
    if len(script.old) < _FEW_LINES or not script.edits:
        return False
    cut_start, cut_end = cuts_token(text, at, at + len(old))
    real = {line.strip() for line in contents_of(text)}
    if (cut_start and script.old[0].strip() in real) or (
        cut_end and script.old[-1].strip() in real
    ):
        return False
    whole = "\n".join(script.old[cut_start : len(script.old) - cut_end])
    if cut_start and (script.edits[0].o1 == 0 or not _is_fragment(text, _first_word(old), whole)):
        return False
    last = len(script.old) - 1
    return not cut_end or (
        script.edits[-1].o2 <= last and _is_fragment(text, _first_word(old[::-1])[::-1], whole)
    )


def _first_word(text: str) -> str:
    for size, char in enumerate(text):
        if not (char.isalnum() or char == "_"):
            return text[:size]
    return text


def _is_fragment(text: str, piece: str, whole: str) -> bool:
    """Return whether the whole lines identify the place without the piece, or the piece can be no name or number of its own."""
    if not piece:
        return False
    if strength(whole) >= _TELLING and _plain(text).count(whole) == 1:
        return True
    return not any(map(str.isdigit, piece)) and not knows_word(text, piece)


def _land_on(text: str, request: Replace, old: str, hits: list[int]) -> Outcome:
    if request.every:
        return _land_everywhere(text, request, old, hits)
    if len(hits) > 1:
        named = _hits_on_line(text, old, request.near_line) if request.near_line else []
        if len(named) != 1:
            return refusals.ambiguous(Doc(text), lines_at(text, hits))
        hits = named
    at = hits[0]
    new = _with_endings(text, at, old, _indented_as_line(text, at, request))
    if new == old:
        return refusals.no_change()
    line = line_at(text, at)
    if request.near_line not in {None, line} and not key_of(new):
        # Where the line was named, it may be gone already; this one is its twin, and nothing is
        # left to tell by.
        return refusals.elsewhere(line, request.near_line or 0)
    applied = _applied_line(text, request, at, old, new)
    if applied is not None:
        return refusals.already_applied(applied)
    as_asked = old == request.old and len(indent_of(new)) == len(indent_of(request.new))
    rung: Rung = "exact" if as_asked else "whitespace"
    return landed(text, [Splice(at, at + len(old), new)], rung)


def _indented_as_line(text: str, at: int, request: Replace) -> str:
    """Return the new text without the indentation that the line has already, where old begins at its first word."""
    before = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    if not before or before.strip() or request.old[:1].isspace():
        return request.new
    return request.new[len(indent_of(request.new)) :] if key_of(request.new) else request.new


def _land_everywhere(text: str, request: Replace, old: str, hits: list[int]) -> Outcome:
    if any(b - a < len(old) for a, b in itertools.pairwise(hits)):
        return refusals.overlap(lines_at(text, hits))
    splices = []
    for at in hits:
        new = _with_endings(text, at, old, request.new)
        if find_around(text, at, old, new) is None:
            splices.append(Splice(at, at + len(old), new))
    if not splices:
        return refusals.already_applied(line_at(text, hits[0]))
    if all(splice.new == old for splice in splices):
        return refusals.no_change()
    return landed(text, splices, "exact" if old == request.old else "whitespace")


def _with_endings(text: str, at: int, old: str, new: str) -> str:
    """Return the new text in the file's line endings.

    In a mixed file each kept line keeps its own.
    """
    if "\n" not in new and "\r" not in new:
        return new
    kinds = _endings_in(text)
    if not kinds:
        return new
    if len(kinds) == 1:
        return kinds[0].join(_plain(new).split("\n"))
    if "\r" in new:
        return new
    return with_mixed_endings(old, new, _ending_at(text, at))


def _endings_in(text: str) -> list[str]:
    """Return the kinds of line ending the text has; half of a pair is none of its own."""
    if "\r" not in text:
        return ["\n"] if "\n" in text else []
    single = text.replace("\r\n", "")
    return [end for end, where in (("\r\n", text), ("\n", single), ("\r", single)) if end in where]


def _ending_at(text: str, at: int) -> str:
    """Return the ending of the line that `at` is on, or of the line above at the end of the file."""
    for lines in (text[at:], text[:at][::-1].replace("\n\r", "\r\n")):
        for end in split_lines(lines)[1][:1]:
            if end:
                return end
    return "\n"


def with_mixed_endings(old: str, new: str, default: str) -> str:
    """Return the new text with the ending of the old line for each line it keeps or rewrites, else with `default`."""
    lines, ends = split_lines(old)
    new_lines, new_ends = split_lines(new)
    script = script_of(lines, new_lines)
    kept = dict(kept_lines(script))
    for edit in script.edits:
        kept |= {
            n: edit.o1 + n - edit.n1
            for n in range(edit.n1, edit.n2)
            if edit.o1 + n - edit.n1 < edit.o2
        }
    out = []
    for n, (line, end) in enumerate(zip(new_lines, new_ends, strict=True)):
        own = ends[kept[n]] if n in kept else default
        out.append(line + ((own or default) if end else ""))
    return "".join(out)


def _applied_line(text: str, request: Replace, at: int, old: str, new: str) -> int | None:
    """Return the line (1-based) at which the new text is already, or None."""
    line = line_at(text, at)
    if request.near_line not in {None, line} and new:
        for other in _hits(text, new):
            if line_at(text, other) == request.near_line:
                return request.near_line
    around = find_around(text, at, old, new)
    if around is not None:
        return line_at(text, around)
    return _applied_beside(text, at, len(old), new)


def _applied_beside(text: str, at: int, size: int, new: str) -> int | None:
    """Return the line at which the whole lines of the change are already, or None.

    Only the lines around the old text are looked at: the time does not grow with the file.
    """
    reach = 2 * (size + len(new)) + _REACH
    low = text.rfind("\n", 0, max(0, at - reach)) + 1
    high = text.find("\n", at + size + reach) + 1 or len(text)
    doc = Doc(text[low:high])
    start, stop = at - low, at + size - low
    first = line_at(doc.text, start) - 1
    last = line_at(doc.text, max(start, stop - 1))
    whole = doc.text[doc.offset(first) : start] + new + doc.text[stop : doc.offset(last)]
    script = script_of(doc.lines[first:last], contents_of(whole))
    place = Placement(tuple(range(first, last)), "exact")
    splices = project(doc, script, place)
    if isinstance(splices, UnclearProjection):
        return None
    applied = judge_placed(doc, script, place, splices, near=None)
    if not isinstance(applied, AlreadyApplied):
        return None
    return line_at(text, low) + applied.line


_REACH = 500
