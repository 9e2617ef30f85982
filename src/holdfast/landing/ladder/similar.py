"""Whether a place that only resembles the old lines is the place that was meant.

A place is judged by a list of named vetoes. The first one that applies refuses the place, and goes into the refusal.
"""

from __future__ import annotations

import itertools
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, Veto, with_blanks
from holdfast.landing.text.align import (
    SURE,
    Alignment,
    Pair,
    align,
    code_names,
    is_misspelt,
    is_telling,
    start_of,
    without_strays,
)
from holdfast.landing.text.languages import is_definition
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import strength, words_of
from holdfast.landing.text.lines import Doc, solid_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript

_CLEARLY = 0.12
_STRONG = 6
"""Letters and digits that make a line a landmark."""


class _Needle:
    """The script's old lines that are not blank, numbered from 0, and what the script does to them."""

    def __init__(self, doc: Doc, script: EditScript) -> None:
        self.solid = solid_numbers(script.old)
        self.lines = list(map(script.old.__getitem__, self.solid))
        self.language = doc.language
        # The number of the first line that is at or below an old line.
        number = partial(bisect_left, self.solid)
        edits = [range(number(edit.o1), number(edit.o2)) for edit in script.edits]
        self.gone = frozenset(itertools.chain.from_iterable(edits))
        """The lines that the script removes."""
        self.insertions = [lines.start for lines in edits if not lines]
        """The lines that edits insert above without removing any."""
        self.added = frozenset(key_of(script.new[n]) for n in script.added)
        """The keys of the new lines."""
        changed = self.gone.union(max(0, below - 1) for below in self.insertions)
        self.reach = min(changed, default=0), max(changed, default=0)
        """The first and the last line that an edit removes, or (for an insertion) goes below, or above."""

    def name_in(self, n: int) -> str:
        return self.language.name_in(self.lines, n)

    def is_doubled(self, n: int) -> bool:
        """Return whether the line above or below is the same: one of them was written twice."""
        beside = self.lines[max(0, n - 1) : n] + self.lines[n + 1 : n + 2]
        return key_of(self.lines[n]) in map(key_of, beside)


class _Candidate:
    """A place for the old lines: the pairs of an alignment, all of them or the run around the change."""

    def __init__(self, doc: Doc, needle: _Needle, alignment: Alignment) -> None:
        self.doc = doc
        self.needle = needle
        self.alignment = alignment
        self.pairs = {pair.j: pair for pair in alignment.pairs}
        self.sure = {pair.j: pair.i for pair in alignment.pairs if pair.likeness in SURE}
        """For each old line that the file has, white space and quotes aside, the number of that line."""

    @cached_property
    def run(self) -> range:
        """The longest run of neighbouring sure lines that has all changed lines in it; empty if none has."""
        first, last = self.needle.reach
        if first not in self.sure:
            return range(0)
        if not all(map(self._is_joined, range(first, last))):
            return range(0)

        while self._is_joined(first - 1):
            first -= 1

        while self._is_joined(last):
            last += 1

        return range(first, last + 1)

    def _is_joined(self, n: int) -> bool:
        """Return whether old lines `n` and `n + 1` are sure and are neighbours in the file too."""
        if n not in self.sure:
            return False
        return self.sure.get(n + 1) == self.sure[n] + 1

    @cached_property
    def beside(self) -> frozenset[int]:
        """The old lines of the run, and those whose lines in the file join it, comments aside.

        Lines further away belong to another place.
        """
        known = sorted(self.pairs)
        below = known[bisect_left(known, self.run.stop - 1) :]
        above = known[bisect_left(known, self.run.start) :: -1]
        return frozenset((*self.run, *self._joined(below), *self._joined(above)))

    def _joined(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the old lines behind the first of `numbers`, up to one that does not join the one before it."""
        for one, other in itertools.pairwise(numbers):
            upper, lower = sorted((one, other))
            if not self._joins(upper, lower):
                return
            yield other

    def _joins(self, upper: int, lower: int) -> bool:
        one, other = self.pairs[upper], self.pairs[lower]
        # On the same diagonal what lies between was rewritten line for line; one line may be new.
        if other.i - one.i in {lower - upper, 1, 2}:
            return True
        return not _skips_code(self.doc, (one, other))

    @cached_property
    def dropped(self) -> list[int]:
        """The old lines that the run does without, because the file has nothing like them there."""
        missing = sorted(set(range(len(self.needle.lines))) - self.beside)
        return list(itertools.filterfalse(self.needle.is_doubled, missing))

    @property
    def dropped_above(self) -> list[int]:
        """The dropped lines above the run."""
        return self.dropped[: bisect_left(self.dropped, self.run.start)]

    def is_misspelt(self, pair: Pair) -> bool:
        """Return whether the old line differs from the file's in the spelling of words alone."""
        real = self.doc.lines[self.doc.solid[pair.i]]
        return is_misspelt(self.needle.lines[pair.j], real)


_Check: TypeAlias = Callable[[_Candidate], Iterator[int]]


def find_similar(doc: Doc, script: EditScript) -> Placement | SeveralPlaces | Nowhere:
    """Return the one place that is the old lines but for drift, judged by what the script changes there."""
    needle = _Needle(doc, script)
    alignments = align(doc, needle.lines)
    veto: Veto | None = None
    for alignment in alignments:
        kept = _judge(_Candidate(doc, needle, alignment))
        if isinstance(kept, Veto):
            veto = veto or kept
            continue

        rivals = list(filter(partial(_rivals, doc, needle, alignment), alignments))
        if rivals:
            starts = sorted(doc.solid[one.pairs[0].i] for one in (alignment, *rivals))
            return SeveralPlaces(tuple(starts))

        pairs = {needle.solid[pair.j]: doc.solid[pair.i] for pair in kept.pairs}
        return Placement(with_blanks(doc, script.old, pairs), "similar", kept.similarity)

    return Nowhere(_closest(doc, needle, alignments), veto)


def _closest(doc: Doc, needle: _Needle, alignments: Sequence[Alignment]) -> tuple[int, int] | None:
    """Return the file lines (from, to) of the best alignment, if they say something."""
    if not alignments:
        return None
    best = alignments[0]
    if not is_telling(doc, needle.lines, best):
        return None

    last = doc.solid[best.pairs[-1].i]
    return doc.solid[start_of(best)], last + 1


def _rivals(doc: Doc, needle: _Needle, one: Alignment, other: Alignment) -> bool:
    """Return whether the other is nearly as good, and would change other lines."""
    if _changed_lines(needle, one) == _changed_lines(needle, other):
        return False
    part = without_strays(doc, needle.lines, other)
    return part.similarity > one.similarity - _CLEARLY


def _changed_lines(needle: _Needle, alignment: Alignment) -> list[int]:
    first, last = needle.reach
    changed = range(first, last + 1)
    return [pair.i for pair in alignment.pairs if pair.j in changed]


def _judge(candidate: _Candidate) -> Alignment | Veto:
    """Return the alignment to use: the whole, or its part in the run around the change; or the veto that spoke."""
    whole = _first_veto(candidate, _VETOES_OF_ALL)
    if whole is None:
        return candidate.alignment
    if whole.name in _FINAL:
        return whole

    part = _first_veto(candidate, _VETOES_OF_RUN)
    if part is None:
        # Lines that were dropped as invented do not count: the measure is of what was used.
        used = map(candidate.pairs.__getitem__, candidate.run)
        return Alignment(tuple(used), similarity=1.0)
    if whole.name == "line_missing" and candidate.run:
        return part
    return whole


def _first_veto(candidate: _Candidate, vetoes: Sequence[tuple[str, str, _Check]]) -> Veto | None:
    for name, reason, check in vetoes:
        for at in check(candidate):
            line = candidate.needle.lines[at].strip()
            return Veto(name, reason, line)

    return None


# Each check yields the old lines that speak against the place.


def _line_missing(place: _Candidate) -> Iterator[int]:
    yield from sorted(set(range(len(place.needle.lines))) - place.pairs.keys())


def _removed_line_differs(place: _Candidate) -> Iterator[int]:
    yield from sorted(place.needle.gone - place.sure.keys())


def _block_name_differs(place: _Candidate) -> Iterator[int]:
    """Yield the lines that name a block which the file names otherwise.

    Below the change a misspelt name is drift; above it, or in a definition directly below, it may be another block.
    """
    doc, needle = place.doc, place.needle
    for pair in place.alignment.pairs:
        if pair.j in place.sure:
            continue
        if needle.name_in(pair.j) == doc.name_in(pair.i):
            continue
        is_below = pair.j > needle.reach[1]
        is_beside = pair.j == needle.reach[1] + 1
        if is_beside and is_definition(key_of(needle.lines[pair.j])):
            is_below = False
        if is_below and place.is_misspelt(pair):
            continue
        yield pair.j


def _insertion_beside_other(place: _Candidate) -> Iterator[int]:
    """Yield the lines that new lines go below, if the file has another word in such a line; a misspelt one is drift."""
    for n in place.needle.insertions:
        above = place.pairs.get(n - 1)
        if above is None:
            continue
        if above.likeness != "typo":
            continue
        if not place.is_misspelt(above):
            yield above.j


def _insertion_in_gap(place: _Candidate) -> Iterator[int]:
    """Yield the lines that new lines go below, if the file has other code between that line and the next one."""
    needle = place.needle
    for n in needle.insertions:
        above, below = place.pairs.get(n - 1), place.pairs.get(n)
        if above is None or below is None:
            continue
        between = place.doc.solid_keys[above.i + 1 : below.i]
        # Where the new lines themselves are in between, the edit was made before.
        if not needle.added.isdisjoint(between):
            continue
        if _skips_code(place.doc, (above, below)):
            yield above.j


def _code_skipped(place: _Candidate) -> Iterator[int]:
    if _skips_code(place.doc, place.alignment.pairs):
        yield place.alignment.pairs[0].j


def _skips_code(doc: Doc, pairs: Sequence[Pair]) -> bool:
    """Return whether a file line between the pairs is no comment."""
    for one, other in itertools.pairwise(pairs):
        between = doc.solid[one.i + 1 : other.i]
        lines = map(doc.lines.__getitem__, between)
        if not all(map(doc.language.is_comment, lines)):
            return True
    return False


def _no_run(place: _Candidate) -> Iterator[int]:
    if not place.run:
        yield place.needle.reach[0]


def _run_is_weak(place: _Candidate) -> Iterator[int]:
    """Two landmarks identify a place; one is chance."""
    lines = place.needle.lines[place.run.start : place.run.stop]
    landmarks = sum(strength(line) >= _STRONG for line in lines)
    if landmarks < 2:
        yield place.run.start


def _twin_beside(place: _Candidate) -> Iterator[int]:
    """Yield the removed lines that have an equal line beside them in the file of which the old text knows nothing."""
    keys = place.doc.solid_keys
    known = {pair.i for pair in place.alignment.pairs}
    for n in sorted(place.needle.gone):
        i = place.sure[n]
        for beside in {i - 1, i + 1} - known:
            there = keys[max(0, beside) : beside + 1]
            if there == [keys[i]]:
                yield n


def _block_name_missing(place: _Candidate) -> Iterator[int]:
    """Yield the lines of the run, above it and right below it that name a block and are not in the file as they are."""
    numbers = range(len(place.needle.lines))[: place.run.stop + 1]
    known = place.beside & place.sure.keys()
    missing = sorted(set(numbers) - known)
    written_once = itertools.filterfalse(place.needle.is_doubled, missing)
    yield from filter(place.needle.name_in, written_once)


def _nothing_leads(place: _Candidate) -> Iterator[int]:
    """Yield the dropped lines above the change, unless a line that stays names the block."""
    needle = place.needle
    above = set(range(needle.reach[0] + 1)).intersection(place.run)
    for n in above - needle.gone:
        if needle.name_in(n) == key_of(needle.lines[n]):
            return

    yield from place.dropped_above


def _dropped_is_rewritten(place: _Candidate) -> Iterator[int]:
    """Yield the dropped lines above the run in whose place the file has such a line with another name or value.

    What was invented is like nothing there.
    """
    shift = place.sure[place.run.start] - place.run.start
    for n in place.dropped_above:
        there = n + shift
        if there >= 0 and _is_rewritten(place, n, there):
            yield n


def _is_rewritten(place: _Candidate, n: int, i: int) -> bool:
    """Return whether old line `n` begins as the file's line `i` or has half of its words; of a comment, also another name of code."""
    line, real = place.needle.lines[n], place.doc.solid_keys[i]
    if place.needle.language.is_comment(line) and code_names(line) <= code_names(real):
        return False
    words, others = words_of(line), words_of(real)
    shared = sum(map(operator.eq, words, others))
    return words[:1] == others[:1] or 2 * shared >= len(words)


def _dropped_is_known(place: _Candidate) -> Iterator[int]:
    """Yield the dropped lines whose words are together elsewhere in the file, not just on their side of the run."""
    lines = place.needle.lines[place.run.start : place.run.stop]
    ours = set(map(key_of, lines))
    first, last = place.sure[place.run[0]], place.sure[place.run[-1]]
    size = len(place.needle.lines)
    for n in place.dropped:
        near = range(first, last + size + 1)
        if n < place.run.start:
            near = range(first - size, last + 1)
        key = key_of(place.needle.lines[n])
        if key in ours:
            continue
        if place.doc.knows_words(key, near):
            yield n


_VETOES_OF_ALL: tuple[tuple[str, str, _Check], ...] = (
    ("line_missing", "the file has no line like this one there", _line_missing),
    ("removed_line", "a line to remove must be in the file as it is", _removed_line_differs),
    ("block_name", "a line that names a block must be in the file as it is", _block_name_differs),
    (
        "beside",
        "a line that new lines go below must be in the file as it is",
        _insertion_beside_other,
    ),
    ("gap", "the file has other lines where new lines go", _insertion_in_gap),
    ("code_skipped", "the old text leaves out lines of code that the file has", _code_skipped),
)
_FINAL = frozenset({"removed_line", "block_name", "beside", "gap"})
"""Vetoes that no smaller part of the old text can answer."""
_VETOES_OF_RUN: tuple[tuple[str, str, _Check], ...] = (
    (
        "changed_lines",
        "the lines around the change are not in the file one below the other",
        _no_run,
    ),
    ("block_name", "a line that names a block must be in the file as it is", _block_name_missing),
    ("repeated", "an equal line is beside this one", _twin_beside),
    ("landmarks", "too little of the old text is in the file", _run_is_weak),
    ("lead", "no line above the change says which block is meant", _nothing_leads),
    (
        "other_line",
        "the file has such a line there, with another name or value",
        _dropped_is_rewritten,
    ),
    ("known_line", "a line like this one is elsewhere in the file", _dropped_is_known),
)
