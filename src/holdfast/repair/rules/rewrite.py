"""Apply a rule to a text: the message, the place and every piece must fit, else nothing happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from holdfast.repair.rules.imports import IN_BLOCK, NO_BLOCK, has_block, line_for
from holdfast.repair.rules.match import Spans, find_tree
from holdfast.repair.rules.parts import args_used, holds, tail_of
from holdfast.repair.rules.rule import AddImport, AddLines, Part, Rule, Side, Splice, TokenEdit
from holdfast.repair.rules.source import BLANKS, Source, span_of
from holdfast.repair.rules.token_match import find_tokens, span_between
from holdfast.repair.rules.tokens import shape_of
from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class NoFit:
    """The rule does not fit here; `reason` says what of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text, and which spans of the old one it replaces."""

    text: str
    spans: tuple[tuple[int, int], ...]


_Edit = tuple[int, int, str]


def rewrite(rule: Rule, text: str, diagnostic: Diagnostic) -> Rewritten | NoFit:
    """Rewrite the one place that the diagnostic is about."""
    if (rule.tool, rule.code, rule.template) != (diagnostic.tool, diagnostic.code, diagnostic.template):
        return NoFit("the complaint is another one")
    for number, values in rule.constants.items():
        if not holds(values, number, diagnostic.args):
            return NoFit("the message names what no example has named")
    if (strange := _strange_hole(rule, diagnostic)) is not None:
        return NoFit(f"{strange} is not of the shape that the examples had")
    source = Source(text, rule.target, diagnostic.path)
    spans: Spans = {}
    if rule.pattern.tree is not None:
        found = find_tree(rule.pattern, source, diagnostic)
        if found is None:
            return NoFit("the code there is another")
        spans = found
    edits: list[_Edit] = []
    for each in rule.fix:
        edit = _edit_of(each, source, spans, diagnostic)
        if edit is None:
            return NoFit("the place of an edit is not there")
        edits.append(edit)
    return _carried_out(source, edits, rule)


def _edit_of(
    edit: Splice | TokenEdit | AddImport | AddLines, source: Source, spans: Spans, diagnostic: Diagnostic
) -> _Edit | None:
    match edit:
        case Splice():
            return _splice(edit, source, spans, diagnostic.args)
        case TokenEdit():
            return _token_edit(edit, source, diagnostic)
        case AddImport():
            return _import_edit(edit, source, diagnostic.args)
        case AddLines():
            return _lines_edit(edit, source, diagnostic)
        case _:
            assert_never(edit)


def _carried_out(source: Source, edits: list[_Edit], rule: Rule) -> Rewritten | NoFit:
    ordered = sorted(edits, key=lambda edit: edit[:2])
    if any(left[1] > right[0] or left[:2] == right[:2] for left, right in pairwise(ordered)):
        return NoFit("its edits lie over one another")
    parts, done = [], 0
    for start, end, new in ordered:
        parts += [source.text[done:start], new]
        done = end
    text = "".join([*parts, source.text[done:]])
    if text == source.text:
        return NoFit("nothing would change")
    if rule.pattern.place in {"at", "elsewhere"} and _breaks(source, Source(text, rule.target)):
        return NoFit("the new text would not parse")
    if any("==" in new for _, _, new in ordered) and _compares_for_nothing(source, Source(text, rule.target)):
        return NoFit("a comparison would stand there as a statement of its own")
    return Rewritten(text, tuple((start, end) for start, end, _ in ordered))


_ONLY_VALUES = frozenset({"comparison_operator", "boolean_operator", "not_operator", "binary_expression"})
_ONLY_VALUES |= {"unary_expression", "parenthesized_expression", "conditional_expression", "ternary_expression"}


def _compares_for_nothing(before: Source, after: Source) -> bool:
    """Whether the new text has more statements that only compare: `==` was not what was meant there."""

    def count(source: Source) -> int:
        nodes = source.root.find_all(kind="expression_statement") if source.root is not None else []
        return sum(
            "==" in node.text() and {child.kind() for child in node.children() if child.is_named()} <= _ONLY_VALUES
            for node in nodes
        )

    return count(after) > count(before)


def _breaks(before: Source, after: Source) -> bool:
    """Whether the new tree has more broken places than the old one."""
    if before.root is None or after.root is None:
        return False
    # Not `broken_nodes`, which visits each node: what the parser has made up, the compiler will not have.
    return len(after.root.find_all(kind="ERROR")) > len(before.root.find_all(kind="ERROR"))


def _strange_hole(rule: Rule, diagnostic: Diagnostic) -> str | None:
    """Give an argument that the fix writes out and that looks like none in the examples (`list[int]` for `int`)."""
    for number in sorted(args_used(rule.fix)):
        if number >= len(diagnostic.args):
            return "an argument"
        shapes = {shape_of(example.args[number]) for example in rule.examples if number < len(example.args)}
        if shapes and shape_of(diagnostic.args[number]) not in shapes:
            return diagnostic.args[number]
    return None


# ------------------------------------------------------------------------------------------------------ kinds of edits


def _splice(edit: Splice, source: Source, spans: Spans, args: Sequence[str]) -> _Edit | None:
    start = _side(source, spans[edit.start[0]], edit.start[1])
    end = _side(source, spans[edit.end[0]], edit.end[1])
    if edit.lines:
        start, end = source.text.rfind("\n", 0, start) + 1, source.text.find("\n", end) + 1 or len(source.text)
        if source.text[start:end].strip(BLANKS + ";") != source.text[slice(*spans[edit.start[0]])].strip(BLANKS + ";"):
            return None
    if start > end:
        return None

    def piece_text(number: int) -> str:
        return source.text[slice(*spans[number])]

    return start, end, _filled(edit.parts, args, piece_text)


def _side(source: Source, span: tuple[int, int], side: Side) -> int:
    match side:
        case "start":
            return span[0]
        case "end":
            return span[1]
        case "gap_before":
            return source.gap_before(span[0])
        case "gap_after":
            return source.gap_after(span[1])
        case "line":
            return source.text.rfind("\n", 0, span[0]) + 1
        case _:
            assert_never(side)


def _token_edit(edit: TokenEdit, source: Source, diagnostic: Diagnostic) -> _Edit | None:
    offset = source.place_of(diagnostic)
    place = None if offset is None else find_tokens(edit, source, offset, diagnostic.args)
    if place is None:
        return None
    start, end = span_between(source, place, edit.sides)
    if any(source.text[start:end].strip(BLANKS)) and not edit.removed:
        # A comment stands in the gap.
        return None

    def piece_text(number: int) -> str:
        return source.tokens[place.low + number].text

    return start, end, _filled(edit.parts, diagnostic.args, piece_text, _indent_before(source, end))


def _import_edit(edit: AddImport, source: Source, args: Sequence[str]) -> _Edit | None:
    lines = [line + "\n" for line in source.text.split("\n")]
    line = _filled(edit.parts, args)
    if any(old.rstrip(BLANKS) == line for old in lines):
        return None
    block = has_block(lines, source.target)
    usable = IN_BLOCK if block else NO_BLOCK
    places = [place for place in edit.places if place in usable] or list(usable)
    numbers = (line_for(place, lines, line + "\n", source.target) for place in places)
    number = next((number for number in numbers if number is not None), None)
    if number is None or number >= len(source.line_starts):
        return None
    at = source.line_starts[number]
    end = "\r\n" if "\r\n" in source.text else "\n"
    return at, at, line + end * (1 if block else 1 + edit.blank)


def _lines_edit(edit: AddLines, source: Source, diagnostic: Diagnostic) -> _Edit | None:
    offset = source.place_of(diagnostic)
    if offset is None:
        return None
    line = source.line_of(offset)
    if edit.place == "body":
        found = body_line(source, offset)
        if found is None:
            return None
        line = found
    start = source.line_starts[line]
    code = source.text[start : source.line_end(line)]
    indent = code[: len(code) - len(code.lstrip(" \t"))]
    if edit.place == "before" and code.lstrip(" \t").startswith(("}", ")", "]")):
        # What comes before the end of a block stands as the lines in it do.
        indent = _indent_before(source, start)
    if edit.place == "after":
        if line + 1 >= len(source.line_starts):
            return None
        start = source.line_starts[line + 1]
    new = _filled(edit.parts, diagnostic.args)
    return start, start, "".join(f"{indent}{each}\n" if each.strip() else "\n" for each in new.split("\n"))


def body_line(source: Source, offset: int) -> int | None:
    """Give the first line of the body of the function around an offset."""
    for node in reversed(source.nodes_around(offset)):
        if node.kind().endswith(("block", "body", "compound_statement")) and "func" in _kind_of_parent(node):
            first = next((child for child in node.children() if child.is_named()), None)
            return None if first is None else source.line_of(span_of(first)[0])
    return None


def _kind_of_parent(node: object) -> str:
    parent = getattr(node, "parent", lambda: None)()
    kind = "" if parent is None else str(parent.kind())
    return "func" if kind in {"method_declaration", "constructor_declaration", "method_definition"} else kind


def _indent_before(source: Source, offset: int) -> str:
    """Give the blanks that the previous line of code begins with."""
    line = source.line_of(offset) - 1
    while line >= 0:
        code = source.text[source.line_starts[line] : source.line_end(line)]
        if code.strip():
            return code[: len(code) - len(code.lstrip(" \t"))]
        line -= 1
    return ""


def _filled(
    parts: Sequence[Part], args: Sequence[str], piece_text: Callable[[int], str] = lambda _: "", indent: str = ""
) -> str:
    def fill(part: Part) -> str:
        if isinstance(part, str):
            return part
        match part.of:
            case "arg":
                return args[part.number]
            case "tail":
                return tail_of(args[part.number])
            case "piece":
                return piece_text(part.number)
            case "indent":
                return indent
            case _:
                assert_never(part.of)

    return "".join(fill(part) for part in parts)
