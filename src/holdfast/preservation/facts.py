"""What the code of a text does, as facts: each call, name, constant, operator, guard and type.

A fact has the offset of its own word, so that the facts of an edit are those in its span. Two texts
with the same facts mean the same, as far as this package judges.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.declared_facts import declared_facts, parameter_name, parameters_of
from holdfast.preservation.fact import Fact
from holdfast.syntax.node_kinds import FUNCTIONS
from holdfast.syntax.tree import all_nodes, is_plain_string, span_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_NOTATION: Final = re.compile(r"^0[oO]?(?=\d)|[uUlLfFdDn]+$|_")
_NUMBER: Final = re.compile(r"\s*\(?-?\d[\w.]*\)?\s*")
_STRING_TEXT: Final = frozenset({"string_content", "string_fragment"})
_WORD: Final = re.compile(r"\w+")
_RESULT: Final = re.compile(r"(?:return\s+)?\w+\s*(?:[!=<>]=*|is|is not)\s*[\w.\"']+")
"""The body of a function that only compares two things."""
_NO_RESULT: Final = re.compile(r"-\d+")
_BLANK: Final = re.compile(r"^\{?\s*return\b|\s+|^\{|\}$|;")
_IMPORTED_ANY: Final = re.compile(r"\bAny as \w")


def facts_of(source: ParsedSource) -> list[Fact]:
    """Return the facts of the code that can run, in the order of the text."""
    if source.root is None:
        return []

    found: list[Fact] = []
    type_end = skipped_end = -1
    for node in all_nodes(source.root):
        start, end = span_of(node)
        if start < skipped_end:
            continue
        if source.is_dead(start):
            continue
        kind = node.kind()
        if kind in tables.IMPORTS:
            skipped_end = end
            if _IMPORTED_ANY.search(node.text()):
                found.append(Fact("wide type", "Any", start))
            continue
        if kind in tables.LITERALS and is_plain_string(kind, node.children()):
            skipped_end = end
        if kind in tables.TYPES:
            type_end = max(type_end, end)
        found += declared_facts(node, source.language)
        if start < type_end:
            found += _type_facts(node, source.language)
        else:
            found += _code_facts(node, source.language)

    return found


def value_of(literal: str) -> str:
    """Return a constant without what only says its type, its notation or its format."""
    if literal[-1:] in {'"', "'", "`"}:
        return " ".join(_WORD.findall(literal.lstrip("rbfuRBFU")))
    return _NOTATION.sub("", literal)


def written_names(source: ParsedSource) -> set[str]:
    """Return the variables that a text sets, or whose contents it uses."""
    found: set[str] = set()
    for kind, field in tables.WRITES.items():
        for node in source.find(kind):
            target: SgNode | None = node
            if field:
                target = node.field(field)
            if target is not None:
                found.update(_WORD.findall(target.text()))

    # `std::cin >> n`
    found.update(re.findall(r">>\s*(\w+)", source.text))
    return found


# --------------------------------------------------------------------------------------- types


def _type_facts(node: SgNode, language: str) -> Iterator[Fact]:
    text = node.text()
    start, _ = span_of(node)
    # The type `string` is of the kind of a string.
    if node.kind() in tables.LITERALS and not text.isidentifier():
        yield Fact("literal type", text, start)

    if node.children():
        return

    if text in tables.UNIONS:
        yield Fact("wider type", text, start)

    if text not in tables.WIDE_TYPES[language]:
        return

    for outer in node.ancestors():
        # The constraint of a type parameter: `[T any]`.
        if outer.kind() == "type_parameter_declaration":
            return

    yield Fact("wide type", text, start)


# ---------------------------------------------------------------------------------------- code


def _code_facts(node: SgNode, language: str) -> Iterator[Fact]:
    kind = node.kind()
    yield from _word_facts(node)
    yield from _pattern_facts(node)
    if kind in tables.CALLEES:
        yield from _call_facts(node, language)

    if kind in tables.OPERATIONS:
        yield from _operator_facts(node)

    if kind in tables.BINDINGS:
        yield from _binding_facts(node)

    if kind in tables.ASSIGNMENTS:
        yield from _condition_facts(node)

    if kind in _OTHERS:
        yield from _OTHERS[kind](node)


def _condition_facts(node: SgNode) -> Iterator[Fact]:
    """Yield a part of a condition, in brackets, that sets a variable to a constant or to another."""
    value, bracket = node.field(tables.ASSIGNMENTS[node.kind()]), node.parent()
    if value is None or value.kind() not in tables.LITERALS | tables.NAMES:
        return
    # Without brackets it is no part: a grammar reads it, and no compiler does.
    if bracket is None or bracket.kind() != "parenthesized_expression":
        return
    outer = bracket.parent()
    if outer is None or outer.kind() not in tables.OPERATIONS | {bracket.kind()}:
        return
    signs = {child.text() for child in outer.children() if not child.is_named()}
    # Twice in brackets it is a part that a compiler does not warn of.
    if outer.kind() == bracket.kind() or signs & (tables.LOGIC | tables.COMPARISONS):
        yield Fact("set in condition", node.text(), span_of(bracket)[0])


def _word_facts(node: SgNode) -> Iterator[Fact]:
    """Yield what a node is by its kind: a name, a constant, the end of a function, a guard."""
    kind = node.kind()
    start, _ = span_of(node)
    if kind in tables.NAMES:
        yield Fact("name", node.text(), start)

    if node.text() == "Any":
        yield Fact("wide type", "Any", start)

    if kind in tables.LITERALS:
        yield Fact("literal", _literal_text(node), start)

    if kind in tables.STOPS:
        yield Fact("stop", tables.STOPS[kind], start)

    if kind in tables.GUARDS:
        yield Fact("guard", tables.GUARDS[kind], start)

    if kind in tables.BLOCKS and _is_bare_block(node):
        yield Fact("evasion", "{ }", start)


def _pattern_facts(node: SgNode) -> Iterator[Fact]:
    """Yield what the text of a node shows."""
    start, _ = span_of(node)
    for pattern, fact, word in tables.PATTERNS.get(node.kind(), ()):
        found = pattern.match(node.text())
        if found is None:
            continue
        group = pattern.groups
        yield Fact(fact, word or found[group], start + found.start(group))


def _is_bare_block(block: SgNode) -> bool:
    """Return whether a block is only there to end the life of what is in it."""
    holder = block.parent()
    if holder is not None and holder.kind() == "expression_statement":
        holder = holder.parent()
    return holder is not None and holder.kind() in tables.BLOCKS


def _literal_text(node: SgNode) -> str:
    """Return the text of a constant; of a string, without the code in it."""
    children = node.children()
    if "string" not in node.kind() or is_plain_string(node.kind(), children):
        return node.text()
    parts = [child.text() for child in children if child.kind() in _STRING_TEXT]
    return f'"{"".join(parts)}"'


def _call_facts(node: SgNode, language: str) -> Iterator[Fact]:
    callee = node.field(tables.CALLEES[node.kind()])
    if callee is None:
        return

    last = _last_part(callee)
    name = last.text()
    start, _ = span_of(last)
    yield Fact("call", name, start)
    if name in tables.EVADING_CALLS[language]:
        yield Fact("evasion", name, start)

    if node.kind() == "macro_invocation":
        yield from _macro_facts(name, node)

    if name in tables.CHANGING_CALLS:
        yield from _copied_receiver(node)

    listed = node.field("arguments")
    if listed is None:
        return
    yield from _argument_facts(name, listed.named_children())


def _macro_facts(called: str, macro: SgNode) -> Iterator[Fact]:
    """Yield a macro of Rust that gets the same text twice."""
    start, _ = span_of(macro)
    seen: set[str] = set()
    for part in re.finditer(r"[^,(]+", macro.text().removesuffix(")")):
        text = " ".join(part[0].split())
        if text in seen:
            yield Fact("twice", called, start + part.end() - len(part[0].lstrip()))
        seen.add(text)


def _argument_facts(called: str, arguments: list[SgNode]) -> Iterator[Fact]:
    """Yield where each argument is passed, and which of them are passed twice."""
    passed = [each for each in arguments if each.kind() not in tables.LITERALS]
    texts = Counter(each.text() for each in passed)
    for place, each in enumerate(arguments):
        start, _ = span_of(each)
        yield Fact("argument", f"{called}\0{place}\0{each.text()}", start)
        if texts[each.text()] > 1:
            yield Fact("twice", called, start)


def _last_part(node: SgNode) -> SgNode:
    """Return the last name of a dotted or generic one."""
    inner: SgNode | None = node
    while inner is not None:
        node = inner
        inner = None
        for field in tables.LAST_PARTS:
            inner = inner or node.field(field)

    return node


def _operator_facts(node: SgNode) -> Iterator[Fact]:
    for child in node.children():
        if child.is_named():
            continue
        text = " ".join(child.text().split())
        text = tables.ASSIGNING.get(text, text)
        kind = tables.OPERATORS.get(text)
        if kind is not None:
            yield Fact(kind, text, span_of(child)[0])

    parts = [" ".join(child.text().split()) for child in node.children()]
    if len(parts) == len(("left", "sign", "right")) and parts[1] in tables.ORDERED:
        yield Fact("order", "\0".join(parts), span_of(node)[0])


def _binding_facts(node: SgNode) -> Iterator[Fact]:
    """Yield a definition without meaning: `y = None`, an empty function."""
    left, right = tables.BINDINGS[node.kind()]
    # In C the name of a function is in its declarator.
    name, value = node.field(left) or node.field("declarator"), node.field(right)
    if name is None:
        return
    if node.field("superclasses") is not None:
        return

    if value is not None and value.kind() == "lambda":
        value = value.field("body")

    text = ""
    if value is not None:
        text = _BLANK.sub("", value.text())

    start, _ = span_of(name)
    if text in tables.NOTHING or _is_stub(node, text):
        yield Fact("nothing", name.text(), start)
    elif node.kind() in FUNCTIONS and value is not None and _is_single_result(value):
        yield Fact("stub", _last_name(name), start)

    if value is not None and _gives_value(node):
        yield from _value_facts(_last_name(name), value)


def _gives_value(node: SgNode) -> bool:
    """Return whether a node gives a variable its value, and does not only change it."""
    if node.kind() == "preproc_def":
        return True
    return any(child.text() in {"=", ":="} for child in node.children())


def _value_facts(name: str, value: SgNode) -> Iterator[Fact]:
    """Yield whether the value of a variable is written out, or computed by a call."""
    start, _ = span_of(value)
    # The grammar does not read the value of a macro.
    is_number = value.kind() == "preproc_arg" and _NUMBER.fullmatch(value.text()) is not None
    if is_number or value.kind() in tables.LITERALS:
        yield Fact("constant", name, start)
    if value.kind() in tables.NAMES:
        yield Fact("alias", f"{name}\0{value.text()}", start)
    if not tables.CALLEES.keys().isdisjoint(map(_kind, all_nodes(value))):
        yield Fact("computed", name, start)


def _is_single_result(body: SgNode) -> bool:
    """Return whether a function only compares something with a constant."""
    found = _RESULT.fullmatch(body.text().strip("{} \n;"))
    return found is not None and bool(tables.LITERALS.intersection(map(_kind, all_nodes(body))))


def _kind(node: SgNode) -> str:
    return node.kind()


def _last_name(node: SgNode) -> str:
    """Return the name in a declarator of C."""
    words: list[str] = _WORD.findall(node.text().partition("(")[0])
    return words[-1] if words else ""


def _is_stub(node: SgNode, body: str) -> bool:
    """Return whether a function, and no method, returns only a constant or what it was passed."""
    holder = node.parent()
    if holder is None or holder.kind() in {"declaration_list", "class_body"}:
        return False
    if node.kind() not in FUNCTIONS or not re.fullmatch(r"\w+|[\d.]+|\"[^\"]*\"|'[^']*'", body):
        return False
    if not body.isidentifier():
        return True
    listed = parameters_of(node)
    return listed is not None and body in _WORD.findall(listed.text())


def _declaration_facts(node: SgNode) -> Iterator[Fact]:
    """Yield what C declares without a value, except for `extern`, which the linker checks."""
    words = {child.text() for child in node.children()}
    if words & tables.DECLARED_ELSEWHERE:
        return

    for each in node.field_children("declarator"):
        # A bracket: the prototype of a function.
        if each.kind() in {"identifier", "pointer_declarator"} and "(" not in each.text():
            yield Fact("nothing", each.text(), span_of(each)[0])


def _handler_facts(handler: SgNode) -> Iterator[Fact]:
    """Yield a handler that raises no error itself."""
    for node in all_nodes(handler):
        word = tables.STOPS.get(node.kind(), "")
        if word in tables.ERRORS:
            return
    yield Fact("handler", tables.HANDLERS[handler.kind()], span_of(handler)[0])


def _final_facts(clause: SgNode) -> Iterator[Fact]:
    """Yield a final block that returns: it drops the error on whose way it is."""
    if any(node.kind() in tables.STOPS for node in all_nodes(clause)):
        yield Fact("handler", "finally", span_of(clause)[0])


def _result_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a result from a constant: whether it is one, and a parameter that nothing uses."""
    values = statement.named_children()
    if len(values) != 1:
        return
    if _is_made_up(values[0]):
        yield Fact("made up", statement.text(), span_of(statement)[0])
    if values[0].kind() not in tables.LITERALS and not _compares_with_constant(values[0]):
        return

    for outer in statement.ancestors():
        if outer.kind() not in FUNCTIONS:
            continue
        for unused in unused_parameters(outer):
            yield Fact("constant result", unused, span_of(statement)[0])
            return
        return


def _is_made_up(value: SgNode) -> bool:
    """Return whether a value is more than variables: it has a constant, a call or a negation.

    A negative number says that there is no result, and a variable may be compared with a constant.
    """
    if _NO_RESULT.fullmatch(value.text()) or _compares_with_constant(value):
        return False
    kinds = {node.kind() for node in all_nodes(value)}
    return bool(kinds & tables.MADE_UP)


def _compares_with_constant(value: SgNode) -> bool:
    """Return whether a value is the comparison of something with a constant."""
    signs = {child.text() for child in value.children() if not child.is_named()}
    if value.kind() not in tables.OPERATIONS or signs.isdisjoint(tables.COMPARISONS):
        return False
    return not tables.LITERALS.isdisjoint(map(_kind, value.named_children()))


def unused_parameters(function: SgNode) -> Iterator[str]:
    """Yield the parameters that the body of a function does not use."""
    listed, body = parameters_of(function), function.field("body")
    if listed is None or body is None:
        return

    used = set(tables.RECEIVERS)
    used.update(node.text() for node in all_nodes(body) if not node.children())
    for parameter in listed.named_children():
        name = parameter_name(parameter)
        if name.isidentifier() and name not in used:
            yield name


def _attribute_facts(attribute: SgNode) -> Iterator[Fact]:
    """Yield an attribute that hides what follows it, unless that is a module of tests."""
    following = attribute.next()
    if following is not None and following.kind() == "mod_item":
        return
    if attribute.text().startswith("#[cfg"):
        yield Fact("compiled out", attribute.text(), span_of(attribute)[0])


def _string_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a statement that is only a string, and not the documentation of a definition."""
    inner = statement.named_children()
    if len(inner) != 1 or inner[0].kind() not in {"string", "template_string"}:
        return

    block = statement.parent()
    if statement.prev() is None and block is not None:
        holder = block.parent()
        if holder is None or holder.kind() in {"function_definition", "class_definition"}:
            return

    if "(" in inner[0].text():
        yield Fact("idle string", statement.text(), span_of(statement)[0])


def _statement_facts(statement: SgNode) -> Iterator[Fact]:
    yield from _string_facts(statement)
    yield from _copy_facts(statement)


def _copy_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a statement that calls a method of a copy: `list(items).append(item)`."""
    inner = statement.named_children()
    if len(inner) != 1 or inner[0].kind() not in tables.CALLEES:
        return
    for node in all_nodes(inner[0]):
        yield from _copied_receiver(node)


def _copied_receiver(call: SgNode) -> Iterator[Fact]:
    """Yield a copy of which a call is a method."""
    callee = _receiver_of(call)
    if callee is not None and callee.text() in tables.COPYING_CALLS:
        yield Fact("copy", callee.text(), span_of(callee)[0])


def _receiver_of(node: SgNode) -> SgNode | None:
    """Return the function whose result is the receiver of a call; None if it is no result."""
    if node.kind() not in tables.CALLEES:
        return None
    receiver = node.field("object")
    function = node.field("function")
    if function is not None:
        receiver = function.field("object") or function.field("value") or function.field("argument")
    if receiver is None or receiver.kind() not in tables.CALLEES:
        return None
    called = receiver.field(tables.CALLEES[receiver.kind()])
    if called is None:
        return None
    return _last_part(called)


_OTHERS: Final[Mapping[str, Callable[[SgNode], Iterator[Fact]]]] = {
    "except_clause": _handler_facts,
    "catch_clause": _handler_facts,
    "finally_clause": _final_facts,
    "return_statement": _result_facts,
    "declaration": _declaration_facts,
    "attribute_item": _attribute_facts,
    "expression_statement": _statement_facts,
}
