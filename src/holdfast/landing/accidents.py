"""What happens to characters on their way: each kind of accident, how to undo it, and where it cannot be meant."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property, partial
from itertools import starmap
from typing import TYPE_CHECKING

from holdfast.landing.ladder.escapes import (
    COLOUR,
    ENTITY,
    ENTITY_NAME,
    JSON_STRING,
    LETTER,
    MOJIBAKE,
)
from holdfast.landing.text.code_spans import string_spans
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import SPACES, UNSEEN, WIDE, key_of
from holdfast.landing.text.line_tokens import knows_word, matched
from holdfast.landing.text.lines import contents_of, is_blank, solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.landing.text.file_kinds import FileKind


class FileFacts:
    """What the text of a file says about how its lines are written."""

    def __init__(self, text: str, path: str | None, lost: frozenset[str]) -> None:
        """Compute nothing yet: few requests need it. `lost` are the lines that the edit removes."""
        self.text = text
        self.kind: FileKind = kind_of(path)
        self.language = language_of(path)
        self.lost = lost

    @cached_property
    def quote_roles(self) -> frozenset[tuple[str, str]]:
        """What is before and behind the strings of the file."""
        spans = string_spans(self.text, self.language)
        return frozenset(starmap(partial(role_of, self.text), spans))

    @cached_property
    def starts(self) -> str:
        """The lines without their indentation, each behind a newline."""
        lines = map(str.lstrip, contents_of(self.text))
        return "\n" + "\n".join(lines)

    def has_such(self, line: str) -> bool:
        """Return whether this may be a line of the file: it has a key, or the file has its first word."""
        if self.language.has_keys:
            return re.match(self.language.keys, line) is not None
        return knows_word(self.text, matched(_FIRST_WORD, line))


_FIRST_WORD = re.compile(r"[\W\d]*(\w*)")
_AROUND = 40


def role_of(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what is before and what is behind a quoted text on its line: a sign, "w" for a word, "" for nothing.

    >>> role_of('f(x, "a")', 5, 8), role_of('echo "a"', 5, 8)
    ((',', ')'), ('w', ''))
    """
    before = text[max(0, start - _AROUND) : start].rpartition("\n")[2].rstrip()
    behind = text[end : end + _AROUND].partition("\n")[0].lstrip()
    return _LETTER.sub("w", before[-1:]), _LETTER.sub("w", behind[:1])


_LETTER = re.compile(r"\w")


_EVERY_LINE = re.compile("")


@dataclass(frozen=True, slots=True)
class Accident:
    """One kind of accident."""

    name: str
    """What the new lines had."""
    seen: re.Pattern[str]
    read: Callable[[re.Match[str]], str]
    undo: Callable[[str], str]
    """Return a line without the accident, where all of it is undone."""
    is_foreign: Callable[[FileFacts, str, re.Match[str]], bool]
    """Whether a match in this line, outside strings and comments, cannot be meant in that file."""
    plain: re.Pattern[str] = _EVERY_LINE
    """What the accident changes: lines that still have this did not have the accident as a whole."""
    only_whole: bool = False
    """Lines that have it only in part are no proof."""
    local: bool = False
    """`plain` counts only in the lines that have the accident."""
    content_in: frozenset[FileKind] = frozenset()
    """The kinds of file whose code may have it: `is_foreign` is not asked there."""
    honest_in: frozenset[FileKind] = frozenset()
    """The kinds of file in which many lines may have it on purpose."""
    by_line: bool = False
    """The first match of a line stands for all of the line."""
    proven_in: frozenset[FileKind] = frozenset()
    """The kinds of file in which nobody writes it on purpose, if the file has none."""
    proven_in_comments: bool = False
    """Nobody writes it on purpose in a comment, either."""
    doubted_in: frozenset[FileKind] = frozenset()
    """The kinds of file in which it is refused among several new lines, if nothing proves it and the file has none."""

    doubted_in_strings: bool = False
    """It is also refused in strings and comments, if the file has the plain character in its own ones."""

    def undo_where(self, line: str, is_code: Callable[[int], bool]) -> str:
        """Return the line without the matches that begin in code."""
        out: list[str] = []
        end = 0
        for found in self.seen.finditer(line):
            is_read = is_code(found.start())
            if self.by_line:
                return self.undo(line) if is_read else line
            if is_read:
                out += (line[end : found.start()], self.read(found))
                end = found.end()

        return "".join((*out, line[end:]))

    def is_whole(self, lines: list[str]) -> bool:
        """Return whether no line has what the accident would have changed."""
        if self.local:
            lines = list(filter(self.seen.search, lines))
        return not any(map(self.plain.search, lines))


# --------------------------------------------------------------------------------------- entities

_ALL_KINDS: frozenset[FileKind] = frozenset({"prose", "markup", "mixed", "data", "code"})
_PROSE: frozenset[FileKind] = frozenset({"prose"})
_TEXT: frozenset[FileKind] = frozenset({"prose", "markup"})
_ENTITY_ACCIDENT = Accident(
    "HTML entities",
    ENTITY.seen,
    ENTITY.read,
    lambda line: ENTITY.seen.sub(ENTITY.read, line),
    # `&lt` may be the address of a variable with that name.
    lambda file, _, found: not knows_word(file.text, found[1]),
    plain=re.compile(rf"[<>]|&(?!(?:{ENTITY_NAME});)"),
    only_whole=True,
    content_in=frozenset({"prose", "markup", "mixed", "data"}),
    doubted_in=frozenset({"prose", "data", "code"}),
    doubted_in_strings=True,
)

# ----------------------------------------------------------------------------- quotes and spaces


def _is_quote_foreign(file: FileFacts, line: str, found: re.Match[str]) -> bool:
    if found[1] is None:
        return False
    return role_of(line, found.start(), found.end()) in file.quote_roles


def _is_curly_foreign(file: FileFacts, line: str, found: re.Match[str]) -> bool:
    if file.kind == "code":
        return found[1] is not None
    return _is_quote_foreign(file, line, found)


def _quote_accident(
    name: str,
    plain: str,
    odd: str,
    unchanged: str,
    *,
    honest_in: frozenset[FileKind] = frozenset(),
    content_in: frozenset[FileKind] = _TEXT,
    is_foreign: Callable[[FileFacts, str, re.Match[str]], bool] = _is_quote_foreign,
) -> Accident:
    """Return the accident by which what `odd` matches is in the place of a plain quote.

    `unchanged` matches what no line has if the accident happened to all of it.
    """
    return Accident(
        name,
        re.compile(rf"{odd}((?:(?!{odd})[^{plain}\n])*){odd}|{odd}"),
        lambda found: re.sub(odd, plain, found[0]),
        lambda line: re.sub(odd, plain, line),
        is_foreign,
        plain=re.compile(unchanged),
        content_in=content_in,
        honest_in=honest_in,
    )


def _any_of(chars: Iterable[str]) -> str:
    return f"[{''.join(chars)}]"


_SPACE = re.compile(_any_of(SPACES))


def _is_space_foreign(file: FileFacts, line: str, found: re.Match[str]) -> bool:
    before = _SPACE.sub(" ", line[: found.start()])
    if is_blank(before):
        return True
    if file.kind == "code":
        return True
    return f"\n{before.lstrip()} " in file.starts


_SPACE_ACCIDENT = Accident(
    "no-break spaces",
    _SPACE,
    lambda _: " ",
    lambda line: _SPACE.sub(" ", line),
    _is_space_foreign,
    plain=re.compile(r"\S \S"),
    local=True,
    content_in=_TEXT,
    honest_in=_TEXT,
)

# ------------------------------------------------------------------------------- literal newlines


def _unescape(line: str) -> str:
    return JSON_STRING.seen.sub(JSON_STRING.read, line)


_RUN_ON = re.compile(r"\\n(?:\\n|[ \t]{2,})\S|(?<=[.!?])\\n[A-Z]")


def _is_newline_foreign(file: FileFacts, line: str, _found: re.Match[str]) -> bool:
    r"""Return whether lines were run on by `\n`: a blank line or an indentation is behind it, or a line that the edit removes."""
    if _RUN_ON.search(line):
        return True
    pieces = set(map(key_of, solid_lines(contents_of(_unescape(line)))))
    fresh = pieces.difference(map(key_of, file.lost))
    # A value or a path may have such an escape: what is behind it is then no line.
    return fresh != pieces and all(map(file.has_such, fresh))


_NEWLINE_ACCIDENT = Accident(
    r"a literal \n for each newline",
    # At the end of a line it parts nothing.
    re.compile(r"\\n(?!(?:\\n|[ \t])*$)", re.MULTILINE),
    lambda _: "\n",
    _unescape,
    _is_newline_foreign,
    by_line=True,
)

# --------------------------------------------------------------------------- escapes and typography


def _writing(
    name: str, seen: str, read: Callable[[re.Match[str]], str], unchanged: str, *kinds: FileKind
) -> Accident:
    """Return the accident that writes characters by others; `unchanged` matches what none of its lines has."""
    pattern = re.compile(seen)
    return Accident(
        name,
        pattern,
        read,
        lambda line: pattern.sub(read, line),
        lambda *_: False,  # Only lines that come back prove such an accident.
        plain=re.compile(unchanged),
        local=True,
        honest_in=frozenset(kinds),
    )


def _second_character(found: re.Match[str]) -> str:
    return found[0][1]


def _is_in_name(_file: FileFacts, line: str, found: re.Match[str]) -> bool:
    r"""Return whether the escape is inside a name: `a\_b`."""
    return _ESCAPED_NAME.match(line, max(0, found.start() - 1)) is not None


_ESCAPED_NAME = re.compile(r"\w\\_\w")
_NOTHING = r"(?!)"
_WRITINGS = (
    _writing("doubled backslashes", r"\\\\", _second_character, r"(?<!\\)\\(?!\\)"),
    _writing("escaped quotes", r"\\'", _second_character, r"(?<!\\)'"),
    _writing("escaped slashes", r"\\/", _second_character, r"(?<!\\)/"),
    replace(
        _writing("escapes of Markdown", r"\\[_*#\[\]<>|~]", _second_character, r"(?<!\\)_"),
        is_foreign=_is_in_name,
        content_in=_TEXT,
    ),
    _writing(r"a literal \t for each tab", r"\\t", lambda _: "\t", "\t"),
    replace(
        _writing("escaped letters", LETTER.seen.pattern, LETTER.read, r"[^\x00-\x7f]"),
        proven_in=_PROSE,
        proven_in_comments=True,
        doubted_in=frozenset({"data", "code"}),
        doubted_in_strings=True,
    ),
    replace(
        _writing("letters of another encoding", MOJIBAKE.seen.pattern, MOJIBAKE.read, _NOTHING),
        proven_in=_ALL_KINDS,
    ),
    replace(
        _writing("colour codes", COLOUR.seen.pattern, COLOUR.read, _NOTHING),
        proven_in=_ALL_KINDS,
    ),
    _writing("long dashes", "\u2014", lambda _: "--", "--", "prose"),
    # In code neither is part of any word or mark.
    replace(
        _writing(
            "full-width marks", _any_of(WIDE), lambda found: WIDE[found[0]], _NOTHING, "prose"
        ),
        is_foreign=lambda *_: True,
        content_in=_ALL_KINDS - {"code"},
    ),
    replace(
        _writing("invisible characters", _any_of(UNSEEN), lambda _: "", _NOTHING),
        is_foreign=lambda *_: True,
        content_in=_ALL_KINDS - {"code"},
    ),
)
# In markup and prose such a space may be meant, but not as the indentation of a line that the file has without.
_INDENT_ACCIDENT = _writing(
    "no-break spaces",
    rf"(?m)^[ \t]*{_any_of(SPACES)}+",
    lambda found: _SPACE.sub(" ", found[0]),
    _NOTHING,
)
# In prose two blanks end a line. In a file without any, no line of code needs them.
_TRAILING_BLANKS = Accident(
    "trailing blanks",
    re.compile(r"(?m)[ \t]+(?=\r?$)"),
    lambda _: "",
    lambda line: line.rstrip(" \t"),
    lambda *_: True,
    plain=re.compile(_NOTHING),
    content_in=_PROSE,
    honest_in=_PROSE,
    proven_in=_ALL_KINDS - _PROSE,
)
ACCIDENTS = (
    _ENTITY_ACCIDENT,
    # Not the low quotes of other languages: no program that sets quotes makes these of plain ones.
    _quote_accident(
        "curly quotes",
        '"',
        r"\\?[\u201c\u201d]",
        r'"[^"\n]*"',
        honest_in=_PROSE,
        is_foreign=_is_curly_foreign,
    ),
    _quote_accident(
        "curly quotes",
        "'",
        "[\u2018\u2019]",
        r"'[^'\n]*'",
        honest_in=_PROSE,
        is_foreign=_is_curly_foreign,
    ),
    replace(
        _quote_accident("escaped quotes", '"', r'\\"', r'(?<!\\)"', content_in=_PROSE),
        doubted_in=_ALL_KINDS - _PROSE,
    ),
    _INDENT_ACCIDENT,
    _SPACE_ACCIDENT,
    _NEWLINE_ACCIDENT,
    *_WRITINGS,
    _TRAILING_BLANKS,
)
