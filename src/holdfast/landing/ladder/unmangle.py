"""Undoing what is known to happen to text on its way: escapes, entities, listings, wrappers."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.landing.ladder.escapes import ENTITY, ESCAPES, SHOWN_INDENT
from holdfast.landing.ladder.line_decoration import find_decoration, strip_all
from holdfast.landing.ladder.line_pair import pair_around
from holdfast.landing.ladder.listing import listing_of, out_of_listing
from holdfast.landing.ladder.reading import Undo, Unmangled
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    is_blank,
    solid_lines,
    solid_numbers,
    text_of,
)
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.ladder.line_pair import LinePair


def readings(doc: Doc, old: str, new: str) -> Iterator[Unmangled]:
    """Return every reading that undoes one or more manglings, fewest first."""
    start = Unmangled(old, new)
    used = [escape for escape in ESCAPES if escape(doc, start)]
    undos = [*_WRAPPERS, *used]
    seen = {start}
    queue = deque([(start, 0)])
    while queue:
        reading, first = queue.popleft()
        for following, undo in enumerate(undos[first:], first + 1):
            undone = undo(doc, reading)
            if undone is None:
                continue
            queue.append((undone, following))
            if undone in seen:
                continue
            seen.add(undone)
            if undone.old.strip():
                yield undone


def unwrapped(doc: Doc, old: str, new: str) -> Unmangled | None:
    """Return the reading without wrappers and entities, for the loose rungs.

    None where there are none.

    Escapes are not undone there: they are common in code, and no exact match would say that these
    are none of it.
    """
    reading = Unmangled(old, new)
    undos: tuple[Undo, ...] = (*_WRAPPERS, ENTITY)
    for undo in undos:
        reading = undo(doc, reading) or reading

    if reading.old == old:
        return None
    if not reading.old.strip():
        return None
    return reading


def _out_of_pair(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the fence or the tags around the old text, and around the new one where it has such; never the file's own."""
    old, new = map(pair_around, map(contents_of, (reading.old, reading.new)))
    if old is None:
        return None
    if not _is_foreign(doc, old):
        return None
    bare = replace(reading, old=text_of(old.inside))
    if new is None:
        # Around one text only, a tag of any name may be meant.
        if old.is_wrapper:
            return bare
        return None
    # To change a fence is an edit.
    if old.tag == "" and key_of(old.first) != key_of(new.first):
        return None
    return replace(bare, new=text_of(new.inside))


def _is_foreign(doc: Doc, pair: LinePair) -> bool:
    """Return whether the pair is none of the file. In a file with tags of its own, a tag says which block is meant."""
    # Numbers before the lines inside prove that the pair is around a listing.
    if listing_of(pair.inside) is not None:
        return True
    if doc.has(pair.first):
        return False
    if pair.is_wrapper:
        return True
    return _MARKUP.search(doc.text) is None


_MARKUP = lazy_pattern(r"^\s*</?[A-Za-z]", re.MULTILINE)


_BLOCK_MARK = lazy_pattern(
    r"\s*(?:[<-]{5,9} ?SEARCH.*|<{5,9}|={5,9}|[>+]{5,9} ?(?:REPLACE|UPDATED|NEW)?)\s*"
)


def _out_of_block(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the marks of a search/replace block that came along at an end; never a line that the file has."""
    old, new = map(contents_of, (reading.old, reading.new))
    if not any(map(_BLOCK_MARK.fullmatch, old[:1] + old[-1:])):
        return None
    bare, bare_new = map(_without_marked_ends, (old, new))
    if any(map(doc.has, filter(_BLOCK_MARK.fullmatch, old))):
        return None
    return Unmangled(text_of(bare), text_of(bare_new), reading.near)


def _without_marked_ends(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without a mark of a block that is the first or the last of them."""
    marks = [_BLOCK_MARK.fullmatch(line) is not None for line in lines]
    return lines[sum(marks[:1]) : len(lines) - sum(marks[-1:])]


_QUOTES = (
    # Not a fence, which is a line of its own.
    lazy_pattern(r"""\s*(`+(?![`\w]*\n)|\"{3}|'{3})((?:(?!\1).)*)\1\s*""", re.DOTALL),
    lazy_pattern(r"\s*(<!\[CDATA\[)(.*)\]\]>\s*", re.DOTALL),
    # A string of JSON: an escape tells it from a line in quotes.
    lazy_pattern(r"""\s*(["'])(.*\\[nt"].*)\1\s*""", re.DOTALL),
)


def _out_of_quotes(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without quotes around the whole of both texts, as in prose, in XML or in a string of JSON; a blank one needs none."""
    for quoted in _QUOTES:
        old, new = quoted.fullmatch(reading.old), quoted.fullmatch(reading.new)
        if old is None:
            continue
        if new is not None:
            return Unmangled(old[2], new[2], reading.near)
        if is_blank(reading.new):
            return Unmangled(old[2], "", reading.near)
    return None


def with_single_spacing(doc: Doc, old: Sequence[str], new: Sequence[str]) -> Unmangled | None:
    """Return the reading without a blank line behind each line, if the file is not written so; else None."""
    if solid_lines((*old[1::2], *new[1::2])):
        return None
    # A single blank line is a slip.
    if len(solid_lines(new)) < _MANY_LINES:
        return None
    if not _are_twice_as_far(doc, old):
        return None
    return Unmangled(text_of(old[::2]), text_of(new[::2]))


_MANY_LINES = 3


def _are_twice_as_far(doc: Doc, old: Sequence[str]) -> bool:
    """Return whether neighbours among the old lines are twice as far from each other as in the file, wherever it has both."""
    ratios: set[bool] = set()
    for one, other in pairwise(solid_numbers(old)):
        keys = [key_of(old[one]), key_of(old[other])]
        for at in doc.runs(keys)[:_MANY_LINES]:
            distance = doc.solid[at + 1] - doc.solid[at]
            ratios.add(2 * distance == other - one)

    return ratios == {True}


def _out_of_decoration(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without what is before each line; new lines have it all, or stay as they are."""
    old, new = contents_of(reading.old), contents_of(reading.new)
    before = find_decoration(doc, old)
    if before is None:
        return None

    bare = replace(reading, old=text_of(strip_all(before, old) or ()))
    bare_new = strip_all(before, new)
    if bare_new is not None:
        return replace(bare, new=text_of(bare_new))
    if any(map(before.match, new)):
        return None
    if not any(map(doc.has, solid_lines(new))):
        return None
    return bare


_WRAPPERS: tuple[Undo, ...] = (
    _out_of_pair,
    # A fence inside of tags.
    _out_of_pair,
    _out_of_block,
    out_of_listing,
    SHOWN_INDENT,
    _out_of_decoration,
    _out_of_quotes,
)
