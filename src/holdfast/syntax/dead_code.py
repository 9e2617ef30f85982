"""Code that can never run: behind `if False`, in `#if 0`, after a `return`.

Moving code there is the same as deleting it.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.syntax.node_kinds import BLOCKS
from holdfast.syntax.tree import field_text, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ast_grep_py import SgNode

Nodes: TypeAlias = "Mapping[str, Sequence[SgNode]]"
"""The nodes of a tree by their kinds, in order."""
OffsetRange: TypeAlias = tuple[int, int]
"""The offsets where something begins and ends."""
_Find: TypeAlias = "Callable[[SgNode, _Conditions], Iterator[OffsetRange]]"
"""Yield the dead code that a node of a certain kind shows."""


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What decides about conditions: the macros of the text, and the undecided conditions."""

    macros: frozenset[str]
    undecided: Collection[str]


_BRANCHES: Final = ("if_statement", "elif_clause", "if_expression")
_LOOPS: Final = ("while_statement", "while_expression", "for_statement")
_PREPROCESSOR: Final = ("preproc_if", "preproc_ifdef")
_JUMPS: Final = frozenset(
    {
        "return_statement",
        "raise_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "goto_statement",
        "return_expression",
        "break_expression",
        "continue_expression",
    }
)
_EXIT_FUNCTIONS: Final = (
    r"(?:sys|process|System|os)\.(?:_?exit|Exit|abort)",
    r"(?:std::)?(?:process::)?(?:exit|_Exit|abort|terminate)",
    r"quit",
    r"panic",
    r"log\.Fatal\w*",
    r"(?:std::|core::)?(?:todo|unimplemented|unreachable|panic)!?",
    r"__builtin_(?:trap|unreachable)",
)
_EXIT_CALL: Final = lazy_pattern("|".join(_EXIT_FUNCTIONS))
_FALSE: Final = frozenset(
    {"False", "false", "0", "None", "null", "nil", "''", '""', "NULL", "nullptr", "0L", "undefined"}
)
_TRUE: Final = frozenset({"True", "true", "1"})
_CONSTANTS: Final = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)
_OLD_VERSION: Final = lazy_pattern(
    r"(?:sys\.)?version_info(?:\[0\])?\s*"
    r"(?:<=?\s*\(?(?:[012]\b|3\s*,?\s*\)|3\s*,\s*[0-7]\b)|>=?\s*\(?[4-9]\b).*"
)
"""A condition for a version of Python that is not in use: type checkers skip the code below it."""
_NEGATED: Final = {True: False, False: True, None: None}
_AND: Final = frozenset({"and", "&&"})
_TYPE_CHECKING: Final = lazy_pattern(r"(?:.*\.)?TYPE_CHECKING", re.DOTALL)
_COMPARISONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "==": operator.eq,
    "===": operator.eq,
    "!=": operator.ne,
    "!==": operator.ne,
}
_JUMP_TARGET: Final = lazy_pattern("label|case")
"""A part of the kinds of nodes from which on the code after a `return` is reached again."""
_NEVER_DEAD: Final = lazy_pattern("comment|preproc_|_item|function_declaration")
"""A part of the kinds of nodes that are not dead after a `return`: mostly declarations."""
_CONDITION: Final = lazy_pattern(r"\s*#\s*if|\s*#!?\[?\s*cfg")
_NEVER_BUILT: Final = lazy_pattern(
    r"cfg\s*\(\s*(?:any\s*\(\s*\)|not\s*\(\s*all\s*\(\s*\)\s*\)|false\b|test\b|feature\b)"
)
_BELONGS_THERE: Final = lazy_pattern(r"use_declaration|mod_item .*test", re.DOTALL)
"""The kind of an item and its attribute: imports, and a module of tests under `cfg(test)`."""


def dead_spans(nodes: Nodes, undecided: Collection[str] = ()) -> list[OffsetRange]:
    """Return the outermost spans of dead code, in order.

    `undecided` are conditions of C's preprocessor and Rust's `cfg` (see `conditions_of`) that are
    taken for neither true nor false.
    """
    macros = frozenset(field_text(node, "name") for node in nodes.get("preproc_def", ()))
    conditions = _Conditions(macros, undecided)
    found: list[OffsetRange] = []
    for find, kinds in _FINDERS.items():
        for kind in kinds:
            for node in nodes.get(kind, ()):
                found += find(node, conditions)

    # Of two spans that begin at the same offset, the outer one comes first.
    found.sort(key=lambda span: (span[0], -span[1]))
    outermost: list[OffsetRange] = []
    last_end = -1
    for start, end in found:
        if end > max(start, last_end):
            outermost.append((start, end))
            last_end = end

    return outermost


# --------------------------------------------------------------------------- constant conditions


def _constant_truth(node: SgNode | None) -> bool | None:
    """Return whether a condition is always true or always false; None if it depends."""
    if node is None:
        return None

    inner = node.named_children()
    if node.kind() in {"parenthesized_expression", "condition_clause"} and len(inner) == 1:
        return _constant_truth(inner[0])

    text = node.text().strip()
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _OLD_VERSION.fullmatch(text):
        return False

    return _truth_of_operation(node.children())


def _truth_of_operation(parts: Sequence[SgNode]) -> bool | None:
    """Return the constant truth of `not a`, `a and b` or `1 == 2`, or None."""
    texts = [part.text() for part in parts]
    match texts:
        case ["not" | "!", _]:
            operand = _constant_truth(parts[1])
            return _NEGATED[operand]
        case [_, "and" | "&&", _]:
            operands = {_constant_truth(parts[0]), _constant_truth(parts[2])}
            if False in operands:
                return False
        case [left, sign, right] if sign in _COMPARISONS:
            if left.isdigit() and right.isdigit():
                return _COMPARISONS[sign](left, right)

    return None


def _under_constant_condition(node: SgNode, _: _Conditions) -> Iterator[OffsetRange]:
    condition = _condition_of(node)
    truth = _constant_truth(condition)
    if truth is False:
        yield from _spans(node.field("consequence"), node.field("body"))
    if truth is True and node.kind() in _BRANCHES:
        yield from _spans(*node.field_children("alternative"))


def _condition_of(node: SgNode) -> SgNode | None:
    condition = node.field("condition")
    if condition is not None:
        return condition

    # The condition of Go's `for false {` is no field of its node.
    match node.named_children():
        case [first, *_] if first.kind() in {"false", "parenthesized_expression"}:
            return first

    return None


def _after_false_operand(node: SgNode, _: _Conditions) -> Iterator[OffsetRange]:
    match node.children():
        case [left, sign, right] if sign.text() in _AND:
            if _constant_truth(left) is False:
                yield span_of(right)


# ---------------------------------------------------------------------------------- after a jump


def _after_jump(block: SgNode, _: _Conditions) -> Iterator[OffsetRange]:
    is_reachable = True
    for child in block.named_children():
        if is_reachable:
            is_reachable = not ends(child)
            continue
        kind = child.kind()
        if _JUMP_TARGET.search(kind):
            break
        if not _NEVER_DEAD.search(kind):
            yield span_of(child)


def ends(statement: SgNode) -> bool:
    """Return whether nothing after a statement is reached."""
    expression = statement
    if statement.kind() == "expression_statement":
        inner = statement.named_children()
        if len(inner) != 1:
            return False
        expression = inner[0]

    if expression.kind() in _JUMPS:
        return True
    if expression.kind() == "method_invocation":  # of Java
        return expression.text().startswith("System.exit(")

    called = expression.field("function") or expression.field("macro")
    if called is None:
        return False

    return _EXIT_CALL.fullmatch(called.text()) is not None


# ------------------------------------------------------------------------------ Python, C, Rust


def _for_type_checkers(node: SgNode, _: _Conditions) -> Iterator[OffsetRange]:
    """Yield what is under `if TYPE_CHECKING`, except for imports, which belong there."""
    body = node.field("consequence")
    if body is None:
        return
    if not _TYPE_CHECKING.fullmatch(field_text(node, "condition")):
        return
    for child in body.named_children():
        if "import" not in child.kind():
            yield span_of(child)


def conditions_of(text: str) -> frozenset[str]:
    """Return the conditions of a C text on macros, and of a Rust text on features."""
    lines = filter(_CONDITION.match, text.split("\n"))
    return frozenset(map(_words_of_condition, lines))


def _words_of_condition(line: str) -> str:
    # Without brackets: one of them may be what was missing.
    return " ".join(re.findall(r"\w+|!", line))


def _not_compiled(node: SgNode, conditions: _Conditions) -> Iterator[OffsetRange]:
    is_included = _is_included(node, conditions)
    if is_included is False:
        yield from _preprocessor_body(node)
    if is_included is True:
        yield from _spans(node.field("alternative"))


def _preprocessor_body(node: SgNode) -> Iterator[OffsetRange]:
    """Yield what is between an `#if` and its `#else` or `#endif`, except for includes."""
    other_parts = set(
        _spans(node.field("condition"), node.field("name"), node.field("alternative"))
    )
    for child in node.named_children():
        if child.kind() == "preproc_include":
            continue
        span = span_of(child)
        if span not in other_parts:
            yield span


def _is_included(node: SgNode, conditions: _Conditions) -> bool | None:
    """Return whether the preprocessor includes the body of an `#if`; None if that is unknown.

    A macro counts as undefined if this text does not define it, unless its name begins with `_`
    as those of the compiler do.
    """
    name = node.field("name")
    condition = node.field("condition")
    if condition is not None:
        truth = _constant_truth(condition)
        if truth is not None:
            return truth
        if condition.kind() in {"identifier", "preproc_defined"}:
            name = condition

    if name is None:
        return None

    line = node.text().partition("\n")[0]
    if _words_of_condition(line) in conditions.undecided:
        return None

    macro = re.sub(r"^defined\W*|\W+$", "", name.text())
    if macro in conditions.macros or macro.startswith("_"):
        return None

    directive = node.children()[0].text()
    return directive.replace(" ", "") == "#ifndef"


def _not_built(attribute: SgNode, conditions: _Conditions) -> Iterator[OffsetRange]:
    text = attribute.text()
    if not _NEVER_BUILT.search(text):
        return
    if _words_of_condition(text) in conditions.undecided:
        return

    for item in attribute.next_all():
        kind = item.kind()
        if kind == "attribute_item":
            continue
        if not _BELONGS_THERE.match(f"{kind} {text}"):
            yield span_of(item)
        return


def _spans(*nodes: SgNode | None) -> Iterator[OffsetRange]:
    present = filter(None, nodes)
    yield from map(span_of, present)


_FINDERS: Final[Mapping[_Find, Iterable[str]]] = {
    _under_constant_condition: (*_BRANCHES, *_LOOPS),
    _after_false_operand: ("binary_expression", "boolean_operator"),
    _after_jump: BLOCKS,
    _for_type_checkers: ("if_statement",),
    _not_compiled: _PREPROCESSOR,
    _not_built: ("attribute_item",),
}
"""The kinds of nodes that each function is for; nodes of other languages have other kinds."""
