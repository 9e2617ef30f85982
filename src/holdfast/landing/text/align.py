"""The loosest rung: places that contain most of the old lines, aligned line by line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.text.line_keys import key_of, loose_key_of
from holdfast.landing.text.line_tokens import (
    is_prose,
    numbers_of,
    words_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.landing.text.lines import Doc

Likeness: TypeAlias = Literal["equal", "loose", "comment", "typo"]
"""How a request's line is the file's line: by key; but for blanks and quotes; reworded.

One word misspelt.
"""

SURE: frozenset[Likeness] = frozenset(("equal", "loose"))


@dataclass(frozen=True, slots=True)
class Pair:
    """Old line `j` (counting lines that are not blank) is the file's `i` (likewise)."""

    j: int
    i: int
    likeness: Likeness
    similarity: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """The pairs, in order, and how much of the request and of the place they cover (0 to 1)."""

    pairs: tuple[Pair, ...]
    similarity: float


def start_of(alignment: Alignment) -> int:
    """Return the file line (counting lines that are not blank) where the first old line would be, were it there."""
    first = alignment.pairs[0]
    return max(0, first.i - first.j)


_LONG_ENOUGH = 200


def is_telling(doc: Doc, old: Sequence[str], alignment: Alignment) -> bool:
    """Return whether the shared lines are more than a bracket: together half as long as the longest old line."""
    shared = sum(len(doc.solid_keys[pair.i]) for pair in alignment.pairs)
    longest = max(map(len, map(key_of, old)))
    return 2 * shared >= min(longest, _LONG_ENOUGH)


# A place that drifts by more lines than this from the straight diagonal is not looked at: 12 s
# became 0.2 s.
BAND = 12
_VOTES = 50_000
_RARE = 50
_ENOUGH_RARE = 4
_CANDIDATES = 12
_NEAREST = 6
"""Equal lines of the band that are looked at for one old line.

Where all lines are equal, all are too many.
"""
_NEAR_TOP = 3


def align(doc: Doc, old: Sequence[str]) -> list[Alignment]:
    """Return the best places for the lines `old` (none of them blank), best first.

    Each uses file lines of its own.
    """
    needle = _Needle(doc, old)
    found: list[Alignment] = []
    used: set[tuple[int, int]] = set()
    for diagonal in _diagonals(needle):
        pairs = _best_path(_cells(doc, needle, diagonal, used), len(old))
        if pairs:
            found.append(Alignment(pairs, _similarity(doc, needle.keys, pairs)))
            # The next one must be another place: no pair may serve twice.
            used |= {(pair.j, pair.i) for pair in pairs}

    return sorted(found, key=lambda a: -a.similarity)


def without_strays(doc: Doc, old: Sequence[str], alignment: Alignment) -> Alignment:
    """Return the alignment without pairs at its ends that make it less similar: their lines are of another place."""
    keys = list(map(key_of, old))
    for fewer in (alignment.pairs[:-1], alignment.pairs[1:]):
        if not fewer:
            continue
        part = Alignment(fewer, _similarity(doc, keys, fewer))
        if part.similarity > alignment.similarity:
            return without_strays(doc, old, part)
    return alignment


class _Needle:
    """The old lines, their keys, and where in the file (counting lines that are not blank) each is."""

    def __init__(self, doc: Doc, old: Sequence[str]) -> None:
        self.lines = old
        self.keys = list(map(key_of, old))
        self.where = doc.places_of(self.keys)


def _diagonals(needle: _Needle) -> list[int]:
    """Return where places might begin.

    Each old line that is in the file votes, weighted by its length.

    Rare lines speak for all where they are a good part of the request; else the rarest do until the
    votes are spent.
    """
    counts = [len(needle.where[key]) for key in needle.keys]
    known = compress(range(len(counts)), counts)
    order = sorted(known, key=counts.__getitem__)
    rare = order[: bisect_right(order, _RARE, key=counts.__getitem__)]
    if _ENOUGH_RARE * sum(len(needle.keys[j]) for j in rare) >= sum(map(len, needle.keys)):
        order = rare

    votes: Counter[int] = Counter()
    left = _VOTES
    for j in order:
        left -= counts[j]
        if left < 0:
            break
        key = needle.keys[j]
        for i in needle.where[key]:
            votes[i - j] += len(key)

    best = votes.most_common(_CANDIDATES)
    return [diagonal for diagonal, count in best if _NEAR_TOP * count >= best[0][1]]


def _cells(
    doc: Doc, needle: _Needle, diagonal: int, used: set[tuple[int, int]]
) -> list[dict[int, Pair]]:
    """Return for each old line the file lines of the band that it may be."""
    cells: list[dict[int, Pair]] = []
    for j, key in enumerate(needle.keys):
        places = needle.where[key]
        low = bisect_left(places, j + diagonal - BAND)
        high = bisect_left(places, j + diagonal + BAND + 1)
        near = sorted(places[low:high], key=lambda i: abs(i - j - diagonal))[:_NEAREST]
        cells.append({i: Pair(j, i, "equal", 1.0) for i in sorted(near) if (j, i) not in used})

    found = compress(needle.keys, cells)
    if _WORTH * sum(map(len, found)) >= sum(map(len, needle.keys)):
        _add_drifted(doc, needle, diagonal, used, cells)

    return cells


# If less than a third of a request is in the file, only the lines that are there help.
_WORTH = 3


def _add_drifted(
    doc: Doc,
    needle: _Needle,
    diagonal: int,
    used: set[tuple[int, int]],
    cells: list[dict[int, Pair]],
) -> None:
    """Add for each line without an equal the lines, between its neighbours' lines, that it may have drifted from."""
    for j, lines in _between(cells, diagonal, len(doc.solid)):
        line = needle.lines[j]
        elsewhere = bool(needle.where[needle.keys[j]])
        for i in lines:
            if (j, i) in used:
                continue
            real = doc.lines[doc.solid[i]]
            likeness = _likeness(doc, line, real, elsewhere=elsewhere)
            if likeness is not None:
                cells[j][i] = Pair(j, i, *likeness)


def _between(cells: list[dict[int, Pair]], diagonal: int, size: int) -> list[tuple[int, range]]:
    """Return for each empty row the file lines between the nearest rows above and below that are not empty."""
    lows: list[int] = []
    low = 0
    for row in cells:
        lows.append(low)
        if row:
            low = min(row) + 1

    out: list[tuple[int, range]] = []
    high = size
    for j in range(len(cells) - 1, -1, -1):
        if cells[j]:
            high = max(cells[j])
            continue
        middle = j + diagonal
        out.append((j, range(max(lows[j], middle - BAND), min(high, middle + BAND + 1))))

    return out


def _best_path(cells: list[dict[int, Pair]], size: int) -> tuple[Pair, ...]:
    """Return the heaviest chain of pairs that ascends on both sides.

    A skipped file line costs a little.
    """
    chains: dict[Pair, Pair | None] = {}
    scores: dict[Pair, float] = {}
    ends: list[Pair] = []
    for j in range(size):
        for pair in cells[j].values():
            gain = pair.similarity
            if pair.likeness in SURE:
                gain *= 2
            before, score = _best_before(pair, ends, scores)
            scores[pair], chains[pair] = gain + score, before
        ends += cells[j].values()

    if not ends:
        return ()

    last: Pair | None = max(ends, key=scores.__getitem__)
    path: list[Pair] = []
    while last is not None:
        path.append(last)
        last = chains[last]

    return tuple(reversed(path))


def _best_before(
    pair: Pair, ends: Sequence[Pair], scores: dict[Pair, float]
) -> tuple[Pair | None, float]:
    """Return the pair that the heaviest chain up to `pair` has before it, and what that chain adds; None and 0 for none."""
    before: Pair | None = None
    best = 0.0
    for other in reversed(ends):
        if other.j < pair.j - BAND:
            break
        if other.i >= pair.i:
            continue
        skipped = (pair.i - other.i - 1) + (pair.j - other.j - 1)
        score = scores[other] - _SKIP * skipped
        if score > best:
            best, before = score, other

    return before, best


_SKIP = 0.15


def _similarity(doc: Doc, keys: Sequence[str], pairs: Sequence[Pair]) -> float:
    """Return the share of matched characters of the longer side.

    Comment lines the request left out do not count.
    """
    # A line counts one character more, for its newline.
    matched = sum(pair.similarity * (len(keys[pair.j]) + 1) for pair in pairs)
    request = sum(map(len, keys)) + len(keys)
    known = {pair.i for pair in pairs}
    window = 0
    for i in range(pairs[0].i, pairs[-1].i + 1):
        key = doc.solid_keys[i]
        is_left_out = i not in known and doc.language.is_comment(key)
        if not is_left_out:
            window += len(key) + 1

    return min(1.0, matched / max(request, window, 1))


_COMMENT_LIKE = 0.2
_TYPO_LIKE = 0.5
_PROSE_LIKE = 0.8


def _likeness(doc: Doc, line: str, real: str, *, elsewhere: bool) -> tuple[Likeness, float] | None:
    """Return how `line` is the file's line `real`, or None where they are different lines.

    `elsewhere` says that the exact line is elsewhere in the file.
    """
    shape = _shape(doc, line, real)
    if shape is None:
        return None

    likeness, similarity, strangers = shape
    # A line whose exact text is elsewhere was not misspelt: this is another line.
    if likeness != "loose" and elsewhere:
        return None
    # A word that is elsewhere in the file is no typo: the line is another line.
    if any(doc.knows_word(word) for word in strangers):
        return None

    return likeness, similarity


_CODE_NAME = lazy_pattern(r"\w*(?:[^\W_]_|[a-z0-9][A-Z])\w*")
"""A word of code: no text for people has an underscore or a capital inside a word."""
_LONG = 2_000
_Shape: TypeAlias = tuple[Likeness, float, Sequence[str]]
"""A likeness, its measure, and the words that must not be elsewhere in the file."""


def _shape(doc: Doc, line: str, real: str) -> _Shape | None:
    """Return the likeness of the two lines alone."""
    if loose_key_of(line) == loose_key_of(real):
        return "loose", 0.99, ()

    key, real_key = key_of(line), key_of(real)
    if key.endswith("...") and real_key.startswith(key.rstrip(". ")):
        return "comment", 0.9, ()
    # The distance of two long lines takes the product of their lengths: a minute for a megabyte on
    # one line.
    if max(len(line), len(real)) > _LONG or numbers_of(line) != numbers_of(real):
        return None

    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded when first needed: `import holdfast` stays fast

    similarity = float(Levenshtein.normalized_similarity(key, real_key))
    if all(map(doc.language.is_comment, (line, real))):
        return _text_shape(line, real, similarity, _COMMENT_LIKE)
    if all(map(is_prose, (line, real))):
        return _text_shape(line, real, similarity, _PROSE_LIKE)
    return _code_shape(line, real, similarity)


def _text_shape(line: str, real: str, similarity: float, enough: float) -> _Shape | None:
    """Return the likeness of two comments, or of two lines of prose: about another name it is another line."""
    if similarity < enough:
        return None
    if code_names(line) != code_names(real):
        return None
    return "comment", similarity, ()


def code_names(line: str) -> frozenset[str]:
    """Return the words of a comment or of prose that are names of code."""
    return frozenset(_CODE_NAME.findall(line))


def _code_shape(line: str, real: str, similarity: float) -> _Shape | None:
    """Return the likeness of two lines of code: a word or two misspelt, or the mark at the end left out."""
    if similarity < _TYPO_LIKE:
        return None
    if key_of(line).rstrip(_END_MARKS) == key_of(real).rstrip(_END_MARKS):
        return "typo", similarity, ()

    other = _other_words(line, real)
    if not 1 <= len(other) <= _MISSPELT:
        return None
    # In a quoted sentence a word is prose, not a name.
    prose = words_of(" ".join(_QUOTED_SENTENCE.findall(line)))
    return "typo", similarity, sorted(set(other).difference(prose))


_END_MARKS = ";,"
_QUOTED_SENTENCE = lazy_pattern(r"\"[^\"]* [^\"]* [^\"]*\"|'[^']* [^']* [^']*'")
_MISSPELT = 3


def _is_typo(word: str, real: str) -> bool:
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - as above

    return bool(Levenshtein.normalized_similarity(word, real) >= _TYPO_LIKE)


_PART = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def is_misspelt(line: str, real: str) -> bool:
    """Return whether the lines differ in the spelling of words, and in no word that is another one.

    >>> is_misspelt("def load_usres(key):", "def load_users(key):"), is_misspelt("in_commit(", "in_node(")
    (True, False)
    """
    if numbers_of(line) != numbers_of(real):
        return False
    ours, theirs = _PART.findall(line), _PART.findall(real)
    if len(ours) != len(theirs):
        return False
    return all(map(_is_typo, ours, theirs))


def _other_words(line: str, real: str) -> list[str]:
    """Return the words of the first line that differ, compared place by place.

    None where the lines have different numbers of words.
    """
    ours, theirs = words_of(line), words_of(real)
    if len(ours) != len(theirs):
        return []
    return list(compress(ours, map(ne, ours, theirs)))
