"""What is special about a literal, and what a node is in."""

from __future__ import annotations

import pytest

from holdfast.rules.match.node_classes import (
    class_of_literal,
    class_of_name,
    construct_around,
    exact_kind_of,
    fits_kind,
    is_callee_or_member,
    is_expression,
    is_literal,
    is_name,
    is_type,
    kind_around,
    node_kinds,
)
from holdfast.rules.match.token_pattern import constructs_at
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "zero"),
        ("0.0f", "zero"),
        ("0x00", "zero"),
        ("0UL", "zero"),
        (".0", "zero"),
        ("0xff", "number"),
        ("0xF", "number"),
        ("0b10", "number"),
        ("10", "number"),
        ('""', "empty"),
        ("''", "empty"),
        ('f""', "empty"),
        ('""""""', "empty"),
        ('"buf"', "text"),
        ('"U"', "text"),
        ("'f'", "text"),
        ('b"rub"', "text"),
        ('"""fF"""', "text"),
        ('"+125"', "digits"),
        ('"%5d items"', "format"),
        ('f"{name}"', "format"),
    ],
)
def test_letters_of_a_prefix_or_suffix_are_content_elsewhere(text: str, expected: str) -> None:
    assert class_of_literal(text) == expected


@pytest.mark.parametrize(
    ("text", "construct", "kind"),
    [
        ("here\n", "statement", "module"),
        ("if x:\n    here\n", "statement", "if_statement"),
        ("def f():\n    g(here)\n", "call", "call"),
        ("def f():\n    y = here\n", "assignment", "assignment"),
        ("def f():\n    return (here)\n", "return_statement", "return_statement"),
        ("while here:\n    pass\n", "while_statement", "while_statement"),
    ],
)
def test_lists_and_brackets_belong_to_their_construct_and_a_block_to_what_it_is_of(
    text: str, construct: str, kind: str
) -> None:
    [node] = [
        each for each in ParsedSource(text, "python").find("identifier") if each.text() == "here"
    ]
    assert (construct_around(node), kind_around(node)) == (construct, kind)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("MAX", "constant"), ("PI", "constant"), ("T", "type"), ("Row", "type"), ("row", "variable")],
)
def test_the_spelling_of_a_name_says_what_it_is(text: str, expected: str) -> None:
    assert class_of_name(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("here.find(1)\n", "call:find"),
        ("find(1)\n", "call:find"),
        ("0\n", "integer:zero"),
        ("LIMIT\n", "reference:constant"),
        ("row.size\n", "reference:variable"),
    ],
)
def test_an_operand_has_the_class_of_its_last_part(text: str, kind: str) -> None:
    source = ParsedSource(text, "python")
    [statement] = source.find("expression_statement")
    assert exact_kind_of(statement.children()[0]) == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max(a here)", "call ("),
        ("if (a here)", "if ("),
        ("int max(a here)", "call ("),
        ("def max(a here)", "parameters ("),
        ("def a max(b here)", "call ("),
        ("x = (a here)", "group ("),
        ("x = [a here]", "list ["),
        ("x[a here]", "index ["),
        ("(here)", "group ("),
        ("[here]", "list ["),
        ("{here}", "object {"),
        ("f(here)", "call ("),
        ("f(g([a]) here)", "call ("),
        ("here (", "line"),
        ("f(a) here", "line"),
        ("f((a) here)", "call ("),
        ("f([a)] here)", "line"),
        ("x = {here}", "object {"),
        ("(x {here})", "line"),
        ("if a here", "if"),
        ("b\nif a\nhere", "line"),
        ("if a\nhere", "line"),
        ("f(\nhere)", "call ("),
    ],
)
def test_an_open_bracket_belongs_to_what_is_before_it(text: str, expected: str) -> None:
    source = ParsedSource(text, "python")
    at = [token.text for token in source.tokens].index("here")
    assert constructs_at(source, at)[-1] == expected


@pytest.mark.parametrize(("count", "expected"), [(398, "call ("), (399, "line")])
def test_an_open_bracket_is_looked_for_in_a_few_hundred_tokens(count: int, expected: str) -> None:
    source = ParsedSource(f"f({'a ' * count}here", "python")
    assert constructs_at(source, count + 2) == (("f (",) * (count == 398) + (expected,))


def test_a_call_has_the_name_of_its_function_too() -> None:
    source = ParsedSource("max(a here)", "python")
    assert constructs_at(source, 3) == ("max (", "call (")


_CLASSES = (is_literal, is_name, is_expression, is_callee_or_member, is_type)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "python",
            "x: None = f(a.b, -y, 'z', self, [1])\nq: int = g[k]\nr: a.b = lambda: 0\ns: list[str]\n",
            """
            None: -; f: name expression callee_or_member; a.b: expression; a: name expression
            b: name expression callee_or_member; -y: expression; 'z': literal; self: -; [1]: expression
            1: literal; q: name expression; int: name expression type; g[k]: expression
            lambda: 0: expression; list[str]: type; list: name expression; str: name expression type
            """,
        ),
        (
            "rust",
            'fn f(a: u8) -> Row { println!("x"); b::c(1); d.e.g(2) }\n',
            """
            u8: type; Row: type; println!("x"): expression; println: name expression callee_or_member
            b::c(1): expression; b::c: callee_or_member; b: name expression
            c: name expression callee_or_member; d.e.g: expression callee_or_member; d.e: expression
            e: name expression callee_or_member; (2): -; 2: literal
            """,
        ),
        (
            "java",
            "class A { Row f(int a) { this.b = new C(d); return g.h(i); } }\n",
            """
            Row: type; int: type; this.b: expression; this: -; b: name expression callee_or_member
            new C(d): expression; C: callee_or_member type; d: name expression; g: name expression
            h: name expression callee_or_member; i: name expression
            """,
        ),
        (
            "c",
            "int f(struct r *a) { a->b = (c); return d(NULL, 'x', 3); }\n",
            """
            int: type; r: type; a->b: expression; b: name expression callee_or_member; (c): -
            d: name expression callee_or_member; NULL: -; 'x': literal; 3: literal
            """,
        ),
    ],
)  # fmt: skip
def test_the_parts_of_a_program_are_operands_names_and_types(
    language: Target, text: str, expected: str
) -> None:
    found: dict[str, str] = {}
    for node in ParsedSource(text, language).nodes:
        if node.is_named():
            classes = [each.__name__.removeprefix("is_") for each in _CLASSES if each(node)]
            found[node.text()] = " ".join(classes) or "-"
    rows = [row.strip() for line in expected.split("\n") for row in line.split(";") if row.strip()]
    assert [f"{row.rpartition(': ')[0]}: {found[row.rpartition(': ')[0]]}" for row in rows] == rows


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("f(1)\n", "call call:f expression"),
        ("row.size\n", "attribute expression reference reference:variable"),
        ("LIMIT\n", "expression identifier reference reference:constant"),
        ("0\n", "integer integer:zero"),
        ("''\n", "string string:empty"),
        ("self\n", "identifier reference reference:variable"),
    ],
)
def test_an_operand_fits_its_kinds(text: str, fitting: str) -> None:
    kinds = (
        "attribute call call:f call:g expression identifier integer integer:zero integer:number"
        " reference reference:constant reference:variable string string:empty"
    )
    [statement] = ParsedSource(text, "python").find("expression_statement")
    [node] = statement.children()
    assert " ".join(kind for kind in kinds.split() if fits_kind(node, (kind,))) == fitting
    assert not fits_kind(node, ())


def test_a_declarator_without_a_value_is_its_name() -> None:
    source = ParsedSource("let a;\nlet b = 1;\n", "javascript")
    declarators = source.find("variable_declarator")
    assert [fits_kind(node, ("reference",)) for node in declarators] == [True, False]


@pytest.mark.parametrize(
    ("kinds", "count"),
    [((), 1), (("call:f",), 2), (("reference:constant",), 11), (("expression",), 11)],
)
def test_an_operand_of_some_kinds_may_be_a_node_of_these(
    kinds: tuple[str, ...], count: int
) -> None:
    found = node_kinds(kinds, is_named=False)
    assert (found[:1] if kinds == () else [], len(found)) == (["identifier"] * (kinds == ()), count)
    assert len(node_kinds(kinds, is_named=True)) == count + 2
