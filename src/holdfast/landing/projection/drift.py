"""What a model's copy does to characters, seen on lines the file has too, and undone on lines it has not."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.text.line_keys import CLASSES, PLAIN, QUOTES, fold, indent_of
from holdfast.landing.text.line_tokens import tokens_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_Form: TypeAlias = Literal["NFC", "NFD"]
_FORMS: tuple[_Form, ...] = ("NFC", "NFD")
_IN_WORD = re.compile(r"\w")
_APOSTROPHE = r"(?<=\w)\u2019(?=\w)"
"""Not a quote: whoever writes it in a word may still mean the quotes as they are."""


def _pattern_of(chars: dict[str, str]) -> str:
    pattern = f"[{''.join(chars)}]"
    if chars is QUOTES:
        return f"(?!{_APOSTROPHE}){pattern}"
    return pattern


_PATTERNS = [*map(re.compile, map(_pattern_of, CLASSES)), re.compile(_APOSTROPHE)]
_QUOTE_CLASS = CLASSES.index(QUOTES)
_APOSTROPHE_CLASS = len(CLASSES)


@dataclass(frozen=True, slots=True)
class Drift:
    """Which classes of characters the request has where the file has plain ones."""

    trailing: bool = False
    classes: tuple[int, ...] = ()
    form: _Form | None = None

    def undo(self, line: str) -> str:
        """Return the new line without the drift."""
        if self.trailing:
            line = line.rstrip()
        return self.undo_inside(line)

    def undo_inside(self, line: str) -> str:
        """Return the part of a new line without the drift of its characters."""
        for number in self.classes:
            line = _PATTERNS[number].sub(lambda found: PLAIN[found.group()], line)
        if self.form:
            line = unicodedata.normalize(self.form, line)
        return line


def drift_between(pairs: Sequence[tuple[str, str]]) -> Drift:
    """Return the drift of the request's lines against the file's own, from (request line, file line) pairs.

    Only what is seen to drift is undone: an added dash is meant, unless a dash was seen to drift.
    """
    trailing = False
    classes: set[int] = set()
    form: _Form | None = None
    for line, real in pairs:
        if line == real:
            continue
        if line != line.rstrip() and real == real.rstrip():
            trailing = True
        if line.isascii():
            continue
        form = form or _form(line, real)
        for number, pattern in enumerate(_PATTERNS):
            if len(pattern.findall(line)) > len(pattern.findall(real)):
                classes.add(number)

    # What sets quotes sets apostrophes too.
    has_plain_only = not any("\u2019" in real for _, real in pairs)
    if _QUOTE_CLASS in classes and has_plain_only:
        classes.add(_APOSTROPHE_CLASS)
    return Drift(trailing, tuple(sorted(classes)), form)


def _form(line: str, real: str) -> _Form | None:
    """Return the normal form that the file's line has and the request's line has not, if the line depends on it."""
    if unicodedata.normalize("NFC", line) == unicodedata.normalize("NFD", line):
        return None

    for form in _FORMS:
        if unicodedata.is_normalized(form, real):
            return None if unicodedata.is_normalized(form, line) else form
    return None


def merge_line(new: str, old: str, real: str, drift: Drift) -> str:
    r"""Return the new line's body with the file's spelling of whatever `old` and `new` share.

    No indentation.

    >>> merge_line('say("a", y)', 'say("a", x)', 'say(\u201ca\u201d, x)', Drift())
    'say(“a”, y)'
    """
    body = new[len(indent_of(new)) :]
    ours, theirs, written = _Tokens(old), _Tokens(real), _Tokens(body)
    if ours.plain != theirs.plain:
        return drift.undo(body)

    out: list[str] = []
    matcher = SequenceMatcher(None, ours.plain, written.plain, autojunk=False)
    for tag, o1, o2, n1, n2 in matcher.get_opcodes():
        # A blank or a bracket in common says nothing: only around a word do both lines mean the
        # same spot.
        if tag == "equal" and any(map(str.isalnum, ours.plain[o1:o2])):
            out += theirs.raw[o1:o2]
        else:
            out.append(drift.undo_inside("".join(written.raw[n1:n2])))

    if not drift.trailing:
        out.append(body[len(body.rstrip()) :])
    return "".join(out)


class _Tokens:
    """The tokens of a line's body, folded and as written.

    What folds to nothing clings to the token before.
    """

    def __init__(self, line: str) -> None:
        self.plain: list[str] = []
        self.raw: list[str] = []
        for raw in _split(line.strip()):
            plain = fold(raw)
            if raw.isspace():
                plain = " "
            if plain:
                self.plain.append(plain)
                self.raw.append(raw)
            elif self.raw:
                self.raw[-1] += raw


def _split(body: str) -> list[str]:
    """Return the tokens of the text; combining marks, which are no word characters to `re`, stay with their word."""
    tokens: list[str] = []
    joins = False
    for raw in tokens_of(body):
        is_mark = unicodedata.combining(raw[0]) > 0
        if tokens and (is_mark or (joins and _IN_WORD.match(raw))):
            tokens[-1] += raw
        else:
            tokens.append(raw)
        joins = unicodedata.combining(raw[-1]) > 0

    return tokens
