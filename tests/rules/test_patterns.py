"""Where the pattern of a rule fits a text, and what its holes stand for there."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.rules.match.token_pattern import find_token_matches
from holdfast.rules.match.tree_pattern import find_matches, kind_of_pattern
from holdfast.rules.rule import TokenRewrite, TreeRewrite
from holdfast.rules.rule_yaml import BadRule, parse_rule
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Target

Found = list[tuple[str, dict[str, str]]]
"""The text of each place, with the texts of the holes there."""
CALLS = "x = load(a, 1)\nload(b.c, 2)\nif load(LIMIT, 'z'):\n    x = save(a, 1)\n"


@pytest.mark.parametrize(
    ("language", "text", "args", "limits", "expected"),
    [
        ("python", CALLS, "", {"pattern": "load($A, $B)"}, [("load(a, 1)", {"A": "a", "B": "1"}), ("load(b.c, 2)", {"A": "b.c", "B": "2"}), ("load(LIMIT, 'z')", {"A": "LIMIT", "B": "'z'"})]),
        ("python", CALLS, "", {"pattern": "load($A, $B)", "kinds": {"A": ("reference:variable",)}}, [("load(a, 1)", {"A": "a", "B": "1"}), ("load(b.c, 2)", {"A": "b.c", "B": "2"})]),
        ("python", CALLS, "", {"pattern": "load($A, $B)", "kinds": {"A": ("reference",), "B": ("integer",)}}, [("load(a, 1)", {"A": "a", "B": "1"}), ("load(b.c, 2)", {"A": "b.c", "B": "2"})]),
        ("python", CALLS, "", {"pattern": "load($A, $B)", "inside": ("statement",)}, [("load(b.c, 2)", {"A": "b.c", "B": "2"})]),
        ("python", CALLS, "", {"pattern": "load($A, $B)", "inside": ("if_statement", "assignment")}, [("load(a, 1)", {"A": "a", "B": "1"}), ("load(LIMIT, 'z')", {"A": "LIMIT", "B": "'z'"})]),
        ("python", CALLS, "load", {"pattern": "$ARG0($A, 1)"}, [("load(a, 1)", {"ARG0": "load", "A": "a"})]),
        ("python", CALLS, "save load", {"pattern": "$ARG1($A, $B)"}, [("load(a, 1)", {"ARG1": "load", "A": "a", "B": "1"}), ("load(b.c, 2)", {"ARG1": "load", "A": "b.c", "B": "2"}), ("load(LIMIT, 'z')", {"ARG1": "load", "A": "LIMIT", "B": "'z'"})]),
        ("python", CALLS, "save", {"pattern": "$ARG1($A, $B)"}, []),
        ("python", CALLS, "a", {"pattern": "load($A, $B)", "mentions": {"A": ("ARG0",)}}, [("load(a, 1)", {"A": "a", "B": "1"})]),
        ("python", CALLS, "b c", {"pattern": "load($A, $B)", "mentions": {"A": ("ARG0", "ARG1")}}, [("load(b.c, 2)", {"A": "b.c", "B": "2"})]),
        ("python", CALLS, "b z", {"pattern": "load($A, $B)", "mentions": {"A": ("ARG0", "ARG1")}}, []),
        ("python", CALLS, "a", {"pattern": "$ARG0", "kinds": {"ARG0": ("reference",)}}, [("a", {"ARG0": "a"}), ("a", {"ARG0": "a"})]),
        ("python", CALLS, "a", {"pattern": "$ARG0", "kinds": {"ARG0": ("reference",)}, "inside": ("call",)}, [("a", {"ARG0": "a"}), ("a", {"ARG0": "a"})]),
        ("python", CALLS, "", {"pattern": "$A", "kinds": {"A": ("integer",)}}, [("1", {"A": "1"}), ("2", {"A": "2"}), ("1", {"A": "1"})]),
        ("python", CALLS, "", {"pattern": "$A", "kinds": {"A": ("string", "reference:constant")}}, [("LIMIT", {"A": "LIMIT"}), ("'z'", {"A": "'z'"})]),
        ("python", CALLS, "", {"pattern": "$A", "kinds": {"A": ("call:save",)}}, [("save(a, 1)", {"A": "save(a, 1)"})]),
        ("python", CALLS, "", {"pattern": "$A", "kinds": {"A": ("integer",)}, "inside": ("assignment",)}, []),
        ("python", CALLS, "", {"pattern": "x = $A"}, [("x = load(a, 1)", {"A": "load(a, 1)"}), ("x = save(a, 1)", {"A": "save(a, 1)"})]),
        ("python", CALLS, "", {"pattern": "$A = $A"}, []),
        ("python", "x = x\ny = x\n", "", {"pattern": "$A = $A"}, [("x = x", {"A": "x"})]),
        ("python", "f(a, b, c)\nf()\nf(a)\n", "", {"pattern": "f($$$A)"}, [("f(a, b, c)", {"A": "a, b, c"}), ("f()", {"A": ""}), ("f(a)", {"A": "a"})]),
        ("python", "f(a, b, c)\nf()\nf(a)\n", "", {"pattern": "f(a, $$$A)"}, [("f(a, b, c)", {"A": " b, c"})]),
        ("python", "def f(a):\n    b(1)\n    c\n", "", {"pattern": "def f($A):\n    $$$B"}, [("def f(a):\n    b(1)\n    c", {"A": "a", "B": "\n    b(1)\n    c\n"})]),
        ("python", "n = 1\nf(n)\nk = 1\ng[k]\n", "", {"pattern": "$A = 1", "uses": {"A": ("argument_list ( 1",)}}, [("n = 1", {"A": "n"})]),
        ("python", "n = 1\nf(n)\nk = 1\ng[k]\n", "", {"pattern": "$A = 1", "uses": {"A": ()}}, []),
        ("python", "n = 1\nf(n)\nk = 1\ng[k]\n", "", {"pattern": "$A", "kinds": {"A": ("integer",)}, "uses": {"A": ()}}, [("1", {"A": "1"}), ("1", {"A": "1"})]),
        ("python", "f(\n", "", {"pattern": "f($A"}, []),
        ("c", "int f(void) { return g(a); }\nint k = g(2);\n", "", {"pattern": "g($A)"}, [("g(a)", {"A": "a"}), ("g(2)", {"A": "2"})]),
        ("c", "int f(void) { int a; int b = 1; }\nstruct s { int c; };\n", "", {"pattern": "int $A;"}, [("int a;", {"A": "a"}), ("int b = 1;", {"A": "b = 1"})]),
        ("c", "int f(void) { int a; int b = 1; }\nstruct s { int c; };\n", "", {"pattern": "int $A;", "kind": "field_declaration"}, [("int c;", {"A": "c"})]),
        ("java", "class A { int f(int a) { return a; } void g() { } }\n", "", {"pattern": "$A $B($$$C) {\n    $$$D\n}"}, [("int f(int a) { return a; }", {"A": "int", "B": "f", "C": "int a", "D": " return a; "}), ("void g() { }", {"A": "void", "B": "g", "C": "", "D": ""})]),
        ("javascript", "async function f(a, b) { g(); }\nfunction h() {}\n", "", {"pattern": "function $A($$$B) {\n  $$$C\n}"}, [("function h() {}", {"A": "h", "B": "", "C": ""})]),
        ("rust", "fn f() { let a = 1; let mut b = 2; }\n", "", {"pattern": "let $A = $B;"}, [("let a = 1;", {"A": "a", "B": "1"})]),
        ("go", "package a\n\nfunc f() {\n\ta := g(1)\n\tb := 2\n}\n", "", {"pattern": "$A := $B", "kinds": {"B": ("call_expression",)}}, [("a := g(1)", {"A": "a", "B": "g(1)"})]),
        ("any", "f(1)\n", "", {"pattern": "f($A)"}, []),
        ("any", "f(1)\n", "", {"pattern": "$A", "kinds": {"A": ("identifier",)}}, []),
    ],
)  # fmt: skip
def test_a_pattern_fits_the_nodes_of_its_shape_within_its_limits(
    language: Target, text: str, args: str, limits: dict[str, Any], expected: Found
) -> None:
    source = ParsedSource(text, language)
    matches = find_matches(TreeRewrite(fix="", **limits), source, tuple(args.split()))
    assert [(text[match.start : match.end], match.texts) for match in matches] == expected


@pytest.mark.parametrize(
    ("language", "text", "args", "limits", "expected"),
    [
        ("python", "if a = 1:\n    b = 2\n", "", {"pattern": "$A = $B"}, [("a = 1", {"A": "a", "B": "1"}), ("b = 2", {"A": "b", "B": "2"})]),
        ("python", "if a = 1:\n    b = 2\n", "", {"pattern": "$A = $B", "inside": ("if",)}, [("a = 1", {"A": "a", "B": "1"})]),
        ("python", "if a = 1:\n    b = 2\n", "", {"pattern": "$A = $B", "inside": ("line", "while")}, [("b = 2", {"A": "b", "B": "2"})]),
        ("python", "if a = 1:\n    b = 'c'\n", "", {"pattern": "$A = $B", "kinds": {"B": ("number",)}}, [("a = 1", {"A": "a", "B": "1"})]),
        ("python", "if a = 1:\n    b = 'c'\n", "", {"pattern": "$A = $B", "kinds": {"B": ("string:text", "close")}}, [("b = 'c'", {"A": "b", "B": "'c'"})]),
        ("python", "if a = B:\n    b = c.d\nk = f(1)\nm = g[0]\n", "", {"pattern": "$A = $B", "kinds": {"B": ("name:type", "name:member")}}, [("a = B", {"A": "a", "B": "B"}), ("b = c", {"A": "b", "B": "c"})]),
        ("python", "if a = B:\n    b = c.d\nk = f(1)\nm = g[0]\n", "", {"pattern": "$A = $B", "kinds": {"B": ("name:called", "name:indexed")}}, [("k = f", {"A": "k", "B": "f"}), ("m = g", {"A": "m", "B": "g"})]),
        ("python", "a b a a b b", "", {"pattern": "$A $A"}, [("a a", {"A": "a"}), ("b b", {"A": "b"})]),
        ("python", "a b\nb c\n", "b", {"pattern": "$ARG0 $B"}, [("b b", {"ARG0": "b", "B": "b"}), ("b c", {"ARG0": "b", "B": "c"})]),
        ("python", "a b\nb c\n", "x b", {"pattern": "$A $ARG1"}, [("a b", {"A": "a", "ARG1": "b"}), ("b b", {"A": "b", "ARG1": "b"})]),
        ("python", "a b\nb c\n", "", {"pattern": "$A $ARG1"}, []),
        ("python", "a b\nc\n", "", {"pattern": "$A $EOL"}, [("b", {"A": "b"}), ("c", {"A": "c"})]),
        ("python", "a b\nc\n", "", {"pattern": "b $EOL c"}, [("b c", {})]),
        ("python", "a )\n", "", {"pattern": "a ) b"}, []),
        ("python", "a\n", "", {"pattern": "a"}, [("a", {})]),
        ("c", "f(1) a; f(2) b;", "", {"pattern": "( $A )", "inside": ("f (",)}, [("( 1 )", {"A": "1"}), ("( 2 )", {"A": "2"})]),
        ("c", "g(f(1)) a; f(2) b;", "", {"pattern": "$A", "kinds": {"A": ("number",)}, "inside": ("call (",)}, [("1", {"A": "1"}), ("2", {"A": "2"})]),
        ("c", "g(f(1)) a; f(2) b;", "", {"pattern": "$A", "kinds": {"A": ("number",)}, "inside": ("g (",)}, []),
    ],
)  # fmt: skip
def test_a_pattern_of_tokens_fits_runs_of_them_inside_its_constructs(
    language: Target, text: str, args: str, limits: dict[str, Any], expected: Found
) -> None:
    source = ParsedSource(text, language)
    matches = find_token_matches(TokenRewrite(fix="", **limits), source, tuple(args.split()))
    found = []
    for match in matches:
        tokens = source.tokens[match.low : match.high]
        found.append((" ".join(token.text for token in tokens), match.texts))
    assert found == expected


@pytest.mark.parametrize(
    ("pattern", "language", "wanted", "kind"),
    [
        ("f($A)", "python", "", "call"),
        ("$A: $B", "python", "", "assignment"),
        ("int $A;", "c", "", "declaration"),
        ("int $A;", "c", "field_declaration", "field_declaration"),
        ("int $A;", "c", "call", None),
        ("f(", "python", "", None),
        ("f($A)", "any", "", None),
        ("$A $B($$$C) {\n    $$$D\n}", "java", "", "method_declaration"),
        ("if ($A) { $$$B }", "c", "", "if_statement"),
        ("await f($A)", "javascript", "", "await_expression"),
        ("const $A = $B;", "typescript", "", "lexical_declaration"),
        ("x", "python", "", "identifier"),
        ("f(\ud800)", "python", "", None),
    ],
)
def test_a_pattern_describes_a_node_of_one_kind(
    pattern: str, language: Target, wanted: str, kind: str | None
) -> None:
    assert kind_of_pattern(pattern, language, wanted) == kind


def test_a_pattern_in_a_language_without_a_grammar_is_no_rule() -> None:
    text = "language: any\ndiagnostic: {tool: a, message: b}\npattern: f($A)\nfix: g\n"
    with pytest.raises(BadRule, match="no code of this language"):
        parse_rule(text)
    assert parse_rule(text.replace("pattern", "tokens")).rewrite == TokenRewrite("f($A)", "g")
