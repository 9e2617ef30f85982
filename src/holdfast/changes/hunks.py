"""The hunks of a change, numbered over all its files, and the split of a change by its hunks.

Each hunk of an edited text can be accepted alone. A file that is created, deleted or renamed, or is
not text, is one hunk.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change import SPLIT, Change, RequestedEdits
from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.rebase.three_way import raw_lines
from holdfast.changes.swaps import Content, Swap, directories_above, in_order
from holdfast.landing.encoding import decode, encode
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_HEADER = lazy_pattern(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ChangeHunk:
    """A part of a change that can be accepted alone; `number` counts from 1 over the whole change.

    `old` and `new` are the lines of the hunk in the old and the new text, from 0; None if the hunk
    is the whole file.
    """

    number: int
    path: str
    diff: str
    old: range | None = None
    new: range | None = None


@dataclass(frozen=True, slots=True)
class _FileHunks:
    """The report, the swaps and the hunks of one file of a change."""

    file: FileLanded
    swaps: tuple[Swap, ...]
    hunks: tuple[ChangeHunk, ...]


def hunks_of(change: Change) -> tuple[ChangeHunk, ...]:
    """Return the hunks of a change, numbered in the order of its files."""
    hunks: list[ChangeHunk] = []
    for file in _files_with_hunks(change.plan):
        hunks.extend(file.hunks)
    return tuple(hunks)


def judge_hunks(change: Change, hunks: Collection[int], name: str = "") -> Refused | None:
    """Return the refusal of a number that no hunk of the change has, or None.

    `name` is what the change is called, by default by its id.
    """
    if not hunks:
        return None

    count = len(hunks_of(change))
    for number in sorted(hunks):
        if not 1 <= number <= count:
            named = name or f"change {change.id}"
            message = f"{named} has no hunk {number}; its hunks are 1 to {count}."
            return Refused("out_of_bounds", message)

    return None


def split_change(
    change: Change, numbers: Collection[int], accepted_id: str, rest_id: str
) -> tuple[Change, Change]:
    """Return the change with only these hunks, and the rest, made on top of the first.

    There must be at least one hunk in each of the two.
    """
    first: list[_FileHunks] = []
    second: list[_FileHunks] = []
    for file in _files_with_hunks(change.plan):
        wanted = [hunk for hunk in file.hunks if hunk.number in numbers]
        if len(wanted) == len(file.hunks):
            first.append(file)
        elif not wanted:
            second.append(file)
        else:
            accepted, rest = _split_file(file, wanted)
            first.append(accepted)
            second.append(rest)

    requested = RequestedEdits(part_of=change.id)
    part = replace(change, state="proposed", origin=SPLIT, requested=requested)
    return (
        replace(part, id=accepted_id, plan=_plan(first, change.plan)),
        replace(part, id=rest_id, plan=_plan(second, change.plan)),
    )


def _files_with_hunks(plan: ChangePlan) -> list[_FileHunks]:
    if _shares_swaps(plan):
        return [_whole(plan)]

    files: list[_FileHunks] = []
    number = 1
    for file in plan.files:
        swaps = tuple(swap for swap in plan.swaps if swap.path in file.at)
        hunks = tuple(_hunks_of_file(file, swaps, number))
        number += len(hunks)
        files.append(_FileHunks(file, swaps, hunks))

    return files


def _shares_swaps(plan: ChangePlan) -> bool:
    """Return whether files changed places with each other, so that no report has its own swaps."""
    reported: list[str] = []
    for file in plan.files:
        reported.extend(file.at)
    return sorted(reported) != sorted(swap.path for swap in plan.swaps)


def _whole(plan: ChangePlan) -> _FileHunks:
    """Return the whole plan as one hunk."""
    path = plan.swaps[0].path
    hunk = ChangeHunk(1, path, "".join(file.diff for file in plan.files))
    file = FileLanded(path, "edit", "exact", 1.0, "")
    if plan.files:
        file = plan.files[0]
    return _FileHunks(file, plan.swaps, (hunk,))


def _hunks_of_file(file: FileLanded, swaps: Sequence[Swap], first: int) -> list[ChangeHunk]:
    """Return the hunks of a file, numbered from `first`."""
    whole = [ChangeHunk(first, file.path, file.diff)]
    if file.action != "edit":
        return whole

    hunks = list(_text_hunks(file, first))
    if len(hunks) < 2:
        return whole

    # All hunks together must turn the old bytes into the new bytes; a file whose diff does
    # less stays whole.
    swap = swaps[0]
    if _with_hunks(swap, hunks) != swap.after:
        return whole

    return hunks


def _text_hunks(file: FileLanded, first: int) -> Iterator[ChangeHunk]:
    headers = list(_HEADER.finditer(file.diff))
    ends = [header.start() for header in headers[1:]]
    # Not strict: a change of the mode alone, and one of bytes that are no text, has no header.
    spans = zip(headers, [*ends, len(file.diff)], strict=False)
    for number, (header, end) in enumerate(spans, first):
        diff = file.diff[header.start() : end]
        old = _range(header[1], header[2])
        new = _range(header[3], header[4])
        yield ChangeHunk(number, file.path, diff, old, new)


def _range(line: str, size: str | None) -> range:
    start = int(line)
    length = int(size or 1)
    if length == 0:
        return range(start, start)
    return range(start - 1, start - 1 + length)


def _with_hunks(swap: Swap, hunks: Iterable[ChangeHunk]) -> Content | None:
    """Return the old text with these hunks; None if the two sides are not text of one encoding."""
    if swap.before is None:
        return None
    if swap.after is None:
        return None

    old = decode(swap.before.data)
    new = decode(swap.after.data)
    if old.binary or new.binary:
        return None
    if old.encoding != new.encoding:
        return None

    old_lines, new_lines = raw_lines(old.text), raw_lines(new.text)
    out: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.old is None:
            continue
        if hunk.new is None:
            continue
        out += old_lines[at : hunk.old.start]
        out += new_lines[hunk.new.start : hunk.new.stop]
        at = hunk.old.stop

    out += old_lines[at:]
    data = encode("".join(out), old.encoding)
    return Content(data, swap.after.mode)


def _split_file(file: _FileHunks, wanted: Collection[ChangeHunk]) -> tuple[_FileHunks, _FileHunks]:
    (swap,) = file.swaps
    middle = _with_hunks(swap, wanted)
    accepted = _part(file.file, replace(swap, after=middle))
    rest = _part(file.file, replace(swap, before=middle))
    return accepted, rest


def _part(file: FileLanded, swap: Swap) -> _FileHunks:
    diff = diff_of(file.path, file.path, swap.before, swap.after)
    return _FileHunks(replace(file, diff=diff), (swap,), ())


def _plan(files: Sequence[_FileHunks], whole: ChangePlan) -> ChangePlan:
    reports: list[FileLanded] = []
    swaps: list[Swap] = []
    for file in files:
        reports.append(file.file)
        swaps.extend(file.swaps)

    needed: set[str] = set()
    emptied: set[str] = set()
    for swap in swaps:
        if swap.after is None:
            emptied.update(directories_above(swap.path))
        else:
            needed.update(directories_above(swap.path))

    makes = [make for make in whole.makes if make in needed]
    clears = [clear for clear in whole.clears if clear in emptied]
    return ChangePlan(tuple(reports), in_order(swaps), tuple(makes), tuple(clears))
