"""Whether a new text has a sentence of the model among its lines: "Sure! Here is the change:".

No list of languages says where that is content. The file does, by the sentences it has; and the place: in a string, in a
comment, between other new lines or deeper than they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.formats.surrounding_text import is_prose
from holdfast.landing.text.code_spans import code_spans, without_spans
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import UNKNOWN, language_of, name_of
from holdfast.landing.text.line_keys import indent_width
from holdfast.landing.text.lines import Doc, is_blank, solid_lines, solid_numbers
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.landing.text.edit_script import EditScript
    from holdfast.landing.text.languages import FileLanguage

_SYMBOLS = lazy_pattern(r"[^\w\x00-\x7f]+\s*")
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
    lines = script.new
    fresh = set(script.added).intersection(solid_numbers(lines))
    spoken = [n for n in sorted(fresh) if _speaks(lines, fresh, n)]
    if not spoken:
        return ""
    if _may_have_sentences(before, path):
        return ""
    language = language_of(path)
    # If nothing else changes, it is the edit.
    if not whole_file and _only_adds_text(script, fresh, language):
        return ""

    own = set(map(_form_of, Doc(without_spans(before, language)).lines))
    margin = min(indent_width(lines[n]) for n in fresh)
    if kind_of(path) == "markup":
        # There each indented sentence may be a text inside a tag.
        margin = 0
    spans = code_spans(after, language)
    for n in spoken:
        line = lines[n]
        # A section: `[server]`.
        if language.lists_name(line) and _NOTE.fullmatch(line):
            continue
        # A deeper one is a text inside another new line.
        if indent_width(line) > margin:
            continue
        if _form_of(line) in own:
            continue
        at = after.find(line, start + sum(map(len, lines[:n])) + n)
        if not spans.covers(at):
            return line.strip()
    return ""


def _speaks(lines: Sequence[str], fresh: set[int], n: int) -> bool:
    """Return whether line `n` is a sentence beside the new lines, not between two of them.

    Without a mark at its end it is apart from all lines. A note in brackets is above them.
    """
    mark = _form_of(lines[n])[1]
    if mark == _NOTE_MARK:
        return n == 0
    if mark == _NO_MARK:
        return not solid_lines((*lines[max(0, n - 1) : n], *lines[n + 1 : n + 2]))
    if not mark:
        return False
    return not fresh.issuperset((n - 1, n + 1))


_NOTE_MARK, _NO_MARK = "]", " "
_NOTE = lazy_pattern(r"\[[a-z]+(?: [a-z]+)*\]")


def _form_of(line: str) -> tuple[int, str]:
    """Return the indentation of a sentence and the mark at its end; "" as the mark of a line that is none."""
    mark = mark_of(line)
    if _NOTE.fullmatch(line):
        mark = _NOTE_MARK
    elif not mark and _is_title_of_words(line):
        mark = _NO_MARK
    return indent_width(line), mark


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


def _only_adds_text(script: EditScript, fresh: Iterable[int], language: FileLanguage) -> bool:
    """Return whether nothing is removed, and each of the `fresh` lines reads as a sentence and is no comment."""
    if script.removed:
        return False
    for n in fresh:
        line = script.new[n]
        if not is_prose(line):
            return False
        if language.is_comment(line):
            return False
    return True


def _may_have_sentences(text: str, path: str | None) -> bool:
    """Return whether the file is a text for people, or nothing says what it is.

    A name without an ending says nothing: a sentence of the file does.
    """
    if is_blank(text) and language_of(path) is UNKNOWN:
        return True
    if kind_of(path) != "prose":
        return False
    if path is None:
        return True
    if "." in name_of(path):
        return True
    return any(map(mark_of, Doc(text).lines))
