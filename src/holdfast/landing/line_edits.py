"""Land edits that name lines by number."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.closest import numbered
from holdfast.landing.ladder.ladder import LadderPlan, climb
from holdfast.landing.ladder.strict_match import Hint
from holdfast.landing.lost_lines import judge_lost_lines
from holdfast.landing.projection.projection import LineSplice
from holdfast.landing.projection.splices import landed, overlap, splice_of
from holdfast.landing.text.edit_script import EditScript, script_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc, contents_of, is_blank
from holdfast.vocab.outcomes import RUNGS, Outcome, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.requests import LineEdit, LineEdits


def land_line_edits(text: str, request: LineEdits, path: str | None = None) -> Outcome:
    """Land all edits, each matched against the original text, or refuse them all."""
    if not request.edits:
        return refusals.plain("no_change", "there is no edit in the list; send at least one.")
    doc = Doc(text, language_of(path))
    doc.expect(len(request.edits))
    shown = Doc(request.shown) if request.shown is not None else None
    if shown is not None and shown.lines == doc.lines:
        shown = doc
    plans: list[LadderPlan] = []
    for number, edit in enumerate(request.edits, 1):
        plan = _plan(doc, shown, edit)
        if isinstance(plan, Refused):
            return plan if len(request.edits) == 1 else _of(plan, number)
        plans.append(plan)
    splices = [splice_of(doc, splice) for plan in plans for splice in plan.splices]
    if not splices:
        return refusals.no_change()
    if overlap(splices) or _meet(plans):
        return refusals.overlap([plan.lines.start + 1 for plan in plans])
    rung = max((plan.rung for plan in plans), key=RUNGS.index)
    return landed(text, splices, rung, min(plan.similarity for plan in plans))


def _of(refusal: Refused, number: int) -> Refused:
    return Refused(
        refusal.reason, f"edit {number}: {refusal.message}", refusal.closest, refusal.candidates
    )


def _meet(plans: Sequence[LadderPlan]) -> bool:
    """Return whether two edits name the same line, or one inserts between the lines of another."""
    ordered = sorted((plan.lines for plan in plans), key=lambda lines: (lines.start, lines.stop))
    return any(one.stop > other.start for one, other in itertools.pairwise(ordered))


def _plan(doc: Doc, shown: Doc | None, edit: LineEdit) -> LadderPlan | Refused:
    if edit.end < edit.start - 1:
        return refusals.plain(
            "out_of_bounds",
            f"the range {edit.start} to {edit.end} ends before it starts; to insert before line {edit.start} "
            f"use start {edit.start}, end {edit.start - 1}.",
        )
    if (
        edit.old is not None
        and contents_of(edit.old)
        and not all(map(is_blank, contents_of(edit.old)))
    ):
        if edit.end < edit.start:
            return refusals.plain(
                "conflict",
                f"the range {edit.start} to {edit.end} inserts, but oldText names lines to replace; "
                "leave oldText out, or give the range of those lines.",
            )
        return _plan_by_text(doc, shown, edit, edit.old)
    return _plan_by_number(doc, shown, edit)


def _plan_by_text(doc: Doc, shown: Doc | None, edit: LineEdit, old: str) -> LadderPlan | Refused:
    """Return the plan for the place that both the old text and the size of the range fit, or refuse.

    The number of the first line may be off: it only picks one of several places.
    """
    script = script_of(contents_of(old), contents_of(edit.new))
    if not script.edits:
        return refusals.no_change()
    lost = judge_lost_lines(script.old, script.new, doc.language)
    if lost is not None:
        return lost
    return _plan_script(doc, shown or doc, edit, script)


def _plan_script(doc: Doc, source: Doc, edit: LineEdit, script: EditScript) -> LadderPlan | Refused:
    """Return the plan of an edit whose old text and range agree, or a conflict."""
    fits = _is_at(source, script.old, edit.start - 1)
    kept = _keeps_last_line(script)
    if fits and not kept and len(script.old) < _size(edit) and edit.end <= len(source.lines):
        return _plan_whole_range(doc, source, edit)
    found = climb(doc, script, Hint(near=edit.start - 1))
    if not isinstance(found, LadderPlan):
        return refusals.of(doc, script, found)
    if _size(edit) in {len(script.old), len(_trimmed(script.old)), len(found.lines)}:
        return found
    # The change ends above a line that old and new share, so nothing below that line is meant:
    # `end` is miscounted. A single line is no such evidence: it may as well be the first of the
    # range.
    if fits and kept and len(_trimmed(script.old)) > 1:
        return found
    return _conflict(source, edit, script.old)


def _size(edit: LineEdit) -> int:
    return edit.end - edit.start + 1


def _is_at(source: Doc, old: Sequence[str], first: int) -> bool:
    """Return whether the old lines are the lines from `first` on, trailing white space aside."""
    lines = source.lines[first : first + len(old)] if first >= 0 else []
    return [line.rstrip() for line in lines] == [line.rstrip() for line in old]


def _keeps_last_line(script: EditScript) -> bool:
    """Return whether old and new end in the same line, blank lines aside."""
    return any(not is_blank(line) for line in script.old[script.edits[-1].o2 :])


def _trimmed(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without the blank ones at both ends."""
    solid = [i for i, line in enumerate(lines) if not is_blank(line)]
    return lines[solid[0] : solid[-1] + 1]


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
    first = min(max(0, edit.start - 1), len(source.lines))
    last = min(edit.end, len(source.lines))
    closest = numbered(source, first, min(last, first + _SHOWN))
    named = "\n".join(old[:_SHOWN])
    return Refused(
        "conflict",
        f"{_lines(edit)} and oldText name different lines. Send all lines of the range as oldText, or the range of the "
        f"lines in oldText. oldText has {_count(len(old))}:\n{named}\nThe range is:\n{closest or '(not in the file)'}",
        closest=closest,
    )


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


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
    if edit.start < 1 or edit.end > len(shown.lines) or edit.start > len(shown.lines) + 1:
        return refusals.plain(
            "out_of_bounds",
            f"{_lines(edit)}: the file has {len(shown.lines)} lines; number them from 1.",
        )
    if edit.old is not None and contents_of(edit.old) != shown.lines[edit.start - 1 : edit.end]:
        return _stale(doc, edit)
    new = tuple(contents_of(edit.new))
    lost = judge_lost_lines(shown.lines[edit.start - 1 : edit.end], new, doc.language)
    if lost is not None:
        return lost
    return _plan_lines(doc, shown, edit, new)


def _plan_lines(doc: Doc, shown: Doc, edit: LineEdit, new: tuple[str, ...]) -> LadderPlan | Refused:
    """Return the plan for the lines that the numbers named in the shown text."""
    lines = _mapped(shown, doc, edit.start - 1, edit.end)
    if lines is None:
        return _stale(doc, edit)
    first, last = lines
    if list(new) == doc.lines[first:last]:
        return refusals.no_change()
    return LadderPlan((LineSplice(first, last, new),), "exact", 1.0, range(first, last))


def _lines(edit: LineEdit) -> str:
    if edit.end < edit.start:
        return f"before line {edit.start}"
    return f"line {edit.start}" if edit.end == edit.start else f"lines {edit.start} to {edit.end}"


def _stale(doc: Doc, edit: LineEdit) -> Refused:
    start, stop = max(0, edit.start - 3), min(len(doc.lines), edit.end + 3)
    closest = numbered(doc, start, stop)
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
    now = _where_now(shown.lines, doc.lines, wanted)
    if now is None:
        return None
    if last > first:
        return now[first], now[first] + last - first
    at = 0
    if first in now:
        at = now[first]
    elif first:
        at = now[first - 1] + 1
    # At the top or the bottom there is only one neighbour: the lines beyond it may be this very
    # insertion.
    if (first == 0 and at != 0) or (first == len(shown.lines) and at != len(doc.lines)):
        return None
    return at, at


_MIDDLE_LIMIT = 4_000


def _same_lines(middle: Sequence[str], now: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal lines in order.

    Of long texts only lines that occur once in each, because difflib is quadratic.
    """
    if len(middle) + len(now) <= _MIDDLE_LIMIT:
        for a, b, length in SequenceMatcher(
            None, middle, now, autojunk=False
        ).get_matching_blocks():
            yield from ((a + k, b + k) for k in range(length))
        return
    there = Counter(now)
    where = {line: i for i, line in enumerate(now)}
    once = Counter(middle)
    yield from ((i, where[line]) for i, line in enumerate(middle) if once[line] == there[line] == 1)


def _where_now(shown: Sequence[str], lines: Sequence[str], wanted: range) -> dict[int, int] | None:
    """Return for each wanted line its number now, if all are in one unbroken run.

    None where one changed or moved.
    """
    size = min(len(shown), len(lines))
    head = next((i for i in range(size) if shown[i] != lines[i]), size)
    tail = next((i for i in range(size - head) if shown[-1 - i] != lines[-1 - i]), size - head)
    shift = len(lines) - len(shown)
    if not wanted:
        return {} if not lines else None
    if wanted.stop <= head:
        return {i: i for i in wanted}
    if wanted.start >= len(shown) - tail:
        return {i: i + shift for i in wanted}
    middle, now = shown[head : len(shown) - tail], lines[head : len(lines) - tail]
    mapped = {i: i for i in range(head)} | {
        i: i + shift for i in range(len(shown) - tail, len(shown))
    }
    mapped.update({head + a: head + b for a, b in _same_lines(middle, now)})
    found = [mapped.get(i) for i in wanted]
    if None in found or any(b != (a or 0) + 1 for a, b in itertools.pairwise(found)):
        return None
    return {i: mapped[i] for i in wanted}
