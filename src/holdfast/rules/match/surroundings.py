"""A place that a rule fits, and the function around it: its variables, and what gets them.

A fix that writes a word of its own is a choice. In a function with a variable that no example has,
that variable may be what was meant: `fgets(text, 64)` beside a file that was opened.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import declared_type, owners_at
from holdfast.rules.rule import value_in
from holdfast.syntax.tokens import COMMON
from holdfast.syntax.tree import all_nodes, first_field, parent_kind, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_PARAMETERS: Final = re.compile("parameters$|parameter_list$")
_LOCALS: Final = re.compile("declaration$|declarator$|^let_declaration|^assignment$|var_spec")
_FUNCTION: Final = re.compile("function|method|lambda|arrow|constructor")
_ARGUMENTS: Final = frozenset({"arguments", "argument_list"})
_NO_VARIABLES: Final = frozenset({"function_declarator", "method_declaration"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NAMELESS: Final = frozenset({"_", "std", "self", "cls", "this"})
NewContent: TypeAlias = Literal["nothing", "conversion", "call", "operand", "argument"]
"""What a fix writes of its own: only signs and keywords, a function, an operand.

An argument is an operand that a call gets in addition, a conversion is a function or a type that an
operand of the pattern is given to.
"""
_SCALARS: Final = COMMON.union(_NAMELESS)
_OWN_TYPE: Final = re.compile("<(?:struct|class|union|record)>")
_MEMBER_SIGNS: Final = (".", "->", "::")
_IMPORT: Final = r"^\s*(?:import|from|use|using)\b.*\b{}\b"
_RELYING: Final = frozenset(
    {
        "make_heap",
        "push_heap",
        "pop_heap",
        "sort_heap",
        "is_heap",
        "lower_bound",
        "upper_bound",
        "equal_range",
        "binary_search",
    }
)
"""Functions of C++ that rely on the order of what they get."""
_SETTING: Final = frozenset({"=", "+=", "-=", "*=", "/=", "++", "--"})


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
    def names(self) -> dict[str, str]:
        """The holes that are a single name."""
        return {hole: text for hole, text in self.holes.items() if text.isidentifier()}

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

    @cached_property
    def nodes(self) -> list[SgNode]:
        """The nodes of the innermost function or type around the place."""
        found: list[SgNode] = []
        for owner in self.owners[-1:]:
            found += all_nodes(owner)

        return found

    def contains(self, node: SgNode) -> bool:
        """Return whether a node is a part of the place."""
        start, end = span_of(node)
        if self.span[0] > start:
            return False

        return end <= self.span[1]

    @cached_property
    def around(self) -> Surroundings:
        """The function around the place."""
        return surroundings_of(self)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The function around a place.

    `types` are the types of its variables that are no scalars, `parameters` those of all its
    parameters; `unused` has `unused` if nothing uses one of its variables. `modules` has the
    modules that get the names in the holes of a rule, `assigned` which of them are declared at the
    place and set after it. `role` has the function that a callback is passed to.
    """

    types: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    unused: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    role: frozenset[str] = frozenset()


def surroundings_of(site: Site) -> Surroundings:
    """Return the surroundings of a place; without a tree, nothing is known of them."""
    owner = _function_around(site)
    if owner is None:
        return Surroundings()

    words = _WORD.findall(owner.text())
    listed = _parameter_names(owner)
    types: set[str] = set()
    parameters: set[str] = set()
    unused: set[str] = set()
    for name, kind in _other_variables(owner, site).items():
        if words.count(name) == 1:
            unused.add("unused")

        if _OWN_TYPE.search(kind) and not _calls_own_function(site):
            continue

        if not _SCALARS.issuperset(_WORD.findall(kind)):
            types.add(kind)

        if name in listed:
            parameters.add(kind)

    (start, end), (low, high) = site.span, span_of(owner)
    inside = [token for token in site.source.tokens if low <= token.start < high]
    after = [token.text for token in inside if token.start >= end]
    texts = [token.text for token in inside if token.end <= start] + after
    modules: set[str] = set()
    declared = {node.text() for node in filter(site.contains, _declared_names(owner))}
    assigned: set[str] = set()
    for hole, name in site.names.items():
        modules.update(f"{hole} {each}" for each in _modules_given(name, texts, site.source))
        modules.update(f"{hole} {each}" for each in _functions_relying(name, site.source))
        if name in declared:
            assigned.add(f"{hole} {_is_set(name, after)}")

    return Surroundings(
        types=frozenset(types),
        parameters=frozenset(filter(None, parameters)),
        unused=frozenset(unused),
        modules=frozenset(modules),
        assigned=frozenset(assigned),
        role=frozenset({f"in {_role(site)}"}),
    )


def _calls_own_function(site: Site) -> bool:
    """Return whether a message names a function of the program.

    A function of a library gets nothing of a type that the program declares.
    """
    known = (value_in(name, site.source.text) for name in site.diagnostic.args)
    return "<function>" in known


def has_copy_before(site: Site) -> bool:
    """Return whether a variable of the message gives another its value before the diagnostic.

    A fix that changes its declaration changes what is kept; the copy may be what is to change.
    """
    place = site.source.place_of(site.diagnostic) or 0
    texts = [token.text for token in site.source.tokens if site.end <= token.start < place]
    copies = {("=", name) for name in site.diagnostic.args}
    return not copies.isdisjoint(pairwise(texts))


def _function_around(site: Site) -> SgNode | None:
    """Return the function around a place, which may itself be a function."""
    for owner in reversed(site.owners):
        if not site.contains(owner):
            return owner

    return site.source.root


def _other_variables(owner: SgNode, site: Site) -> dict[str, str]:
    """Return the variables that the lines of a place do not have, each with its type."""
    source = site.source
    first, last = map(source.line_of, site.span)
    lines = source.text[source.line_starts[first] : source.line_end(last)]
    known = _NAMELESS.union(_WORD.findall(lines))
    start, _ = span_of(owner)
    found: dict[str, str] = {}
    for node in _declared_names(owner):
        if node.text() not in known:
            found[node.text()] = declared_type(source, node.text(), start) or ""

    return found


def _declared_names(owner: SgNode) -> list[SgNode]:
    """Return the names of variables and parameters where a function declares them."""
    names = [node for node in all_nodes(owner) if node.kind() == "identifier"]
    return list(filter(_is_declared_here, names))


def _parameter_names(owner: SgNode) -> set[str]:
    """Return the names in the list of the parameters of a function."""
    for node in all_nodes(owner):
        if _PARAMETERS.search(node.kind()):
            return set(_WORD.findall(node.text()))

    return set()


def _is_declared_here(name: SgNode) -> bool:
    parent = name.parent()
    if parent is None:
        return False

    if parent.kind() in _NO_VARIABLES:
        return False

    if _PARAMETERS.search(parent.kind()):
        return True

    declared = first_field(parent, "name", "pattern", "left", "declarator")
    if declared is None:
        return False

    if span_of(declared) != span_of(name):
        return False

    in_list = _PARAMETERS.search(parent_kind(parent))
    return (in_list or _LOCALS.search(parent.kind())) is not None


def _role(site: Site) -> str:
    """Return the name of what a callback is passed to; "" for a function of its own."""
    for function in site.functions[-1:]:
        listed = function.parent()
        called = None if listed is None else listed.prev()
        if called is not None and parent_kind(function) in _ARGUMENTS:
            words: list[str] = _WORD.findall(called.text())
            return "".join(words[-1:])

    return ""


def _modules_given(name: str, texts: list[str], source: ParsedSource) -> Iterator[str]:
    """Yield the modules whose functions get a variable: `heapq` in `heapq.heappop(x)`.

    They may rely on a form of its value that no other method keeps.
    """
    for module, dot, _, bracket, text in zip(*(texts[at:] for at in range(5)), strict=False):
        if (dot, bracket, text) != (".", "(", name):
            continue

        if re.search(_IMPORT.format(re.escape(module)), source.text, re.MULTILINE):
            yield module


def _functions_relying(name: str, source: ParsedSource) -> Iterator[str]:
    """Yield the functions that rely on the order of a variable, in other functions, too."""
    texts = [token.text for token in source.tokens]
    for called, bracket, text in zip(texts, texts[1:], texts[2:], strict=False):
        if called in _RELYING and (bracket, text) == ("(", name):
            yield called


def _is_set(name: str, tokens: list[str]) -> bool:
    """Return whether a variable gets another value among these tokens."""
    texts = ["", *tokens]
    for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
        if text == name and after in _SETTING and before not in _MEMBER_SIGNS:
            return True

    return False
