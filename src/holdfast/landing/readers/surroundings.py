"""What is around or before the lines of a new text alone, undone where lines that the file had come back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.escapes import JSON_STRING
from holdfast.landing.ladder.line_decoration import without_decoration
from holdfast.landing.ladder.line_pair import FENCE, LinePair, pair_around
from holdfast.landing.ladder.listing import listing_of
from holdfast.landing.new_text import PlainText
from holdfast.landing.readers.foreign_marks import format_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import UNKNOWN, language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    keys_in,
    numbers_matching,
    solid_lines,
    text_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Undoing:
    """What the new lines are compared with."""

    known: Doc
    """The lines that may come back: the old text of an edit, or the file."""
    text: str
    path: str | None
    whole_file: bool = False


def undo_surroundings(undoing: Undoing, new: str) -> PlainText | Refused:
    """Return the new text without what is around it and before its lines, or a refusal where that may be content."""
    undone: list[str] = []
    lines = contents_of(new)
    # One may be inside another: numbers before the lines in a fence in tags.
    while len(undone) < _MOST:
        name, bare = _undo_one(undoing, lines)
        if isinstance(bare, Refused):
            return bare
        if bare == lines:
            break
        lines = bare
        undone.append(name)
    if not undone:
        return PlainText(new)

    plain = text_of(lines)
    # What stops in its last line still does.
    if lines and not new.endswith(("\n", "\r")) and new.endswith(lines[-1]):
        plain = plain.removesuffix("\n")
    return PlainText(plain, tuple(undone))


_MOST = 4


def _undo_one(undoing: Undoing, lines: list[str]) -> tuple[str, list[str] | Refused]:
    """Return what was undone and the lines without it, a refusal, or the lines as they are."""
    pair = pair_around(lines)
    if pair is not None:
        name = "a Markdown fence"
        if pair.tag:
            name = "tags around it"
        return name, _out_of_pair(undoing, pair, lines)
    if undoing.whole_file and _is_answer_with_file(undoing, lines):
        first, last = numbers_matching(FENCE, lines)
        return "a Markdown fence", lines[first + 1 : last]
    bare = without_decoration(undoing.known, lines)
    if bare is not None:
        return "marks before its lines", _out_of_decoration(undoing, lines, bare)
    if len(lines) == 1 and "\\n" in lines[0]:
        return r"a literal \n for each newline", _out_of_one_line(undoing.known, lines)
    return "", lines


def _is_answer_with_file(undoing: Undoing, lines: list[str]) -> bool:
    """Return whether the file is in the only fence of an answer: most of its lines are inside, and none is outside."""
    fences = numbers_matching(FENCE, lines)
    if len(fences) != 2:
        return False
    if kind_of(undoing.path) == "prose":
        return False
    if numbers_matching(FENCE, undoing.known.lines):
        return False
    first, last = fences
    outside = solid_lines((*lines[:first], *lines[last + 1 :]))
    if any(map(undoing.known.has, outside)):
        return False
    return 2 * _shared(undoing.known, lines[first:last]) > len(undoing.known.key_set)


def _out_of_decoration(undoing: Undoing, lines: list[str], bare: list[str]) -> list[str] | Refused:
    """Return the bare lines, a refusal where a list or a quotation may be meant, or the lines of a block around old ones."""
    is_shift = list(map(str.strip, lines)) == list(map(str.strip, bare))
    if is_shift and not undoing.whole_file:
        return lines
    if kind_of(undoing.path) != "prose":
        return bare
    listing = listing_of(lines)
    if listing is None:
        return refusals.plain(
            "malformed",
            f"all lines have what {refusals.quoted(lines[0])} begins with, and other lines change too; send the lines alone.",
        )
    if listing.numbers[0][2] == ". ":
        return lines
    return bare


def _out_of_pair(undoing: Undoing, pair: LinePair, lines: list[str]) -> list[str] | Refused:
    """Return the lines inside of the pair, a refusal where it may be content, or the lines with it."""
    if _is_own(undoing.known, pair, lines):
        return lines
    # Numbers that count up prove as much as the file's own lines.
    is_known = listing_of(pair.inside) is not None or _shared(undoing.known, pair.inside) > 0
    if undoing.whole_file and not is_known:
        return lines
    if pair.tag:
        return _out_of_tags(undoing, pair, lines)
    if format_of(undoing.path) == "markdown":
        return _out_of_fence_in_prose(undoing, pair, lines)
    if f"\n{pair.first.strip()[:3]}" in f"\n{undoing.text}":
        return lines
    return pair.inside


def _is_own(doc: Doc, pair: LinePair, lines: Sequence[str]) -> bool:
    """Return whether the text has such a tag, or as many fences as the lines."""
    if pair.tag:
        return doc.has(pair.first)
    return len(numbers_matching(FENCE, doc.lines)) >= len(numbers_matching(FENCE, lines))


def _out_of_fence_in_prose(
    undoing: Undoing, pair: LinePair, lines: list[str]
) -> list[str] | Refused:
    """Return the lines with the fence if it may be the edit: around lines that stay, or that are all new; else a refusal."""
    shared = _shared(undoing.known, pair.inside)
    own = undoing.known.key_set
    if undoing.whole_file:
        most = max(len(own), len(set(solid_lines(pair.inside))), 4)
        if 4 * shared >= 3 * most:
            return pair.inside
    elif names_language(pair.first, undoing.path):
        return pair.inside
    if shared == 0:
        return lines
    if pair.inside == undoing.known.lines:
        return lines
    return refusals.plain(
        "malformed",
        "the text is wrapped in a Markdown fence; send the lines alone. If the fence is meant, send it as an edit of its own.",
    )


def _out_of_tags(undoing: Undoing, pair: LinePair, lines: list[str]) -> list[str] | Refused:
    """Return the lines inside of tags that are no elements of the file, a refusal where they may be, or the lines with them."""
    if re.search(f"</?{re.escape(pair.tag)}", undoing.text):
        return lines
    if not _may_have_tags(undoing, pair):
        return pair.inside
    # No element has such a name: `<new_str>`.
    if pair.is_wrapper and (undoing.whole_file or "_" in pair.tag):
        return pair.inside
    if not undoing.whole_file:
        return lines

    own, inside = undoing.known.solid_keys, keys_in(pair.inside)
    if (own[:1], own[-1:]) != (inside[:1], inside[-1:]):
        return lines
    return refusals.plain(
        "malformed",
        f"`<{pair.tag}>` is around the whole file; send the content alone, or the new tags as an edit.",
    )


def _may_have_tags(undoing: Undoing, pair: LinePair) -> bool:
    """Return whether such a file may have tags around these lines."""
    if _TAG_LINE.search(undoing.text):
        return True
    format_ = format_of(undoing.path)
    if format_ == "mixed":
        return _shared(undoing.known, pair.inside) == 0
    return format_ in {"markdown", "markup"}


_TAG_LINE = lazy_pattern(r"^\s*</?\w", re.MULTILINE)


def _shared(doc: Doc, lines: Sequence[str]) -> int:
    """Return how many different lines of the text are among the lines."""
    return len(doc.key_set.intersection(map(key_of, lines)))


def names_language(fence: str, path: str | None) -> bool:
    """Return whether the word behind a fence names the language of the file.

    >>> names_language("```markdown", "a.md"), names_language("```text", "a.md"), names_language("```", "a.py")
    (True, False, False)
    """
    tag = fence.strip("`~ ").lower()
    named = language_of(f"a.{_SUFFIXES.get(tag, tag)}")
    if named is UNKNOWN:
        return False
    return named is language_of(path)


_SUFFIXES = {"restructuredtext": "rst", "text": "txt", "plaintext": "txt"}


def _out_of_one_line(doc: Doc, lines: list[str]) -> list[str]:
    r"""Return the lines of a text that is one line with `\n`, if most lines of the file come back; else that line."""
    quoted = _QUOTED.sub(r"\1", lines[0])
    # The file's own `\n` are not told from those between the lines.
    if "\\n" in doc.text and quoted == lines[0]:
        return lines
    plain = contents_of(JSON_STRING.seen.sub(JSON_STRING.read, quoted))
    bare = without_decoration(doc, plain) or plain
    if 2 * _shared(doc, bare) <= max(len(doc.key_set), _SEVERAL):
        return lines
    return plain


_SEVERAL = 2


_QUOTED = lazy_pattern(r'\A\s*"(.*)"\s*\Z', re.DOTALL)
