"""Undoing what is known to happen to text on its way: escapes, entities, listings, wrappers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import dropwhile, pairwise
from operator import itemgetter

from holdfast.landing.ladder.line_decoration import find_decoration
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    is_blank,
    solid_lines,
    solid_numbers,
    text_of,
)
from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Unmangled:
    """Another reading of old and new.

    `near` is the file line (0-based) that a listing's numbers name.
    """

    old: str
    new: str
    near: int | None = None


_Undo = Callable[[Doc, Unmangled], Unmangled | None]


def readings(doc: Doc, old: str, new: str) -> Iterator[Unmangled]:
    """Return every reading that undoes one or more manglings, fewest first."""
    start = Unmangled(old, new)
    used = [escape for escape in _ESCAPES if escape(doc, start)]
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
    undos: tuple[_Undo, ...] = (*_WRAPPERS, ENTITY)
    for undo in undos:
        reading = undo(doc, reading) or reading

    is_same = reading.old == old
    if is_same or not reading.old.strip():
        return None
    return reading


def share_mangling(lost: Iterable[str], fresh: Iterable[str]) -> bool:
    """Return whether an escape is both in old lines that the file does not have and in new lines."""
    texts = text_of(lost), text_of(fresh)
    escapes = (ENTITY, _QUOTE, LETTER, _MARKDOWN, MOJIBAKE, COLOUR)
    return any(all(map(escape.seen.search, texts)) for escape in escapes)


_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+.#-]*\s*")


def _out_of_fence(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without one fence around the whole; never a fence that the file itself has."""
    openings = {_opening_fence(reading.old), _opening_fence(reading.new)} - {""}
    # In a file with fences of its own, to change one is an edit.
    if len(openings) > 1 and any(map(_FENCE.fullmatch, doc.lines)):
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
    if doc.has(lines[first]) and _listing_of(inside) is None:
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


_NUMBERED = re.compile(r"[ \t]*(?:L|line )?(\d+)( ?[|│:→]|\t|\. )")
_BARE_NUMBER = re.compile(r"[ \t]*(?:L|line )?\d+ ?[|│:→]?[ \t]*")


def _out_of_listing(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the line numbers a listing puts before each line; they must count up by one."""
    lines = contents_of(reading.old)
    listing = _listing_of(lines)
    if listing is None:
        return None

    style = _ListingStyle(
        marks=frozenset(number[2] for number in listing.numbers),
        gap=0,
        has_blanks=len(listing.numbers) < len(lines),
    )
    bare = set(map(str.rstrip, map(style.strip_number, lines)))
    # New lines without numbers show which blanks are content.
    is_shown = not bare.isdisjoint(solid_lines(map(str.rstrip, contents_of(reading.new))))
    if all(map(_has_gap, listing.numbers)) and not doc.bare_lines.issuperset(bare) and not is_shown:
        style = replace(style, gap=1)
    old = text_of(map(style.strip_number, lines))
    new = text_of(map(style.strip_number, contents_of(reading.new)))
    return Unmangled(old, new, listing.start - 1)


@dataclass(frozen=True, slots=True)
class _Listing:
    """The number before each line that is not blank, and what that of the first line is."""

    numbers: list[re.Match[str]]
    start: int


def _listing_of(lines: Sequence[str]) -> _Listing | None:
    """Return the numbers before the lines, if they count up by one."""
    numbers: list[re.Match[str]] = []
    starts: set[int] = set()
    for n, line in enumerate(lines):
        number = _NUMBERED.match(line)
        if number is not None:
            numbers.append(number)
            starts.add(int(number[1]) - n)
        elif not is_blank(line):
            return None

    if len(starts) != 1:
        return None
    return _Listing(numbers, starts.pop())


def is_numbered(line: str) -> bool:
    """Return whether the line begins as one of a listing."""
    return _NUMBERED.match(line) is not None


def without_numbers_from(start: int, text: str) -> str | None:
    """Return the text without the line numbers of a listing that begins with line `start`, or None."""
    reading = _out_of_listing(Doc(""), Unmangled(text, text))
    if reading is None or reading.near != start - 1:
        return None
    return reading.new


def ends_in_numbered_blank(text: str) -> bool:
    """Return whether the text is a listing whose last line is blank."""
    lines = contents_of(text)
    if _listing_of(lines) is None:
        return False
    return _BARE_NUMBER.fullmatch(lines[-1]) is not None


@dataclass(frozen=True, slots=True)
class _ListingStyle:
    """How a listing writes its numbers."""

    marks: frozenset[str]
    """What is between the number and the line: `1. x` in the file is no line of a listing with bars."""
    gap: int
    """Blanks behind the mark that are not the file's."""
    has_blanks: bool
    """Blank lines have no mark behind their number, or no number."""

    def strip_number(self, line: str) -> str:
        found = _NUMBERED.match(line)
        if found and found[2] in self.marks:
            return line[found.end() + self.gap :]

        is_bare = _BARE_NUMBER.fullmatch(line) is not None
        if is_bare and self.has_blanks:
            return ""
        return line


def _has_gap(number: re.Match[str]) -> bool:
    """Return whether a blank that is not the file's may follow: listings put one behind a mark, not behind a tab."""
    mark = number[2]
    if mark[-1] in "\t→ ":
        return False
    behind = number.string[number.end() : number.end() + 1]
    return behind in {"", " "}


_QUOTATION = re.compile(r"^> ?", re.MULTILINE)


_QUOTES = (
    # Not a fence, which is a line of its own.
    re.compile(r"""\s*(`+(?![`\w]*\n)|\"{3}|'{3})(.*)\1\s*""", re.DOTALL),
    re.compile(r"\s*(<!\[CDATA\[)(.*)\]\]>\s*", re.DOTALL),
    # A string of JSON: an escape tells it from a line in quotes.
    re.compile(r"""\s*(["'])(.*\\[nt"].*)\1\s*""", re.DOTALL),
)


def _out_of_quotes(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without quotes around the whole of both texts, as in prose, in XML or in a string of JSON."""
    for quoted in _QUOTES:
        old = quoted.fullmatch(reading.old)
        if old is None or doc.has(old[0]):
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
    # A mark at the end of a line inside was put around each line.
    if f"{mark}\n" in found[2]:
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


def without_diff_marks(doc: Doc, old: Sequence[str], new: Sequence[str]) -> Unmangled | None:
    """Return the reading without the marks of a diff before each line, or None.

    Only if the file has the old lines so, and not as they are; and no line that begins with `+`.
    """
    widths = _widths_of_marks(old, new)
    if not widths:
        return None
    text = _bare_text(doc.lines)
    if "\n+" in text or _bare_text(old) in text:
        return None

    for width in widths:
        bare = [line[width:] for line in old]
        if _are_of_file(doc, bare, old):
            bare_new = _new_without_marks(bare, new, width)
            return Unmangled(text_of(bare), text_of(bare_new))

    return None


def _new_without_marks(bare: Sequence[str], new: Sequence[str], width: int) -> Sequence[str]:
    """Return the new lines without marks of this width, if they have any; `bare` are the old lines without theirs."""
    bare_new = [line[width:] for line in new]
    if "\n+" in _bare_text(new):
        return bare_new
    # What a diff shows with a blank before it is a line that stays: other lines have no marks.
    stays = set(map(str.rstrip, bare))
    if stays.issuperset(bare_new):
        return bare_new
    return new


def _are_of_file(doc: Doc, bare: Sequence[str], old: Sequence[str]) -> bool:
    """Return whether the file has these lines in a row, or most of them with their indentation and none of the old ones."""
    solid = solid_lines(bare)
    keys = list(map(key_of, solid))
    if doc.runs(keys):
        return True
    if any(map(doc.has_line, solid_lines(old))):
        return False

    known = list(filter(doc.has_line, solid))
    return 2 * len(known) > len(solid)


def _bare_text(lines: Sequence[str]) -> str:
    """Return the lines without trailing blanks, with a newline before each and behind the last."""
    return "\n" + text_of(map(str.rstrip, lines))


_DIFF_MARKS = (("  ", "--", "++"), ("  ", "- ", "+ "), (" ", "-", "+"))
"""What is before a line that stays, goes and comes: marks twice, with a blank behind them, and as they are."""


def _widths_of_marks(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return how many characters the marks of a diff before the lines may have; [] without marks."""
    old_lines, new_lines = solid_lines(old), solid_lines(new)
    widths: list[int] = []
    for stays, goes, comes in _DIFF_MARKS:
        beginning = itemgetter(slice(len(stays)))
        marks = set(map(beginning, old_lines))
        new_marks = set(map(beginning, new_lines))
        if not marks <= {stays, goes} or not new_marks <= {stays, comes}:
            continue
        if not marks | new_marks <= {stays}:
            widths.append(len(stays))

    return widths


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
    """Return whether every second line is blank, and at least two others are not."""
    if not all(map(is_blank, lines[1::2])):
        return False
    return len(solid_lines(lines)) > 1


def without_mangling(text: str, new: str) -> str | None:
    """Return a text without line numbers or escapes, if that has more lines of the file.

    For numbers that count up one line is enough, unless they may be those of a list in prose.
    """
    doc = Doc(text)
    shared = _shared(doc, new)
    listing = _listing_of(contents_of(new))
    is_list = listing is None or any(number[2] == ". " for number in listing.numbers)
    enough = enough_numbered = 2 * shared + 2
    if not is_list:
        enough_numbered = shared + 1

    undos: tuple[tuple[_Undo, int], ...] = (
        (_out_of_listing, enough_numbered),
        (JSON_STRING, enough),
    )
    for undo, least in undos:
        reading = undo(doc, Unmangled(new, new))
        if reading is not None and _shared(doc, reading.new) >= least:
            return reading.new

    return None


def _shared(doc: Doc, text: str) -> int:
    """Return how many different lines of the file the text has."""
    return len(doc.key_set.intersection(map(key_of, contents_of(text))))


@dataclass(frozen=True, slots=True)
class _Escape:
    """A way to write characters by others: undone in both texts where the old one has it."""

    seen: re.Pattern[str]
    read: Callable[[re.Match[str]], str]
    trigger: re.Pattern[str] | None = None
    """What the old text must have, if that is not `seen`."""
    foreign: bool = False
    """Undone only if the file itself has no such writing."""

    def __call__(self, doc: Doc, reading: Unmangled) -> Unmangled | None:
        """Return the reading without the escapes, or None where the old text has none."""
        trigger = self.trigger or self.seen
        if not trigger.search(reading.old):
            return None
        if self.foreign and self.seen.search(doc.text):
            return None

        old = self.seen.sub(self.read, reading.old)
        new = self.seen.sub(self.read, reading.new)
        return Unmangled(old, new, reading.near)


# At the end of a line `\n` is the newline that ends it.
_ESCAPED = {"n\n": "\n", "n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def _read_escape(found: re.Match[str]) -> str:
    name = found[1]
    if len(name) == 5:
        return chr(int(name[1:], 16))
    return _ESCAPED.get(name, found[0])


ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "} | {
    "#39": "'",
    "#x27": "'",
    "#34": '"',
    "#60": "<",
    "#62": ">",
    "#38": "&",
}
JSON_STRING = _Escape(
    re.compile(r"\\(u[0-9a-fA-F]{4}|n\n|.)", re.DOTALL), _read_escape, re.compile(r"\\[nt]")
)
_QUOTE = _Escape(re.compile(r"\\([\"'])"), lambda found: found[1])
# Decoded once: `&amp;lt;` is `&lt;`.
ENTITY = _Escape(re.compile(rf"&({'|'.join(ENTITIES)});"), lambda found: ENTITIES[found[1]])
LETTER = _Escape(re.compile(r"\\(u[0-9a-fA-F]{4})"), _read_escape, foreign=True)
# Of Markdown, and of a slash in JSON.
_MARKDOWN = _Escape(re.compile(r"\\([/_*#<>|~\[\]])"), lambda found: found[1], foreign=True)
# Two hyphens that were set as one long dash.
_LONG_DASH = _Escape(re.compile("\u2014"), lambda _: "--", foreign=True)


def _decode(found: re.Match[str]) -> str:
    """Return the letter whose bytes in UTF-8 were read as these letters."""
    for encoding in ("latin-1", "cp1252"):
        with suppress(UnicodeError):
            return found[0].encode(encoding).decode()
    return found[0]


_BYTES = "".join(chr(byte) + bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xC0))
MOJIBAKE = _Escape(
    re.compile(f"[\u00c2-\u00df][{_BYTES}]|[\u00e0-\u00ef][{_BYTES}]{{2}}"), _decode, foreign=True
)
# Of a terminal.
COLOUR = _Escape(re.compile(r"\x1b\[[0-9;]*[mK]"), lambda _: "", foreign=True)

# White space at the beginning of a line as editors and `cat -A` show it.
_SHOWN_TAB = r"(?:\^I|<TAB>|[\u2192\u00bb\u21e5\u2409]) *"


def _read_shown(found: re.Match[str]) -> str:
    return re.sub(_SHOWN_TAB, "\t", found[0]).replace("\u00b7", " ")


_SHOWN_INDENT = _Escape(
    re.compile(rf"^[ \t]*(?:{_SHOWN_TAB}|\u00b7)(?:[ \t]|{_SHOWN_TAB}|\u00b7)*", re.MULTILINE),
    _read_shown,
    foreign=True,
)


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


_WRAPPERS: tuple[_Undo, ...] = (
    _out_of_fence,
    _out_of_tags,
    _out_of_markers,
    _out_of_listing,
    _SHOWN_INDENT,
    _out_of_decoration,
    _out_of_quotes,
    _out_of_quotation,
)


def _with_single_backslashes(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """With one backslash for two, if both texts have no other ones."""
    single, pair = "\\", "\\\\"
    if pair not in reading.old:
        return None
    others = (reading.old + reading.new).replace(pair, "")
    if single in others:
        return None

    old, new = reading.old.replace(pair, single), reading.new.replace(pair, single)
    return Unmangled(old, new, reading.near)


_ESCAPES: tuple[_Undo, ...] = (
    _with_single_backslashes,
    JSON_STRING,
    _QUOTE,
    ENTITY,
    # Encoded twice.
    ENTITY,
    LETTER,
    _MARKDOWN,
    _LONG_DASH,
    MOJIBAKE,
    COLOUR,
)
