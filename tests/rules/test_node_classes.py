"""What is special about a literal, and what a node is in."""

from __future__ import annotations

import pytest

from holdfast.rules.match.node_classes import (
    class_of_literal,
    class_of_name,
    construct_around,
    exact_kind_of,
    kind_around,
)
from holdfast.rules.match.token_pattern import constructs_at
from holdfast.syntax.source import ParsedSource


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
        ("x = (a here)", "group ("),
        ("x = [a here]", "list ["),
        ("x[a here]", "index ["),
    ],
)
def test_an_open_bracket_belongs_to_what_is_before_it(text: str, expected: str) -> None:
    source = ParsedSource(text, "python")
    at = [token.text for token in source.tokens].index("here")
    assert constructs_at(source, at)[-1] == expected
