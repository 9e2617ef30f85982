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
from holdfast.landing.accidents import ACCIDENTS, FileFacts
from holdfast.landing.formats.sentences import find_sentence
from holdfast.landing.text.code_spans import code_spans
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import contents_of, solid_lines, split_lines
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.syntax.parse_check import breaks
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.landing.accidents import Accident
    from holdfast.landing.text.code_spans import CodeSpans
    from holdfast.landing.text.edit_script import EditScript
    from holdfast.vocab.outcomes import Refused


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
    for accident in ACCIDENTS:
        if not accident.seen.search(change.middle):
            continue
        plain = _judge(accident, change, undone)
        if plain is None:
            continue
        if not isinstance(plain, str):
            return plain
        change = _Change(before, plain, path, whole_file=whole_file)
        undone.append(accident.name)

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

    def rewritten(self, rewrite: Callable[[int, str], str]) -> str:
        """Return the text after the edit with each new line rewritten; `rewrite` is passed its offset too."""
        out: list[str] = []
        end = 0
        for at, line in self.added_lines():
            out += (self.after[end:at], rewrite(at, line).replace("\n", self.newline))
            end = at + len(line)

        out.append(self.after[end:])
        return "".join(out)


def _judge(accident: Accident, change: _Change, undone: Sequence[str]) -> str | Refused | None:
    """Return the text without the accident, None where it may be content, or a refusal where both may be.

    `undone` are the names of the accidents that happened to this text.
    """
    if accident.by_line and not _is_in_code_of_line(accident, change):
        return None

    plain = change.rewritten(lambda _, line: accident.undo(line))
    # If nothing else changes, it is the edit.
    if plain in {change.before, change.after}:
        return None

    is_whole = accident.is_whole(change.written)
    restored: list[str] = []
    if is_whole:
        restored = _restored_lines(accident, change)
    # One line may be chance, unless the same accident happened to others.
    proofs = len(restored) + (accident.name in undone)
    if proofs > 1 or _proves_itself(accident, change):
        return plain

    spans = code_spans(change.after, change.language)
    if not is_whole:
        plain = _plain_code(accident, change, spans)
    if _is_proven(accident, change, plain, spans, is_whole=is_whole):
        return plain
    if restored and change.whole_file:
        return _refusal(accident, restored[0])
    return _doubt(accident, change, spans)


def _doubt(accident: Accident, change: _Change, spans: CodeSpans) -> Refused | None:
    """Return the refusal of several new lines with an accident that the file does not have.

    In strings and comments only if the file's own ones have the plain character.
    """
    if change.kind not in accident.doubted_in:
        return None
    if accident.seen.search(change.before):
        return None
    if len(solid_lines(change.added_texts)) < _SEVERAL:
        return None
    for start, line in change.added_lines():
        for found in accident.seen.finditer(line):
            is_in_code = not spans.covers(start + found.start())
            if is_in_code or _writes_plainly(accident, change, accident.read(found)):
                return _refusal(accident, line)
    return None


_SEVERAL = 2


def _writes_plainly(accident: Accident, change: _Change, plain: str) -> bool:
    """Return whether the file has the plain character in a string or a comment, where the accident is doubted too."""
    if not accident.doubted_in_strings:
        return False
    spans = code_spans(change.before, change.language)
    return any(
        plain in change.before[start:end]
        for start, end in zip(spans.starts, spans.ends, strict=True)
    )


def _proves_itself(accident: Accident, change: _Change) -> bool:
    """Return whether nobody writes such characters on purpose in such lines, and the file has none."""
    if accident.seen.search(change.before) is not None:
        return False
    if change.kind in accident.proven_in:
        return True
    if accident.by_line and _joins_removed_lines(accident, change):
        return True
    if not accident.proven_in_comments:
        return False
    return all(map(change.language.is_comment, filter(accident.seen.search, change.added_texts)))


def _joins_removed_lines(accident: Accident, change: _Change) -> bool:
    """Return whether one new line has a removed line in it, behind another one or in the place of several.

    In the place of one line it may be that line with a longer value.
    """
    if len(change.script.added) != 1:
        return False
    (line,) = change.added_texts
    pieces = contents_of(accident.undo(line))
    if len(change.lost_lines) < _SEVERAL:
        del pieces[:1]
    return not change.lost_lines.isdisjoint(pieces)


def _is_in_code_of_line(accident: Accident, change: _Change) -> bool:
    """Return whether a new line, read alone, has the accident outside strings and comments.

    Most code has such escapes in its strings, and all strings of a large file take long to find.
    """
    for _, line in change.added_lines():
        spans = code_spans(line, change.language)
        matches = _matches_in_code(accident, line, 0, spans)
        if next(matches, None) is not None:
            return True
    return False


def _restored_lines(accident: Accident, change: _Change) -> list[str]:
    """Return the new lines that become lines which the file had; none in a file that may have the accident on purpose."""
    restored: list[str] = []
    if change.kind in accident.honest_in:
        return restored
    for _, line in change.added_lines():
        if accident.undo(line) in change.lost_lines:
            restored.append(line)
    return restored


def _plain_code(accident: Accident, change: _Change, spans: CodeSpans) -> str:
    """Return the text after the edit without the accident outside strings and comments, and in lines that come back."""

    def undo(start: int, line: str) -> str:
        plain = accident.undo(line)
        if plain in change.lost_lines:
            return plain
        return accident.undo_where(line, lambda at: not spans.covers(start + at))

    return change.rewritten(undo)


def _is_proven(
    accident: Accident, change: _Change, plain: str, spans: CodeSpans, *, is_whole: bool
) -> bool:
    """Return whether the code proves the accident: it parses only without, or has the plain character in that role."""
    if plain in {change.before, change.after}:
        return False
    parses = breaks(change.before, change.after, change.path) is None
    parses_plain = breaks(change.before, plain, change.path) is None
    if parses is not parses_plain:
        return parses_plain
    is_partial = accident.only_whole and not is_whole
    if is_partial or change.kind in accident.content_in:
        return False

    own = code_spans(change.before, change.language)
    own_matches = _matches_in_code(accident, change.before, 0, own)
    if next(own_matches, None) is not None:
        return False

    file = FileFacts(change.before, change.path, change.lost_lines)
    for start, line in change.added_lines():
        for found in _matches_in_code(accident, line, start, spans):
            if accident.is_foreign(file, line, found):
                return True

    return False


def _matches_in_code(
    accident: Accident, text: str, start: int, spans: CodeSpans
) -> Iterator[re.Match[str]]:
    """Yield where the accident is in a text outside strings and comments; the text begins at `start`."""
    for found in accident.seen.finditer(text):
        at = start + found.start()
        if not spans.covers(at):
            yield found


def _refusal(accident: Accident, line: str) -> Refused:
    return refusals.plain(
        "malformed",
        f"`{line.strip()}` has {accident.name} where the file has plain characters. Send the plain characters; if the "
        "others are meant, send an edit of that line alone.",
    )
