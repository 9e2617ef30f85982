"""Land a whole file."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.sentences import mark_of
from holdfast.landing.lost_lines import judge_lost_blocks, judge_lost_lines
from holdfast.landing.new_levels import judge_file_levels
from holdfast.landing.new_text import PlainText, undone_warning, without_accidents
from holdfast.landing.projection.exact_text import changed_part
from holdfast.landing.projection.splices import landed
from holdfast.landing.readers.cut_text import judge_cut
from holdfast.landing.readers.file_ending import with_file_end, with_file_endings
from holdfast.landing.readers.file_text import read_file_text
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc, contents_of, solid_lines
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Outcome
    from holdfast.vocab.requests import WriteFile


def land_file(text: str, request: WriteFile, path: str | None) -> Outcome:
    """Return the whole text, in the file's own line endings and with its byte order mark if it has one."""
    read = _read(text, request.text, path)
    if isinstance(read, Refused):
        return read

    refused = _judge_loss(text, read.text, path)
    if refused is not None:
        return refused

    whole = with_file_end(text, read.text)
    if whole == text:
        return refusals.plain("no_change", "the file has this text already; nothing to do.")
    refused = judge_file_levels(text, whole, path)
    if refused is not None:
        return refused
    if not read.undone:
        return landed(text, [changed_part(text, whole)], "exact")

    outcome = landed(text, [changed_part(text, whole)], "unmangled")
    return replace(outcome, warning=undone_warning(read.undone))


def _read(text: str, new: str, path: str | None) -> PlainText | Refused:
    """Return the content that is meant, without what happened to it on its way."""
    undone: tuple[str, ...] = ()
    # What is around the lines may show only when their characters are plain.
    for _ in range(_READINGS):
        read = read_file_text(text, new, path)
        if isinstance(read, Refused):
            return read
        plain = without_accidents(text, with_file_endings(text, read.text), path, whole_file=True)
        if isinstance(plain, Refused):
            return plain
        undone += read.undone + plain.undone
        new = plain.text
        if not plain.undone:
            break
    return PlainText(new, undone)


_READINGS = 2


def _judge_loss(text: str, new: str, path: str | None) -> Refused | None:
    """Return the refusal of a text by which lines of the file would be lost, or None."""
    old_lines, new_lines = contents_of(text), contents_of(new)
    language = language_of(path)
    return (
        judge_lost_lines(old_lines, new_lines, language, whole_file=True)
        or judge_lost_blocks(old_lines, new_lines, language)
        or judge_cut(text, new, path)
        or _judge_content(text, new)
    )


def _judge_content(text: str, new: str) -> Refused | None:
    """Return the refusal of a text that has the file twice, or a sentence in its place; or None."""
    doc, whole = Doc(text), Doc(new)
    own = Counter(doc.solid_keys)
    if len(own) < _FEW_LINES:
        return None
    lines = solid_lines(whole.lines)
    if len(lines) == 1:
        (line,) = lines
        if mark_of(line) and not doc.has(line):
            return refusals.sentence(line)
        return None

    found = Counter(whole.solid_keys)
    single = [key for key, count in own.items() if count == 1]
    doubled = [key for key in single if found[key] > 1]
    if len(doubled) < max(_FEW_LINES, len(single) / 2):
        return None
    return refusals.plain("malformed", "the file is in the text twice; send its content once.")


_FEW_LINES = 3
