"""Undo a mangling that shows only in the new text: entities, curly quotes, odd spaces, literal newlines.

The old text of such a request is in the file as it is, so no rung undoes the mangling. What it proves is the file: its
own lines come back, or its code has the plain character where the new lines have the other one.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.accidents import ACCIDENTS, FOREIGN_MARKS
from holdfast.landing.formats.sentences import find_sentence
from holdfast.landing.text.code_spans import code_spans
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import contents_of, is_blank, solid_lines, split_lines
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.syntax.parse_check import breaks
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.landing.accidents import Accident, ForeignMark
    from holdfast.landing.text.code_spans import CodeSpans
    from holdfast.landing.text.edit_script import EditScript


@dataclass(frozen=True, slots=True)
class PlainText:
    """A new text as it is meant, and the names of what was undone to read it."""

    text: str
    undone: tuple[str, ...] = ()


def undone_warning(names: Sequence[str]) -> str:
    """Return the sentence that tells what was undone."""
    return f"the new text had {' and '.join(dict.fromkeys(names))}, and the file has not; this was undone."


def without_accidents(
    before: str, after: str, path: str | None, *, whole_file: bool = False
) -> PlainText | Refused:
    """Return the text after an edit without what happened to its new lines on their way, or a refusal.

    `whole_file` says that the request wrote all lines of `after`, also those that did not change.
    """
    undone: list[str] = []
    change = _Change(before, after, path, whole_file=whole_file)
    bare = _without_trailing_blanks(change)
    if bare != change.after:
        change = _Change(before, bare, path, whole_file=whole_file)
        undone.append("trailing blanks")
    for accident in ACCIDENTS:
        if not accident.seen.search(change.middle):
            continue
        plain = _judge(accident, change)
        if isinstance(plain, Refused):
            return plain
        if plain == before:
            # Nothing else changes: it is the edit.
            return PlainText(change.after, tuple(undone))
        if plain != change.after:
            change = _Change(before, plain, path, whole_file=whole_file)
            undone.append(accident.name)

    refused = _judge_foreign_marks(change)
    if refused is not None:
        return refused
    sentence = find_sentence(
        before, change.after, path, change.script, change.start, whole_file=whole_file
    )
    if sentence:
        return refusals.sentence(sentence)
    return PlainText(change.after, tuple(undone))


class _Change:
    """The lines that an edit changed, before and after it."""

    def __init__(self, before: str, after: str, path: str | None, *, whole_file: bool) -> None:
        self.before = before
        self.after = after
        self.path = path
        self.language = language_of(path)
        self.kind = kind_of(path)
        self.whole_file = whole_file
        self.newline = matched(r"[^\n]*?(\r?\n)", before) or "\n"

        head, tail = shared_ends(before, after)
        self.start = after.rfind("\n", 0, head) + 1
        _, newline, below = after[len(after) - tail :].partition("\n")
        self.tail = len(newline + below)

    @cached_property
    def middle(self) -> str:
        """The whole lines of the text after the edit in which all changes are."""
        return self.after[self.start : len(self.after) - self.tail]

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.middle)[0]

    @cached_property
    def script(self) -> EditScript:
        """What changed in the middle."""
        old = split_lines(self.before[self.start : len(self.before) - self.tail])[0]
        return script_of(old, self.lines)

    @property
    def added_texts(self) -> list[str]:
        """The lines in the middle that are new."""
        return list(map(self.lines.__getitem__, self.script.added))

    @cached_property
    def lost_lines(self) -> frozenset[str]:
        """The lines that the edit removes; the file may have another one like that elsewhere."""
        removed = map(self.script.old.__getitem__, self.script.removed)
        return frozenset(removed).difference(self.added_texts)

    @property
    def written(self) -> list[str]:
        """The lines that are the request's own."""
        if self.whole_file:
            return split_lines(self.after)[0]
        return self.added_texts

    def added_lines(self) -> Iterator[tuple[int, str]]:
        """Yield each new line, behind the offset where it begins."""
        lines, ends = split_lines(self.middle)
        sizes = map(len, map(add, lines, ends))
        starts = list(accumulate(sizes, initial=self.start))
        for n in self.script.added:
            yield starts[n], lines[n]

    @cached_property
    def spans(self) -> CodeSpans:
        """The strings and comments of the text after the edit."""
        return code_spans(self.after, self.language)

    @cached_property
    def own_spans(self) -> CodeSpans:
        """The strings and comments of the file."""
        return code_spans(self.before, self.language)

    @cached_property
    def quoted_chars(self) -> frozenset[str]:
        """The characters in strings and comments of the file."""
        spans = map(slice, self.own_spans.starts, self.own_spans.ends)
        return frozenset().union(*map(self.before.__getitem__, spans))

    def rewritten(self, rewrite: Callable[[str], str]) -> str:
        """Return the text after the edit with each new line rewritten."""
        out: list[str] = []
        end = 0
        for at, line in self.added_lines():
            out += (self.after[end:at], rewrite(line).replace("\n", self.newline))
            end = at + len(line)

        out.append(self.after[end:])
        return "".join(out)


def _judge(accident: Accident, change: _Change) -> str | Refused:
    """Return the text without the accident where lines of the file prove it, else as it is; a refusal where both may be.

    Where the edit is nothing else, the text without the accident is the file's.
    """
    plain = change.rewritten(accident.undo)
    if plain in {change.before, change.after}:
        return plain
    if change.kind in accident.honest_in:
        return change.after
    restored = _restored_lines(accident, change)
    if not restored and _parses_only_without(change, plain):
        (line, *_) = filter(accident.seen.search, change.added_texts)
        return _refusal(accident.name, line, alone=False)
    if not restored:
        return change.after

    # One line may be chance.
    is_proven = len(restored) > 1 and not any(map(accident.plain.search, change.written))
    if accident.is_common and is_proven:
        return plain
    return _refusal(accident.name, restored[0], alone=True)


def _parses_only_without(change: _Change, plain: str) -> bool:
    """Return whether the edit breaks the syntax of the file, and would not break it without the accident."""
    if breaks(change.before, change.after, change.path) is None:
        return False
    return breaks(change.before, plain, change.path) is None


def _restored_lines(accident: Accident, change: _Change) -> list[str]:
    """Return the new lines that become lines which the file had, or have one behind a line break that was escaped."""
    restored: list[str] = []
    for line in change.added_texts:
        pieces = contents_of(accident.undo(line))
        # Before the first line break there may be that line with a longer value.
        pieces = pieces[1:] or pieces
        restored += [line] * len(change.lost_lines.intersection(pieces))
    return restored


def _without_trailing_blanks(change: _Change) -> str:
    """Return the text after the edit without trailing blanks in its new lines, where the file has none.

    In prose two blanks end a line. In a file without any, no line of code or data needs them.
    """
    if change.kind == "prose":
        return change.after
    if not _TRAILING_BLANKS.search(change.middle):
        return change.after
    # The file is looked through last: it may be large.
    if _TRAILING_BLANKS.search(change.before):
        return change.after
    plain = change.rewritten(_without_blanks)
    if plain == change.before:
        return change.after
    return plain


def _without_blanks(line: str) -> str:
    return line.rstrip(" \t")


_TRAILING_BLANKS = lazy_pattern(r"(?m)[ \t]+(?=\r?$)")


def _judge_foreign_marks(change: _Change) -> Refused | None:
    """Return the refusal of a new line with a mark that such a file cannot have outside strings and comments, or None."""
    if is_blank(change.before):
        return None
    is_alone = False
    if not change.whole_file:
        is_alone = len(solid_lines(change.added_texts)) < _SEVERAL
    for mark in FOREIGN_MARKS:
        if change.kind not in mark.kinds:
            continue
        if mark.alone and is_alone:
            continue
        if not mark.seen.search(change.middle):
            continue
        line = _marked_line(mark, change)
        if line:
            return _refusal(mark.name, line, alone=mark.alone)
    return None


_SEVERAL = 2


def _marked_line(mark: ForeignMark, change: _Change) -> str:
    """Return a new line with the mark, or "" if there is none or the file has the mark too."""
    is_known = False
    for found in mark.seen.finditer(change.before):
        if mark.anywhere or not change.own_spans.covers(found.start()):
            return ""
        is_known = True
    removed = "\n".join(change.lost_lines)
    for start, line in change.added_lines():
        for found in mark.seen.finditer(line):
            # What is left of a line that the file had is its own.
            if found[0] in removed:
                continue
            if mark.anywhere:
                return line
            if not change.spans.covers(start + found.start()):
                return line
            if mark.read is None or is_known:
                continue
            if mark.read(found) in change.quoted_chars:
                return line
    return ""


def _refusal(name: str, line: str, *, alone: bool) -> Refused:
    cure = "Send the plain characters."
    if alone:
        cure = (
            "Send the plain characters; if the others are meant, send an edit of that line alone."
        )
    return refusals.plain(
        "malformed",
        f"{refusals.quoted(line)} has {name} where the file has plain characters. {cure}",
    )
