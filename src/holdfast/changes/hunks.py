"""The hunks of a change, numbered over all its files, and a change that is split by them.

A hunk of an edited text can be taken alone. A file that is made, goes, gets another name, or is no text is one hunk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from holdfast.changes.change import SPLIT, Change, RequestedEdits
from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.rebase.three_way import raw_lines
from holdfast.changes.swaps import Content, Swap, in_order
from holdfast.landing.encoding import decode, encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ChangeHunk:
    """A part of a change that can be taken alone; `number` counts from 1 over the whole change.

    `old` and `new` are its lines in the old and the new text, from 0; None if the hunk is the file as a whole.
    """

    number: int
    path: str
    diff: str
    old: range | None = None
    new: range | None = None


@dataclass(frozen=True, slots=True)
class _Share:
    """What a change does to one file, and the hunks of that."""

    file: FileLanded
    swaps: tuple[Swap, ...]
    hunks: tuple[ChangeHunk, ...]


def hunks_of(change: Change) -> tuple[ChangeHunk, ...]:
    """Number the hunks of a change, in the order of its files."""
    return tuple(hunk for share in _shares(change.plan) for hunk in share.hunks)


def split(
    change: Change, numbers: Collection[int], accepted_id: str, rest_id: str
) -> tuple[Change, Change]:
    """Give the change with only these hunks, and the rest of it, made on top of that; there must be some of each."""
    first: list[_Share] = []
    second: list[_Share] = []
    for share in _shares(change.plan):
        wanted = [hunk for hunk in share.hunks if hunk.number in numbers]
        if len(wanted) == len(share.hunks):
            first.append(share)
        elif not wanted:
            second.append(share)
        else:
            taken, left = _split_share(share, wanted)
            first.append(taken)
            second.append(left)
    part = replace(change, state="proposed", origin=SPLIT, asked=RequestedEdits(part_of=change.id))
    return (
        replace(part, id=accepted_id, plan=_plan(first, change.plan)),
        replace(part, id=rest_id, plan=_plan(second, change.plan)),
    )


def _shares(plan: ChangePlan) -> list[_Share]:
    numbers = count(1)
    named = [path for file in plan.files for path in file.at]
    if sorted(named) != sorted(swap.path for swap in plan.swaps):
        # Files that changed places with each other: no report speaks of one swap alone.
        return [_whole(plan, next(numbers))]
    shares: list[_Share] = []
    for file in plan.files:
        swaps = tuple(swap for swap in plan.swaps if swap.path in file.at)
        parts = _text_hunks(file, swaps[0]) if file.action == "edit" else []
        hunks = parts or [ChangeHunk(0, file.path, file.diff)]
        shares.append(
            _Share(file, swaps, tuple(replace(hunk, number=next(numbers)) for hunk in hunks))
        )
    return shares


def _whole(plan: ChangePlan, number: int) -> _Share:
    hunk = ChangeHunk(number, plan.swaps[0].path, "".join(file.diff for file in plan.files))
    return _Share(
        plan.files[0] if plan.files else FileLanded(hunk.path, "edit", "exact", 1.0, ""),
        plan.swaps,
        (hunk,),
    )


def _text_hunks(file: FileLanded, swap: Swap) -> list[ChangeHunk]:
    found = list(_HEADER.finditer(file.diff))
    ends = [*(each.start() for each in found[1:]), len(file.diff)]
    hunks = [
        ChangeHunk(
            0,
            file.path,
            file.diff[each.start() : end],
            _range(each[1], each[2]),
            _range(each[3], each[4]),
        )
        for each, end in zip(found, ends, strict=True)
    ]
    # All of them together must make the new bytes of the old; a diff that says less is not taken apart.
    whole = swap.after and swap.after.data
    return hunks if len(hunks) > 1 and _with_hunks(swap, hunks) == whole else []


def _range(line: str, size: str | None) -> range:
    length = 1 if size is None else int(size)
    start = int(line) - (length > 0)
    return range(start, start + length)


def _with_hunks(swap: Swap, hunks: Iterable[ChangeHunk]) -> bytes | None:
    """Give the old bytes with these hunks; None if one side is no text, or both are not the same kind of it."""
    if swap.before is None or swap.after is None:
        return None
    old, new = decode(swap.before.data), decode(swap.after.data)
    if old.binary or new.binary or old.encoding != new.encoding:
        return None
    lines, others = raw_lines(old.text), raw_lines(new.text)
    out: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.old is not None and hunk.new is not None:
            out += [*lines[at : hunk.old.start], *others[hunk.new.start : hunk.new.stop]]
            at = hunk.old.stop
    return encode("".join([*out, *lines[at:]]), old.encoding)


def _split_share(share: _Share, wanted: Collection[ChangeHunk]) -> tuple[_Share, _Share]:
    (swap,) = share.swaps
    middle = Content(_with_hunks(swap, wanted) or b"", swap.after.mode if swap.after else None)
    return (
        _part(share.file, replace(swap, after=middle)),
        _part(share.file, replace(swap, before=middle)),
    )


def _part(file: FileLanded, swap: Swap) -> _Share:
    return _Share(
        replace(file, diff=diff_of(file.path, file.path, swap.before, swap.after)), (swap,), ()
    )


def _plan(shares: Iterable[_Share], whole: ChangePlan) -> ChangePlan:
    kept = list(shares)
    swaps = in_order(swap for share in kept for swap in share.swaps)
    made = [swap.path for swap in swaps if swap.after is not None]
    makes = tuple(make for make in whole.makes if any(path.startswith(f"{make}/") for path in made))
    return ChangePlan(tuple(share.file for share in kept), swaps, makes)
