"""Land a request on a text."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, assert_never

from holdfast.landing import refusals
from holdfast.landing.already_applied import judge_splices
from holdfast.landing.lost_lines import judge_lost_lines
from holdfast.landing.new_levels import judge_levels
from holdfast.landing.new_text import undone_warning, without_accidents
from holdfast.landing.projection.splices import landed, line_splices
from holdfast.landing.readers.chat_text import CHAT_END, without_end_token
from holdfast.landing.readers.foreign_marks import find_foreign_mark
from holdfast.landing.text.byte_order_mark import MARK, names_mark, without_mark
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, contents_of, solid_lines
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.landing.type_check import check_type
from holdfast.landing.write_file import land_file
from holdfast.syntax.parse_check import breaks
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import RUNGS, Landed, Outcome, Refused, Span
from holdfast.vocab.requests import LineEdits, OneOf, Patch, Replace, Request, WriteFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vocab.requests import LineEdit

_GUESSED = ("unmangled", "elision", "similar")


def land(text: str, request: Request, path: str | None = None) -> Outcome:
    r"""Return the edited text, or a refusal that says how to ask again.

    Only the lines that the request means to change can differ. `path` selects the language.

    >>> from holdfast import Replace, land
    >>> land("def f():\n\treturn 1\n", Replace("def f():\n    return 1", "def f():\n    return 2")).text
    'def f():\n\treturn 2\n'
    >>> land("a = 1\nb = 2\na = 1\n", Replace("a = 1", "a = 3")).candidates
    (1, 3)
    """
    check_type("land", "text", text, str)
    check_type("land", "request", request, (Replace, Patch, LineEdits, WriteFile, OneOf))
    if text.startswith(MARK):
        return _marked(_land_judged(text[1:], without_mark(request), path))
    return _land_judged(text, request, path)


def _land_judged(text: str, request: Request, path: str | None) -> Outcome:
    """Return the outcome on a text without a byte order mark, judged by what would be written."""
    if MARK not in text and names_mark(request):
        request = without_mark(request)

    outcome = _land(text, request, path)
    if isinstance(outcome, Landed) and not isinstance(request, WriteFile):
        outcome = _judge_loss(text, outcome, path) or _without_accidents(text, outcome, path)
    if isinstance(outcome, Landed):
        outcome = _gated(text, outcome, path, single=_is_single_line(request))
    if isinstance(outcome, Refused):
        return _addressed(outcome, request, path)

    return outcome


def _marked(outcome: Outcome) -> Outcome:
    """Return the outcome on a text without its byte order mark as one on the text with it.

    The mark stays in front.
    """
    if isinstance(outcome, Refused):
        return outcome
    spans = tuple(Span(span.start + 1, span.end + 1, span.line) for span in outcome.spans)
    return replace(outcome, text=MARK + outcome.text, spans=spans)


def _addressed(outcome: Refused, request: Request, path: str | None) -> Refused:
    """Return the refusal with the file it is about and the notation it answers."""
    if path:
        outcome = replace(outcome, message=f"{path}: {outcome.message}")
    if isinstance(request, Patch):
        return replace(outcome, kind="patch_error")
    return replace(outcome, kind="edit_error")


def _land(text: str, request: Request, path: str | None) -> Outcome:
    match request:
        case Replace():
            return _land_replace(text, request, path)
        case Patch():
            return _land_patch(text, request, path)
        case LineEdits():
            return _land_line_edits(text, request, path)
        case WriteFile():
            return land_file(text, request, path)
        case OneOf():
            return _land_one_of(text, request, path)
        case _:
            assert_never(request)


def _land_patch(text: str, request: Patch, path: str | None) -> Outcome:
    """Land a diff, without a token that ends the reply."""
    # Here and below: a repair lands whole files only, and the rest takes long to import.
    from holdfast.landing.patch import land_patch  # noqa: PLC0415 - see above

    diff = without_end_token(text, request.diff)
    outcome = land_patch(text, replace(request, diff=diff), path)
    if diff == request.diff:
        return outcome
    return _with_undone(outcome, [CHAT_END])


def _land_replace(text: str, request: Replace, path: str | None) -> Outcome:
    """Land a replacement, without what is around its new text alone or before each line of it."""
    from holdfast.landing.readers.replacement_text import read_replacement  # noqa: PLC0415 - see above
    from holdfast.landing.replace import land_replace  # noqa: PLC0415 - see above

    old = without_end_token(text, request.old)
    read = read_replacement(text, old, request.new, path)
    if isinstance(read, Refused):
        return read
    outcome = land_replace(text, replace(request, old=old, new=read.text), path)
    if path is not None and isinstance(outcome, Landed):
        outcome = _judge_doubled(text, outcome, [(_written(text, outcome), outcome.spans)])
    return _with_undone(outcome, read.undone)


def _written(text: str, outcome: Landed) -> str:
    """Return what is in the place of everything from the first change to the last."""
    below = len(text) - outcome.spans[-1].end
    return outcome.text[outcome.spans[0].start : len(outcome.text) - below]


def _judge_doubled(
    text: str,
    outcome: Landed,
    written: Iterable[tuple[str, Sequence[Span]]],
    *,
    miscounted: bool = False,
) -> Outcome:
    """Return the outcome, or the refusal of a new text that writes a line beside its place a second time."""
    for new, spans in written:
        first, last = spans[0], spans[-1]
        place = first.start, last.end
        doubled = _line_written_twice(text, new, place, outcome.text, miscounted=miscounted)
        if doubled:
            return refusals.doubled_line(doubled, last.line)
    return outcome


def _line_written_twice(
    text: str, new: str, place: tuple[int, int], result: str, *, miscounted: bool = False
) -> str:
    """Return a line at an end of the new text that was the file's only such line, directly beside its place; or "".

    With `miscounted`, the place may be one line too short: a line counts that the file has nowhere twice in a row.
    """
    fresh = list(map(key_of, solid_lines(contents_of(new))))
    start, end = place
    size = len(new) + _BESIDE
    above = Doc(text[max(0, start - size) : start])
    below = Doc(text[end : end + size])
    repeated: list[str] = []
    for count in range(1, min(len(fresh), _MOST_REPEATED) + 1):
        if fresh[:count] == above.solid_keys[-count:]:
            repeated += fresh[:count]
        if fresh[-count:] == below.solid_keys[:count]:
            repeated += fresh[-count:]
    if not repeated:
        return ""
    before, after = Doc(text), Doc(result)
    for key in repeated:
        if strength(key) < _TELLING:
            continue
        if before.keys.count(key) == 1 and after.keys.count(key) > 1:
            return key
        if not miscounted or _is_in_a_row(key, before):
            continue
        if _is_in_a_row(key, after):
            return key
    return ""


def _is_in_a_row(key: str, doc: Doc) -> bool:
    """Return whether two lines of the text with this key are one below the other."""
    return (key, key) in itertools.pairwise(doc.solid_keys)


_MOST_REPEATED = 20
"""Lines that a model repeats; the time does not grow with the new text."""
_BESIDE = 1_000
"""Characters of the file that are looked at beside the place, in addition to as many as the new text has."""
_TELLING = 8
"""Letters and digits of a line that nobody writes twice by chance."""


def _land_line_edits(text: str, request: LineEdits, path: str | None) -> Outcome:
    """Land edits of lines, each without what is around its new text alone or before each line of it."""
    from holdfast.landing.line_edits import land_line_edits  # noqa: PLC0415 - see above
    from holdfast.landing.readers.replacement_text import read_lines  # noqa: PLC0415 - see above

    shown = request.shown
    if shown is None:
        shown = text
    lines = Doc(shown).lines
    edits: list[LineEdit] = []
    undone: list[str] = []
    for edit in request.edits:
        read = read_lines(lines, text, edit, path)
        if isinstance(read, Refused):
            return read
        edits.append(replace(edit, new=read.text))
        undone += read.undone

    outcome = land_line_edits(text, replace(request, edits=tuple(edits)), path)
    if path is not None and isinstance(outcome, Landed):
        written = [(_written(text, outcome), outcome.spans)]
        if len(outcome.spans) == len(edits):
            edits.sort(key=attrgetter("start"))
            news = map(attrgetter("new"), edits)
            written = list(zip(news, zip(outcome.spans, strict=True), strict=True))
        outcome = _judge_doubled(text, outcome, written, miscounted=True)
    return _with_undone(outcome, undone)


def _with_undone(outcome: Outcome, undone: Sequence[str]) -> Outcome:
    """Return a landing with a warning of what was undone, and on no better rung than that; a refusal as it is."""
    if not undone or isinstance(outcome, Refused):
        return outcome
    rung = max(outcome.rung, "unmangled", key=RUNGS.index)
    loose = replace(outcome, rung=rung)
    return _with_warning(loose, undone_warning(undone))


def _with_warning(outcome: Landed, warning: str) -> Landed:
    """Return the landing with this warning behind the one it has."""
    warnings = filter(None, (outcome.warning, warning))
    return replace(outcome, warning=" ".join(warnings))


def _land_one_of(text: str, request: OneOf, path: str | None) -> Outcome:
    """Return the outcome of the longest reading that lands, or a refusal where another one may be meant."""
    readings = _readings(text, request, path)
    hits: list[Replace] = []
    landings: list[Landed] = []
    misses: list[Refused] = []
    for reading in readings:
        outcome = _land_replace(text, reading, path)
        if isinstance(outcome, Landed):
            hits.append(reading)
            landings.append(outcome)
        else:
            misses.append(outcome)

    if not hits:
        applied = (miss for miss in misses if miss.reason == "already_applied")
        return next(applied, misses[0])

    if _ends_in_divider(hits[-1]):
        return refusals.plain(
            "ambiguous",
            "the new text ends in a ======= line, as a block does that has two of them. Leave one out; if the line is meant, send it with "
            "the line below it.",
        )
    if _is_meant(text, hits, readings[-1]):
        return landings[-1]

    lines = sorted({landing.spans[0].line for landing in landings})
    return refusals.plain(
        "ambiguous",
        "the block has several ======= lines and more than one way to read it fits; split it.",
        lines,
    )


def _is_meant(text: str, readings: Sequence[Replace], longest_of_all: Replace) -> bool:
    """Return whether the longest of the readings that land is meant: it is the only one, or the file has its old text.

    It is cut short if the file goes on with the divider below it.
    """
    *others, longest = readings
    plain = text.replace("\r\n", "\n")
    if longest is not longest_of_all:
        followed = re.escape(longest.old) + _DIVIDER.pattern
        if re.search(followed, plain, re.MULTILINE):
            return False
    if not others:
        return True
    if longest.old not in plain:
        return False
    return _has_content_between(others[-1], longest)


def _ends_in_divider(request: Replace) -> bool:
    """Return whether the new text ends in a divider that underlines nothing: the old text does not end in a line of marks."""
    last = "".join(solid_lines(contents_of(request.new))[-1:])
    if not _DIVIDER.fullmatch(last):
        return False
    return strength("".join(solid_lines(contents_of(request.old))[-1:])) > 0


_DIVIDER = lazy_pattern(r"={5,9}[ \t]*$", re.MULTILINE)


def _readings(text: str, request: OneOf, path: str | None) -> Sequence[Replace]:
    """Return the readings; only one where the divider was written twice: in a file that can have no such line."""
    first, last = request.readings[0], request.readings[-1]
    if _has_content_between(first, last):
        return request.readings
    if kind_of(path) == "prose":
        return request.readings
    if _DIVIDER.search(text):
        return request.readings
    return [replace(first, new=last.new)]


def _has_content_between(shorter: Replace, longer: Replace) -> bool:
    """Return whether the longer old text has more than dividers below the shorter one."""
    below = longer.old.removeprefix(shorter.old)
    return _DIVIDER.sub("", below).strip() != ""


def _judge_loss(text: str, outcome: Landed, path: str | None) -> Refused | None:
    """Return the refusal of a landing by which lines of the file would be lost for a placeholder, or None.

    Asked of what would be written, whatever was undone before.
    """
    after = outcome.text
    head, tail = shared_ends(text, after)
    if not after[head : len(after) - tail].strip():
        # What is only deleted leaves lines of the file, and no line that a model wrote.
        return None
    start = after.rfind("\n", 0, head) + 1
    stop = after.find("\n", len(after) - tail)
    end = len(after)
    if stop >= 0:
        end = min(end, stop + 1 + _BESIDE)
    old = contents_of(text[start : len(text) - (len(after) - end)])
    return judge_lost_lines(old, contents_of(after[start:end]), language_of(path))


def _without_accidents(text: str, outcome: Landed, path: str | None) -> Outcome:
    """Return the outcome without what happened to its new lines on their way."""
    plain = without_accidents(text, outcome.text, path)
    if isinstance(plain, Refused):
        return plain
    refused = judge_levels(text, plain.text, path)
    if refused is not None:
        return refused
    if not plain.undone:
        return outcome

    splices = line_splices(text, plain.text)
    # The lines that were judged before were others.
    applied = judge_splices(Doc(text), splices)
    if applied is not None:
        return refusals.already_applied(applied.line + 1)
    again = landed(text, splices, outcome.rung, outcome.similarity)
    return _with_undone(replace(again, warning=outcome.warning), plain.undone)


def _is_single_line(request: Request) -> bool:
    """Return whether the new text of each edit is one line at most."""
    match request:
        case Replace(new=new):
            return len(contents_of(new)) < 2
        case LineEdits(edits):
            return all(len(contents_of(edit.new)) < 2 for edit in edits)
        case _:
            return False


def _gated(text: str, outcome: Landed, path: str | None, *, single: bool) -> Outcome:
    """Refuse a landing that changes nothing, or a guessed one that breaks the syntax.

    Add a warning to an exact one that breaks it.
    """
    line = outcome.spans[0].line
    if outcome.text == text:
        return refusals.already_applied(line)
    is_mangled = outcome.rung == "unmangled"
    odd = find_foreign_mark(text, outcome.text, path, single=single, mangled=is_mangled)
    if odd:
        return refusals.left_over(odd)

    language = breaks(text, outcome.text, path)
    if language is None:
        return outcome
    if outcome.rung not in _GUESSED:
        broken = f"the file no longer parses as {language} (edit at line {line})."
        return _with_warning(outcome, broken)
    if outcome.warning:
        return refusals.breaks_undone(outcome, language)
    return refusals.breaks_syntax(outcome, language)
