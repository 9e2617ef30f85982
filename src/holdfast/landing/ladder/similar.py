"""Whether a place that only resembles the old lines is the place that was meant.

A place is judged by a list of named vetoes. The first one that applies refuses the place, and goes into the refusal.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, Veto, with_blanks
from holdfast.landing.text.align import (
    SURE,
    Alignment,
    Pair,
    align,
    is_misspelt,
    is_telling,
    start_of,
)
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import numbers_of, strength, words_of
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.text.edit_script import EditScript

ENOUGH = 0.66
_CLEARLY = 0.12
_STRONG = 6
"""Letters and digits that make a line a landmark."""


class _Needle:
    """The script's old lines that are not blank, numbered from 0, and what the script does to them."""

    def __init__(self, doc: Doc, script: EditScript) -> None:
        self.script = script
        self.solid = [j for j, line in enumerate(script.old) if not is_blank(line)]
        self.lines = [script.old[j] for j in self.solid]
        self.language = doc.language

    @cached_property
    def gone(self) -> frozenset[int]:
        """Those that the script removes."""
        removed = self.script.removed
        return frozenset(n for n, j in enumerate(self.solid) if j in removed)

    @cached_property
    def reach(self) -> tuple[int, int]:
        """The first and the last line that an edit removes, or (for an insertion) goes below, or above."""
        numbers = set(self.gone)
        for edit in self.script.edits:
            if any(edit.o1 <= self.solid[n] < edit.o2 for n in self.gone):
                continue
            above = [n for n, j in enumerate(self.solid) if j < edit.o1]
            numbers.add(above[-1] if above else 0)
        return min(numbers, default=0), max(numbers, default=0)

    def name_in(self, n: int) -> str:
        return self.language.name_in(self.lines, n)

    def names_block(self, n: int) -> bool:
        return self.name_in(n) == key_of(self.lines[n])


class _Candidate:
    """A place for the old lines: the pairs of an alignment, all of them or the run around the change."""

    def __init__(self, doc: Doc, needle: _Needle, alignment: Alignment) -> None:
        self.doc, self.needle, self.alignment = doc, needle, alignment
        self.pairs = {pair.j: pair for pair in alignment.pairs}

    @cached_property
    def run(self) -> range:
        """The longest run of neighbouring sure lines that has all changed lines in it; empty if none has."""
        first, last = self.needle.reach
        if not self._is_sure(first) or not all(map(self._is_joined, range(first, last))):
            return range(0)
        while first > 0 and self._is_joined(first - 1):
            first -= 1
        while self._is_joined(last):
            last += 1
        return range(first, last + 1)

    def _is_sure(self, n: int) -> bool:
        return n in self.pairs and self.pairs[n].likeness in SURE

    def _is_joined(self, n: int) -> bool:
        """Return whether old lines `n` and `n + 1` are sure and are neighbours in the file too."""
        return (
            self._is_sure(n) and self._is_sure(n + 1) and self.pairs[n + 1].i == self.pairs[n].i + 1
        )

    @cached_property
    def run_pairs(self) -> list[Pair]:
        """The pairs of the run."""
        return [self.pairs[n] for n in self.run]

    @cached_property
    def beside(self) -> frozenset[int]:
        """The old lines of the run, and those whose lines in the file join it, comments aside.

        Lines further away belong to another place.
        """
        above = sorted((n for n in self.pairs if n < self.run.start), reverse=True)
        below = sorted(n for n in self.pairs if n >= self.run.stop)
        joined = [*self._joining(self.run.start, above), *self._joining(self.run.stop - 1, below)]
        return frozenset((*self.run, *joined))

    def _joining(self, last: int, order: Sequence[int]) -> Iterator[int]:
        for n in order:
            if not self._joins(min(n, last), max(n, last)):
                return
            yield n
            last = n

    def _joins(self, upper: int, lower: int) -> bool:
        one, other = self.pairs[upper], self.pairs[lower]
        # On the same diagonal what lies between was rewritten line for line; one line may be new.
        straight = other.i - one.i == lower - upper
        return straight or other.i - one.i <= 2 or not any(_skipped_code(self.doc, (one, other)))

    @cached_property
    def dropped(self) -> list[int]:
        """The old lines that the run does without, because the file has nothing like them there."""
        return [n for n in range(len(self.needle.lines)) if n not in self.beside]

    def renames_block(self, pair: Pair) -> bool:
        """Return whether the pair is a line that names a block, and the file has another name.

        Below the change a misspelt name is drift; above it, it may be another block.
        """
        asked, there = self.needle.name_in(pair.j), self.doc.name_in(pair.i)
        if pair.likeness in SURE or asked == there:
            return False
        real = self.doc.lines[self.doc.solid[pair.i]]
        return pair.j <= self.needle.reach[1] or not is_misspelt(self.needle.lines[pair.j], real)


Veto_: TypeAlias = Callable[[_Candidate], int | None]


def find_similar(doc: Doc, script: EditScript) -> Placement | SeveralPlaces | Nowhere:
    """Return the one place that is the old lines but for drift, judged by what the script changes there."""
    needle = _Needle(doc, script)
    alignments = align(doc, needle.lines) if needle.solid else []
    first_veto: Veto | None = None
    for alignment in alignments:
        candidate = _Candidate(doc, needle, alignment)
        kept = _judge(candidate)
        if isinstance(kept, Veto):
            first_veto = first_veto or kept
            continue
        rivals = [other for other in alignments if _rivals(needle, alignment, other)]
        if rivals:
            starts = sorted(doc.solid[one.pairs[0].i] for one in (alignment, *rivals))
            return SeveralPlaces(tuple(starts))
        pairs = {needle.solid[pair.j]: doc.solid[pair.i] for pair in kept}
        # Lines that were dropped as invented do not count: the measure is of what was used.
        similarity = alignment.similarity if kept is alignment.pairs else 1.0
        return Placement(with_blanks(doc, script.old, pairs), "similar", similarity)
    if not alignments or not is_telling(doc, needle.lines, alignments[0]):
        return Nowhere(None, first_veto)
    best = alignments[0].pairs
    return Nowhere((doc.solid[start_of(alignments[0])], doc.solid[best[-1].i] + 1), first_veto)


def _rivals(needle: _Needle, one: Alignment, other: Alignment) -> bool:
    """Return whether the other is nearly as good, and would change other lines."""
    if other is one or other.similarity <= one.similarity - _CLEARLY:
        return False
    first, last = needle.reach
    return _lines_of(one, first, last) != _lines_of(other, first, last)


def _lines_of(alignment: Alignment, first: int, last: int) -> list[int]:
    return [pair.i for pair in alignment.pairs if first <= pair.j <= last]


def _judge(candidate: _Candidate) -> Sequence[Pair] | Veto:
    """Return the pairs to use: all of them, or those of the run around the change; or the veto that spoke."""
    whole = _first_veto(candidate, _VETOES_OF_ALL)
    if whole is None:
        return candidate.alignment.pairs
    if whole.name in _FINAL:
        return whole
    part = _first_veto(candidate, _VETOES_OF_RUN)
    if part is None:
        return candidate.run_pairs
    return part if whole.name == "line_missing" and candidate.run else whole


def _first_veto(candidate: _Candidate, vetoes: Sequence[tuple[str, str, Veto_]]) -> Veto | None:
    for name, reason, check in vetoes:
        at = check(candidate)
        if at is not None:
            return Veto(name, reason, candidate.needle.lines[at].strip())
    return None


def _line_missing(place: _Candidate) -> int | None:
    return _first(n for n in range(len(place.needle.lines)) if n not in place.pairs)


def _first(numbers: Iterator[int]) -> int | None:
    return next(numbers, None)


def _removed_line_differs(place: _Candidate) -> int | None:
    return _first(n for n in sorted(place.needle.gone) if place.pairs[n].likeness not in SURE)


def _block_name_differs(place: _Candidate) -> int | None:
    return _first(pair.j for pair in place.alignment.pairs if place.renames_block(pair))


def _too_different(place: _Candidate) -> int | None:
    return 0 if place.alignment.similarity < ENOUGH else None


def _many_typos(place: _Candidate) -> int | None:
    """One stale word is tolerated, or in a long copy one in ten lines."""
    typos = [pair.j for pair in place.alignment.pairs if pair.likeness == "typo"]
    allowed = max(1, len(place.pairs) // 10)
    return typos[allowed] if len(typos) > allowed else None


def _code_skipped(place: _Candidate) -> int | None:
    skipped = any(_skipped_code(place.doc, place.alignment.pairs))
    return place.alignment.pairs[0].j if skipped else None


def _skipped_code(doc: Doc, pairs: Sequence[Pair]) -> Iterator[int]:
    """Yield the file lines (by number among the solid ones) between the pairs that are no comments."""
    for one, other in itertools.pairwise(pairs):
        for i in range(one.i + 1, other.i):
            if not doc.language.is_comment(doc.lines[doc.solid[i]]):
                yield i


def _all_repeat(place: _Candidate) -> int | None:
    return None if _is_unique(place.doc, place.alignment.pairs) else place.alignment.pairs[0].j


def _no_run(place: _Candidate) -> int | None:
    return None if place.run else place.needle.reach[0]


def _run_is_weak(place: _Candidate) -> int | None:
    """Two landmarks identify a place; one is chance."""
    strong = [n for n in place.run if strength(place.needle.lines[n]) >= _STRONG]
    return None if len(strong) > 1 else place.run.start


def _run_repeats(place: _Candidate) -> int | None:
    return None if _is_unique(place.doc, place.run_pairs) else place.run.start


def _block_name_missing(place: _Candidate) -> int | None:
    """Return a line at or above the change that names a block and is not in the file as it is."""
    above = range(place.needle.reach[1])
    missing = (n for n in above if n not in place.beside or place.pairs[n].likeness not in SURE)
    return _first(n for n in missing if place.needle.name_in(n) or _names_there(place, n))


def _names_there(place: _Candidate, n: int) -> bool:
    return n in place.pairs and bool(place.doc.name_in(place.pairs[n].i))


def _nothing_leads(place: _Candidate) -> int | None:
    """Return a dropped line above the change, unless a line that stays names the block."""
    above = [n for n in place.dropped if n < place.run.start]
    first = place.needle.reach[0]
    named = any(
        place.needle.names_block(n) for n in place.run if n <= first and n not in place.needle.gone
    )
    return above[0] if above and not named else None


def _dropped_is_known(place: _Candidate) -> int | None:
    """Return a dropped line whose words are together elsewhere in the file: it was not invented."""
    ours = {key_of(place.needle.lines[n]) for n in place.run}
    near = range(place.run_pairs[0].i, place.run_pairs[-1].i + 1)
    for n in place.dropped:
        key = key_of(place.needle.lines[n])
        if key not in ours and place.doc.knows_words(key, near):
            return n
    return None


def _dropped_is_rewritten(place: _Candidate) -> int | None:
    """Return a dropped line that has its like in its stead: this is another place, or it has moved on."""
    first = place.run_pairs[0].i - place.run.start
    for n in place.dropped:
        real = first + n
        if 0 <= real < len(place.doc.solid) and _is_rewritten(place, n, real):
            return n
    return None


_LIKE_IT = 0.5


def _is_rewritten(place: _Candidate, n: int, i: int) -> bool:
    """Return whether both name a block, or are nearly the same line with words that the file knows."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded when first needed: `import holdfast` stays fast

    line, real = key_of(place.needle.lines[n]), place.doc.solid_keys[i]
    if line == real:
        return False
    if place.needle.name_in(n) and place.doc.name_in(i):
        return True
    if Levenshtein.normalized_similarity(line, real) < _LIKE_IT:
        return False
    other = {*words_of(line), *numbers_of(line)} - {*words_of(real), *numbers_of(real)}
    return bool(other) and all(place.doc.knows_word(word) for word in other)


_VETOES_OF_ALL: tuple[tuple[str, str, Veto_], ...] = (
    ("line_missing", "the file has no line like this one there", _line_missing),
    ("removed_line", "a line to remove must be in the file as it is", _removed_line_differs),
    ("block_name", "a line that names a block must be in the file as it is", _block_name_differs),
    ("similarity", "too few of the lines agree", _too_different),
    ("typos", "too many lines are misspelt", _many_typos),
    ("code_skipped", "the old text leaves out lines of code that the file has", _code_skipped),
    ("repeated", "the lines that agree are in the file more than once", _all_repeat),
)
_FINAL = frozenset({"removed_line", "block_name"})
"""Vetoes that no smaller part of the old text can answer."""
_VETOES_OF_RUN: tuple[tuple[str, str, Veto_], ...] = (
    (
        "changed_lines",
        "the lines around the change are not in the file one below the other",
        _no_run,
    ),
    ("block_name", "a line that names a block must be in the file as it is", _block_name_missing),
    ("landmarks", "too little of the old text is in the file", _run_is_weak),
    ("repeated", "the lines that agree are in the file more than once", _run_repeats),
    ("lead", "no line above the change says which block is meant", _nothing_leads),
    ("known_line", "a line like this one is elsewhere in the file", _dropped_is_known),
    ("rewritten", "the file has another line in the place of this one", _dropped_is_rewritten),
)


def _is_unique(doc: Doc, pairs: Sequence[Pair]) -> bool:
    """Return whether the sure lines, at these distances from each other, are in the file just once."""
    sure = [pair for pair in pairs if pair.likeness in SURE]
    if not sure:
        return False
    probe = max(sure, key=lambda pair: len(doc.solid_keys[pair.i]))
    shifts = (i - probe.i for i in doc.runs([doc.solid_keys[probe.i]]))
    places = (shift for shift in shifts if _are_at(doc, sure, shift))
    return len(list(itertools.islice(places, 2))) == 1


def _are_at(doc: Doc, pairs: Sequence[Pair], shift: int) -> bool:
    keys = doc.solid_keys
    first, last = pairs[0].i + shift, pairs[-1].i + shift
    if first < 0 or last >= len(keys):
        return False
    return all(keys[pair.i + shift] == keys[pair.i] for pair in pairs)
