"""A place that a rule fits, and the function around it: its text, and its variables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import owners_at
from holdfast.rules.rule import HOLE, TokenRewrite
from holdfast.syntax.tree import first_field, parent_kind, span_of
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

NewContent: TypeAlias = Literal["nothing", "conversion", "words"]
"""What a fix writes of its own: only signs and keywords, or a name or a value.

A conversion is a function or a type that an operand of the pattern is given to.
"""
Region: TypeAlias = Literal[
    "program",
    "function",
    "after",
    "behind broken",
    "from place",
    "head",
    "lines",
    "broken lines",
    "next line",
    "message",
    "fix",
    "holes",
    "kept",
]
"""The texts of a place.

`behind broken` is `after`, `broken lines` are `lines` where the text does not parse; `head` is the
line before the place, `next line` the lines of the place with the one below,
`kept` the holes that a fix keeps while it drops another.
"""
_PARAMETERS: Final = lazy_pattern("parameters$|parameter_list$")
_LOCALS: Final = lazy_pattern(
    "declaration$|declarator$|^let_declaration|^assignment$|var_spec|^for_"
)
_FUNCTION: Final = lazy_pattern("function(?!_declarator)|method_de|lambda|arrow|constructor")
_NO_VARIABLES: Final = frozenset({"function_declarator", "method_declaration"})
TARGET: Final = r"([^\W\d]\w*)\s*(?::[^=]*)?=[^=]*$"
"""The variable that gets the value at the end of a line."""
ASSIGNED: Final = r"(?<![.>])\bNAME\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"
SETTING: Final = rf"(?:{ASSIGNED}|(?<![.>])\bNAME\s*(?:\+\+|--))"
"""A variable that gets another value."""


class Site:
    """A place that a rule fits.

    `span` is the span of the pattern, `changed` that of what changes; `holes` has the texts of
    the holes.
    """

    def __init__(
        self,
        rewrite: Rewrite,
        source: ParsedSource,
        diagnostic: Diagnostic,
        *,
        span: tuple[int, int],
        changed: tuple[int, int],
        holes: Mapping[str, str],
    ) -> None:
        """Record where a rewrite fits."""
        self.rewrite = rewrite
        self.source = source
        self.diagnostic = diagnostic
        self.span = span
        self.start, self.end = changed
        self.holes = holes

    @cached_property
    def owners(self) -> list[SgNode]:
        """The functions and types around the place, the outer ones first."""
        return owners_at(self.source, self.span[0])

    @cached_property
    def functions(self) -> list[SgNode]:
        """The functions around the place, the outer ones first."""
        found: list[SgNode] = []
        for node in self.owners:
            kind = node.kind()
            if _FUNCTION.search(kind):
                found.append(node)

        return found

    @cached_property
    def function_span(self) -> tuple[int, int]:
        """The span of the innermost function or type around the place, or of the whole text."""
        spans = [(0, len(self.source.text)), *map(span_of, self.owners)]
        return spans[-1]

    @cached_property
    def texts(self) -> Mapping[Region, str]:
        """The texts in which something may say what is meant."""
        text, (start, end), (low, high) = self.source.text, self.span, self.function_span
        first, last = map(self.source.line_of, self.span)
        below = f"{text}\n\n".index("\n", self.source.line_end(last) + 1)
        lines = text[self.source.line_starts[first] : self.source.line_end(last)]
        is_broken = isinstance(self.rewrite, TokenRewrite)
        left = set(HOLE.findall(self.rewrite.fix))
        drops_hole = not left.issuperset(HOLE.findall(self.rewrite.pattern))
        kept = [self.holes[hole] for hole in left & self.holes.keys()]
        return {
            "program": text,
            "function": text[low:high],
            "after": text[end:high],
            "behind broken": text[end:high] * is_broken,
            "from place": text[start:],
            "head": text[:start].rpartition("\n")[2],
            "lines": lines,
            "broken lines": lines * is_broken,
            "next line": text[self.source.line_starts[first] : below],
            "message": "\n".join(self.diagnostic.args),
            "fix": self.rewrite.fix,
            "holes": "\n".join(self.holes.values()),
            "kept": "\n".join(kept) * drops_hole,
        }

    @cached_property
    def names(self) -> dict[str, str]:
        """The holes that are a single name."""
        return {hole: text for hole, text in self.holes.items() if text.isidentifier()}


def is_declaration(name: SgNode) -> bool:
    """Return whether a name is where its variable or parameter is declared."""
    parent = name.parent()
    if name.kind() != "identifier" or parent is None:
        return False

    if parent.kind() in _NO_VARIABLES:
        return False

    if _PARAMETERS.search(parent.kind()):
        return True

    declared = first_field(parent, "name", "pattern", "left", "declarator") or name
    if span_of(declared) != span_of(name):
        return False

    in_list = _PARAMETERS.search(parent_kind(parent))
    return (in_list or _LOCALS.search(parent.kind())) is not None
