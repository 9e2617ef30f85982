"""What happens to characters on their way: each kind of accident, how to undo it, and where its marks cannot be meant."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from holdfast.landing.ladder.escapes import (
    COLOUR,
    ENTITY,
    ENTITY_NAME,
    JSON_STRING,
    LETTER,
    MOJIBAKE,
)
from holdfast.landing.text.line_keys import SPACES, UNSEEN, WIDE
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.landing.text.file_kinds import FileKind

_ALL_KINDS: frozenset[FileKind] = frozenset({"prose", "markup", "mixed", "data", "code"})
_PROSE: frozenset[FileKind] = frozenset({"prose"})
_TEXT: frozenset[FileKind] = frozenset({"prose", "markup"})
_CODE: frozenset[FileKind] = frozenset({"code"})
_VALUES: frozenset[FileKind] = frozenset({"data", "mixed"})
_NOTHING = r"(?!)"


@dataclass(frozen=True, slots=True)
class Accident:
    """A way in which lines are changed as a whole: undone, or refused, where lines of the file come back by that."""

    name: str
    """What the new lines had."""
    seen: re.Pattern[str]
    undo: Callable[[str], str]
    """Return a line without the accident."""
    plain: re.Pattern[str]
    """What the accident changes: a text that still has this did not have the accident as a whole."""
    honest_in: frozenset[FileKind] = frozenset()
    """The kinds of file in which many lines may have it on purpose."""
    is_common: bool = False
    """It is undone. A rare one is refused, for all of its marks may not be known."""


@dataclass(frozen=True, slots=True)
class ForeignMark:
    """Characters that no line of code has outside strings and comments, in some kinds of file."""

    name: str
    kinds: frozenset[FileKind]
    seen: re.Pattern[str]
    anywhere: bool = False
    """Strings and comments have none, either."""
    alone: bool = False
    """One new line may have it: it is the edit."""
    read: Callable[[re.Match[str]], str] | None = None
    """What it stands for: where a string or a comment of the file has that, none has the mark."""


def _any_of(chars: Iterable[str]) -> str:
    return f"[{''.join(chars)}]"


def _second_character(found: re.Match[str]) -> str:
    return found[0][1]


def _plain_quote(found: re.Match[str]) -> str:
    if found[0][-1] in "\u201c\u201d":
        return '"'
    return "'"


# Not the low quotes of other languages: no program that sets quotes makes these of plain ones.
_CURLY = r"\\?[\u201c\u201d]|[\u2018\u2019]"
_CURLY_TEXT = r"(?:\\?[\u201c\u201d][^\u201c\u201d\n]*[\u201c\u201d]|[\u2018\u2019][^\u2018\u2019\n]*[\u2018\u2019])"
_SPACE = _any_of(SPACES)
_LITERAL_NEWLINE = "a literal \\n for each newline"


def _accident(
    name: str,
    seen: str,
    read: Callable[[re.Match[str]], str],
    plain: str,
    *honest_in: FileKind,
    is_common: bool = False,
) -> Accident:
    """Return the accident that writes characters by others; `read` returns what a match of `seen` stands for."""
    pattern = lazy_pattern(seen)

    def undo(line: str) -> str:
        return pattern.sub(read, line)

    return Accident(name, pattern, undo, lazy_pattern(plain), frozenset(honest_in), is_common)


ACCIDENTS = (
    _accident(
        "HTML entities",
        ENTITY.seen.pattern,
        ENTITY.read,
        rf"[<>]|&(?!(?:{ENTITY_NAME});)",
        is_common=True,
    ),
    _accident(
        "curly quotes",
        _CURLY,
        _plain_quote,
        r'"[^"\n]*"|(?<!\w)\'[^\'\n]*\'',
        "prose",
        is_common=True,
    ),
    _accident("no-break spaces", _SPACE, lambda _: " ", _NOTHING, *_TEXT, is_common=True),
    # At the end of a line it parts nothing.
    Accident(
        _LITERAL_NEWLINE,
        lazy_pattern(r"\\n(?!(?:\\n|[ \t])*$)", re.MULTILINE),
        partial(JSON_STRING.seen.sub, JSON_STRING.read),
        lazy_pattern(r"^(?!.*\\n).*\S"),
        is_common=True,
    ),
    _accident("escaped quotes", r'\\"', _second_character, r'(?<!\\)"'),
    _accident("escaped quotes", r"\\'", _second_character, r"(?<!\\)'"),
    _accident("doubled backslashes", r"\\\\", _second_character, r"(?<!\\)\\(?!\\)"),
    _accident("escaped slashes", r"\\/", _second_character, r"(?<!\\)/"),
    _accident("escapes of Markdown", r"\\[_*#\[\]<>|~]", _second_character, r"(?<!\\)_"),
    _accident(r"a literal \t for each tab", r"\\t", lambda _: "\t", "\t"),
    _accident("escaped letters", LETTER.seen.pattern, LETTER.read, r"[^\x00-\x7f]"),
    _accident("long dashes", "\u2014", lambda _: "--", "--", "prose"),
    _accident("full-width marks", _any_of(WIDE), lambda found: WIDE[found[0]], _NOTHING, "prose"),
    _accident("invisible characters", _any_of(UNSEEN), lambda _: "", _NOTHING),
    # In prose two blanks end a line.
    _accident(
        "trailing blanks",
        r"(?m)[ \t]+(?=\r?$)",
        lambda _: "",
        _NOTHING,
        "prose",
        is_common=True,
    ),
)


def _mark(
    name: str,
    kinds: frozenset[FileKind],
    seen: str,
    *,
    anywhere: bool = False,
    alone: bool = False,
    read: Callable[[re.Match[str]], str] | None = None,
) -> ForeignMark:
    return ForeignMark(name, kinds, lazy_pattern(seen, re.MULTILINE), anywhere, alone, read)


FOREIGN_MARKS = (
    _mark("letters of another encoding", _ALL_KINDS, MOJIBAKE.seen.pattern, anywhere=True),
    _mark("colour codes", _ALL_KINDS, COLOUR.seen.pattern, anywhere=True),
    _mark("HTML entities", _CODE, ENTITY.seen.pattern),
    _mark(
        "HTML entities",
        frozenset({"prose", "data", "code"}),
        ENTITY.seen.pattern,
        alone=True,
        read=ENTITY.read,
    ),
    _mark("curly quotes", _CODE, _CURLY_TEXT),
    # Around a whole value.
    _mark("curly quotes", _VALUES, rf"(?:^|[=(,:\[{{])[ \t]*{_CURLY_TEXT}[ \t]*(?:$|[,;:)\]}}])"),
    _mark("curly quotes", frozenset({"markup"}), rf"\w={_CURLY_TEXT}"),
    _mark("escaped quotes", _ALL_KINDS - _PROSE, r'\\"', alone=True),
    _mark("escaped quotes", frozenset({"markup"}), r'\w=\\"'),
    _mark("no-break spaces", _ALL_KINDS, rf"^[ \t]*{_SPACE}", anywhere=True),
    _mark("no-break spaces", _CODE, _SPACE),
    _mark("no-break spaces", _VALUES, _SPACE, alone=True),
    _mark("escaped letters", _PROSE, LETTER.seen.pattern, anywhere=True),
    _mark(
        "escaped letters",
        _CODE | _VALUES,
        LETTER.seen.pattern,
        alone=True,
        read=LETTER.read,
    ),
    # In a comment.
    _mark(
        "escaped letters",
        _CODE | _VALUES,
        rf"^[ \t]*(?://|/?\*|\#|--).*{LETTER.seen.pattern}",
        anywhere=True,
    ),
    _mark("escapes of Markdown", _ALL_KINDS - _TEXT, r"\w\\_\w"),
    _mark("full-width marks", _CODE, _any_of(WIDE)),
    _mark("invisible characters", _CODE, _any_of(UNSEEN)),
    # A blank line, an indentation or the next sentence is behind it.
    _mark(_LITERAL_NEWLINE, _ALL_KINDS, r"\\n(?:\\n|[ \t]{2,})\S|(?<=[.!?])\\n[A-Z]"),
    _mark(_LITERAL_NEWLINE, _CODE | _VALUES, r"\\n(?:[\w.-]+ ?[=:]|\w+\(|[})\]])"),
)
