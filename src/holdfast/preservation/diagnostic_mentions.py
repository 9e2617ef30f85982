"""The names and the places that the errors of a compiler mention."""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from holdfast.syntax.fixits import Lines, deleted_by_fixits
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_CALLS: Final = (
    "call",
    "call_expression",
    "method_invocation",
    "new_expression",
    "object_creation_expression",
    "macro_invocation",
)
_SUPERFLUOUS: Final = re.compile(
    r"unused|never (?:used|read)|not (?:be )?(?:used|accessed|referenced)|redefin|redeclar|"
    r"duplicat|already|multiple (?:definition|time)|more than once|unreachable|redundant|"
    r"unnecessary|useless|no effect|superfluous|conflict|shadow|stray|extra|excess|trailing|"
    r"unexpected|outside|not within|not allowed|not permitted|illegal|may only|"
    r"cannot be (?:used|declared) here|no longer|deprecated|removed|obsolete|unmatched|void value|"
    r"invalid (?:character|non-printable|preprocessing)|must not|should not|cannot return|"
    r"without (?:a )?(?:matching|previous)|#endif|#else",
    re.IGNORECASE,
)
"""Words of compilers for something superfluous: deleting it is a fix."""
_UNDEFINED: Final = re.compile(
    r"undefined|undeclared|not (?:been )?(?:defined|declared|found)|"
    r"can(?:not|'t) (?:find|resolve)|unresolved|unknown|"
    r"no such|not exist|not in scope|has no (?:attribute|field|member|method)|"
    r"no (?:field|method|member|function)\b|"
    r"implicit declaration",
    re.IGNORECASE,
)
"""Words of compilers for a missing name."""
_QUOTED: Final = re.compile(r"[`'\"‘“]([A-Za-z_$][\w$]*)[`'\"’”]|:\s+([A-Za-z_]\w*)$")
_ALIKE: Final = 0.8
_VISIBILITY: Final = re.compile(r"static|private|public|export|visib|access|linkage", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What the errors of the old text mention; `places` are the offsets to which they point.

    `undefined` are the missing names, each with the offsets of its uses; `pointed` are the words at
    the places.
    """

    words: frozenset[str]
    sentences: tuple[str, ...]
    places: tuple[int, ...]
    superfluous: tuple[int, ...]
    called: frozenset[str]
    undefined: Mapping[str, tuple[int, ...]]
    pointed: frozenset[str]

    def names(self, *names: str) -> bool:
        """Return whether an error mentions one of the names."""
        return any(name in self.words for name in names)

    def points_into(self, start: int, end: int) -> bool:
        """Return whether an error points between two offsets."""
        return any(start <= place < end for place in self.places)

    def is_superfluous(self, start: int, end: int) -> bool:
        """Return whether an error calls something between two offsets superfluous."""
        return any(start <= place < end for place in self.superfluous)

    def calls_superfluous(self, name: str) -> bool:
        """Return whether an error calls this name superfluous."""
        return any(
            re.search(rf"\b{re.escape(name)}\b", sentence) and _SUPERFLUOUS.search(sentence)
            for sentence in self.sentences
        )

    def misspells(self, word: str, left: Collection[str]) -> bool:
        """Return whether an error is about a misspelling of this word: `privae`, `usafe`.

        A misspelling that is among the words `left` in the new text does not count.
        """
        plain = word.strip("#[]@():! ").lower()
        slips = [slip for slip in {*self.undefined, *self.pointed} if slip not in left]
        return bool(get_close_matches(plain, slips, 1, _ALIKE))

    def about_visibility(self, name: str) -> bool:
        """Return whether an error is about the visibility of this name."""
        return any(
            re.search(rf"\b{re.escape(name)}\b", sentence) and _VISIBILITY.search(sentence)
            for sentence in self.sentences
        )


def mentions_of(reading: ParsedSource, path: str, diagnostics: Sequence[Diagnostic]) -> Mentions:
    """Return what the errors of a text mention."""
    errors = [each for each in diagnostics if each.severity == "error"]
    sentences = tuple(f"{each.message} {' '.join(each.args)}" for each in errors)
    lines = Lines(reading.text)
    here = [
        (each, span[0])
        for each in errors
        if each.area is not None and (span := lines.span(each.area)) is not None
    ]
    superfluous = [place for each, place in here if _reports_superfluous(each)]
    fixed = deleted_by_fixits(reading.text, path, diagnostics)
    superfluous += [
        place
        for each, place in here
        if fixed and any(len(old) > len(new) for old, new in fixed) and each.fixits
    ]
    related = [
        span[0]
        for each in errors
        for other in each.related
        if other.area is not None and (span := lines.span(other.area)) is not None
    ]
    places = [place for _, place in here]
    return Mentions(
        frozenset(word for text in sentences for word in re.findall(r"\w+", text)),
        sentences,
        (*places, *related),
        (*superfluous, *(related if superfluous else ())),
        frozenset(_called(reading, places)),
        _undefined(reading.text, here),
        frozenset(word for place in places for word in _words_by(reading.text, place)),
    )


def _words_by(text: str, place: int) -> list[str]:
    """Return the word at an offset and the one before: a parser fails after the mistake."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return [word for word in (_word_at(text, place), *re.findall(r"\w+", line)[-1:]) if word]


def _word_at(text: str, place: int) -> str:
    found = re.compile(r"\w+").match(text, place)
    return found.group() if found is not None else ""


def _undefined(text: str, here: Sequence[tuple[Diagnostic, int]]) -> Mapping[str, tuple[int, ...]]:
    found: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for each, place in here:
        if _UNDEFINED.search(each.message) is None:
            continue
        quoted = {one or other for one, other in _QUOTED.findall(each.message)}
        for name in {*quoted, *each.args, _word_at(text, place)}:
            found[name] += (place,)
    return found


def _reports_superfluous(diagnostic: Diagnostic) -> bool:
    return _SUPERFLUOUS.search(diagnostic.message) is not None


def _called(reading: ParsedSource, places: Sequence[int]) -> set[str]:
    """Return the functions in whose calls the errors are."""
    names: set[str] = set()
    for kind in _CALLS if places else ():
        for node in reading.find(kind):
            at = node.range()
            if any(at.start.index <= place < at.end.index for place in places):
                called = (
                    node.field("function")
                    or node.field("name")
                    or node.field("constructor")
                    or node.field("type")
                )
                names.update(re.findall(r"\w+$", called.text()) if called is not None else ())
    return names
