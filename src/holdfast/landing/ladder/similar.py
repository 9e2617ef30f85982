"""Whether a place that only resembles the old lines is the place that was meant."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, with_blanks
from holdfast.landing.text.align import SURE, Alignment, Pair, align, start_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import (
    defined_name,
    is_comment,
    knows_word,
    numbers_of,
    strength,
    words_of,
)
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript

ENOUGH = 0.66
_CLEARLY = 0.12
_STRONG = 6
"""Letters and digits that make a line a landmark."""
_LANDMARKS = 2


class _Needle:
    """The script's old lines that are not blank, numbered from 0, and what the script does to them."""

    def __init__(self, script: EditScript) -> None:
        self.script = script
        self.solid = [j for j, line in enumerate(script.old) if not is_blank(line)]
        self.lines = [script.old[j] for j in self.solid]

    @cached_property
    def gone(self) -> frozenset[int]:
        """Those that the script removes."""
        removed = self.script.removed
        return frozenset(n for n, j in enumerate(self.solid) if j in removed)

    @cached_property
    def touched(self) -> list[tuple[int | None, int | None]]:
        """For each edit the last line above it and the first line below it."""
        out: list[tuple[int | None, int | None]] = []
        for edit in self.script.edits:
            above = [n for n, j in enumerate(self.solid) if j < edit.o1]
            below = [n for n, j in enumerate(self.solid) if j >= edit.o2]
            out.append((above[-1] if above else None, below[0] if below else None))
        return out

    @cached_property
    def reach(self) -> tuple[int, int]:
        """The first and the last line that an edit removes, or (for an insertion) goes below, or above."""
        numbers = set(self.gone)
        for (above, below), edit in zip(self.touched, self.script.edits, strict=True):
            if not any(edit.o1 <= self.solid[n] < edit.o2 for n in self.gone):
                beside = above if above is not None else below
                numbers.add(beside if beside is not None else 0)
        return min(numbers, default=0), max(numbers, default=0)


def find_similar(doc: Doc, script: EditScript) -> Placement | SeveralPlaces | Nowhere:
    """Return the one place that is the old lines but for drift, judged by what the script changes there."""
    needle = _Needle(script)
    alignments = align(doc, needle.lines) if needle.solid else []
    for alignment in alignments:
        kept = _all_drifted(doc, needle, alignment) or _some_invented(doc, needle, alignment)
        if kept is None:
            continue
        rivals = [a for a in alignments if _rivals(needle, alignment, a)]
        if rivals:
            return SeveralPlaces(
                tuple(sorted(doc.solid[a.pairs[0].i] for a in (alignment, *rivals)))
            )
        pairs = {needle.solid[pair.j]: doc.solid[pair.i] for pair in kept}
        # Lines that were dropped as invented do not count: the measure is of what was used.
        similarity = alignment.similarity if kept is alignment.pairs else 1.0
        return Placement(with_blanks(doc, script.old, pairs), "similar", similarity)
    if not alignments:
        return Nowhere()
    best = alignments[0].pairs
    return Nowhere((doc.solid[start_of(alignments[0])], doc.solid[best[-1].i] + 1))


def _rivals(needle: _Needle, one: Alignment, other: Alignment) -> bool:
    """Return whether the other is nearly as good, and would change other lines."""
    if other is one or other.similarity <= one.similarity - _CLEARLY:
        return False
    first, last = needle.reach
    return _lines_of(one, first, last) != _lines_of(other, first, last)


def _lines_of(alignment: Alignment, first: int, last: int) -> list[int]:
    return [pair.i for pair in alignment.pairs if first <= pair.j <= last]


def _all_drifted(doc: Doc, needle: _Needle, alignment: Alignment) -> Sequence[Pair] | None:
    """Return all pairs, where each old line has its line in the file and the few that differ differ as drift does."""
    pairs = {pair.j: pair for pair in alignment.pairs}
    if len(pairs) < len(needle.lines) or alignment.similarity < ENOUGH:
        return None
    if any(pairs[n].likeness not in SURE for n in needle.gone):
        return None
    if sum(pair.likeness == "typo" for pair in alignment.pairs) > _typos_allowed(len(pairs)):
        return None
    if not _skips_only_comments(doc, alignment.pairs):
        return None
    return alignment.pairs if _stand_alone(doc, alignment.pairs) else None


def _typos_allowed(size: int) -> int:
    """Return how many stale words are tolerated: one, or in a long copy one in ten lines."""
    return max(1, size // 10)


def _skips_only_comments(doc: Doc, pairs: Sequence[Pair]) -> bool:
    """Return whether all lines the copy left out are comments."""
    return all(
        is_comment(doc.lines[doc.solid[i]])
        for one, other in itertools.pairwise(pairs)
        for i in range(one.i + 1, other.i)
    )


def _some_invented(doc: Doc, needle: _Needle, alignment: Alignment) -> Sequence[Pair] | None:
    """Return the run of sure lines around the changes, if it is a landmark of its own.

    Then the rest was invented.
    """
    pairs = {pair.j: pair for pair in alignment.pairs}
    run = _run_around(pairs, *needle.reach, len(needle.lines))
    if run is None:
        return None
    kept = [pairs[n] for n in run]
    if sum(
        strength(doc.solid_keys[pair.i]) >= _STRONG for pair in kept
    ) < _LANDMARKS or not _stand_alone(doc, kept):
        return None
    beside = _beside(doc, pairs, run)
    if not _is_led(needle, run, beside) or _known_elsewhere(doc, needle, run, beside):
        return None
    return None if _rewritten(doc, needle, run, kept[0].i, beside) else kept


_NEXT_BUT_ONE = 2


def _beside(doc: Doc, pairs: dict[int, Pair], run: range) -> set[int]:
    """Return the old lines whose lines in the file join the run, comments aside.

    Further away they belong to another place.
    """
    known = set(run)
    for order in (
        sorted((n for n in pairs if n < run.start), reverse=True),
        sorted(n for n in pairs if n >= run.stop),
    ):
        last = pairs[run.start if order and order[0] < run.start else run.stop - 1]
        for n in order:
            ends = (pairs[n], last) if n < last.j else (last, pairs[n])
            # On the same diagonal what lies between was rewritten line for line.
            straight = pairs[n].i - n == last.i - last.j
            if (
                not straight
                and ends[1].i - ends[0].i > _NEXT_BUT_ONE
                and not _skips_only_comments(doc, ends)
            ):
                break
            known.add(n)
            last = pairs[n]
    return known


def _is_led(needle: _Needle, run: range, beside: set[int]) -> bool:
    """Return whether the lines above the run are there too, or a definition in it says which place this is."""
    if all(n in beside for n in range(run.start)):
        return True
    if any(defined_name(key_of(needle.lines[n])) for n in range(run.start)):
        return False
    first = needle.reach[0]
    return any(
        defined_name(key_of(needle.lines[n])) for n in run if n <= first and n not in needle.gone
    )


_FEW_PLACES = 2


def _known_elsewhere(doc: Doc, needle: _Needle, run: range, beside: set[int]) -> bool:
    """Return whether a line that is not beside the run is in the file all the same, in a place or two.

    Then it was not invented, and the request may mean that place.
    """
    ours = {key_of(needle.lines[n]) for n in run}
    missing = {
        key_of(line) for n, line in enumerate(needle.lines) if n not in beside and strength(line)
    } - ours
    if any(0 < doc.solid_keys.count(key) <= _FEW_PLACES for key in missing if key in doc.key_set):
        return True
    # The last line may be a piece of one: `.foot` of `.footer {`.
    last = key_of(needle.lines[-1])
    return (
        last in missing and 0 < sum(key.startswith(last) for key in doc.solid_keys) <= _FEW_PLACES
    )


def _rewritten(doc: Doc, needle: _Needle, run: range, first: int, beside: set[int]) -> bool:
    """Return whether a line that was dropped has its like in its stead.

    Then this is another place, or it has moved on.
    """
    for n in sorted(set(range(len(needle.lines))) - beside):
        real = first + n - run.start
        if 0 <= real < len(doc.solid) and _is_rewritten(
            doc, key_of(needle.lines[n]), doc.solid_keys[real]
        ):
            return True
    return False


_LIKE_IT = 0.5


def _is_rewritten(doc: Doc, line: str, real: str) -> bool:
    """Another definition, or nearly the same line with words that the file knows."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded when first needed: `import holdfast` stays fast

    if line == real or (is_comment(line) and is_comment(real)):
        return False
    if defined_name(line) is not None and defined_name(real) is not None:
        return defined_name(line) != defined_name(real)
    other = {*words_of(line), *numbers_of(line)} - {*words_of(real), *numbers_of(real)}
    return (
        bool(other)
        and Levenshtein.normalized_similarity(line, real) >= _LIKE_IT
        and all(knows_word(doc.text, word) for word in other)
    )


def _run_around(pairs: dict[int, Pair], first: int, last: int, size: int) -> range | None:
    """Return the longest run of neighbouring sure lines that contains `first` to `last`, or None."""

    def sure(n: int) -> bool:
        return n in pairs and pairs[n].likeness in SURE

    def joined(n: int) -> bool:
        return sure(n) and sure(n + 1) and pairs[n + 1].i == pairs[n].i + 1

    if not sure(first) or not all(joined(n) for n in range(first, last)):
        return None
    while first > 0 and joined(first - 1):
        first -= 1
    while last + 1 < size and joined(last):
        last += 1
    return range(first, last + 1)


def _stand_alone(doc: Doc, pairs: Sequence[Pair]) -> bool:
    """Return whether the sure lines, at these distances from each other, are in the file just once."""
    sure = [pair for pair in pairs if pair.likeness in SURE]
    if not sure:
        return False
    keys = doc.solid_keys
    probe = max(sure, key=lambda pair: len(keys[pair.i]))

    def all_at(shift: int) -> bool:
        return all(
            0 <= pair.i + shift < len(keys) and keys[pair.i + shift] == keys[pair.i]
            for pair in sure
        )

    places = 0
    for i in doc.runs([keys[probe.i]]):
        places += all_at(i - probe.i)
        if places > 1:
            return False
    return places == 1
