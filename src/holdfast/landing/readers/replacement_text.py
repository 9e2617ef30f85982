"""The new text of a replacement or a line edit, without what a model put around it or did to its lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.line_pair import pair_around
from holdfast.landing.ladder.listing import is_numbered, without_numbers_from
from holdfast.landing.readers.chat_text import without_chat
from holdfast.landing.readers.surroundings import Undoing, undo_surroundings
from holdfast.landing.text.endings import with_whole_endings
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, contents_of, keys_in, text_of
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.new_text import PlainText
    from holdfast.vocab.requests import LineEdit


def read_replacement(text: str, old: str, new: str, path: str | None) -> PlainText | Refused:
    """Return the text that `new` means in the place of `old`.

    What is around it or before its lines is undone if lines of `old` come back by that, unless `old` is wrapped too.
    """
    if "\r\r\n" in new and "\r\r\n" not in f"{text}\n{old}":
        return refusals.plain(
            "malformed",
            r"the new text has \r\r\n at the end of a line, and the file has not; send \n for each line break.",
        )
    new = with_whole_endings(text, old, new)
    read = without_chat(text, new)
    # What both texts have is undone in both, where the old one is looked for.
    if pair_around(contents_of(old)) is None:
        plain = undo_surroundings(Undoing(Doc(old), text, path), read.text)
        if isinstance(plain, Refused):
            return plain
        read = replace(plain, undone=read.undone + plain.undone)
    if not read.undone or not old:
        return read
    return replace(read, text=_in_blanks_of(old, read.text))


def read_lines(
    source: Sequence[str], text: str, edit: LineEdit, path: str | None
) -> PlainText | Refused:
    """Return the text that the new text of a line edit means; `source` are the lines that it was made for."""
    # The numbers of the range itself, which no line of the file or of the old text has, need no other proof.
    plain = without_numbers_from(edit.start, edit.new)
    undone: tuple[str, ...] = ()
    others = (*source, *contents_of(edit.old or ""))
    if plain is not None and not any(map(is_numbered, others)):
        edit = replace(edit, new=plain)
        undone = ("line numbers",)
    shown = text_of(source[max(0, edit.start - 1) : edit.end])
    read = read_replacement(text, edit.old or shown, edit.new, path)
    if isinstance(read, Refused):
        return read
    return replace(read, undone=undone + read.undone)


def _in_blanks_of(old: str, new: str) -> str:
    """Return the new text with the blank lines around the old one: what was undone was in their place.

    Without those below, where the last new line is one from above in the old text: the blank lines went with the rest.
    """
    body = new.strip("\r\n")
    above = old[: len(old) - len(old.lstrip("\r\n"))]
    below = old[len(old.rstrip("\r\n")) :]
    lines = keys_in(contents_of(old))
    last = key_of(body.rpartition("\n")[2])
    if last in lines[:-1] and last != lines[-1]:
        below = "\n"[: len(below)]
    return above + body + below
