"""Undoing what is known to happen to text on its way: escapes, entities, listings, wrappers."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from functools import partial
from itertools import dropwhile, pairwise
from typing import TYPE_CHECKING

from holdfast.landing.ladder.escapes import ENTITY, ESCAPES, JSON_STRING, SHOWN_INDENT
from holdfast.landing.ladder.line_decoration import find_decoration
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


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
            is_new = undone not in seen
            seen.add(undone)
            if is_new and undone.old.strip():
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

    is_same = reading.old == old
    if is_same or not reading.old.strip():
        return None
    return reading


_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+.#-]*\s*")


def _out_of_fence(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without one fence around the whole; never a fence that the file itself has."""
    openings = {_opening_fence(reading.old), _opening_fence(reading.new)} - {""}
    # To change a fence is an edit.
    if len(openings) > 1:
        return None
    return _out_of(doc, reading, _inside_fence, _FENCE)


def _opening_fence(text: str) -> str:
    """Return the fence that the text begins with, or ""."""
    first = "".join(solid_lines(contents_of(text))[:1])
    if _FENCE.fullmatch(first) is None:
        return ""
    return key_of(first)


def _inside_fence(doc: Doc, text: str) -> str | None:
    return _inside(doc, text, lambda first, last: all(map(_FENCE.fullmatch, (first, last))))


def _out_of(
    doc: Doc,
    reading: Unmangled,
    inside: Callable[[Doc, str], str | None],
    mark: re.Pattern[str],
) -> Unmangled | None:
    """Return both texts without what is around the old one; None if the new one has a mark of it that is not around it."""
    old, new = inside(doc, reading.old), inside(doc, reading.new)
    if old is None:
        return None
    if new is not None:
        return Unmangled(old, new, reading.near)
    if any(map(mark.fullmatch, contents_of(reading.new))):
        return None

    return replace(reading, old=old)


def _inside(doc: Doc, text: str, is_pair: Callable[[str, str], bool]) -> str | None:
    """Return the lines between the first and the last one, if these are a pair and not the file's."""
    lines = contents_of(text)
    solid = solid_numbers(lines)
    if len(solid) < 2:
        return None

    first, last = solid[0], solid[-1]
    inside = lines[first + 1 : last]
    if not is_pair(lines[first], lines[last]):
        return None
    # Numbers before the lines inside prove that the pair is around a listing.
    if doc.has(lines[first]) and listing_of(inside) is None:
        return None

    return text_of(inside)


# Names that tools give to what they carry. Not any tag: `<section>` around a request may be the
# file's own markup.
_CARRIERS = (
    r"(?:antml:)?(?:tool_(?:call|code|use|response|result)s?|function(?:_calls?|_call)?|invoke|parameters?|arguments?|"
    r"(?:old|new)(?:_?(?:str|string|text|code))?|search|replace|patch|diff|edit|apply_patch|file(?:_content)?|content|"
    r"answer|response|final|output|code_block)"
)


_CLOSING = re.compile(rf"\s*</{_CARRIERS}>\s*")


_TAG = re.compile(rf"\s*<({_CARRIERS})(?:[\s=][^<>]*)?>\s*|{_CLOSING.pattern}")


def _out_of_tags(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without tags around the whole, or closing ones left over behind it.

    Never tags that the file itself has.
    """
    old = _inside(doc, reading.old, _has_any_tags)
    new = _inside(doc, reading.new, _has_any_tags)
    if old is None or new is None:
        return _out_of(doc, reading, _inside_tags, _TAG)
    # In a file with tags of its own, a tag says which block is meant.
    if _MARKUP.search(doc.text):
        return _out_of(doc, reading, _inside_tags, _TAG)
    return Unmangled(old, new, reading.near)


_MARKUP = re.compile(r"^\s*</?[A-Za-z]", re.MULTILINE)


_ANY_TAG = re.compile(r"\s*<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>\s*")


def _is_tag_pair(tag: re.Pattern[str], first: str, last: str) -> bool:
    opening = tag.fullmatch(first)
    if opening is None:
        return False
    return last.strip() == f"</{opening[1]}>"


_has_any_tags = partial(_is_tag_pair, _ANY_TAG)


_has_carrier_tags = partial(_is_tag_pair, _TAG)


def _inside_tags(doc: Doc, text: str) -> str | None:
    """Return the text inside its tags, which may be empty, or None where there are no tags."""
    inside = _inside(doc, text, _has_carrier_tags)
    if inside is not None:
        return inside

    lines = contents_of(text)
    is_left_over = partial(_is_foreign, doc, _CLOSING)
    kept = list(dropwhile(is_left_over, reversed(lines)))
    if len(kept) in {0, len(lines)}:
        return None

    return text_of(reversed(kept))


def _is_foreign(doc: Doc, mark: re.Pattern[str], line: str) -> bool:
    """Return whether the line is such a mark, and not one that the file itself has."""
    if mark.fullmatch(line) is None:
        return False
    return not doc.has(line)


def is_carrier(line: str) -> bool:
    """Return whether tools and models put this line around content: a tag, a mark of a block, a header of a diff."""
    return _CARRIER.fullmatch(line) is not None


def is_edit_mark(line: str) -> bool:
    """Return whether this line is a mark of a block or a header of a diff."""
    return _EDIT_MARK.fullmatch(line) is not None


_BLOCK_MARK = re.compile(
    r"\s*(?:[<-]{5,9} ?SEARCH.*|<{5,9}(?: (?:HEAD|ORIGINAL|OLD))?|={5,9}|[>+]{5,9} ?(?:REPLACE|UPDATED|NEW)?)\s*"
)


_EDIT_MARK = re.compile(
    rf"{_BLOCK_MARK.pattern}|(?:--- |\+\+\+ |@@ -|diff --git |index [0-9a-f]+\.\.).*"
)


_CARRIER = re.compile(rf"{_TAG.pattern}|{_EDIT_MARK.pattern}")


def _out_of_markers(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the marks of a search/replace block that came along.

    Never a mark that the file itself has.
    """
    old, new = _without_ends(doc, reading.old), _without_ends(doc, reading.new)
    if old == reading.old:
        return None
    return Unmangled(old, new, reading.near)


def _without_ends(doc: Doc, text: str) -> str:
    """Return the text without a mark on its first and on its last line."""
    lines = contents_of(text)
    is_mark = partial(_is_foreign, doc, _BLOCK_MARK)
    first = sum(map(is_mark, lines[:1]))
    below = lines[first:]
    last = sum(map(is_mark, below[-1:]))
    if first + last == 0:
        return text

    return text_of(below[: len(below) - last])


_QUOTATION = re.compile(r"^> ?", re.MULTILINE)


_QUOTES = (
    # Not a fence, which is a line of its own.
    re.compile(r"""\s*(`+(?![`\w]*\n)|\"{3}|'{3})(.*)\1\s*""", re.DOTALL),
    re.compile(r"\s*(<!\[CDATA\[)(.*)\]\]>\s*", re.DOTALL),
    # A string of JSON: an escape tells it from a line in quotes.
    re.compile(r"""\s*(["'])(.*\\[nt"].*)\1\s*""", re.DOTALL),
)


def _out_of_quotes(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without quotes around the whole of both texts, as in prose, in XML or in a string of JSON."""
    for quoted in _QUOTES:
        old = quoted.fullmatch(reading.old)
        if old is None:
            continue
        new = _inside_quotes(quoted, old[1], reading.new)
        if new is not None:
            return Unmangled(old[2], new, reading.near)

    return None


def _inside_quotes(quoted: re.Pattern[str], mark: str, text: str) -> str | None:
    """Return the text inside this mark, or None where that is not around the whole; a blank text needs no mark."""
    if is_blank(text):
        return ""

    found = quoted.fullmatch(text)
    if found is None or found[1] != mark:
        return None
    return found[2]


def _out_of_quotation(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the `>` of a quotation before each line; never a line that the file itself has."""
    lines = contents_of(reading.old) + contents_of(reading.new)
    if not all(map(_QUOTATION.match, lines)):
        return None
    if any(map(doc.has, lines)):
        return None

    old, new = _QUOTATION.sub("", reading.old), _QUOTATION.sub("", reading.new)
    return Unmangled(old, new, reading.near)


def with_single_spacing(doc: Doc, old: Sequence[str], new: Sequence[str]) -> Unmangled | None:
    """Return the reading without a blank line behind each line, if the file is not written so; else None."""
    if not all(map(_is_double_spaced, (old, new))):
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


def _is_double_spaced(lines: Sequence[str]) -> bool:
    """Return whether every second line is blank."""
    return all(map(is_blank, lines[1::2]))


def without_mangling(text: str, new: str) -> str | None:
    """Return a text without line numbers or escapes, if that has more lines of the file.

    For numbers that count up one line is enough, unless they may be those of a list in prose.
    """
    doc = Doc(text)
    shared = _shared(doc, new)
    listing = listing_of(contents_of(new))
    is_list = listing is None or any(number[2] == ". " for number in listing.numbers)
    enough = enough_numbered = 2 * shared + 2
    if not is_list:
        enough_numbered = shared + 1

    undos: tuple[tuple[Undo, int], ...] = (
        (out_of_listing, enough_numbered),
        (JSON_STRING, enough),
    )
    for undo, least in undos:
        reading = undo(doc, Unmangled(new, new))
        if reading is None:
            continue
        # Numbers may be behind others.
        reading = out_of_listing(doc, reading) or reading
        if _shared(doc, reading.new) >= least:
            return reading.new

    return None


def _shared(doc: Doc, text: str) -> int:
    """Return how many different lines of the file the text has."""
    return len(doc.key_set.intersection(map(key_of, contents_of(text))))


def _out_of_decoration(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without what is before and behind each line; new lines have it all, or none and are partly the file's."""
    old, new = contents_of(reading.old), contents_of(reading.new)
    decoration = find_decoration(doc, old)
    if decoration is None:
        return None

    bare = text_of(decoration.strip_all(old) or ())
    bare_new = decoration.strip_all(new)
    if bare_new is not None:
        return Unmangled(bare, text_of(bare_new), reading.near)
    if any(map(decoration.strip, new)) or not any(map(doc.has, solid_lines(new))):
        return None
    return replace(reading, old=bare)


_WRAPPERS: tuple[Undo, ...] = (
    _out_of_fence,
    _out_of_tags,
    _out_of_markers,
    out_of_listing,
    SHOWN_INDENT,
    _out_of_decoration,
    _out_of_quotes,
    _out_of_quotation,
)
