"""Land a whole file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.exact import with_mixed_endings
from holdfast.landing.lost_lines import judge_lost_lines
from holdfast.landing.projection.splices import Splice, landed
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, contents_of

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Outcome
    from holdfast.vocab.requests import WriteFile

_FENCE = re.compile(r"(?:```|~~~)[\w+.#-]*\s*")


def land_file(text: str, request: WriteFile, path: str | None) -> Outcome:
    """Return the whole text, in the file's own line endings and with its byte order mark if it has one."""
    new = request.text
    language = language_of(path)
    lost = judge_lost_lines(contents_of(text), contents_of(new), language, whole_file=True)
    if lost is not None:
        return lost
    if _is_fenced(new) and not _is_fenced(text) and not _is_snippet(text, new, path):
        return refusals.plain(
            "malformed", "the text is wrapped in a Markdown fence; send the file's content alone."
        )
    new = _as_the_file(text, new)
    if new == text:
        return refusals.plain("no_change", "the file has this text already; nothing to do.")
    return landed(text, _changed(text, new), "exact")


def _is_snippet(text: str, new: str, path: str | None) -> bool:
    """Return whether the fence is content: in a markup language, and with no line of the file before inside it."""
    if not (path or "").endswith((".md", ".markdown", ".mdx", ".rst")):
        return False
    before = {key for key in map(key_of, contents_of(text)) if key}
    return before.isdisjoint(map(key_of, contents_of(new)))


def _is_fenced(text: str) -> bool:
    lines = contents_of(text.strip())
    return (
        len(lines) > 1
        and _FENCE.fullmatch(lines[0]) is not None
        and _FENCE.fullmatch(lines[-1]) is not None
    )


def _as_the_file(text: str, new: str) -> str:
    doc = Doc(text)
    if "\r" in new:
        return new
    if doc.mixed:
        return with_mixed_endings(text, new, doc.newline)
    return new if doc.newline == "\n" else new.replace("\n", doc.newline)


def _changed(text: str, new: str) -> list[Splice]:
    """Return one splice, without the beginning and the end that both texts share."""
    size = min(len(text), len(new))
    head = _shared(text, new, size)
    tail = _shared(text[head:][::-1], new[head:][::-1], size - head)
    return [Splice(head, len(text) - tail, new[head : len(new) - tail])]


def _shared(one: str, other: str, size: int) -> int:
    low, high = 0, size
    # Halving, with whole slices compared: a loop over characters takes a second for a few
    # megabytes.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
