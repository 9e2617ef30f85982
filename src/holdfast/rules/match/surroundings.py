"""The function around a place: its variables, and how it uses the names of a rule.

A fix that writes a word of its own is a choice. In a function with a variable that no example has,
that variable may be what was meant: `fgets(text, 64)` beside a file that was opened.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import declared_type, owners_at
from holdfast.syntax.tokens import COMMON
from holdfast.syntax.tree import all_nodes, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token
    from holdfast.vocab.diagnostics import Diagnostic

_PARAMETERS: Final = re.compile("parameters$|parameter_list$")
_LOCALS: Final = re.compile("declaration$|declarator$|^let_declaration|^assignment$|var_spec")
_LOOP: Final = re.compile("^(?:for|while|do|loop|enhanced_for)_?")
_FUNCTION: Final = re.compile("function|method|lambda|arrow")
_HANDLER: Final = re.compile("catch|except|rescue|finally")
_NO_VARIABLES: Final = frozenset({"function_declarator", "method_declaration"})
_NAME: Final = re.compile("^identifier$")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NAMELESS: Final = frozenset({"_", "std", "self", "cls", "this"})
NewContent: TypeAlias = Literal["nothing", "conversion", "call", "statement", "operand", "argument"]
"""What a fix writes of its own: only signs and keywords, a function, a statement, an operand.

An argument is an operand that a call gets in addition, a conversion is a function or a type that an
operand of the pattern is given to.
"""
ASSIGNED: Final = "assigned"
_GIVEN: Final = "given to module "
_IMPORT: Final = r"^\s*(?:import|from|use|using)\b.*\b{}\b"
_ASSIGNED: Final = frozenset({ASSIGNED})
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
_USES: Final = {
    "(": "called",
    "[": "indexed",
    **dict.fromkeys((".", "->", "::"), "member"),
    **dict.fromkeys(("=", "+=", "-=", "*=", "/=", "++", "--"), ASSIGNED),
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The function around a place.

    `types` are the types of its variables that are no scalars, `parameters` those of all its
    parameters, `unused` its variables that nothing uses. `uses` has how the function uses the names
    in the holes of a rule, `modules` the modules that get them, `assigned` which of them are set
    after the place. `role` is the function that a callback is passed to, `inside` the kinds of the
    loops and handlers around the place.
    """

    types: frozenset[str]
    parameters: frozenset[str]
    unused: frozenset[str]
    uses: frozenset[str]
    modules: frozenset[str]
    assigned: frozenset[str]
    role: str
    inside: frozenset[str]


def surroundings_of(
    source: ParsedSource, span: tuple[int, int], holes: Mapping[str, str]
) -> Surroundings:
    """Return the surroundings of a span; `holes` are the texts of a rule's holes there."""
    owner = _function_around(source, span)
    others = _other_variables(owner, source, span)
    types: set[str] = set()
    parameters: set[str] = set()
    unused: set[str] = set()
    for name, kind in others.items():
        if kind and not _is_scalar(kind):
            types.add(kind)
        if kind and owner is not None and name in _parameter_names(owner):
            parameters.add(kind)
        if _count(name, owner) == 1:
            unused.add(name)

    around = _nodes_in(owner, source, span[0])
    uses = _uses_in(owner, source, span, holes)
    return Surroundings(
        types=frozenset(types),
        parameters=frozenset(parameters),
        unused=frozenset(unused),
        uses=_named(uses, lambda use: use != ASSIGNED),
        modules=_named(uses, lambda use: use.startswith(_GIVEN)),
        assigned=frozenset(f"{hole} {ASSIGNED in uses.get(hole, ())}" for hole in holes),
        role=_role(owners_at(source, span[0])),
        inside=frozenset(_nesting(around)),
    )


def _named(uses: Mapping[str, frozenset[str]], is_wanted: Callable[[str], bool]) -> frozenset[str]:
    """Return the wanted uses, each with its hole."""
    found: set[str] = set()
    for hole, each in uses.items():
        found.update(f"{hole} {use}" for use in filter(is_wanted, each))
    return frozenset(found)


def has_copy_before(source: ParsedSource, start: int, diagnostic: Diagnostic) -> bool:
    """Return whether a variable of the message gives another its value before the diagnostic.

    A fix that changes its declaration changes what is kept; the copy may be what is to change.
    """
    place = source.place_of(diagnostic)
    if place is None:
        return False
    texts = [token.text for token in source.tokens if start <= token.start < place]
    pairs = pairwise(texts)
    return any(sign == "=" and text in diagnostic.args for sign, text in pairs)


def is_in_idle_loop(source: ParsedSource, offset: int) -> bool:
    """Return whether a loop around an offset counts, and its body does not use the number."""
    return any(map(_is_idle_loop, source.nodes_around(offset)))


def _other_variables(
    owner: SgNode | None, source: ParsedSource, span: tuple[int, int]
) -> dict[str, str | None]:
    """Return the variables of a function that the lines of a span do not have."""
    if owner is None:
        return {}
    there = set(_WORD.findall(_lines_of(source, span)))
    variables = _variables(owner, source)
    return {name: kind for name, kind in variables.items() if name not in there}


def _uses_in(
    owner: SgNode | None, source: ParsedSource, span: tuple[int, int], holes: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return how a function uses the names in holes outside of a span."""
    tokens = _tokens_outside(source, span, owner)
    after = [token for token in tokens if token.start >= span[1]]
    uses: dict[str, frozenset[str]] = {}
    for hole, text in holes.items():
        if not text.isidentifier():
            continue
        found = _ASSIGNED & frozenset(_uses_of(text, after))
        found |= frozenset(_modules_given(text, tokens, source))
        found |= frozenset(_functions_relying(text, source))
        if declared_type(source, text, span[0]) is None:
            found |= frozenset(_uses_of(text, tokens)) - _ASSIGNED
        uses[hole] = found

    return uses


def _nodes_in(owner: SgNode | None, source: ParsedSource, offset: int) -> list[SgNode]:
    """Return the nodes around an offset that are in a function."""
    low, high = (0, len(source.text)) if owner is None else span_of(owner)
    found = []
    for node in source.nodes_around(offset):
        start, end = span_of(node)
        if low <= start and end <= high:
            found.append(node)
    return found


def _nesting(nodes: list[SgNode]) -> Iterator[str]:
    for node in nodes:
        if _LOOP.search(node.kind()):
            yield "loop"
        if _HANDLER.search(node.kind()):
            yield "handler"


def _is_idle_loop(node: SgNode) -> bool:
    """Return whether a loop counts, and its body does not use the number."""
    body = node.field("body")
    counter = node.field("update") or node.field("increment")
    if body is None or counter is None:
        return False
    names = set(_WORD.findall(counter.text()))
    return names.isdisjoint(_WORD.findall(body.text()))


def _role(owners: list[SgNode]) -> str:
    """Return the name of what a callback is passed to; "" for a function of its own."""
    functions = [node for node in owners if _FUNCTION.search(node.kind())]
    if not functions:
        return ""
    listed = functions[-1].parent()
    if listed is None or listed.kind() not in {"arguments", "argument_list"}:
        return ""
    call = listed.parent()
    if call is None:
        return ""
    words: list[str] = _WORD.findall(call.text().partition(listed.text())[0])
    return words[-1] if words else ""


def _lines_of(source: ParsedSource, span: tuple[int, int]) -> str:
    first, last = source.line_of(span[0]), source.line_of(span[1])
    return source.text[source.line_starts[first] : source.line_end(last)]


def _function_around(source: ParsedSource, span: tuple[int, int]) -> SgNode | None:
    """Return the function around a span, which may itself be a function."""
    for owner in reversed(owners_at(source, span[0])):
        start, end = span_of(owner)
        if start < span[0] or end > span[1]:
            return owner
    return source.root


def _variables(owner: SgNode, source: ParsedSource) -> dict[str, str | None]:
    """Return the parameters and variables of a function with their types."""
    start, _ = span_of(owner)
    found: dict[str, str | None] = {}
    for node in all_nodes(owner):
        if not _NAME.match(node.kind()) or node.text() in _NAMELESS:
            continue
        if _is_declared_here(node):
            found[node.text()] = declared_type(source, node.text(), start)
    return found


def _parameter_names(owner: SgNode) -> set[str]:
    """Return the names in the list of the parameters of a function."""
    for node in all_nodes(owner):
        if _PARAMETERS.search(node.kind()):
            return set(_WORD.findall(node.text()))
    return set()


def _is_declared_here(name: SgNode) -> bool:
    parent = name.parent()
    if parent is None or parent.kind() in _NO_VARIABLES:
        return False
    if _PARAMETERS.search(parent.kind()):
        return True
    for field in ("name", "pattern", "left", "declarator"):
        if _is_same(parent.field(field), name):
            above = parent.parent()
            in_list = above is not None and _PARAMETERS.search(above.kind()) is not None
            return in_list or _LOCALS.search(parent.kind()) is not None
    return False


def _is_same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and span_of(one) == span_of(other)


def _is_scalar(kind: str) -> bool:
    return COMMON.union(_NAMELESS).issuperset(_WORD.findall(kind))


def _count(name: str, owner: SgNode | None) -> int:
    if owner is None:
        return 0
    return _WORD.findall(owner.text()).count(name)


def _tokens_outside(
    source: ParsedSource, span: tuple[int, int], owner: SgNode | None
) -> list[Token]:
    low, high = (0, len(source.text)) if owner is None else span_of(owner)
    found = []
    for token in source.tokens:
        is_outside = token.end <= span[0] or token.start >= span[1]
        if low <= token.start < high and is_outside:
            found.append(token)
    return found


def _modules_given(name: str, tokens: list[Token], source: ParsedSource) -> Iterator[str]:
    """Yield the modules whose functions get a variable: `heapq` in `heapq.heappop(x)`.

    They may rely on a form of its value that no other method keeps.
    """
    texts = [token.text for token in tokens]
    for number, text in enumerate(texts):
        call = texts[max(0, number - 4) : number]
        if text != name or call[1:2] != ["."] or call[3:] != ["("]:
            continue
        if re.search(_IMPORT.format(re.escape(call[0])), source.text, re.MULTILINE):
            yield f"{_GIVEN}{call[0]}"


def _functions_relying(name: str, source: ParsedSource) -> Iterator[str]:
    """Yield the functions that rely on the order of a variable, in other functions, too."""
    texts = [token.text for token in source.tokens]
    for called, bracket, text in zip(texts, texts[1:], texts[2:], strict=False):
        if called in _RELYING and bracket == "(" and text == name:
            yield f"{_GIVEN}{called}"


def _uses_of(name: str, tokens: list[Token]) -> Iterator[str]:
    """Yield how a name is used: it is called, indexed, an index, or has members."""
    texts = ["", *(token.text for token in tokens), ""]
    for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
        if text != name or before in {".", "->", "::"}:
            continue
        if before == "[" and after == "]":
            yield "index"
        elif after in _USES:
            yield _USES[after]
