"""Changes of meaning in the edits of a fix: what they do beyond the error they are for.

The tables below say per language which words do what. A change that is never a fix is refused; one
that may be right or wrong is shown to a person.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.preservation.relevance import names_in, unrelated_edits
from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.fixits import Lines
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.syntax.tokens import COMMON, tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.syntax.tokens import Token
    from holdfast.vocab.diagnostics import Diagnostic

ChangeSeverity: TypeAlias = Literal["refused", "review"]

_LOGIC: Final = frozenset(
    [
        "==",
        "!=",
        "===",
        "!==",
        "<",
        ">",
        "<=",
        ">=",
        "!",
        "not",
        "and",
        "or",
        "&&",
        "||",
        "in",
        "is",
    ]
)
_ARITHMETIC: Final = frozenset(["+", "-", "*", "/", "%", "**", "//", "&", "|", "^", "<<", ">>"])
_HANDLERS: Final = frozenset(["except", "catch", "suppress", "rescue", "recover"])
_RAISES: Final = frozenset(["raise", "throw", "throws", "panic", "rethrow"])
_STOPS: Final = frozenset(["throw", "raise", "assert", "panic", "exit", "abort", "require"])
_LITERALS: Final = frozenset(["number", "string"])
_VALUES: Final = frozenset(["True", "False", "true", "false", "None", "null", "nullptr", "nil"])

_EVASIONS: Final = {
    "python": frozenset(
        ["cast", "getattr", "setattr", "eval", "exec", "Any", "object", "suppress"]
    ),
    "typescript": frozenset(["any", "unknown", "eval", "Function", "parse"]),
    "javascript": frozenset(["eval", "Function"]),
    "c": frozenset(["goto"]),
    "cpp": frozenset(["reinterpret_cast", "const_cast", "goto"]),
    "rust": frozenset(
        [
            "unwrap_or",
            "unwrap_or_default",
            "unwrap_or_else",
            "ok",
            "unreachable",
            "todo",
            "unimplemented",
            "transmute",
            "unsafe",
            "Any",
            "unwrap",
            "expect",
        ]
    ),
    "java": frozenset(["Object", "SuppressWarnings"]),
    "go": frozenset(["interface", "any", "recover", "unsafe"]),
}
"""Words that talk the checker out of an error, or take a value in its place."""
_EVADING_TYPES: Final = re.compile(r"\?\s*:|\bas\s+\w|[\w)\]]\s*!(?=\s*[.;,)]|\s*$)")
"""Marks of TypeScript: a field made optional, an assertion of a type or of a value."""
_CONFLICT: Final = re.compile(r"^(?:<{7}|```)", re.MULTILINE)
"""Text that is no code: the marks of a merge conflict or of Markdown."""
_IGNORED: Final = re.compile(r"(?:\blet\s+_\w*\s*=|(?<![\w.])_\s*:?=(?!=)|\(void\)\s*\w+\s*\()")
"""A result that is taken and thrown away."""


@dataclass(frozen=True, slots=True)
class MeaningChange:
    """A change of meaning; `reason` is a sentence for the model and the person."""

    severity: ChangeSeverity
    reason: str


def changes_of_meaning(
    before: str, after: str, language: str, diagnostics: Sequence[Diagnostic]
) -> list[MeaningChange]:
    """Return what the edits of a fix change beyond the errors, the worst first."""
    if _CONFLICT.search(before):
        return []
    lines = Lines(before)
    unrelated = unrelated_edits(before, after, language, diagnostics)
    found = [_unrelated(edit, before, after, lines) for edit in unrelated]
    for edit in edits_between(before, after, language):
        if edit not in unrelated:
            found += _EditMeaning(edit, before, after, language, diagnostics).changes()
    return sorted(found, key=lambda change: change.severity != "refused")


def _unrelated(edit: Edit, before: str, after: str, lines: Lines) -> MeaningChange:
    old = before[edit.start : edit.end].strip()
    new = after[edit.new_start : edit.new_end].strip()
    what = f"changes `{_short(old)}`" if old else f"adds `{_short(new)}`"
    line = lines.line_at(edit.start)
    return MeaningChange(
        "refused",
        f"it {what} in line {line}, which no error points at; change only what the errors are about.",
    )


def _short(text: str) -> str:
    most = 40
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


class _EditMeaning:
    """One edit: the words that it removes and adds, and what the diagnostics say about them."""

    def __init__(
        self,
        edit: Edit,
        before: str,
        after: str,
        language: str,
        diagnostics: Sequence[Diagnostic],
    ) -> None:
        self._language = language
        self._old_text = before[edit.start : edit.end]
        self._new_text = after[edit.new_start : edit.new_end]
        self._old = tokenize(self._old_text, language)
        self._new = tokenize(self._new_text, language)
        had = Counter(token.text for token in self._old)
        has = Counter(token.text for token in self._new)
        self._lost, self._gained = had - has, has - had
        self._named: set[str] = set()
        for each in diagnostics:
            self._named |= names_in(each, [before, after])
            self._named.update(*map(_words, each.args))
        self._syntax = _cures_syntax(edit, before, diagnostics)
        end = before.find("\n", edit.end)
        self._line = before[before.rfind("\n", 0, edit.start) + 1 : end if end >= 0 else None]

    def changes(self) -> list[MeaningChange]:
        checks = (
            self._swallows,
            self._ignores,
            self._evades,
            self._changes_logic,
            self._changes_constant,
            self._hard_codes,
            self._drops_call,
            self._repeats_argument,
        )
        return [change for check in checks if (change := check()) is not None]

    def _swallows(self) -> MeaningChange | None:
        handlers = _HANDLERS.intersection(self._gained)
        if not handlers or _RAISES.intersection(self._gained):
            return None
        return _review(f"it swallows errors (`{min(handlers)}`); let them reach the caller.")

    def _ignores(self) -> MeaningChange | None:
        if len(_IGNORED.findall(self._new_text)) <= len(_IGNORED.findall(self._old_text)):
            return None
        return _refused("it throws a result away that may be an error; handle the result.")

    def _evades(self) -> MeaningChange | None:
        words = _EVASIONS.get(self._language, frozenset()).intersection(self._gained)
        words -= self._named
        if words:
            return _review(f"it evades the check with `{min(words)}` instead of a fix.")
        if self._language != "typescript" or self._syntax:
            return None
        if self._new_text.lstrip().startswith("import"):
            return None
        if self._gained["?"] and not self._new_text.count("?."):
            return _review("it makes a value optional instead of giving one.")
        marks = len(_EVADING_TYPES.findall(_code_of(self._new)))
        if marks > len(_EVADING_TYPES.findall(_code_of(self._old))):
            return _review("it asserts or loosens a type instead of making it true.")
        return None

    def _changes_logic(self) -> MeaningChange | None:
        if self._syntax:
            return None
        for words in (_LOGIC, _ARITHMETIC):
            lost = [text for text in self._lost if text in words and text not in self._named]
            gained = [text for text in self._gained if text in words]
            if lost and (gained or words is _LOGIC):
                return _review(f"it changes a condition or a calculation (`{lost[0]}` is gone).")
        return None

    def _changes_constant(self) -> MeaningChange | None:
        old = [token for token in self._old if token.kind in _LITERALS]
        new = [token for token in self._new if token.kind in _LITERALS]
        lost = [token.text for token in old if self._lost[token.text]]
        gained = [token.text for token in new if self._gained[token.text]]
        if not lost or not gained or self._syntax:
            return None
        if _value(lost[0]) == _value(gained[0]) or _is_about(lost[0], self._named):
            return None
        return _review(f"it changes the constant {lost[0]} to {gained[0]}.")

    def _hard_codes(self) -> MeaningChange | None:
        """Find a value that was computed and is written out now."""
        had = [token for token in self._old if _is_name(token)]
        has = [token for token in self._new if _is_name(token)]
        values = [token for token in self._new if token.kind in _LITERALS or token.text in _VALUES]
        if not had or has or not values or self._syntax:
            return None
        written = {word for token in values for word in _words(token.text)}
        if {token.text for token in had} <= written:
            # Only the quotes were missing.
            return None
        if len(self._old) == 1 and self._old[0].text.lower() in {"true", "false", "none", "null"}:
            return None
        return _review(f"it writes `{values[0].text}` where a value was computed.")

    def _drops_call(self) -> MeaningChange | None:
        calls = _calls(self._old)
        kept = {token.text for token in self._new}
        gone = [name for name in calls if name not in kept and name not in self._renamed()]
        if not gone or len(_calls(self._new)) >= len(calls):
            return None
        if not self._new and set(gone) <= self._named | COMMON:
            return None
        if set(gone) <= COMMON:
            # A conversion that is not needed.
            return None
        return _review(f"it drops the call of `{gone[0]}`.")

    def _renamed(self) -> set[str]:
        """Return the names in the messages, if the edit puts another name in their place."""
        if any(_is_name(token) for token in self._new if self._gained[token.text]):
            return self._named
        return set()

    def _repeats_argument(self) -> MeaningChange | None:
        lost = [token.text for token in self._old if _is_name(token) and self._lost[token.text]]
        if len(self._old) != 1 or not lost or lost[0] in self._named:
            return None
        new = [token.text for token in self._new if _is_name(token)]
        if len(new) == 1 and _is_argument(new[0], lost[0], self._line):
            return _review(f"it uses `{new[0]}` twice instead of `{lost[0]}`.")
        return None


def _cures_syntax(edit: Edit, before: str, diagnostics: Sequence[Diagnostic]) -> bool:
    """Return whether an edit is where a text does not parse: there tokens mean nothing yet."""
    lines = Lines(before)
    first, last = lines.line_at(edit.start), lines.line_at(edit.end)
    if edit.start == edit.end:
        first -= 1
    for diagnostic in diagnostics:
        if diagnostic.area is None or not is_syntax(diagnostic):
            continue
        if first <= diagnostic.area.line <= last:
            return True
    return False


def _calls(tokens: Sequence[Token]) -> list[str]:
    """Return the names that are called, in order."""
    found = []
    for token, following in pairwise(tokens):
        if token.kind == "name" and following.text == "(":
            found.append(token.text)
    return found


def _is_argument(name: str, other: str, line: str) -> bool:
    """Return whether two names are arguments of the same call."""
    for found in re.findall(r"\w\s*\(([^()]*)\)", line):
        arguments = [each.strip() for each in found.split(",")]
        if name in arguments and other in arguments:
            return True
    return False


def _is_name(token: Token) -> bool:
    return token.kind == "name"


def _is_about(literal: str, named: set[str]) -> bool:
    return any(word in named for word in _words(literal))


def _value(literal: str) -> str:
    """Return a literal without what only says its type or its notation."""
    return re.sub(r"^[rbfuRBFU]*|[uUlLfFdD]+$|['\"`_]", "", literal).lstrip("0o")


def _code_of(tokens: Sequence[Token]) -> str:
    """Return the code without its strings."""
    return " ".join(token.text for token in tokens if token.kind != "string")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _refused(reason: str) -> MeaningChange:
    return MeaningChange("refused", reason)


def _review(reason: str) -> MeaningChange:
    return MeaningChange("review", reason)
