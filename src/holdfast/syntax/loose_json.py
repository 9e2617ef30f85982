"""Read text that is almost JSON: small errors that leave only one possible value, in one pass.

Accepted: strings in single or curly quotes, Python's `True`, `False` and `None`, keys without
quotes, a comma before a closing bracket, comments, line breaks inside strings, and a backslash
before a character that JSON does not escape; in a Python call also strings in triple quotes.
Rejected: an unescaped quote, a missing comma, a missing bracket. Those always have a second
possible meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from holdfast.syntax.spans import skip
from holdfast.syntax.strict_json import UnsoundError, pair_up, require_sound
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST: Final = 64

_WORDS_OF_COMMENT: Final = r"(?:[^\n\"'“”*]|(?<=\w)'(?=\w)|\*(?!/))*+"
"""A quote mark in it may be the end of a string with an unescaped quote: `"echo "# hi""`."""
_BLANK = lazy_pattern(
    rf"(?:[ \t\r\n\ufeff]++|(?://|#){_WORDS_OF_COMMENT}(?=\n|\Z)|/\*{_WORDS_OF_COMMENT}\*/)*+"
)
_KEY = lazy_pattern(r"[A-Za-z_$](?:[\w$-]|\\_)*+")
_NUMBER = lazy_pattern(r"-?(?:0|[1-9]\d{0,30})(?![\d])((?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)")
"""A number; its group is the part that only a float has."""
_WORDS: Final = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_WORD = lazy_pattern(f"(?:{'|'.join(_WORDS)})(?![A-Za-z])")
# Gemma uses special tokens for the quote.
_QUOTED: Final = (
    ('"', lazy_pattern(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)),
    ("'", lazy_pattern(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL)),
    ("“", lazy_pattern(r"“([^“”\\]*+(?:\\.[^“”\\]*+)*+)”", re.DOTALL)),
    ("<escape>", lazy_pattern(r"<escape>((?:[^<]++|<(?!escape>))*+)<escape>")),
    ('<|"|>', lazy_pattern(r'<\|"\|>((?:[^<]++|<(?!\|"\|>))*+)<\|"\|>')),
)
# Python drops a backslash and the line break behind it: many texts begin so.
_TRIPLE_QUOTED: Final = (
    ('"""', lazy_pattern(r'"""(?:\\\r?\n)?((?:[^"\\]++|\\.|"(?!""))*+)"""', re.DOTALL)),
    ("'''", lazy_pattern(r"'''(?:\\\r?\n)?((?:[^'\\]++|\\.|'(?!''))*+)'''", re.DOTALL)),
)
_JOINS_LINES = lazy_pattern(r"(?:\"{3}|'{3})(?:\\\r?\n)?+.*\\\n", re.DOTALL)
_OPENERS: Final = frozenset("\"'“<")
_ESCAPE = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPE_LETTER = lazy_pattern(r"\\(.)", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_RIGHT: Final = frozenset((*_LETTERS, "u"))
_OF_OTHERS: Final = frozenset("xUNv0")
"""Escapes of other languages: `\\x1b` is four characters, or one."""
_ESCAPED: Final = {**_LETTERS, '"': '"', "'": "'", "\\": "\\", "/": "/"}
"""The characters that escapes stand for. Any other escape stays as it is: also a backslash before
a line break, because Python joins the lines there and JSON has no such escape."""


@dataclass(frozen=True, slots=True)
class Loose:
    """A value, and the position after it. `doubtful`: it mixes wrong and right escapes."""

    value: Any
    end: int
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class LooseJsonEnd:
    """The text ends inside the value."""


@dataclass(frozen=True, slots=True)
class NotLoose:
    """No value, not even almost; reading stopped at `at`."""

    at: int


class _EndedError(Exception):
    """The end of the text. Raised at any depth, caught in `_Reader.read` only."""


class _UnexpectedError(Exception):
    """An unexpected character. Raised at any depth, caught in `_Reader.read` only."""


def read_loose(text: str, at: int = 0) -> Loose | LooseJsonEnd | NotLoose:
    r"""Read the value that begins at `at`.

    >>> read_loose("{path: 'a.py', deep: True,}")
    Loose(value={'path': 'a.py', 'deep': True}, end=27, doubtful=False)
    >>> read_loose("{'path': 'a.py")
    LooseJsonEnd()
    >>> read_loose('{"text": "say "hi" to me"}')
    NotLoose(at=15)
    """
    reader = _Reader(text, at)
    return reader.read(reader.value)


def read_call(text: str, at: int) -> Loose | LooseJsonEnd | NotLoose:
    """Read `(key=value, …)` or `({…})` from the bracket on; the value is an object.

    >>> read_call('read_file(path="a.py", start=3)', 9)
    Loose(value={'path': 'a.py', 'start': 3}, end=31, doubtful=False)
    """
    reader = _Reader(text, at)
    return reader.read(reader.call)


class _Reader:
    """A recursive-descent parser over a text, with its current position."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.doubtful = False
        self.quoted: tuple[tuple[str, re.Pattern[str]], ...] = _QUOTED

    def read(self, parse: Callable[[], Any]) -> Loose | LooseJsonEnd | NotLoose:
        try:
            value = parse()
            require_sound(value)
        except _EndedError:
            return LooseJsonEnd()
        except (_UnexpectedError, UnsoundError):
            return NotLoose(self.at)

        return Loose(value, self.at, self.doubtful)

    def _next(self) -> str:
        """Skip blanks and return the next character."""
        self.at = skip(_BLANK, self.text, self.at)
        if self.at >= len(self.text):
            raise _EndedError
        return self.text[self.at]

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            raise _UnexpectedError
        self.at += 1

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Return the match at the current position and move behind it."""
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _UnexpectedError
        self.at = found.end()
        return found

    def value(self, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise _UnexpectedError

        first = self._next()
        if first == "{":
            self.at += 1
            return self._object("}", ":", depth)
        if first == "[":
            self.at += 1
            return self._array(depth)
        if first in _OPENERS:
            return self._string()
        if first in "-0123456789":
            return self._number()

        return self._word()

    def _object(self, closer: str, between: str, depth: int) -> dict[str, Any]:
        """Read pairs from behind the opening bracket on."""
        pairs: list[tuple[str, Any]] = []
        while self._next() != closer:
            key = self._key()
            self._expect(between)
            pairs.append((key, self.value(depth + 1)))
            if self._next() != closer:
                self._expect(",")

        self.at += 1
        return pair_up(pairs)

    def _array(self, depth: int) -> list[Any]:
        """Read items from behind the opening bracket on."""
        items: list[Any] = []
        while self._next() != "]":
            items.append(self.value(depth + 1))
            if self._next() != "]":
                self._expect(",")

        self.at += 1
        return items

    def call(self) -> dict[str, Any]:
        # Only here: in JSON, three quotes may be a text that begins with two of its own.
        self.quoted = _TRIPLE_QUOTED + _QUOTED
        self._expect("(")
        if self._next() != "{":
            return self._object(")", "=", 0)

        self.at += 1
        value = self._object("}", ":", 0)
        self._expect(")")
        return value

    def _key(self) -> str:
        # Markdown's escape: a key is a name.
        if self._next() in _OPENERS:
            return self._string().replace("\\_", "_")
        return self._match(_KEY).group().replace("\\_", "_")

    def _string(self) -> str:
        for opener, pattern in self.quoted:
            if not self.text.startswith(opener, self.at):
                continue
            found = pattern.match(self.text, self.at)
            if found is None:
                raise _EndedError
            self.at = found.end()
            body = found.group(1)
            if opener.startswith("<"):
                return body
            # Python joins the lines; a shell script needs the backslash.
            self.doubtful |= _JOINS_LINES.match(found.group()) is not None
            return self._unescape(body)

        raise _UnexpectedError

    def _unescape(self, body: str) -> str:
        if "\\" not in body:
            return body

        # `\d+\n`: one backslash was not doubled, so perhaps the other was not either, and then
        # `\n` means two characters.
        escapes = _escapes_in(body)
        wrong = escapes - set(_ESCAPED) - {"u", "\n"}
        if wrong and escapes & _RIGHT:
            self.doubtful = True
        if wrong & _OF_OTHERS or _mixes_line_breaks(body):
            self.doubtful = True

        return _ESCAPE.sub(_unescape_one, body)

    def _number(self) -> int | float:
        found = self._match(_NUMBER)
        # The last number of a text that was cut may have had more digits.
        if self.at >= len(self.text):
            raise _EndedError
        if found.group(1):
            return float(found.group())

        return int(found.group())

    def _word(self) -> bool | None:
        found = self._match(_WORD)
        return _WORDS[found.group()]


def mixes_line_breaks(text: str) -> bool:
    r"""Return whether a JSON string in the text has both raw line breaks and escapes.

    A model that writes line breaks as they are may mean two characters by `\n`.

    >>> mixes_line_breaks('{"a": "x\ny"}'), mixes_line_breaks('{"a": "x\n\\n"}')
    (False, True)
    """
    _, double_quoted = _QUOTED[0]
    return any(map(_mixes_line_breaks, double_quoted.findall(text)))


def _mixes_line_breaks(body: str) -> bool:
    return "\n" in body and not _RIGHT.isdisjoint(_escapes_in(body))


def _escapes_in(body: str) -> set[str]:
    """Return the character behind the backslash of each escape."""
    return set(_ESCAPE_LETTER.findall(body))


def _unescape_one(escape: re.Match[str]) -> str:
    name = escape.group(1)
    if len(name) == 5:
        return chr(int(name[1:], 16))
    return _ESCAPED.get(name, escape.group())
