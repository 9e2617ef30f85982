"""A text as lines that remember their own endings."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate, compress, count, filterfalse, pairwise
from operator import add
from typing import TYPE_CHECKING

from holdfast.landing.text.languages import UNKNOWN, FileLanguage
from holdfast.landing.text.line_keys import fold, indent_of, indent_width, key_of, keys_of
from holdfast.landing.text.line_tokens import knows_word, words_of
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

# Not str.splitlines: that also breaks at form feeds and U+2028, which are content here.
ENDING = lazy_pattern(r"\r\n|\r|\n")


def split_lines(text: str) -> tuple[list[str], list[str]]:
    r"""Return the lines without their endings, and the endings.

    A last line without one has the ending "".

    >>> split_lines("a\r\nb\nc")
    (['a', 'b', 'c'], ['\r\n', '\n', ''])
    >>> split_lines("a\n")
    (['a'], ['\n'])
    >>> split_lines("")
    ([], [])
    """
    if "\r" in text:
        lines = ENDING.split(text)
        ends = ENDING.findall(text)
    else:
        lines = text.split("\n")
        ends = ["\n"] * (len(lines) - 1)

    if lines[-1]:
        ends.append("")
    else:
        lines.pop()

    return lines, ends


def contents_of(text: str) -> list[str]:
    r"""Return the lines of a request's text.

    One newline at the end ends the last line and adds none.

    >>> contents_of("a\n\n"), contents_of("a"), contents_of("")
    (['a', ''], ['a'], [])
    """
    return split_lines(text)[0]


def text_of(lines: Iterable[str]) -> str:
    r"""Return the lines as a text, each with its newline: a blank one at the end counts.

    >>> text_of(["a", ""])
    'a\n\n'
    """
    return "\n".join((*lines, ""))


def is_blank(line: str) -> bool:
    """Return whether the line is blank."""
    return not fold(line).strip()


def solid_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines that are not blank."""
    return list(filterfalse(is_blank, lines))


def solid_numbers(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that are not blank."""
    return list(compress(range(len(lines)), map(str.strip, map(fold, lines))))


def keys_in(lines: Iterable[str]) -> list[str]:
    """Return the keys of the lines that are not blank."""
    return list(filter(None, map(key_of, lines)))


def numbers_matching(pattern: re.Pattern[str], lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that the pattern matches as a whole."""
    return list(compress(range(len(lines)), map(pattern.fullmatch, lines)))


_MANY = 8
_SAMPLE = 2_000
"""Lines that show how a file is indented; the time does not grow with the file."""
# Bounds places times lines: in a file of equal lines a long run matches almost everywhere.
_PLENTY = 200_000


def find_runs(joined: str, needle: list[str]) -> list[int]:
    r"""Return every position at which the lines of `needle` are among the lines of `joined`, in order.

    `joined` begins and ends with a newline. Searching one string is linear, also where most lines are equal.

    >>> find_runs("\na\nb\na\nb\n", ["a", "b"])
    [0, 2]
    """
    found: list[int] = []
    if not needle:
        return found

    wanted = "\n" + "\n".join(needle) + "\n"
    line = last = 0
    at = joined.find(wanted)
    while at >= 0 and len(found) * len(needle) <= _PLENTY:
        line += joined.count("\n", last, at)
        found.append(line)
        last = at
        at = joined.find(wanted, at + 1)

    return found


def _word_pairs(line: str) -> list[str]:
    """Return each two words that follow each other, or the one that is alone."""
    words = words_of(line)
    pairs = pairwise(words)
    return list(map(" ".join, pairs)) or words


class Doc:
    """The file's text, its lines, and (computed when first asked for) the keys they are compared by."""

    def __init__(self, text: str, language: FileLanguage = UNKNOWN) -> None:
        """Nothing is split before it is asked for."""
        self.text = text
        self.language = language
        self.many = False
        self.unit: str | None = None
        """One level of indentation, once computed (`indentation.unit_of`)."""

    @cached_property
    def _split(self) -> tuple[list[str], list[str]]:
        return split_lines(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return self._split[0]

    @cached_property
    def ends(self) -> list[str]:
        """The endings of the lines."""
        return self._split[1]

    @cached_property
    def keys(self) -> list[str]:
        """For each line the key it is compared by; "" for a blank one."""
        if self.text.isascii():
            return keys_of(self.lines, self.text)

        folded = fold(self.text)
        lines, _ = split_lines(folded + "\n")
        return keys_of(lines, folded)[: len(self.lines)]

    @cached_property
    def solid(self) -> list[int]:
        """The numbers (0-based) of the lines that are not blank."""
        return list(compress(range(len(self.keys)), self.keys))

    @cached_property
    def solid_keys(self) -> list[str]:
        """The keys of the lines that are not blank."""
        return list(filter(None, self.keys))

    @cached_property
    def joined_keys(self) -> str:
        """The keys of the lines that are not blank, as one string with a newline at both ends."""
        return "\n" + "\n".join(self.solid_keys) + "\n"

    @cached_property
    def key_starts(self) -> list[int]:
        """Where each solid line begins in `joined_keys`: at the newline before its key."""
        sizes = map(len, self.solid_keys)
        return list(accumulate(map((1).__add__, sizes), initial=0))

    def key_offset(self, line: int) -> int:
        """Return where the first solid line from `line` on begins in `joined_keys`."""
        return self.key_starts[bisect_left(self.solid, line)]

    @cached_property
    def key_set(self) -> frozenset[str]:
        """All keys, to ask whether a line is anywhere."""
        return frozenset(self.solid_keys)

    @cached_property
    def bare_lines(self) -> frozenset[str]:
        """All lines without trailing blanks, to ask whether a line is anywhere as it is."""
        return frozenset(map(str.rstrip, self.lines))

    @cached_property
    def indents(self) -> frozenset[str]:
        """What the first lines are indented by."""
        return frozenset(map(indent_of, map(self.lines.__getitem__, self.solid[:_SAMPLE])))

    def indent_widths(self, first: int, stop: int) -> list[int]:
        """Return the columns that the lines (by number among the solid ones) are indented by."""
        lines = map(self.lines.__getitem__, self.solid[first:stop])
        return list(map(indent_width, lines))

    def has(self, line: str) -> bool:
        """Return whether the line is anywhere in the file, white space and typography aside."""
        return key_of(line) in self.key_set

    def has_line(self, line: str) -> bool:
        """Return whether the file has the line with this indentation, as it is or in plain characters."""
        return not self.bare_lines.isdisjoint((line.rstrip(), fold(line).rstrip()))

    def name_in(self, at: int) -> str:
        """Return what the line (by number among the solid ones) names, or ""."""
        lines = map(self.lines.__getitem__, self.solid[at : at + 2])
        return self.language.name_in(list(lines), 0)

    def knows_words(self, line: str, near: range) -> bool:
        """Return whether words of the line are together on a line outside `near` (numbers among the solid ones)."""
        pairs = _word_pairs(line)
        known = 0
        for pair in pairs:
            places = set(self.word_pairs.get(pair, ()))
            if not places.issubset(near):
                known += 1

        return known >= max(1, len(pairs) / 2)

    @cached_property
    def word_pairs(self) -> dict[str, list[int]]:
        """For each two words that follow each other (or one that is alone) the lines that have them."""
        places: dict[str, list[int]] = {}
        for i, key in enumerate(self.solid_keys):
            pairs = set(_word_pairs(key))
            for pair in pairs:
                places.setdefault(pair, []).append(i)

        return places

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the text."""
        return frozenset(words_of(self.text))

    def knows_word(self, word: str) -> bool:
        """Return whether `word` is in the text as a whole word."""
        if self.many:
            return word in self.words
        return knows_word(self.text, word)

    @cached_property
    def newline(self) -> str:
        r"""The ending most lines have; "\n" where there is none at all."""
        return max(("\n", "\r\n", "\r"), key=self.ends.count)

    @property
    def ends_open(self) -> bool:
        """Whether the last line has no newline."""
        return self.ends[-1:] == [""]

    @cached_property
    def endings(self) -> frozenset[str]:
        """The ways in which lines end."""
        if "\r" in self.text:
            return frozenset(ENDING.findall(self.text))
        return frozenset(filter(self.text.__contains__, "\n"))

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        sizes = map(add, map(len, self.lines), map(len, self.ends))
        return list(accumulate(sizes, initial=0))

    @cached_property
    def index(self) -> dict[str, list[int]]:
        """For each key the places among the solid ones."""
        places: dict[str, list[int]] = {}
        for i, key in enumerate(self.solid_keys):
            places.setdefault(key, []).append(i)
        return places

    def places_of(self, keys: Sequence[str]) -> dict[str, list[int]]:
        """Return for each of the keys its places among the solid ones."""
        if self.many:
            return {key: self.index.get(key, []) for key in keys}

        where: dict[str, list[int]] = {key: [] for key in keys}
        # Not one line after the other: `compress` finds the few of them in half the time.
        for i in compress(count(), map(where.__contains__, self.solid_keys)):
            where[self.solid_keys[i]].append(i)

        return where

    def expect(self, edits: int) -> None:
        """Set how many edits are to be placed: for many of them an index of all lines pays."""
        self.many = edits > _MANY

    def runs(self, needle: list[str]) -> list[int]:
        """Return every place among the solid keys at which the needle's keys are, in order."""
        if not self.many or not needle:
            return find_runs(self.joined_keys, needle)

        places = [self.index.get(key, []) for key in needle]
        rarest = min(places, key=len)
        shift = places.index(rarest)
        found = []
        for at in rarest[bisect_left(rarest, shift) :]:
            start = at - shift
            if self.solid_keys[start : start + len(needle)] == needle:
                found.append(start)

        return found

    def offset(self, line: int) -> int:
        """Return where line `line` (0-based) begins; the end of the text for one past the last."""
        return self.size(0, line)

    def size(self, first: int, last: int) -> int:
        """Return the characters of the lines from `first` up to `last`, their endings included."""
        if self.many:
            return self.starts[last] - self.starts[first]

        size = sum(map(len, self.lines[first:last])) + last - first
        # Most line endings are one character.
        if "\r" in self.text:
            return size + sum(map(len, self.ends[first:last])) - (last - first)

        reaches_end = first < last == len(self.lines)
        if reaches_end and self.ends_open:
            return size - 1
        return size
