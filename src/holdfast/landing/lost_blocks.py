"""Whether a new comment in a whole file stands where blocks of the file vanish.

`judge_lost_lines` judges the last line of an edit. In a whole file the placeholder may be anywhere in it: what is behind
the lost lines was paired with another place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.lost_lines import new_comments
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.languages import UNKNOWN, comment_words, is_comment_like
from holdfast.landing.text.line_keys import indent_width, key_of
from holdfast.landing.text.lines import solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.landing.text.languages import FileLanguage
    from holdfast.vocab.outcomes import Refused


def judge_lost_blocks(
    old: Sequence[str], new: Sequence[str], language: FileLanguage
) -> Refused | None:
    """Return the refusal of a whole file with a new comment where blocks vanish, or None."""
    fresh = new_comments(old, new, language)
    if not fresh:
        return None

    script = script_of(list(old), list(new))
    kept = frozenset(map(key_of, new))
    for edit in script.edits:
        added = solid_lines(script.new[edit.n1 : edit.n2])
        lines = _ChangedLines(script.old[edit.o1 : edit.o2], added, kept, language)
        for comment in filter(fresh.__contains__, added):
            if _stands_for_lines(lines, comment):
                return refusals.lost_lines(comment, whole_file=True)

    return None


@dataclass(frozen=True, slots=True)
class _ChangedLines:
    """The lines of one edit, of the added those that are not blank, and the keys of all lines that the new text has."""

    removed: Sequence[str]
    added: list[str]
    kept: frozenset[str]
    language: FileLanguage

    def gone(self, lines: Iterable[str]) -> list[str]:
        """Return those of the lines that the new text has nowhere, not even as a comment."""
        kept = self.kept.union(map(comment_words, self.added))
        return [line for line in solid_lines(lines) if key_of(line) not in kept]

    def names(self, lines: list[str]) -> list[str]:
        """Return those of the lines that name a block."""
        named = []
        for n, line in enumerate(lines):
            name = self.language.name_in(lines, n)
            if name:
                named.append(line)
        return named


def _stands_for_lines(lines: _ChangedLines, comment: str) -> bool:
    """Return whether blocks vanish beside the comment, and neither another block nor half as many lines come in their place."""
    if lines.language is UNKNOWN and _is_bracketed(comment):
        # Words in brackets are no comment about the next line.
        return len(lines.gone(lines.removed)) >= len(lines.added)
    if len(lines.added) == 1:
        is_one_comment = all(is_comment_like(line, lines.language) for line in lines.removed)
        return len(lines.gone(lines.removed)) > 1 and not is_one_comment
    if lines.names(lines.added):
        return False

    lost = lines.gone(lines.names(solid_lines(lines.removed)))
    beside = [line for line in lost if indent_width(line) == indent_width(comment)]
    others = len(lines.added) - 1
    return len(beside) > 1 and len(lines.gone(lines.removed)) > 2 * others


def _is_bracketed(line: str) -> bool:
    key = key_of(line)
    return key[:1] in "[(<{" and key[-1:] in "])>}"
