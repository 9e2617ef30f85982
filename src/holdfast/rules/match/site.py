"""A place that a rule fits, and the function around it: its text, and its variables.

A fix that writes a word of its own is a choice. In a function with a variable that no example has,
that variable may be what was meant: `fgets(text, 64)` beside a file that was opened.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import declared_type, owners_at
from holdfast.rules.rule import HOLE, TokenRewrite, value_in
from holdfast.syntax.tokens import COMMON
from holdfast.syntax.tree import all_nodes, first_field, parent_kind, span_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

NewContent: TypeAlias = Literal["nothing", "conversion", "call", "operand", "argument"]
"""What a fix writes of its own: only signs and keywords, a function, an operand.

An argument is an operand that a call gets in addition, a conversion is a function or a type that an
operand of the pattern is given to.
"""
Region: TypeAlias = Literal[
    "program",
    "function",
    "after",
    "behind broken",
    "from place",
    "until error",
    "head",
    "lines",
    "message",
    "fix",
    "holes",
    "kept",
]
"""The texts of a place.

`behind broken` is `after` where the text does not parse; `head` is the line before the place,
`until error` what is between a change and the diagnostic, `kept` the holes that a fix keeps while
it drops another.
"""
_PARAMETERS: Final = re.compile("parameters$|parameter_list$")
_LOCALS: Final = re.compile("declaration$|declarator$|^let_declaration|^assignment$|var_spec|^for_")
_FUNCTION: Final = re.compile("function|method|lambda|arrow|constructor")
_NO_VARIABLES: Final = frozenset({"function_declarator", "method_declaration"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NAMELESS: Final = frozenset({"_", "std", "self", "cls", "this"})
_SCALARS: Final = COMMON.union(_NAMELESS)
_OWN_TYPE: Final = re.compile("<(?:struct|class|union|record)>")
TARGET: Final = r"([^\W\d]\w*)\s*(?::[^=]*)?=[^=]*$"
"""The variable that gets the value at the end of a line."""
SETTING: Final = r"(?<![.>])\bNAME\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
"""A variable that gets another value."""
_CALLBACK: Final = re.compile(r"(\w+)\s*\((?:[^()]*,)?\s*$")


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
    def outer(self) -> list[SgNode]:
        """The nodes around the place, the innermost first."""
        return self.source.nodes_around(self.span[0])[::-1]

    @cached_property
    def owners(self) -> list[SgNode]:
        """The functions and types around the place, the outer ones first."""
        return owners_at(self.source, self.span[0])

    @cached_property
    def functions(self) -> list[SgNode]:
        """The functions around the place, the outer ones first."""
        return [node for node in self.owners if _FUNCTION.search(node.kind())]

    def contains(self, node: SgNode) -> bool:
        """Return whether a node is a part of the place."""
        start, end = span_of(node)
        return self.span[0] <= start and end <= self.span[1]

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
            "until error": text[self.end : self.source.place_of(self.diagnostic) or 0],
            "head": text[:start].rpartition("\n")[2],
            "lines": text[self.source.line_starts[first] : self.source.line_end(last)],
            "message": "\n".join(self.diagnostic.args),
            "fix": self.rewrite.fix,
            "holes": "\n".join(self.holes.values()),
            "kept": "\n".join(kept) * drops_hole,
        }

    @cached_property
    def names(self) -> dict[str, str]:
        """The holes that are a single name."""
        return {hole: text for hole, text in self.holes.items() if text.isidentifier()}

    # ------------------------------------------------------------------------- the variables

    @cached_property
    def scope(self) -> list[SgNode]:
        """The function around the place, which may itself be a function; or the whole text."""
        around = [owner for owner in self.owners if not self.contains(owner)]
        return around[-1:] or list(filter(None, [self.source.root]))

    @cached_property
    def scope_nodes(self) -> list[SgNode]:
        """The nodes of the function around the place."""
        return [node for scope in self.scope for node in all_nodes(scope)]

    @property
    def scope_text(self) -> str:
        """The text of the function around the place."""
        return "".join(scope.text() for scope in self.scope)

    @cached_property
    def declared(self) -> list[SgNode]:
        """The names of variables and parameters where the function declares them."""
        names = [node for node in self.scope_nodes if node.kind() == "identifier"]
        return list(filter(_is_declared_here, names))

    @cached_property
    def other_variables(self) -> dict[str, str]:
        """The variables that the lines of the place do not have, each with its type."""
        known = _NAMELESS.union(_WORD.findall(self.texts["lines"]))
        names = {node.text() for node in self.declared} - known
        near = min((span_of(scope)[0] for scope in self.scope), default=0)
        return {name: declared_type(self.source, name, near) or "" for name in names}


# -------------------------------------------------------------------- traits of the variables


def has_unused_variable(site: Site) -> bool:
    """Return whether nothing uses another variable of the function."""
    words = _WORD.findall(site.scope_text)
    return any(words.count(name) == 1 for name in site.other_variables)


def types_of_variables(site: Site) -> set[str]:
    """Return the types of the other variables of the function that are no scalars."""
    types = _foreign_types(site, site.other_variables)
    return {kind for kind in types if not _SCALARS.issuperset(_WORD.findall(kind))}


def types_of_parameters(site: Site) -> set[str]:
    """Return the types of the other parameters of the function."""
    listed = [node.text() for node in site.scope_nodes if _PARAMETERS.search(node.kind())]
    names = _WORD.findall("".join(listed[:1]))
    return _foreign_types(site, names)


def _foreign_types(site: Site, names: Iterable[str]) -> set[str]:
    """Return the types of variables, without those that a function of a library never gets.

    It gets nothing of a type that the program declares.
    """
    types = {site.other_variables.get(name, "") for name in names} - {""}
    called = [value_in(name, site.source.text) for name in site.diagnostic.args]
    if "<function>" in called:
        return types

    return {kind for kind in types if not _OWN_TYPE.search(kind)}


def variables_set(site: Site) -> Iterator[str]:
    """Yield whether each variable that is declared at the place is set after it."""
    declared = {node.text() for node in filter(site.contains, site.declared)}
    for hole, name in site.names.items():
        if name in declared:
            found = re.search(SETTING.replace("NAME", name), site.texts["after"])
            yield f"{hole} {found is not None}"


def callback_of(site: Site) -> list[str]:
    """Return the name of what the function around a place is passed to; "" for none."""
    heads = [site.source.text[: span_of(function)[0]] for function in site.functions[-1:]]
    return _CALLBACK.findall("".join(heads)) or [""]


def _is_declared_here(name: SgNode) -> bool:
    parent = name.parent()
    if parent is None or parent.kind() in _NO_VARIABLES:
        return False

    if _PARAMETERS.search(parent.kind()):
        return True

    declared = first_field(parent, "name", "pattern", "left", "declarator") or name
    if span_of(declared) != span_of(name):
        return False

    in_list = _PARAMETERS.search(parent_kind(parent))
    return (in_list or _LOCALS.search(parent.kind())) is not None
