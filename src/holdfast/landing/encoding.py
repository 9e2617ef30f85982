"""Bytes in, bytes out: a file's text, and the bytes of that text again."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

Encoding: TypeAlias = Literal["utf-8", "utf-8-bom", "utf-16-le", "utf-16-be", "cp1252"]
"""The encoding of a file. A byte order mark is part of the encoding, not of the text."""

_MARKS: dict[Encoding, bytes] = {
    "utf-8-bom": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
}

# What surrogateescape makes of a byte that is not UTF-8 is U+DC80 to U+DCFF; anything else here was
# well-formed UTF-8.
_MULTIBYTE = lazy_pattern("[^\x00-\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, and how to write it again: `encode(text, encoding)` returns the same bytes."""

    text: str
    encoding: Encoding

    @property
    def binary(self) -> bool:
        """The bytes are no text: a NUL is in them."""
        return "\0" in self.text

    @property
    def marked(self) -> bool:
        """The file begins with a byte order mark."""
        return self.encoding in _MARKS


def decode(data: bytes) -> Decoded:
    r"""Read bytes as text; no bytes are refused, and none are lost.

    UTF-8 with or without a byte order mark, and UTF-16 with one, are what they say. A file that is
    not UTF-8 and in which not even one character is well-formed UTF-8 is an old 8-bit file, read as
    cp1252 (the superset of Latin-1), so that an `é` put into it is written as the file writes its
    own. In all other files the bytes that do not decode become surrogates in the text
    (`surrogateescape`) and are written back unchanged.

    >>> decode(b"caf\xe9")
    Decoded(text='café', encoding='cp1252')
    >>> decode("→ ".encode() + b"\xe9")
    Decoded(text='→ \udce9', encoding='utf-8')
    """
    for encoding in ("utf-16-le", "utf-16-be"):
        if data.startswith(_MARKS[encoding]):
            try:
                return Decoded(data[2:].decode(encoding), encoding)
            except UnicodeDecodeError:
                break

    if data.startswith(_MARKS["utf-8-bom"]):
        return Decoded(data[3:].decode("utf-8", "surrogateescape"), "utf-8-bom")

    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decode_legacy(data)


def encode(text: str, encoding: Encoding) -> bytes:
    """Write text as the file had it.

    Raises `UnicodeEncodeError` for a character which that encoding does not have: half a surrogate
    pair anywhere, an arrow in a cp1252 file.
    """
    mark = _MARKS.get(encoding, b"")
    if encoding in {"utf-8", "utf-8-bom"}:
        return mark + text.encode("utf-8", "surrogateescape")
    return mark + text.encode(encoding)


def _decode_legacy(data: bytes) -> Decoded:
    text = data.decode("utf-8", "surrogateescape")
    if _MULTIBYTE.search(text):
        return Decoded(text, "utf-8")

    try:
        return Decoded(data.decode("cp1252"), "cp1252")
    except UnicodeDecodeError:
        return Decoded(text, "utf-8")
