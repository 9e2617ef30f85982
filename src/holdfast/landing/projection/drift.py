"""What a model's copy does to characters, seen on lines the file has too, and undone on lines it has not."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.text.line_keys import CLASSES, PLAIN, QUOTES, fold, indent_of
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_Form: TypeAlias = Literal["NFC", "NFD"]
_FORMS: tuple[_Form, ...] = ("NFC", "NFD")
_APOSTROPHE = r"(?<=\w)\u2019(?=\w)"
"""Not a quote: whoever writes it in a word may still mean the quotes as they are."""


def _pattern_of(chars: dict[str, str]) -> str:
    pattern = f"[{''.join(chars)}]"
    if chars is QUOTES:
        return f"(?!{_APOSTROPHE}){pattern}"
    return pattern


_PATTERNS = [*map(lazy_pattern, map(_pattern_of, CLASSES)), lazy_pattern(_APOSTROPHE)]
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
            ours = pattern.findall(line)
            theirs = pattern.findall(real)
            if len(ours) > len(theirs):
                classes.add(number)

    # What sets quotes sets apostrophes too.
    if _QUOTE_CLASS in classes:
        own_text = "".join(real for _, real in pairs)
        if "\u2019" not in own_text:
            classes.add(_APOSTROPHE_CLASS)
    return Drift(trailing, tuple(sorted(classes)), form)


def _form(line: str, real: str) -> _Form | None:
    """Return the normal form that the file's line has and the request's line has not, if the line depends on it."""
    composed = unicodedata.normalize("NFC", line)
    decomposed = unicodedata.normalize("NFD", line)
    if composed == decomposed:
        return None

    for form in _FORMS:
        if not unicodedata.is_normalized(form, real):
            continue
        if unicodedata.is_normalized(form, line):
            return None
        return form
    return None


def merge_line(new: str, old: str, real: str, drift: Drift) -> str:
    r"""Return the new line's body with the file's spelling of what `old` and `new` begin and end with.

    No indentation.

    >>> merge_line('say("a", y)', 'say("a", x)', 'say(\u201ca\u201d, x)', Drift())
    'say(“a”, y)'
    """
    body = new[len(indent_of(new)) :]
    bare, ours, theirs = body.rstrip(), old.strip(), real.strip()
    blanks = body[len(bare) :]
    if len(ours) != len(theirs) or fold(ours) != fold(theirs):
        return drift.undo(body)
    if fold(bare) == fold(theirs.replace("\u2014", "--")):
        # Two hyphens are another way to write the dash of the file.
        bare = ours

    head, tail = shared_ends(ours, bare)
    middle = drift.undo_inside(bare[head : len(bare) - tail])
    merged = theirs[:head] + middle + theirs[len(theirs) - tail :]
    if drift.trailing:
        return merged
    return merged + blanks
