"""The line endings that new text gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.edit_script import kept_lines, script_of
from holdfast.landing.text.lines import ENDING, split_lines
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.landing.text.lines import Doc


def with_endings(doc: Doc, at: int, old: str, new: str) -> str:
    """Return new text at an offset in the file's line endings; in a mixed file each kept line keeps its own."""
    if len(doc.endings) == 1:
        (ending,) = doc.endings
        return ending.join(plain_endings(new).split("\n"))
    if "\r" in new:
        return new

    return with_mixed_endings(old, new, _ending_at(doc.text, at))


def with_whole_endings(text: str, old: str, new: str) -> str:
    r"""Return the new text without half a `\r\n` behind its last line; a file or an old text with a `\r` alone keeps it.

    >>> with_whole_endings("a\r\nb\r\n", "a", "c\r\nd\r")
    'c\r\nd'
    """
    if not new.endswith("\r"):
        return new
    # Without a whole one in the file it is no half.
    if "\r\n" not in text:
        return new
    if _HALF.search(f"{text}\n{old}"):
        return new
    return new.removesuffix("\r")


_HALF = lazy_pattern(r"\r(?!\n)")


def plain_endings(text: str) -> str:
    r"""Return the text with `\n` for each line ending."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _ending_at(text: str, at: int) -> str:
    """Return the ending of the line that `at` is on, or of the line above at the end of the file."""
    found = ENDING.search(text, at)
    if found:
        return found.group()

    endings: list[str] = ENDING.findall(text)
    return (endings or ["\n"])[-1]


def with_mixed_endings(old: str, new: str, default: str) -> str:
    """Return the new text with the ending of the old line for each line it keeps or rewrites, else with `default`."""
    lines, ends = split_lines(old)
    new_lines, new_ends = split_lines(new)
    script = script_of(lines, new_lines)
    same = dict(kept_lines(script))
    for edit in script.edits:
        same.update(zip(range(edit.n1, edit.n2), range(edit.o1, edit.o2), strict=False))
        # What is behind the last old line stays behind the last new one.
        if edit.o1 < edit.o2 and edit.n1 < edit.n2:
            same[edit.n2 - 1] = edit.o2 - 1

    own = {n: ends[o] for n, o in same.items()}
    out = []
    for n, (line, end) in enumerate(zip(new_lines, new_ends, strict=True)):
        out.append(line)
        if end:
            out.append(own.get(n) or default)

    return "".join(out)
