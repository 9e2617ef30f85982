"""Whether a new text has a sentence of the model among its lines: "Sure! Here is the change:".

No list of languages says where that is content. The file does: by the sentences it has, and by strings, comments and
texts that the sentence is inside of.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from holdfast.landing.formats.surrounding_text import is_prose
from holdfast.landing.text.code_spans import code_spans, without_spans
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import UNKNOWN, is_comment_like, language_of, name_of
from holdfast.landing.text.line_keys import indent_width
from holdfast.landing.text.lines import Doc, is_blank, solid_lines, solid_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript
    from holdfast.landing.text.languages import FileLanguage

_SYMBOLS = re.compile(r"[^\w\x00-\x7f]+\s*")
_MARKS = (".", ":", "!", "?")
_MANY_WORDS = 5
"""Words of a sentence without a mark at its end, which code does not have in a row."""


def mark_of(line: str) -> str:
    """Return the mark at the end of a sentence; "" where the line is none.

    >>> list(map(mark_of, ("Here's the edit:", "Done!", "for row in rows:", "Resources:", "SELECT a FROM b")))
    [':', '!', '', '', '']
    """
    text = _SYMBOLS.sub("", line.strip()).strip("*_")
    if not text[:1].isupper():
        return ""
    mark = text[-1]
    if mark not in _MARKS:
        return ""
    # A key of data: `Resources:`.
    if mark == ":" and " " not in text:
        return ""
    if not is_prose(text):
        return ""
    return mark


def find_sentence(
    before: str, after: str, path: str | None, script: EditScript, start: int, *, whole_file: bool
) -> str:
    """Return a sentence among the new lines that is no content of this file, or "".

    `script` is of the lines that begin at the offset `start` of both texts.
    """
    spoken = list(filter(partial(_speaks, script.new), script.added))
    if not spoken:
        return ""
    if _may_have_sentences(before, path):
        return ""
    code = _code_lines(script, language_of(path))
    # If nothing else changes, it is the edit.
    is_edit = not code and not script.removed
    if is_edit and not whole_file:
        return ""

    view = _View(before, after, path, start)
    for n in spoken:
        if _is_between(code, n) and len(solid_lines(script.new[n - 1 : n + 2])) == _WITH_NEIGHBOURS:
            continue
        if not view.is_content(script.new, n):
            return script.new[n].strip()
    return ""


_WITH_NEIGHBOURS = 3
"""A line, the one above and the one below."""


def _may_have_sentences(text: str, path: str | None) -> bool:
    """Return whether the file is a text for people, or nothing says what it is."""
    if _is_for_people(text, path):
        return True
    return is_blank(text) and language_of(path) is UNKNOWN


def _code_lines(script: EditScript, language: FileLanguage) -> list[int]:
    """Return the new lines that are code or comments, in their order."""
    code: list[int] = []
    for n in sorted(set(script.added).intersection(solid_numbers(script.new))):
        line = script.new[n]
        if language.is_comment(line) or not is_prose(line):
            code.append(n)
    return code


def _is_between(numbers: Sequence[int], n: int) -> bool:
    return bool(numbers) and numbers[0] < n < numbers[-1]


def _speaks(lines: Sequence[str], n: int) -> bool:
    """Return whether line `n` is a sentence: by the mark at its end, or by many words apart from other lines.

    So is a note in brackets above all other lines: `[edited]`.
    """
    if mark_of(lines[n]):
        return True
    if n == 0 and _NOTE.fullmatch(lines[n]):
        return True
    return _is_apart(lines, n) and _is_title_of_words(lines[n])


def _is_title_of_words(line: str) -> bool:
    """Return whether the line begins with a capital at the margin, and has only words in small letters behind it."""
    words = line.split(maxsplit=_MANY_WORDS)
    if len(words) < _MANY_WORDS:
        return False
    if not line[:1].isupper():
        return False
    if not " ".join(words[1:]).islower():
        return False
    return is_prose(line)


_NOTE = re.compile(r"\[[a-z]+(?: [a-z]+)*\]")


def _is_sentence(line: str) -> bool:
    return mark_of(line) != "" or _is_title_of_words(line)


def _is_apart(lines: Sequence[str], n: int) -> bool:
    """Return whether the lines beside line `n` are blank, or there are none."""
    return not solid_lines((*lines[max(0, n - 1) : n], *lines[n + 1 : n + 2]))


def _is_for_people(text: str, path: str | None) -> bool:
    """Return whether the file is a text for people: by its name, or by a sentence in it where the name has no ending."""
    if kind_of(path) != "prose":
        return False
    if path is None:
        return True
    if "." in name_of(path):
        return True
    return any(map(mark_of, Doc(text).lines))


class _View:
    """The file around a change."""

    def __init__(self, before: str, after: str, path: str | None, start: int) -> None:
        self.after = after
        self.start = start
        self.language = language_of(path)
        self.above = Doc(after[:start]).lines
        own = filter(_is_sentence, Doc(without_spans(before, self.language)).lines)
        self.own = {(indent_width(line), mark_of(line)) for line in own}

    def is_content(self, lines: Sequence[str], n: int) -> bool:
        """Return whether the sentence is a comment, is in a string or a text, or is like one that the file has."""
        line = lines[n]
        is_content = is_comment_like(line, self.language)
        if _NOTE.fullmatch(line):
            is_content = self.language.lists_name(line)
        if is_content:
            return True
        if (indent_width(line), mark_of(line)) in self.own:
            return True
        if self._is_in_text(lines, n):
            return True
        at = self.after.find(line, self.start + sum(map(len, lines[:n])) + n)
        if _is_in_here_document(self.after[:at], self.after[at:]):
            return True
        return code_spans(self.after, self.language).covers(at)

    def _is_in_text(self, lines: Sequence[str], n: int) -> bool:
        """Return whether the sentence is below a line that opens a text: a tag, `|` or `>`."""
        above = [*self.above, *lines[:n]]
        while above and is_prose(above[-1]):
            above.pop()
        opener = "".join(above[-1:])
        if not _OPENS_TEXT.search(opener):
            return False
        is_closed = "".join(lines[n + 1 : n + 2]).lstrip().startswith("</")
        return is_closed or indent_width(lines[n]) > indent_width(opener)


def _is_in_here_document(above: str, below: str) -> bool:
    """Return whether a here-document is open between two texts: a line below ends it, and none above."""
    opened = {found[1]: found.end() for found in _HERE.finditer(above)}
    ends = opened.keys() & set(map(str.strip, Doc(below).lines))
    for tag in ends:
        inside = map(str.strip, Doc(above[opened[tag] :]).lines)
        if tag not in inside:
            return True
    return False


_HERE = re.compile(r"<<[-~]?\s*[\"']?(\w+)")
_OPENS_TEXT = re.compile(r"(?:^|\s)[|>][+-]?\d*\s*$|%\}\s*$|^[^<]*<[^/][^<]*(?<!/)>\s*$")
