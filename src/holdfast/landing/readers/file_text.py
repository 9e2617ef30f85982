"""The text of a whole file, without what a model put around it or did to its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.sentences import mark_of
from holdfast.landing.ladder.line_pair import FENCE
from holdfast.landing.new_text import PlainText
from holdfast.landing.readers.chat_text import without_chat
from holdfast.landing.readers.surroundings import Undoing, names_language, undo_surroundings
from holdfast.landing.text.byte_order_mark import MARK
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import BY_NAME, comment_words, name_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    numbers_matching,
    solid_lines,
    solid_numbers,
)
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_file_text(text: str, new: str, path: str | None) -> PlainText | Refused:
    """Return the content that `new` means for a file with this text.

    What is around the content or before its lines is undone if lines of the file come back by that; else it is refused.
    """
    ended = without_chat(text, new)
    new = _without_leading_blanks(text, _with_file_mark(text, ended.text))
    undoing = Undoing(Doc(text), text, path, whole_file=True)
    read = undo_surroundings(undoing, new)
    if isinstance(read, Refused):
        return read
    refused = _judge_surroundings(undoing.known, read.text, path)
    if refused is not None:
        return refused
    return PlainText(_without_leading_blanks(text, read.text), ended.undone + read.undone)


def _without_leading_blanks(text: str, new: str) -> str:
    """Return the new text without blank lines above it, if the file has none and something else changes too."""
    bare = _LEADING_BLANKS.sub("", new)
    if _BLANK_START.match(text):
        return new
    if bare in {"", text}:
        return new
    return bare


_BLANK_START = lazy_pattern(r"[ \t]*[\r\n]|\s*\Z")
"""A text that begins with a blank line, or has nothing else."""


_LEADING_BLANKS = lazy_pattern(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")


def _with_file_mark(text: str, new: str) -> str:
    """Return the new text without a byte order mark: the file has none, unless the mark is all that changes."""
    bare = new.removeprefix(MARK)
    if text in {"", bare}:
        return new
    return bare


def _judge_surroundings(doc: Doc, new: str, path: str | None) -> Refused | None:
    """Return the refusal of a text that is one line, or has what is no line of the file around or before its lines; or None."""
    lines = contents_of(new)
    if len(lines) == 1 and len(doc.lines) > _FEW and 2 * new.count("\\n") >= len(doc.lines):
        return refusals.plain(
            "malformed",
            r"the text is one line with \n in the place of line breaks; send the file's content as it is.",
        )
    solid = solid_lines(lines)
    if len(solid) < 2 or not doc.solid_keys:
        return None
    first = solid[0].strip()
    if doc.has(first):
        return _judge_fences(doc, lines)
    if _is_above_files(first, path):
        return _foreign(first)
    # A sentence that announces the file.
    is_above = solid[1:2] == solid_lines(doc.lines)[:1]
    if is_above and mark_of(first) == ":":
        return _foreign(first)
    return _judge_fences(doc, lines)


_FEW = 2


def _foreign(line: str) -> Refused:
    return refusals.plain(
        "malformed", f"{refusals.quoted(line)} is no line of such a file; send the content alone."
    )


def _judge_fences(doc: Doc, lines: Sequence[str]) -> Refused | None:
    """Return the refusal of a fence without its other half at an end of the lines, or of one around all that the file has."""
    fences = numbers_matching(FENCE, lines)
    own = numbers_matching(FENCE, doc.lines)
    if len(fences) <= len(own):
        return None
    first, last = fences[0], fences[-1]
    if len(fences) % 2 and len(own) % 2 == 0:
        outer = solid_numbers(lines)
        is_at_end = not {outer[0], outer[-1]}.isdisjoint(fences)
        if is_at_end or not doc.has(lines[-1]):
            return _foreign(lines[last].strip())
    outside = solid_lines((*lines[:first], *lines[last + 1 :]))
    if not outside:
        return None
    if any(map(doc.has, outside)):
        return None
    inside = doc.key_set.intersection(map(key_of, lines))
    if 2 * len(inside) <= len(doc.key_set):
        return None
    return _foreign(lines[first].strip())


def _is_above_files(line: str, path: str | None) -> bool:
    """Return whether models put the line above a file: its name, a command that writes it, or the word behind a lost fence."""
    name = name_of(path)
    if _HEREDOC.search(line) and name in line.lower():
        return True
    if kind_of(path) == "prose":
        return names_language(line, path)
    word = line.lower()
    if word in _TAGS_OF_FENCES:
        return True
    if word == name.rpartition(".")[2]:
        return True
    plain = _ROLE_OF_NAME.sub("", comment_words(line))
    return plain.strip(_AROUND_NAME) in {path, str(path).rpartition("/")[2]}


_TAGS = """
python javascript typescript csharp ruby rust kotlin golang bash shell console terraform hcl nginx text xml graphql c++ perl
haskell scala swift dart elixir erlang clojure julia ocaml fsharp powershell groovy solidity protobuf dockerfile cmake make latex
vue svelte
"""
_TAGS_OF_FENCES = BY_NAME.keys() | frozenset(_TAGS.split())
"""The words behind an opening fence that are left where the fence is lost. Another word may be a line: `else`, `begin`."""


_HEREDOC = lazy_pattern(r"<<-?\s*[\"'\\]?\w+")


_ROLE_OF_NAME = lazy_pattern(r"^\W*(?:file|filename|path)\s*[:=]\s*", re.IGNORECASE)


_AROUND_NAME = "*`:=-~<>[]() "
