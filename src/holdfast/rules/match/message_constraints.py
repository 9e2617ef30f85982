"""The arguments of a message that a learned rule keeps as constants.

An argument is kept if the fix depends on its value, in the most general form that the fix allows.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.rules.match import type_similarity
from holdfast.rules.match.name_usage import USED, demand, used_alike
from holdfast.rules.match.template_parts import IMPORT_KINDS, args_used, join_constants
from holdfast.rules.rule import (
    AddImport,
    AddLines,
    FixEdit,
    Hole,
    PatternPiece,
    RulePattern,
    TokenEdit,
)
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import (
    COMMON,
    is_arbitrary,
    is_content,
    is_default_value,
    is_literal,
    shape_of,
    tokenize,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vocab.diagnostics import Diagnostic

_KNOW_TYPES = frozenset({"mypy", "pyright", "tsc", "gcc", "g++", "rustc", "javac", "go"})


def constants_of(
    fix: Sequence[FixEdit], pattern: RulePattern, diagnostic: Diagnostic, before: str, target: str
) -> dict[int, tuple[str, ...]]:
    """Return the allowed values of the arguments on which the fix may depend.

    An import is right for one name only. A name replaced by new text is constant (`pritn` →
    `print`). A name used by the fix or the pattern is free, unless the fix adds an arbitrary value
    or type for it. Any other argument is constant if it is a common word (`String`, `int`) or if
    the fix adds a name or value; otherwise it is a name of this program. A type is kept in the most
    general form that the fix allows (`type_similarity`); a name for which a type is added is
    limited to how the program uses it (`name_usage`).
    """
    return _FixAnalysis(
        fix, pattern, diagnostic, ParsedSource(before, target, diagnostic.path)
    ).constants()


class _FixAnalysis:
    """Analysis of what a fix depends on."""

    def __init__(
        self,
        fix: Sequence[FixEdit],
        pattern: RulePattern,
        diagnostic: Diagnostic,
        source: ParsedSource,
    ) -> None:
        self.fix, self.pattern, self.source = fix, pattern, source
        self.args, self.template, self.tool = diagnostic.args, diagnostic.template, diagnostic.tool
        self.used = args_used(fix)
        self.kept, self.removed = _tied(fix, pattern)
        self.tokens = [
            token for edit in fix for token in tokenize(join_constants(edit.parts), source.language)
        ]
        self.invented = any(
            is_content(token) and not is_default_value(token) for token in self.tokens
        )
        self.imports = (bool(self.used) and _is_import(pattern)) or any(
            isinstance(edit, AddImport) for edit in fix
        )

    def constants(self) -> dict[int, tuple[str, ...]]:
        args = self.args
        uses = {
            number: how
            for number in range(len(args))
            if (how := self._evidence(number)) is not None
        }
        limited = {
            number: value
            for number, value in enumerate(args)
            if number not in uses and not self._is_free(number)
        }
        related = _related(limited)
        converted = {
            number: type_similarity.family(args[number])
            for number in self._converted - limited.keys() - uses.keys()
        }
        words = [token.text for token in self.tokens]
        exact = set(range(len(args))) if self.imports else self.removed | self.kept | self.used
        loose = {
            number
            for number, value in related.items()
            if number not in exact and value == args[number]
        }
        forms = {
            number: type_similarity.loosest_form(value, self.source.text, words)
            if number in loose
            else value
            for number, value in related.items()
        }
        return {number: (form,) for number, form in sorted((uses | forms | converted).items())}

    @cached_property
    def _makes_up(self) -> bool:
        """Return whether the fix adds a type or value that no type in the pattern goes with.

        A new line with a value in it (`total = 0`) defines a name, even if the value is a default
        one.
        """
        adds = any(isinstance(edit, AddLines) for edit in self.fix) and any(
            map(is_literal, self.tokens)
        )
        return (adds or any(map(is_arbitrary, self.tokens))) and not _has_type(self.pattern)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.source.text))

    def _is_made_up_for(self, number: int) -> bool:
        named = (
            number in self.used | (self.kept - self.removed)
            and shape_of(self.args[number]) == "name"
        )
        return self._makes_up and not self.imports and named

    def _evidence(self, number: int) -> str | None:
        """Return how a name is used for which a type is added; None if a value is added."""
        values = any(
            token.kind in {"number", "string"} and is_arbitrary(token) for token in self.tokens
        )
        if values or not self._is_made_up_for(number):
            return None
        return demand(self.source, self.args[number])

    def _is_free(self, number: int) -> bool:
        value, removed = self.args[number], number in self.removed
        if self.imports:
            return number not in self.used | self.kept and self._is_local(value)
        if self._is_made_up_for(number):
            return False
        if number in self.used or (removed and self._only_deletes):
            return True
        if number in self.kept and not removed:
            return shape_of(value) != "operator"
        if shape_of(value) == "number":
            # Which line or argument it is, not how many there are.
            place = rf"\b(?:line|argument)(?:\(s\))? \{{{number}\}}"
            return re.search(place, self.template, re.IGNORECASE) is not None
        if removed:
            return False
        if (
            _is_place(self.template, number)
            or _is_excerpt(value, self.source.text)
            or self._is_named
        ):
            return True
        return not self.invented and (self._only_moves or self._is_local(value))

    @cached_property
    def _converted(self) -> frozenset[int]:
        """Return the arguments to which the fix converts.

        `str(…)` is not `bytes(…)`, and `as f64` loses less than `as i8`.
        """
        found: set[int] = set()
        for edit in self.fix:
            for left, part, right in zip(
                ("", *edit.parts), edit.parts, (*edit.parts[1:], ""), strict=False
            ):
                called = isinstance(right, str) and right.startswith("(")
                cast = isinstance(left, str) and left.endswith((" as ", "("))
                closed = isinstance(right, str) and right.startswith(")")
                if (
                    isinstance(part, Hole)
                    and part.of == "arg"
                    and (called or (cast and (closed or not right)))
                ):
                    found.add(part.number)
        return frozenset(number for number in found if self.args[number] in COMMON)

    def _is_local(self, value: str) -> bool:
        return value in self._words and value not in COMMON

    @cached_property
    def _only_deletes(self) -> bool:
        """Return whether the fix adds no name or value.

        Words that replace a name are right for this name only: `elif` becomes `else if`, `unless`
        does not.
        """
        return not self.invented and not any(
            re.search(r"[^\W_]", join_constants(edit.parts)) for edit in self.fix
        )

    @cached_property
    def _only_moves(self) -> bool:
        return bool(self.used) and all(
            all(isinstance(part, Hole) for part in edit.parts) for edit in self.fix
        )

    @cached_property
    def _is_named(self) -> bool:
        """Return whether the message names what is replaced, and the compiler checks types.

        Then the type needs no constant.
        """
        names = any(shape_of(self.args[number]) == "name" for number in self.removed)
        return self.invented and names and self.tool in _KNOW_TYPES


_EXPRESSION = re.compile(r"\w [^\w\s]+ \w|\w\(.*\)")


def _is_excerpt(value: str, before: str) -> bool:
    """Return whether an argument only quotes the code, or is the signature of something in it."""
    if _EXPRESSION.search(value) is None:
        return False
    return value in before or (
        "(" in value and type_similarity.OWN in type_similarity.shape(value, before)
    )


def _has_type(pattern: RulePattern) -> bool:
    """Return whether the pattern contains a type: a value added by the fix goes with it."""
    pieces = _preorder(pattern.tree) if pattern.tree is not None else ()
    return any(
        piece.text is not None and any("type" in kind for kind in piece.kinds) for piece in pieces
    )


_PLACE_BEFORE = re.compile(
    r"(?:^Argument \{\d+\} to|compiler\.misc\.location: kindname\.class,"
    r"|kindname\.variable, \{\d+\}, kindname\.method,) $"
)


def _is_place(template: str, number: int) -> bool:
    """Return whether an argument only names a place: the called function, the class around it."""
    return _PLACE_BEFORE.search(template.partition(f"{{{number}}}")[0]) is not None


_WITH_MORE = (
    "&{}",
    "&mut {}",
    "{}&",
    "const {}&",
    "{} | None",
    "{} | null",
    "{} | undefined",
    "Option<{}>",
)


def _related(limited: dict[int, str]) -> dict[int, str]:
    """Express a constant by another if it only adds a sign (`&String` and `String`: `&{1}`)."""
    for number, value in sorted(limited.items()):
        for other, part in sorted(limited.items()):
            if number != other and value in {more.format(part) for more in _WITH_MORE}:
                rest = {each: text for each, text in limited.items() if each not in {number, other}}
                return {**rest, number: value.replace(part, f"{{{other}}}")}
    return limited


def is_allowed_value(
    values: Sequence[str], number: int, args: Sequence[str], source: ParsedSource
) -> bool:
    """Return whether an argument has one of the allowed values of a rule, in any form."""
    if number >= len(args):
        return False
    if any(value.startswith(USED) and used_alike(value, source, args[number]) for value in values):
        return True
    filled = {
        re.sub(r"\{(\d+)\}", lambda hole: _arg(args, int(hole[1])), value)
        for value in values
        if "{" in value
    }
    return args[number] in filled or any(
        form in values for form in type_similarity.forms_of(args[number], source.text)
    )


def _arg(args: Sequence[str], number: int) -> str:
    return args[number] if number < len(args) else ""


def _is_import(pattern: RulePattern) -> bool:
    return pattern.tree is not None and not IMPORT_KINDS.isdisjoint(pattern.tree.kinds)


def _tied(fix: Sequence[FixEdit], pattern: RulePattern) -> tuple[set[int], set[int]]:
    """Return the arguments in the pattern, and those of them that the fix removes."""
    kept: set[int] = set()
    removed: set[int] = set()
    if pattern.tree is not None:
        kept |= _args_in(pattern.tree)
    for edit in fix:
        if isinstance(edit, TokenEdit):
            removed |= {piece.arg for piece in edit.removed if piece.arg is not None}
            kept |= {piece.arg for piece in (edit.before, edit.after) if piece.arg is not None}
    return kept | removed, removed | _replaced(fix, pattern)


def _replaced(fix: Sequence[FixEdit], pattern: RulePattern) -> set[int]:
    """Return the arguments in a tree whose piece a splice replaces."""
    numbered = dict(enumerate(_preorder(pattern.tree))) if pattern.tree is not None else {}
    found: set[int] = set()
    for edit in fix:
        start, end = getattr(edit, "start", None), getattr(edit, "end", None)
        if (
            start is None
            or end is None
            or start[1] in {"end", "gap_after"}
            or end[1] in {"start", "gap_before"}
        ):
            continue
        last = end[0] + sum(1 for _ in _preorder(numbered[end[0]])) - 1
        for number in range(start[0], last + 1):
            piece = numbered[number]
            if piece.arg is not None:
                found.add(piece.arg)
    return found


def _preorder(piece: PatternPiece) -> Iterable[PatternPiece]:
    yield piece
    for child in piece.children or ():
        yield from _preorder(child)


def _args_in(piece: PatternPiece) -> set[int]:
    return {each.arg for each in _preorder(piece) if each.arg is not None}
