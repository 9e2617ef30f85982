"""Characters that are written by others: escapes, entities, letters of another encoding."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.landing.ladder.reading import Undo, Unmangled
from holdfast.landing.text.lines import (
    Doc,
    text_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def share_mangling(lost: Iterable[str], fresh: Iterable[str]) -> bool:
    """Return whether an escape is both in old lines that the file does not have and in new lines."""
    texts = text_of(lost), text_of(fresh)
    escapes = (ENTITY, _QUOTE, LETTER, _MARKDOWN, MOJIBAKE, COLOUR)
    return any(all(map(escape.seen.search, texts)) for escape in escapes)


@dataclass(frozen=True, slots=True)
class _Escape:
    """A way to write characters by others: undone in both texts where the old one has it."""

    seen: re.Pattern[str]
    read: Callable[[re.Match[str]], str]
    trigger: re.Pattern[str] | None = None
    """What the old text must have, if that is not `seen`."""
    foreign: bool = False
    """Undone only if the file itself has no such writing."""

    def __call__(self, doc: Doc, reading: Unmangled) -> Unmangled | None:
        """Return the reading without the escapes, or None where the old text has none."""
        trigger = self.trigger or self.seen
        if not trigger.search(reading.old):
            return None
        if self.foreign and self.seen.search(doc.text):
            return None

        old = self.seen.sub(self.read, reading.old)
        new = self.seen.sub(self.read, reading.new)
        return Unmangled(old, new, reading.near)


# At the end of a line `\n` is the newline that ends it.
_ESCAPED = {"n\n": "\n", "n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def _read_escape(found: re.Match[str]) -> str:
    name = found[1]
    if len(name) == 5:
        return chr(int(name[1:], 16))
    return _ESCAPED.get(name, found[0])


ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
"""Those with a name; the others are the number of the character."""


JSON_STRING = _Escape(
    lazy_pattern(r"\\(u[0-9a-fA-F]{4}|n\n|.)", re.DOTALL), _read_escape, lazy_pattern(r"\\[nt]")
)


_QUOTE = _Escape(lazy_pattern(r"\\([\"'])"), lambda found: found[1])


# Decoded once: `&amp;lt;` is `&lt;`.
ENTITY_NAME = rf"{'|'.join(ENTITIES)}|\#(?:[0-9]{{2,4}}|[xX][0-9a-fA-F]{{2,3}})"


def _read_entity(found: re.Match[str]) -> str:
    name = found[1]
    if name in ENTITIES:
        return ENTITIES[name]
    digits, base = name[1:], 10
    if digits[0] in "xX":
        digits, base = digits[1:], 16
    char = chr(int(digits, base))
    if char.isprintable():
        return char
    return found[0]


ENTITY = _Escape(lazy_pattern(f"&({ENTITY_NAME});"), _read_entity)


LETTER = _Escape(lazy_pattern(r"\\(u[0-9a-fA-F]{4})"), _read_escape, foreign=True)


# Of Markdown, and of a slash in JSON.
_MARKDOWN = _Escape(lazy_pattern(r"\\([/_*#<>|~\[\]])"), lambda found: found[1], foreign=True)


# Two hyphens that were set as one long dash.
_LONG_DASH = _Escape(lazy_pattern("\u2014"), lambda _: "--", foreign=True)


def _decode(found: re.Match[str]) -> str:
    """Return the letter whose bytes in UTF-8 were read as these letters."""
    for encoding in ("latin-1", "cp1252"):
        with suppress(UnicodeError):
            return found[0].encode(encoding).decode()
    return found[0]


_BYTES = "".join(chr(byte) + bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xC0))


MOJIBAKE = _Escape(
    lazy_pattern(f"[\u00c2-\u00df][{_BYTES}]|[\u00e0-\u00ef][{_BYTES}]{{2}}"), _decode, foreign=True
)


# Of a terminal.
COLOUR = _Escape(lazy_pattern(r"\x1b\[[0-9;]*[mK]"), lambda _: "", foreign=True)


# White space at the beginning of a line as editors and `cat -A` show it.
_SHOWN_TAB = r"(?:\^I|<TAB>|[\u2192\u00bb\u21e5\u2409]) *"


def _read_shown(found: re.Match[str]) -> str:
    return re.sub(_SHOWN_TAB, "\t", found[0]).replace("\u00b7", " ")


SHOWN_INDENT = _Escape(
    lazy_pattern(rf"^[ \t]*(?:{_SHOWN_TAB}|\u00b7)(?:[ \t]|{_SHOWN_TAB}|\u00b7)*", re.MULTILINE),
    _read_shown,
    foreign=True,
)


def _with_single_backslashes(_doc: Doc, reading: Unmangled) -> Unmangled | None:
    """With one backslash for two, if both texts have no other ones."""
    single, pair = "\\", "\\\\"
    if pair not in reading.old:
        return None
    others = (reading.old + reading.new).replace(pair, "")
    if single in others:
        return None

    old, new = reading.old.replace(pair, single), reading.new.replace(pair, single)
    return Unmangled(old, new, reading.near)


ESCAPES: tuple[Undo, ...] = (
    _with_single_backslashes,
    JSON_STRING,
    _QUOTE,
    ENTITY,
    # Encoded twice.
    ENTITY,
    LETTER,
    _MARKDOWN,
    _LONG_DASH,
    MOJIBAKE,
    COLOUR,
)
