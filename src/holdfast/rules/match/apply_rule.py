"""Apply a rule to a text: the message, the position and every piece must fit."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, assert_never

from holdfast.rules.match.import_block import (
    IN_BLOCK,
    NO_BLOCK,
    blank_lines,
    has_block,
    in_order,
    line_for,
)
from holdfast.rules.match.message_constraints import is_allowed_value
from holdfast.rules.match.names_at import with_names_here
from holdfast.rules.match.rewrite_checks import why_not_deleted, why_not_sane
from holdfast.rules.match.template_parts import IMPORT_KINDS, args_used, tail_of
from holdfast.rules.match.token_match import find_tokens, span_between
from holdfast.rules.match.tree_match import Spans, find_tree, used_pieces
from holdfast.rules.rule import (
    AddImport,
    AddLines,
    FixEdit,
    PieceSide,
    Rule,
    RuleSplice,
    TextPart,
    TokenEdit,
)
from holdfast.syntax.brace_nesting import nests_as_indented
from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import shape_of
from holdfast.syntax.tree import span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class NoFit:
    """The rule does not fit here; `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text, and the spans of the old one that it replaces."""

    text: str
    spans: tuple[tuple[int, int], ...]


_Edit = tuple[int, int, str]


def rewrite(rule: Rule, text: str, diagnostic: Diagnostic) -> Rewritten | NoFit:
    """Rewrite the one place that the diagnostic is about."""
    if (rule.tool, rule.code, rule.template) != (
        diagnostic.tool,
        diagnostic.code,
        diagnostic.template,
    ):
        return NoFit("the diagnostic is another one")
    source = ParsedSource(text, rule.target, diagnostic.path, marks=rule.pattern.place == "marks")
    for number, values in rule.constants.items():
        if not is_allowed_value(values, number, diagnostic.args, source):
            return NoFit("the message has an argument that is in no example")
    diagnostic = with_names_here(source, diagnostic)
    if (strange := _strange_hole(rule, diagnostic)) is not None:
        return NoFit(f"{strange} is not of the shape that the examples had")
    spans: Spans = {}
    if rule.pattern.tree is not None:
        found = find_tree(rule.pattern, source, diagnostic, used_pieces(rule.fix))
        if found is None:
            return NoFit("the code there is different")
        spans = found
    edits: list[_Edit] = []
    for each in rule.fix:
        edit = _edit_of(each, source, spans, diagnostic)
        if edit is None:
            return NoFit("the place of an edit is not there")
        edits.append(edit)
    return _carried_out(source, edits, rule, diagnostic.args)


def _edit_of(
    edit: FixEdit, source: ParsedSource, spans: Spans, diagnostic: Diagnostic
) -> _Edit | None:
    match edit:
        case RuleSplice():
            return _splice(edit, source, spans, diagnostic.args)
        case TokenEdit():
            return _token_edit(edit, source, diagnostic)
        case AddImport():
            return _import_edit(edit, source, diagnostic.args)
        case AddLines():
            return _lines_edit(edit, source, diagnostic)
        case _:
            assert_never(edit)


def _carried_out(
    source: ParsedSource, edits: list[_Edit], rule: Rule, args: Sequence[str]
) -> Rewritten | NoFit:
    ordered = sorted(edits, key=lambda edit: edit[:2])
    if any(left[1] > right[0] or left[:2] == right[:2] for left, right in pairwise(ordered)):
        return NoFit("its edits overlap")
    if rule.pattern.tree is not None and not IMPORT_KINDS.isdisjoint(rule.pattern.tree.kinds):
        ordered = _with_names_in_order(source, ordered, rule)
    text = _spliced(source.text, ordered)
    why = _why_not(source, ParsedSource(text, rule.target), ordered, rule, args)
    return (
        Rewritten(text, tuple((start, end) for start, end, _ in ordered))
        if why is None
        else NoFit(why)
    )


def _spliced(text: str, ordered: Sequence[_Edit]) -> str:
    parts, done = [], 0
    for start, end, new in ordered:
        parts += [text[done:start], new]
        done = end
    return "".join([*parts, text[done:]])


def _why_not(
    before: ParsedSource,
    after: ParsedSource,
    ordered: Sequence[_Edit],
    rule: Rule,
    args: Sequence[str],
) -> str | None:
    """Return why the result of the edits must not be used; None if it may."""
    if after.text == before.text:
        return "nothing would change"
    if _braces_open(before.text) != _braces_open(after.text) and not nests_as_indented(after):
        # Only the indentation shows which brace was lost, or is one too many.
        return "the braces would not nest as the lines are indented"
    if rule.pattern.place in {"at", "elsewhere"} and _breaks(before, after):
        return "the new text would not parse"
    if all(not new.strip(BLANKS) for _, _, new in ordered):
        gone = (before.text[start:end] for start, end, _ in ordered)
        why = next(
            (
                why
                for each in gone
                if (why := why_not_deleted(each, before.text, before.language, args))
            ),
            None,
        )
        if why is not None:
            return why
    return why_not_sane(before, after, [new for _, _, new in ordered])


def _with_names_in_order(source: ParsedSource, ordered: list[_Edit], rule: Rule) -> list[_Edit]:
    """Put the imported names in order, unless an example has them out of order.

    Then a line is one edit.
    """
    lines = {source.line_of(at) for start, end, _ in ordered for at in (start, end)}
    shown = (line for example in rule.examples for line in (example.after or "").split("\n"))
    if len(lines) != 1 or any(in_order(line, line) != line for line in shown):
        return ordered
    line = min(lines)
    start, end = source.line_starts[line], source.line_end(line)
    was = source.text[start:end]
    now = _spliced(was, [(left - start, right - start, new) for left, right, new in ordered])
    sorted_ = in_order(was, now)
    return ordered if sorted_ == now else [(start, end, sorted_)]


def _breaks(before: ParsedSource, after: ParsedSource) -> bool:
    """Return whether the new tree has more broken places than the old one."""
    if before.root is None or after.root is None:
        return False
    # Not `broken_nodes`, which visits each node: what the parser inserts, the compiler refuses.
    return len(after.root.find_all(kind="ERROR")) > len(before.root.find_all(kind="ERROR"))


def _strange_hole(rule: Rule, diagnostic: Diagnostic) -> str | None:
    """Return an argument written by the fix that looks like none in the examples, or None.

    An example is `list[int]` for `int`.
    """
    for number in sorted(args_used(rule.fix)):
        if number >= len(diagnostic.args) or not diagnostic.args[number]:
            return "an argument"
        shapes = {
            shape_of(example.args[number])
            for example in rule.examples
            if number < len(example.args)
        }
        if shapes and shape_of(diagnostic.args[number]) not in shapes:
            return diagnostic.args[number]
    return None


# ---------------------------------------------------------------------------- kinds of edits


def _splice(
    edit: RuleSplice, source: ParsedSource, spans: Spans, args: Sequence[str]
) -> _Edit | None:
    start = _side(source, spans[edit.start[0]], edit.start[1])
    end = _side(source, spans[edit.end[0]], edit.end[1])
    if edit.lines:
        start, end = (
            source.text.rfind("\n", 0, start) + 1,
            source.text.find("\n", end) + 1 or len(source.text),
        )
        if source.text[start:end].strip(BLANKS + ";") != source.text[
            slice(*spans[edit.start[0]])
        ].strip(BLANKS + ";"):
            return None
    if start > end:
        return None

    def piece_text(number: int) -> str:
        return source.text[slice(*spans[number])]

    return start, end, _filled(edit.parts, args, piece_text, source.indent_at(start))


def _side(source: ParsedSource, span: tuple[int, int], side: PieceSide) -> int:
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


def _token_edit(edit: TokenEdit, source: ParsedSource, diagnostic: Diagnostic) -> _Edit | None:
    place = find_tokens(edit, source, diagnostic)
    if place is None:
        return None
    start, end = span_between(source, place, edit.sides)
    if any(source.text[start:end].strip(BLANKS)) and not edit.removed:
        # There is a comment in the gap.
        return None

    def piece_text(number: int) -> str:
        return source.tokens[place.low + number].text

    indent, next_indent = _indent_before(source, end), _indent_at(source, place.high)
    return start, end, _filled(edit.parts, diagnostic.args, piece_text, indent, next_indent)


def _import_edit(edit: AddImport, source: ParsedSource, args: Sequence[str]) -> _Edit | None:
    lines = [line + "\n" for line in source.text.split("\n")]
    line = _filled(edit.parts, args)
    if any(old.rstrip(BLANKS) == line for old in lines):
        return None
    block = has_block(lines, source.language)
    usable = IN_BLOCK if block else NO_BLOCK
    places = [place for place in edit.places if place in usable] or list(usable)
    numbers = (line_for(place, lines, line + "\n", source.language) for place in places)
    number = next((number for number in numbers if number is not None), None)
    if number is None or number >= len(source.line_starts):
        return None
    at = source.line_starts[number]
    end = "\r\n" if "\r\n" in source.text else "\n"
    there = blank_lines(lines, number)
    defines = source.language == "python" and _DEFINITION.match(lines[number + there]) is not None
    wanted = edit.blank if edit.blank is not None else 1 + defines
    return at, at, line + end * (1 if block else 1 + max(0, wanted - there))


_DEFINITION = re.compile(r"(?:async\s+)?def\s|class\s|@")


def _lines_edit(edit: AddLines, source: ParsedSource, diagnostic: Diagnostic) -> _Edit | None:
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
        # A line before the end of a block is indented like the lines in it.
        indent = _indent_before(source, start)
    if edit.place == "after":
        if line + 1 >= len(source.line_starts):
            return None
        start = source.line_starts[line + 1]
    new = _filled(edit.parts, diagnostic.args)
    return (
        start,
        start,
        "".join(f"{indent}{each}\n" if each.strip() else "\n" for each in new.split("\n")),
    )


def body_line(source: ParsedSource, offset: int) -> int | None:
    """Return the first line of the body of the function around an offset."""
    for node in reversed(source.nodes_around(offset)):
        if node.kind().endswith(
            ("block", "body", "compound_statement")
        ) and "func" in _kind_of_parent(node):
            first = next((child for child in node.children() if child.is_named()), None)
            return None if first is None else source.line_of(span_of(first)[0])
    return None


def _kind_of_parent(node: object) -> str:
    parent = getattr(node, "parent", lambda: None)()
    kind = "" if parent is None else str(parent.kind())
    return (
        "func"
        if kind in {"method_declaration", "constructor_declaration", "method_definition"}
        else kind
    )


def _indent_before(source: ParsedSource, offset: int) -> str:
    """Return the indentation of the previous line of code."""
    line = source.line_of(offset) - 1
    while line >= 0:
        code = source.text[source.line_starts[line] : source.line_end(line)]
        if code.strip():
            return code[: len(code) - len(code.lstrip(" \t"))]
        line -= 1
    return ""


def _braces_open(text: str) -> int:
    return text.count("{") - text.count("}")


def _indent_at(source: ParsedSource, number: int) -> str:
    """Return the indentation of the line of a token."""
    if number >= len(source.tokens):
        return ""
    start = source.line_starts[source.line_of(source.tokens[number].start)]
    line = source.text[start : source.tokens[number].start]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _filled(
    parts: Sequence[TextPart],
    args: Sequence[str],
    piece_text: Callable[[int], str] = lambda _: "",
    indent: str = "",
    next_indent: str = "",
) -> str:
    def fill(part: TextPart) -> str:
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
                return next_indent if part.number else indent
            case _:
                assert_never(part.of)

    return "".join(fill(part) for part in parts)
