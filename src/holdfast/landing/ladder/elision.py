"""Lines that replace code the model did not repeat: `# ... existing code ...`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, with_blanks
from holdfast.landing.text.languages import (
    comment_words,
    has_dots,
    is_comment_like,
    is_definition,
)
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, solid_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript


def is_gap(line: str) -> bool:
    """Return whether the line can replace lines left out: dots, alone or at an end of a comment.

    >>> is_gap("    # ... existing code ..."), is_gap("..."), is_gap("# wait ... then go"), is_gap("f(...)")
    (True, True, False, False)
    """
    if not has_dots(line):
        return False
    if is_comment_like(line):
        return True
    return not comment_words(line).strip('". \u2026')


def find_elided(doc: Doc, script: EditScript) -> Placement | SeveralPlaces | Nowhere | None:
    """Return the place of the old lines with gaps between them; None where there is no gap."""
    # A line with dots that the file has as it is is content.
    marks = set(filterfalse(doc.has, filter(is_gap, script.old)))
    gaps = {j for j, line in enumerate(script.old) if line in marks}
    if not gaps:
        return None
    if gaps & script.removed:
        return None

    segments = _segments(script.old, gaps)
    touched = _touched_segments(script, segments)
    if not touched:
        return Nowhere()

    old_keys = list(map(key_of, script.old))
    keys = [list(map(old_keys.__getitem__, segment)) for segment in segments]
    chains = _chains(doc, keys, touched)
    if len(chains) == 1:
        return _placement(doc, script, segments, chains[0])
    if not chains:
        return Nowhere()

    starts = sorted({chain[touched[0]] for chain in chains})
    return SeveralPlaces(tuple(map(doc.solid.__getitem__, starts)))


def _placement(
    doc: Doc, script: EditScript, segments: Sequence[Sequence[int]], chain: Sequence[int]
) -> Placement:
    """Return the place where the segments begin at the lines of the chain."""
    pairs: dict[int, int] = {}
    for segment, start in zip(segments, chain, strict=True):
        pairs.update(zip(segment, doc.solid[start:], strict=False))

    return Placement(with_blanks(doc, script.old, pairs), "elision")


def _segments(old: Sequence[str], gaps: set[int]) -> list[list[int]]:
    """Return the runs of real lines between the gaps, by line number."""
    segments: list[list[int]] = [[]]
    for j in solid_numbers(old):
        if j in gaps:
            segments.append([])
        else:
            segments[-1].append(j)

    return list(filter(None, segments))


_MANY = 100
"""Chains after which no more are looked for."""


def _chains(
    doc: Doc, segments: Sequence[list[str]], touched: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return the ways to place all segments, in order and within one block.

    A segment that no edit touches is as near as possible to the next one.
    """
    anchor = touched[0]
    chains: list[tuple[int, ...]] = [(start,) for start in doc.runs(segments[anchor])[:_MANY]]
    for n in range(anchor - 1, -1, -1):
        chains = _with_segment_above(doc, chains, segments[n])

    for n in range(anchor + 1, len(segments)):
        limit = 1
        if n in touched:
            limit = _MANY
        size = len(segments[n - 1])
        chains = _with_segment_below(doc, chains, size, segments[n], limit)

    return chains


def _with_segment_above(
    doc: Doc, chains: Sequence[tuple[int, ...]], segment: list[str]
) -> list[tuple[int, ...]]:
    """Return the chains that the segment can be put above, each with the nearest place of the segment."""
    starts, size = doc.runs(segment), len(segment)
    longer = []
    for chain in chains:
        nearest = bisect_right(starts, chain[0] - size) - 1
        if nearest < 0:
            continue
        start = starts[nearest]
        if not leaves_block(doc, start + size, chain[0]):
            longer.append((start, *chain))

    return longer


def _with_segment_below(
    doc: Doc, chains: Sequence[tuple[int, ...]], size: int, segment: list[str], limit: int
) -> list[tuple[int, ...]]:
    """Return the chains with each of the nearest places of the segment, up to `limit` for one chain.

    `size` is the number of lines of the last segment of the chains.
    """
    starts = doc.runs(segment)
    longer = []
    for chain in chains:
        end = chain[-1] + size
        near = bisect_left(starts, end)
        leaves = partial(leaves_block, doc, end)
        inside = filterfalse(leaves, starts[near : near + limit])
        longer += [(*chain, at) for at in inside]

    return longer[:_MANY]


def leaves_block(doc: Doc, stop: int, after: int) -> bool:
    """Return whether the gap from `stop` to `after` leaves the block of the lines beside it.

    A line further to the left than both ends the block. Below a line that opens a block, so does a definition or another
    `{` that is no deeper than it.
    """
    above, *inside, below = doc.indent_widths(stop - 1, after + 1)
    if min(inside, default=above) < min(above, below):
        return True
    if above >= below:
        return False
    if not doc.name_in(stop - 1):
        return False

    brace = doc.solid_keys[stop - 1].endswith("{")
    for i, width in enumerate(inside, stop):
        if width > above:
            continue
        key = doc.solid_keys[i]
        if is_definition(key):
            return True
        if brace and key.endswith("{"):
            return True

    return False


def _touched_segments(script: EditScript, segments: Sequence[Sequence[int]]) -> list[int]:
    """Return the numbers of the segments that an edit changes or goes beside; the first one where there is no edit."""
    if not script.edits:
        return list(range(len(segments)))[:1]

    firsts = [segment[0] for segment in segments]
    ends = [segment[-1] + 1 for segment in segments]
    touched: set[int] = set()
    for edit in script.edits:
        first = bisect_left(ends, edit.o1)
        stop = bisect_right(firsts, edit.o2)
        touched.update(range(first, stop))

    return sorted(touched)
