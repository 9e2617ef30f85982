"""The new text of a replacement or a line edit, without what a model put around it or did to its lines."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import dropwhile
from typing import TYPE_CHECKING

from holdfast.landing.formats.surrounding_text import (
    is_wrapper,
)
from holdfast.landing.ladder.listing import is_numbered, without_numbers_from
from holdfast.landing.ladder.unmangle import is_carrier
from holdfast.landing.new_text import PlainText
from holdfast.landing.text.endings import with_whole_endings
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    numbers_matching,
    solid_lines,
    solid_numbers,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.requests import LineEdit

from holdfast.landing.readers.chat_text import without_chat
from holdfast.landing.readers.file_text import (
    FENCE,
    lines_between,
    out_of_escapes,
    out_of_fence,
    out_of_marks,
    shared_lines,
    tag_around,
    tags_language,
)


def read_replacement(text: str, old: str, new: str, path: str | None) -> PlainText:
    """Return the text that `new` means in the place of `old`.

    What is around it or before its lines is undone if lines of `old` come back by that, unless `old` is wrapped too.
    """
    new = with_whole_endings(text, old, new)
    ended = without_chat(text, new)
    if ended.text != new and not _BLANK_LINES.match(ended.text):
        # Blank lines below a thought went with it; those of the old text are in both.
        blanks = matched(_BLANK_LINES, old)
        is_below = f"\n{blanks}{ended.text}" in new
        if blanks and is_below:
            ended = replace(ended, text=blanks + ended.text)
    is_wrapped = any(map(is_wrapper, contents_of(old)))
    if is_wrapped and old not in text:
        return ended

    edit = _out_of_edit(old, ended.text, path) or _out_of_added_marks(text, old, ended.text, path)
    if edit is not None:
        return edit
    bare = _out_of_own_fence(text, old, ended, path)
    if bare is not ended:
        return bare

    for undo in (
        partial(_out_of_foreign_tags, text),
        _out_of_foreign_fence,
        out_of_fence,
        out_of_escapes,
        out_of_marks,
    ):
        read = undo(old, ended.text, path)
        if isinstance(read, PlainText) and not _drops_file_lines(text, ended.text, read.text):
            return PlainText(_ending_as(old, read.text), ended.undone + read.undone)

    if ended.undone:
        return PlainText(_ending_as(old, ended.text), ended.undone)
    return ended


_BLANK_LINES = re.compile(r"((?:[ \t]*(?:\r\n|\r|\n))+)")


def read_lines(source: Sequence[str], text: str, edit: LineEdit, path: str | None) -> PlainText:
    """Return the text that the new text of a line edit means; `source` are the lines that it was made for."""
    shown = text_of(source[max(0, edit.start - 1) : edit.end])
    read = read_replacement(text, edit.old or shown, edit.new, path)
    # The numbers of the range itself, which no line of the file has, need no other proof.
    plain = without_numbers_from(edit.start, read.text)
    if plain is None or any(map(is_numbered, source)):
        return read
    return PlainText(plain, (*read.undone, "line numbers"))


def _ending_as(old: str, new: str) -> str:
    """Return the new text with the line breaks at the end of the old one: what was undone was in their place.

    Without further ones, where the last new line is one from above in the old text: the blank lines went with the rest.
    """
    body = new.rstrip("\r\n")
    ends = old[len(old.rstrip("\r\n")) :]
    lines = list(map(key_of, solid_lines(contents_of(old))))
    last = key_of(body.rpartition("\n")[2])
    if last in lines[:-1] and last != lines[-1]:
        ends = "\n"[: len(ends)]
    return body + ends


def _drops_file_lines(text: str, new: str, read: str) -> bool:
    """Return whether the reading lacks lines of the new text that the file has."""
    dropped = frozenset(contents_of(new)).difference(contents_of(read))
    return any(map(Doc(text).has, dropped))


def _out_of_edit(old: str, new: str, path: str | None) -> PlainText | None:
    """Return the new side of an edit that the new text is itself, if its old side is the old text."""
    lines = contents_of(new)
    for old_side, new_side in (*_sides_of_hunk(lines), *_sides_of_block(lines, path)):
        if old_side == contents_of(old):
            return PlainText(text_of(new_side), ("the old text before it",))
    return None


def _out_of_added_marks(text: str, old: str, new: str, path: str | None) -> PlainText | None:
    """Return the new text without the + before each line that the old one has not, if no line of the file begins so."""
    doc = Doc(text)
    lines = contents_of(new)
    known = frozenset(map(key_of, contents_of(old)))
    added = [line for line in lines if key_of(line) not in known]
    if not _are_marked(doc, added, path):
        return None
    if _MARKED_LINE.search(text):
        return None
    # With a mark before old lines too, both texts are read without.
    if not any(doc.has_line(line) or is_numbered(line) for line in solid_lines(contents_of(old))):
        return None

    width = _width_of_pluses(doc, added)
    bare = {line: line[width:] for line in added}
    plain = text_of(bare.get(line, line) for line in lines)
    if not new.endswith("\n"):
        plain = plain.removesuffix("\n")
    return PlainText(plain, ("marks of a diff before new lines",))


_MARKED_LINE = re.compile(r"(?:\A|[\r\n])\s*\+")


def _are_marked(doc: Doc, added: Sequence[str], path: str | None) -> bool:
    """Return whether a + is before all of these lines, in a file whose lines do not begin so: no diff, no list of items."""
    if path is None or path.endswith((".diff", ".patch")):
        return False
    marks = {line[:1] for line in added}
    if marks != {"+"}:
        return False
    if kind_of(path) != "prose" or not all(map(_ITEM.match, added)):
        return True
    # A line of prose that is indented as others without the mark is no item of a list.
    return {indent_of(line[1:]) for line in added} <= doc.indents - {"", " "}


def _width_of_pluses(doc: Doc, added: Sequence[str]) -> int:
    """Return 2 if a blank is behind each +, and the lines with it are indented as no line of the file; else 1."""
    indents = {indent_of(line[1:]) for line in added}
    if indents <= doc.indents | {""}:
        return 1
    behind = {line[1:2] for line in added}
    if behind <= {"", " "}:
        return 2
    return 1


_ITEM = re.compile(r"\+ +\S")


def _out_of_own_fence(text: str, old: str, read: PlainText, path: str | None) -> PlainText:
    """Return the new text without a fence around it, if the fence names the file's own language or its kind has no fences."""
    lines = contents_of(read.text)
    outer = solid_numbers(lines)
    fences = numbers_matching(FENCE, lines)
    if len(outer) < 3 or fences != [outer[0], outer[-1]]:
        return read

    is_foreign = not numbers_matching(FENCE, contents_of(text))
    if kind_of(path) == "prose":
        is_foreign = tags_language(lines[fences[0]], path)
    if not is_foreign:
        return read

    inside = text_of(lines[fences[0] + 1 : fences[-1]])
    if old:
        inside = _ending_as(old, inside)
    return PlainText(inside, (*read.undone, "a Markdown fence"))


def _sides_of_hunk(lines: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the old and the new lines of the hunk that the lines are, or nothing."""
    body = list(dropwhile(_DIFF_HEADER.match, lines))
    marks = {line[:1] for line in body}
    if not {"-", "+"} <= marks <= {"-", "+", " "}:
        return []

    old_side: list[str] = []
    new_side: list[str] = []
    for line in body:
        if not line.startswith("+"):
            old_side.append(line[1:])
        if not line.startswith("-"):
            new_side.append(line[1:])
    return [(old_side, new_side)]


_DIFF_HEADER = re.compile(r"--- |\+\+\+ |@@")


_DIVIDER = re.compile(r"={5,9}\s*")


def _sides_of_block(lines: list[str], path: str | None) -> list[tuple[list[str], list[str]]]:
    """Return the lines above and below the only divider, without the marks around them, or nothing."""
    dividers = numbers_matching(_DIVIDER, lines)
    # In prose it may be the line below a heading.
    if len(dividers) != 1 or kind_of(path) == "prose":
        return []
    first = int(is_carrier(lines[0]))
    last = len(lines) - is_carrier(lines[-1])
    return [(lines[first : dividers[0]], lines[dividers[0] + 1 : last])]


def _out_of_foreign_fence(old: str, new: str, path: str | None) -> PlainText | None:
    """Return the lines inside a fence that cannot be the edit of some lines of a text for people.

    These lines change too, and the file has no fences by its kind, or what stays would be no heading, item or table any more.
    """
    lines = contents_of(new)
    doc = Doc(old)
    if numbers_matching(FENCE, lines) != [0, len(lines) - 1]:
        return None
    inside = lines[1:-1]
    stays = list(filter(doc.has, solid_lines(inside)))
    if not stays or inside == doc.lines:
        return None
    has_fences = str(path).lower().endswith(_WITH_FENCES)
    is_markup = any(map(_MARKUP_LINE.match, stays))
    if has_fences and not is_markup:
        return None
    return PlainText(text_of(inside), ("a Markdown fence",))


_WITH_FENCES = (".md", ".markdown", ".mdx", ".adoc")


_MARKUP_LINE = re.compile(r"#{1,6} |[-*+] +\S|\d+[.)] |> |\|")


def _out_of_foreign_tags(text: str, old: str, new: str, path: str | None) -> PlainText | None:
    """Return the new text inside a pair of tags, if the file is no markup and has no tags, nor the old text.

    Where elements may be among the code, only if lines of the old text are inside.
    """
    kind = kind_of(path)
    lines = contents_of(new)
    outer = solid_numbers(lines)
    if kind == "markup" or len(outer) < 3:
        return None

    # Not any pair: `if a {` and `}` may be meant, and written wrongly.
    tag = tag_around(lines[outer[0]], lines[outer[-1]])
    # In Markdown the elements of HTML are content; none of them has such a name.
    is_html = str(path).lower().endswith(_WITH_HTML) and "_" not in tag
    if not tag or is_html:
        return None
    # Last: the file may be long.
    if _TAG_LINE.search(old) or _TAG_LINE.search(text):
        return None
    inside = lines_between(lines, outer[0], outer[-1])
    may_be_content = kind == "mixed" or not solid_lines(contents_of(old))
    if may_be_content and shared_lines(Doc(old), inside) == 0:
        return None
    return PlainText(text_of(inside), ("tags around it",))


_WITH_HTML = (".md", ".markdown", ".mdx")


_TAG_LINE = re.compile(r"^\s*</?\w", re.MULTILINE)
