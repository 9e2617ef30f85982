"""Undoing what is known to happen to text on its way: escapes, entities, listings, wrappers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, contents_of, is_blank
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
    wrappers = (_out_of_fence, _out_of_tags, _out_of_markers, _out_of_listing)
    undos = (*wrappers, _unescape_lines, _unescape_quotes, _unescape_entities, _split_dashes)
    applicable = [undo for undo in undos if undo in wrappers or undo(doc, start) is not None]
    seen = {start}
    for size in range(1, len(applicable) + 1):
        for chosen in combinations(applicable, size):
            reading = _apply(doc, start, chosen)
            if reading is not None and reading not in seen and reading.old.strip():
                seen.add(reading)
                yield reading


def unwrapped(doc: Doc, old: str, new: str) -> Unmangled | None:
    """Return the reading without wrappers and entities, for the loose rungs.

    None where there are none.

    Escapes are not undone there: they are common in code, and no exact match would say that these
    are none of it.
    """
    reading = Unmangled(old, new)
    for undo in (_out_of_fence, _out_of_tags, _out_of_markers, _out_of_listing, _unescape_entities):
        reading = undo(doc, reading) or reading
    return reading if reading.old != old and reading.old.strip() else None


def share_mangling(lost: Sequence[str], fresh: Sequence[str]) -> bool:
    """Return whether entities, or escaped quotes, are both in old lines that the file does not have and in new lines."""
    return any(
        any(pattern.search(line) for line in lost) and any(pattern.search(line) for line in fresh)
        for pattern in (_ENTITY, _ESCAPED_QUOTE)
    )


def _apply(doc: Doc, reading: Unmangled, chosen: Sequence[_Undo]) -> Unmangled | None:
    for undo in chosen:
        undone = undo(doc, reading)
        if undone is None:
            return None
        reading = undone
    return reading


_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+.#-]*\s*")


def _out_of_fence(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without one fence around the whole; never a fence that the file itself has."""
    old = _unwrapped(doc, reading.old, _is_fence)
    if old is None:
        return None
    new = _unwrapped(doc, reading.new, _is_fence)
    if new is None:
        return (
            None
            if any(map(_FENCE.fullmatch, contents_of(reading.new)))
            else replace(reading, old=old)
        )
    # In a file with fences of its own, to change one is an edit.
    if _opening(reading.old) != _opening(reading.new) and any(map(_FENCE.fullmatch, doc.lines)):
        return None
    return Unmangled(old, new, reading.near)


def _opening(text: str) -> str:
    return next((key_of(line) for line in contents_of(text) if not is_blank(line)), "")


def _is_fence(first: str, last: str) -> bool:
    return _FENCE.fullmatch(first) is not None and _FENCE.fullmatch(last) is not None


# Names that tools give to what they carry. Not any tag: `<section>` around a request may be the
# file's own markup.
_CARRIERS = (
    r"(?:antml:)?(?:tool_(?:call|code|use|response|result)s?|function(?:_calls?|_call)?|invoke|parameters?|arguments?|"
    r"(?:old|new)(?:_?(?:str|string|text|code))?|search|replace|patch|diff|edit|apply_patch|file_content|content|"
    r"answer|response|final|output|code_block)"
)
_OPENING = re.compile(rf"\s*<({_CARRIERS})(?:[\s=][^<>]*)?>\s*")


def _out_of_tags(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without tags around the whole, or closing ones left over behind it.

    Never tags that the file itself has.
    """
    old = _without_tags(doc, reading.old)
    if old is None:
        return None
    new = _without_tags(doc, reading.new)
    if new is None and any(
        _OPENING.fullmatch(line) or _CLOSING.fullmatch(line) for line in contents_of(reading.new)
    ):
        return None
    return Unmangled(old, reading.new if new is None else new, reading.near)


def _without_tags(doc: Doc, text: str) -> str | None:
    """Return the text inside its tags, which may be empty, or None where there are no tags."""
    inside = _unwrapped(doc, text, _is_tag_pair)
    return _without_closing(doc, text) if inside is None else inside


_CLOSING = re.compile(rf"\s*</{_CARRIERS}>\s*")


def _without_closing(doc: Doc, text: str) -> str | None:
    lines = contents_of(text)
    size = len(lines)
    while (
        size and _CLOSING.fullmatch(lines[size - 1]) and key_of(lines[size - 1]) not in doc.key_set
    ):
        size -= 1
    return "\n".join(lines[:size]) if 0 < size < len(lines) else None


def _is_tag_pair(first: str, last: str) -> bool:
    opening = _OPENING.fullmatch(first)
    return opening is not None and last.strip() == f"</{opening[1]}>"


def _unwrapped(doc: Doc, text: str, is_pair: Callable[[str, str], bool]) -> str | None:
    lines = contents_of(text)
    solid = [n for n, line in enumerate(lines) if not is_blank(line)]
    if len(solid) < 2 or not is_pair(lines[solid[0]], lines[solid[-1]]):
        return None
    if key_of(lines[solid[0]]) in doc.key_set:
        return None
    return "\n".join(lines[solid[0] + 1 : solid[-1]])


_OPENS_OLD = re.compile(r"\s*[<-]{5,9} ?SEARCH.*|\s*<{5,9}( (?:HEAD|ORIGINAL|OLD))?\s*")
_DIVIDES = re.compile(r"\s*={5,9}\s*")
_CLOSES_NEW = re.compile(r"\s*[>+]{5,9} ?(?:REPLACE|UPDATED|NEW)?\s*")


def _out_of_markers(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the marks of a search/replace block that came along.

    Never a mark that the file itself has.
    """
    old = _without_ends(doc, reading.old, _OPENS_OLD, _DIVIDES)
    new = _without_ends(doc, reading.new, _DIVIDES, _CLOSES_NEW)
    return None if old == reading.old else Unmangled(old, new, reading.near)


def _without_ends(doc: Doc, text: str, first: re.Pattern[str], last: re.Pattern[str]) -> str:
    lines = contents_of(text)
    if lines and first.fullmatch(lines[0]) and key_of(lines[0]) not in doc.key_set:
        lines = lines[1:]
    if lines and last.fullmatch(lines[-1]) and key_of(lines[-1]) not in doc.key_set:
        lines = lines[:-1]
    return "\n".join(lines) if len(lines) != len(contents_of(text)) else text


_NUMBERED = re.compile(r"[ \t]*(?:L|line )?(\d+)(?: ?[|│:→]|\t|\. )")
_BARE_NUMBER = re.compile(r"[ \t]*(?:L|line )?\d+ ?[|│:→]?[ \t]*")


def _out_of_listing(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the line numbers a listing puts before each line; they must count up by one."""
    lines = contents_of(reading.old)
    numbers = [int(found[1]) if (found := _NUMBERED.match(line)) else None for line in lines]
    counted = [number for number, line in zip(numbers, lines, strict=True) if not is_blank(line)]
    given = [(n, number) for n, number in enumerate(numbers) if number is not None]
    if not given or None in counted or len({number - n for n, number in given}) != 1:
        return None
    near = given[0][1] - given[0][0] - 1
    new = contents_of(reading.new)
    # Listings put a blank behind a mark (not behind a tab); where every line has one it is not the
    # file's.
    gap = int(all(_rest(line)[:1] in ("", " ") for line in lines))
    marks = {_mark(line) for line in lines}
    return Unmangled(_without_numbers(lines, gap, marks), _without_numbers(new, gap, marks), near)


def _mark(line: str) -> str:
    """Return what is between the number and the line: `1.

    X` in the file is no line of a listing with bars.
    """
    found = _NUMBERED.match(line)
    return line[found.end(1) : found.end()] if found else ""


def _rest(line: str) -> str:
    """Return what is behind the number's mark; a tab if the mark is one, which no blank follows."""
    found = _NUMBERED.match(line)
    if found is None:
        return ""
    return line[found.end() :] if line[found.end() - 1] not in "\t→ " else "\t"


def _without_numbers(lines: Sequence[str], gap: int, marks: set[str]) -> str:
    return "\n".join(_without_number(line, gap, marks) for line in lines)


def _without_number(line: str, gap: int, marks: set[str]) -> str:
    found = _NUMBERED.match(line)
    if found is None or _mark(line) not in marks:
        return "" if "" in marks and _BARE_NUMBER.fullmatch(line) else line
    return line[found.end() + gap :]


_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def _unescape_lines(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    r"""With `\n`, `\t`, `\"` and `\\` read as in a JSON string."""
    if "\\n" not in reading.old and "\\t" not in reading.old:
        return None
    return Unmangled(_read_escapes(reading.old), _read_escapes(reading.new), reading.near)


def _read_escapes(text: str) -> str:
    return _ESCAPE.sub(_read_escape, text)


def _read_escape(found: re.Match[str]) -> str:
    name = found[1]
    if len(name) > 1:
        return chr(int(name[1:], 16))
    return _ESCAPED.get(name, found[0])


def _unescape_quotes(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    r"""With `\"` and `\'` read as quotes, and nothing else undone."""
    if '\\"' not in reading.old and "\\'" not in reading.old:
        return None
    plain = [text.replace('\\"', '"').replace("\\'", "'") for text in (reading.old, reading.new)]
    return Unmangled(plain[0], plain[1], reading.near)


_ESCAPED_QUOTE = re.compile(r"\\[\"']")
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos|nbsp|#39|#x27|#34|#60|#62|#38);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "} | {
    "#39": "'",
    "#x27": "'",
    "#34": '"',
    "#60": "<",
    "#62": ">",
    "#38": "&",
}


def _unescape_entities(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Return the text with HTML entities decoded once: `&amp;lt;` is `&lt;`."""
    if _ENTITY.search(reading.old) is None:
        return None
    plain = [
        _ENTITY.sub(lambda found: _ENTITIES[found[1]], text) for text in (reading.old, reading.new)
    ]
    return Unmangled(plain[0], plain[1], reading.near)


_LONG_DASH = "\u2014"


def _split_dashes(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Return the text with the two hyphens that were set as one long dash, if the file has no such dash."""
    if _LONG_DASH not in reading.old or _LONG_DASH in doc.text:
        return None
    plain = [text.replace(_LONG_DASH, "--") for text in (reading.old, reading.new)]
    return Unmangled(plain[0], plain[1], reading.near)
