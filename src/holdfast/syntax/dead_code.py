"""Code that can never run: behind `if False`, in `#if 0`, after a `return`. To put code there is to delete it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Nodes: TypeAlias = "Mapping[str, Sequence[SgNode]]"
"""The nodes of a tree by their kinds, in order."""
_BRANCHES: Final = ("if_statement", "elif_clause", "if_expression")
_LOOPS: Final = ("while_statement", "while_expression", "for_statement")
BLOCKS: Final = frozenset(
    {
        "module",
        "block",
        "program",
        "statement_block",
        "compound_statement",
        "statement_list",
        "source_file",
        "translation_unit",
        "constructor_body",
        "declaration_list",
        "case_statement",
        "switch_case",
        "switch_default",
        "switch_block_statement_group",
    }
)
"""What holds statements."""
_ENDS: Final = frozenset(
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
ENDING_CALLS: Final = re.compile(
    r"(?:(?:sys|process|System|os)\.(?:_?exit|Exit|abort)|(?:std::)?(?:process::)?(?:exit|_Exit|abort|terminate)|quit|panic|"
    r"log\.Fatal\w*|(?:std::|core::)?(?:todo|unimplemented|unreachable|panic)!?|__builtin_(?:trap|unreachable))"
)
_FALSE: Final = frozenset(
    {"False", "false", "0", "None", "null", "nil", "''", '""', "NULL", "nullptr", "0L", "undefined"}
)
_TRUE: Final = frozenset({"True", "true", "1"})
_OLD_VERSION: Final = re.compile(
    r"(?:sys\.)?version_info(?:\[0\])?\s*(?:<=?\s*\(?(?:[012]\b|3\s*,?\s*\)|3\s*,\s*[0-7]\b)|>=?\s*\(?[4-9]\b).*"
)
"""A Python that nobody runs: checkers know, and look away."""
_NOT: Final = frozenset({"not", "!"})
_STAYS: Final = (
    "comment",
    "preproc_",
    "_item",
    "function_declaration",
    "labeled_statement",
    "case",
    "label",
)
"""What is not dead after a `return`: what is declared, and what can be jumped to."""
_CONDITION: Final = re.compile(r"\s*#\s*if|\s*#!?\[?\s*cfg")
_NEVER_BUILT: Final = re.compile(
    r"cfg\s*\(\s*(?:any\s*\(\s*\)|not\s*\(\s*all\s*\(\s*\)\s*\)|false\b|test\b|feature\b)"
)


def dead_spans(nodes: Nodes, language: str, kept: Collection[str] = ()) -> list[tuple[int, int]]:
    """Give where the dead code starts and ends, in order; what is inside another is not given again.

    `kept` are the conditions for C's preprocessor and Rust's `cfg` of which nothing is to be guessed.
    """
    found = [*_behind_conditions(nodes), *_after_ends(nodes)]
    if language == "python":
        found += _for_checkers_only(nodes)
    if language in {"c", "cpp"}:
        found += _not_compiled(nodes, kept)
    if language == "rust":
        found += _not_built(nodes, kept)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if start < end and (not merged or end > merged[-1][1]):
            merged.append((start, end))
    return merged


def truth(node: SgNode | None) -> bool | None:
    """Say whether a condition is always true or always false; None if it depends."""
    if node is None:
        return None
    inner = node.named_children()
    if node.kind() in {"parenthesized_expression", "condition_clause"} and len(inner) == 1:
        return truth(inner[0])
    text = node.text().strip()
    if text in _FALSE or text in _TRUE:
        return text in _TRUE
    if _OLD_VERSION.fullmatch(text):
        return False
    parts = node.children()
    if len(parts) == 2 and parts[0].text() in _NOT:
        denied = truth(parts[1])
        return None if denied is None else not denied
    if len(parts) == 3:
        return _truth_of_two(parts[0], parts[1].text(), parts[2])
    return None


def _truth_of_two(left: SgNode, mark: str, right: SgNode) -> bool | None:
    if mark in {"and", "&&"} and False in {truth(left), truth(right)}:
        return False
    if mark in {"==", "===", "!=", "!=="} and left.text().isdigit() and right.text().isdigit():
        return (left.text() == right.text()) is (mark[0] == "=")
    return None


def _behind_conditions(nodes: Nodes) -> Iterator[tuple[int, int]]:
    for kind in (*_BRANCHES, *_LOOPS):
        for node in nodes.get(kind, ()):
            always = truth(node.field("condition") or _bare_condition(node))
            if always is False:
                yield from _spans(node.field("consequence"), node.field("body"))
            if always and kind in _BRANCHES:
                yield from _spans(*node.field_children("alternative"))
    for kind in ("binary_expression", "boolean_operator"):
        for node in nodes.get(kind, ()):
            parts = node.children()
            if len(parts) == 3 and parts[1].text() in {"&&", "and"} and truth(parts[0]) is False:
                yield from _spans(parts[2])


def _bare_condition(node: SgNode) -> SgNode | None:
    """Give the condition of Go's `for false {`, which has no name in the tree."""
    first = next(iter(node.named_children()), None)
    return (
        first
        if first is not None and first.kind() in {"false", "parenthesized_expression"}
        else None
    )


def _after_ends(nodes: Nodes) -> Iterator[tuple[int, int]]:
    for kind in BLOCKS:
        for block in nodes.get(kind, ()):
            ended = False
            for child in block.named_children():
                if ended and any(word in child.kind() for word in ("labeled", "label", "case")):
                    break
                if ended and not any(word in child.kind() for word in _STAYS):
                    yield from _spans(child)
                ended = ended or ends(child)


def ends(statement: SgNode) -> bool:
    """Whether nothing after a statement is reached."""
    if statement.kind() in _ENDS:
        return True
    inner = (
        statement.named_children() if statement.kind() == "expression_statement" else [statement]
    )
    if len(inner) != 1:
        return False
    if inner[0].kind() in _ENDS:
        return True
    called = inner[0].field("function") or inner[0].field("macro")
    if inner[0].kind() == "method_invocation":  # Java's
        return inner[0].text().startswith("System.exit(")
    return called is not None and ENDING_CALLS.fullmatch(called.text()) is not None


def _for_checkers_only(nodes: Nodes) -> Iterator[tuple[int, int]]:
    """Give what stands under `if TYPE_CHECKING`; imports are right there."""
    for node in nodes.get("if_statement", ()):
        condition, body = node.field("condition"), node.field("consequence")
        if (
            condition is None
            or body is None
            or condition.text().rpartition(".")[2] != "TYPE_CHECKING"
        ):
            continue
        yield from _spans(
            *(child for child in body.named_children() if "import" not in child.kind())
        )


def conditions_of(text: str) -> frozenset[str]:
    """Give the lines with which a C text asks for macros, and a Rust text for features."""
    return frozenset(_condition(line) for line in text.split("\n") if _CONDITION.match(line))


def _condition(line: str) -> str:
    # Brackets aside: one may be what was missing.
    return " ".join(re.findall(r"\w+|!", line))


def _not_compiled(nodes: Nodes, kept: Collection[str]) -> Iterator[tuple[int, int]]:
    defined = {
        name.text()
        for node in nodes.get("preproc_def", ())
        if (name := node.field("name")) is not None
    }
    for kind in ("preproc_if", "preproc_ifdef"):
        for node in nodes.get(kind, ()):
            taken = _is_taken(node, defined, kept)
            other = node.field("alternative")
            if taken is False:
                known = {
                    part.range()
                    for part in (node.field("condition"), node.field("name"), other)
                    if part is not None
                }
                inner = (
                    child for child in node.named_children() if child.kind() != "preproc_include"
                )
                yield from _spans(*(child for child in inner if child.range() not in known))
            if taken and other is not None:
                yield from _spans(other)


def _is_taken(node: SgNode, defined: set[str], kept: Collection[str]) -> bool | None:
    """Say whether the preprocessor takes a part; None if that cannot be told.

    A macro counts as undefined if this text does not define it, and it is none of the compiler's (`_…`).
    """
    condition, name = node.field("condition"), node.field("name")
    if condition is not None and truth(condition) is not None:
        return truth(condition)
    if condition is not None and condition.kind() in {"identifier", "preproc_defined"}:
        name = condition
    if name is None or _condition(node.text().partition("\n")[0]) in kept:
        return None
    macro = re.sub(r"^defined\W*|\W+$", "", name.text())
    missing = macro not in defined and not macro.startswith("_")
    if not missing:
        return None
    return node.children()[0].text().replace(" ", "") == "#ifndef"


def _not_built(nodes: Nodes, kept: Collection[str]) -> Iterator[tuple[int, int]]:
    for node in nodes.get("attribute_item", ()):
        if not _NEVER_BUILT.search(node.text()) or _condition(node.text()) in kept:
            continue
        item = next(
            (
                after
                for after in node.next_all()
                if after.is_named() and after.kind() != "attribute_item"
            ),
            None,
        )
        # A module of tests is where `cfg(test)` belongs.
        is_right = (
            item is None
            or item.kind() == "use_declaration"
            or (item.kind() == "mod_item" and "test" in node.text())
        )
        if not is_right:
            yield from _spans(item)


def _spans(*nodes: SgNode | None) -> Iterator[tuple[int, int]]:
    for node in nodes:
        if node is not None:
            at = node.range()
            yield at.start.index, at.end.index
