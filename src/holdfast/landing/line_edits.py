"""Land edits that name lines by number."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from operator import attrgetter
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.closest import numbered
from holdfast.landing.ladder.ladder import LadderPlan
from holdfast.landing.ladder.strict_match import hint_at
from holdfast.landing.occurrence import occurrence_of_lines
from holdfast.landing.plans import find_plan, land_plans
from holdfast.landing.projection.projection import LineSplice
from holdfast.landing.projection.splices import splice_of
from holdfast.landing.text.edit_script import common_ends, kept_lines, script_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import fold
from holdfast.landing.text.lines import Doc, contents_of, solid_lines, solid_numbers
from holdfast.vocab.outcomes import Outcome, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.requests import LineEdit, LineEdits


def land_line_edits(text: str, request: LineEdits, path: str | None = None) -> Outcome:
    """Land all edits, each matched against the original text, or refuse them all."""
    if not request.edits:
        return refusals.plain("no_change", "there is no edit in the list; send at least one.")

    doc = Doc(text, language_of(path))
    doc.expect(len(request.edits))
    shown = None
    if request.shown is not None:
        shown = Doc(request.shown)
        if shown.lines == doc.lines:
            shown = doc

    plans: list[LadderPlan] = []
    for number, edit in enumerate(request.edits, 1):
        plan = _plan(doc, shown, edit)
        if isinstance(plan, Refused):
            if len(request.edits) > 1:
                plan = replace(plan, message=f"edit {number}: {plan.message}", veto="")
            return plan
        plans.append(plan)

    if _meet(plans):
        return refusals.overlap([plan.lines.start + 1 for plan in plans])
    return land_plans(doc, plans)


def _meet(plans: Sequence[LadderPlan]) -> bool:
    """Return whether two edits name the same line, or one inserts between the lines of another."""
    ranges = [plan.lines for plan in plans]
    ordered = sorted(ranges, key=attrgetter("start", "stop"))
    return any(one.stop > other.start for one, other in itertools.pairwise(ordered))


def _plan(doc: Doc, shown: Doc | None, edit: LineEdit) -> LadderPlan | Refused:
    if edit.end < edit.start - 1:
        return refusals.plain(
            "out_of_bounds",
            f"the range {edit.start} to {edit.end} ends before it starts; to insert before line {edit.start} "
            f"use start {edit.start}, end {edit.start - 1}.",
        )
    old = contents_of(edit.old or "")
    if not solid_lines(old):
        return _plan_by_number(doc, shown, edit)
    if edit.end < edit.start:
        return refusals.plain(
            "conflict",
            f"the range {edit.start} to {edit.end} inserts, but oldText names lines to replace; "
            "leave oldText out, or give the range of those lines.",
        )

    return _plan_by_text(doc, shown or doc, edit, old)


def _plan_by_text(doc: Doc, source: Doc, edit: LineEdit, old: list[str]) -> LadderPlan | Refused:
    """Return the plan for the place that both the old text and the size of the range fit, or a conflict.

    The number of the first line may be off: it only picks one of several places.
    """
    new = contents_of(edit.new)
    if _ends_in_blank_line(source, edit, old):
        # The lines were joined without a newline at the end: the last one of the text is the blank line's.
        old = [*old, ""]
        if 0 < _count_last_newlines(edit.new) <= _count_last_newlines(str(edit.old)):
            new.append("")
    script = script_of(old, new)
    fits = _is_at(source, script.old, edit.start - 1)
    # Old and new end in the same line, be it a blank one.
    kept = bool(script.edits) and script.edits[-1].o2 < len(script.old)
    size = edit.end - edit.start + 1
    is_shorter = len(script.old) < size and edit.end <= len(source.lines)
    if fits and not kept and is_shorter:
        return _plan_whole_range(doc, source, edit)
    if not script.edits:
        return refusals.no_change()

    plan = find_plan(doc, script, hint_at(edit.start))
    if isinstance(plan, Refused):
        return plan

    solid = solid_numbers(script.old)
    trimmed = solid[-1] - solid[0] + 1
    if size in {len(script.old), trimmed, len(plan.lines)}:
        return plan
    # The change ends above a line that old and new share, so nothing below that line is meant:
    # `end` is miscounted. A single line is no such evidence: it may as well be the first of the
    # range.
    if fits and kept and trimmed > 1:
        return plan

    return _conflict(source, edit, script.old)


def _ends_in_blank_line(source: Doc, edit: LineEdit, old: list[str]) -> bool:
    """Return whether the range is the old lines and a blank one, whose newline ends the old text."""
    if edit.end - edit.start != len(old):
        return False
    if not str(edit.old).endswith("\n"):
        return False
    return _is_at(source, [*old, ""], edit.start - 1)


def _count_last_newlines(text: str) -> int:
    return len(text) - len(text.rstrip("\n"))


def _is_at(source: Doc, old: Sequence[str], first: int) -> bool:
    """Return whether the old lines are the lines from `first` on, trailing white space aside."""
    lines = source.lines[max(0, first) : first + len(old)]
    return list(map(str.rstrip, lines)) == list(map(str.rstrip, old))


def _plan_whole_range(doc: Doc, source: Doc, edit: LineEdit) -> LadderPlan | Refused:
    """Return the plan for a range of which the old text is only the beginning.

    The numbers name the lines.
    """
    new, first = contents_of(edit.new), edit.start - 1
    if new and _is_at(doc, new, first):
        # A second run would fit as well, and delete the lines that follow what the first one wrote.
        return refusals.plain(
            "conflict",
            f"{_lines(edit)}: the new text is already at line {edit.start}. If this edit was applied before, go on; "
            "if the lines below it are to be deleted, send all lines of the range as oldText.",
            (edit.start,),
        )

    return _plan_by_number(doc, source, replace(edit, old=None))


_SHOWN = 8


def _conflict(source: Doc, edit: LineEdit, old: Sequence[str]) -> Refused:
    """Return the refusal of an old text and a range that name different lines, with the lines of both."""
    first = max(0, edit.start - 1)
    closest = numbered(source, first, min(edit.end, first + _SHOWN))
    named = "\n".join(old[:_SHOWN])
    return Refused(
        "conflict",
        f"{_lines(edit)} and oldText name different lines. Send all lines of the range as oldText, or the range of the "
        f"lines in oldText. oldText has {_count(len(old))}:\n{named}\nThe range is:\n{closest or '(not in the file)'}",
        closest=closest,
    )


def _count(lines: int) -> str:
    if lines == 1:
        return "1 line"
    return f"{lines} lines"


def _plan_by_number(doc: Doc, shown: Doc | None, edit: LineEdit) -> LadderPlan | Refused:
    """Return the plan of an edit without old text.

    Its numbers refer to the shown text, whose lines must still be there.
    """
    if shown is None:
        return refusals.plain(
            "stale",
            f"{_lines(edit)}: no oldText, and the file was not shown, so the number may be off; "
            "read the file, or send oldText.",
        )
    if edit.start < 1 or edit.end > len(shown.lines):
        return refusals.plain(
            "out_of_bounds",
            f"{_lines(edit)}: the file has {len(shown.lines)} lines; number them from 1.",
        )
    if edit.old is not None and contents_of(edit.old) != shown.lines[edit.start - 1 : edit.end]:
        return _stale(doc, edit)

    new = tuple(contents_of(edit.new))
    return _plan_lines(doc, shown, edit, new)


def _plan_lines(doc: Doc, shown: Doc, edit: LineEdit, new: tuple[str, ...]) -> LadderPlan | Refused:
    """Return the plan for the lines that the numbers named in the shown text."""
    lines = _mapped(shown, doc, edit.start - 1, edit.end)
    if lines is None:
        return _stale(doc, edit)

    first, last = lines
    if list(new) == doc.lines[first:last]:
        return refusals.no_change()

    own = doc.lines[first:last]
    new = _in_own_spelling(own, new)
    occurrence = occurrence_of_lines(doc, own, new, first)
    splice = splice_of(doc, LineSplice(first, last, new))
    return LadderPlan((splice,), "exact", range(first, last), occurrence)


def _in_own_spelling(own: Sequence[str], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return the new lines, with a line that differs only in its typography as the file has it, if another one changes."""
    script = script_of(list(map(fold, own)), list(map(fold, new)))
    if not script.edits:
        return new
    lines = list(new)
    for n, o in kept_lines(script):
        lines[n] = own[o]
    return tuple(lines)


def _lines(edit: LineEdit) -> str:
    if edit.end < edit.start:
        return f"before line {edit.start}"
    if edit.end == edit.start:
        return f"line {edit.start}"
    return f"lines {edit.start} to {edit.end}"


def _stale(doc: Doc, edit: LineEdit) -> Refused:
    closest = numbered(doc, edit.start - 3, edit.end + 3)
    return Refused(
        "stale",
        f"{_lines(edit)}: changed since the file was shown; read it again. Now:\n{closest}",
        closest=closest,
    )


def _mapped(shown: Doc, doc: Doc, first: int, last: int) -> tuple[int, int] | None:
    """Return where the shown lines `first` up to `last` are now, if they and their neighbours are as they were."""
    if shown is doc:
        return first, last

    wanted = range(max(0, first - 1), min(len(shown.lines), last + 1))
    # Trailing blanks are no change: they would pair a line with its twin.
    before = list(map(str.rstrip, shown.lines))
    after = list(map(str.rstrip, doc.lines))
    now = _where_now(before, after, wanted)
    if now is None:
        return None
    if last > first:
        return now[first], now[first] + last - first

    at = now.get(first, now.get(first - 1, -1) + 1)
    # At the top or the bottom there is only one neighbour: the lines beyond it may be this very
    # insertion.
    ends = {0: 0, len(shown.lines): len(doc.lines)}
    if ends.get(first, at) != at:
        return None
    return at, at


_MIDDLE_LIMIT = 4_000


def _same_lines(middle: Sequence[str], now: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal lines in order.

    Of long texts only lines that occur once in each, because difflib is quadratic.
    """
    if len(middle) + len(now) <= _MIDDLE_LIMIT:
        matcher = SequenceMatcher(None, middle, now, autojunk=False)
        for a, b, length in matcher.get_matching_blocks():
            yield from zip(range(a, a + length), range(b, b + length), strict=True)
        return

    there = Counter(now)
    where = {line: i for i, line in enumerate(now)}
    once = Counter(middle)
    for i, line in enumerate(middle):
        if once[line] == there[line] == 1:
            yield i, where[line]


def _where_now(shown: Sequence[str], lines: Sequence[str], wanted: range) -> dict[int, int] | None:
    """Return for each wanted line its number now, if all are in one unbroken run.

    None where one changed or moved.
    """
    head, tail = common_ends(shown, lines)
    mapped = dict(zip(range(head), range(head), strict=True))
    mapped.update(
        zip(range(len(shown) - tail, len(shown)), range(len(lines) - tail, len(lines)), strict=True)
    )
    if not mapped.keys() >= set(wanted):
        middle, now = shown[head : len(shown) - tail], lines[head : len(lines) - tail]
        mapped.update((head + a, head + b) for a, b in _same_lines(middle, now))

    if not mapped.keys() >= set(wanted):
        return None

    found = {i: mapped[i] for i in wanted}
    shifts = {now - before for before, now in found.items()}
    if len(shifts) > 1:
        return None
    return found
