"""What the parts of a rule stand for: each of these would fit too much, or too little, without a condition."""

from __future__ import annotations

import pytest

from holdfast.rules.apply_rule import Rewritten, is_conversion, rewrite
from holdfast.rules.header_learner import header_rewrite
from holdfast.rules.import_block import import_lines
from holdfast.rules.learn_rule import learn
from holdfast.rules.match.context import comments_at
from holdfast.rules.match.missing_name import other_reading
from holdfast.rules.match.node_classes import is_literal
from holdfast.rules.match.site import Site
from holdfast.rules.match.variables import has_unread_variable
from holdfast.rules.rule import (
    Example,
    HeaderRewrite,
    Rule,
    TokenRewrite,
    TreeRewrite,
    value_in,
)
from holdfast.rules.sample import Sample
from holdfast.rules.type_text import common_type, fits_type
from holdfast.syntax.edits import edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import texts_of, tokenize
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(template: str, *args: str, at: tuple[int, int], tool: str = "tool") -> Diagnostic:
    area = Area(*at, *at)
    return Diagnostic(tool, "", "F821", "error", template.format(*args), template, args, "", area)


@pytest.mark.parametrize(
    ("pattern", "fix", "expected"),
    [("$A", "int($A)", True), ("len($A)", "count($A)", False), ("$A + $B", "int($A) + $B", True)],
)
def test_an_operand_that_a_function_had_before_is_not_converted(
    pattern: str, fix: str, expected: bool
) -> None:
    assert is_conversion(TreeRewrite(pattern, fix)) is expected


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("math", "match n:\n        case 1: return math.pi", None),
        ("time", "print(type(n), time.time())", None),
        ("re", "res = re.search('a', n)", None),
        ("random", "randoms = random.random()", "similar"),
    ],
)
def test_a_missing_name_is_like_names_of_some_length_and_like_no_keyword(
    name: str, line: str, expected: str | None
) -> None:
    text = f"def f(n):\n    {line}\n"
    at = text.index(f"{name}.")
    lines = text[:at].split("\n")
    said = _said("Undefined name {0}", name, at=(len(lines), len(lines[-1]) + 1), tool="ruff")
    source = ParsedSource(text, "python")
    assert other_reading(source, said, imports=[f"import {name}"]) == expected


@pytest.mark.parametrize(
    ("language", "before", "after", "expected"),
    [
        ("javascript", "f();\n", '"use strict"\nf();\n', []),
        ("python", 'a = [\n    "b",\n]\n', 'a = [\n    "c"\n    "b",\n]\n', []),
        ("go", 'import (\n\t"a"\n)\n', 'import (\n\t"a"\n\t"b"\n)\n', ['import "b"']),
    ],
)
def test_a_text_on_a_line_of_its_own_is_an_import_in_go_only(
    language: str, before: str, after: str, expected: list[str]
) -> None:
    [edit] = edits_between(before, after, language)
    assert import_lines(edit, after, language) == expected


def test_a_type_that_is_a_keyword_is_no_literal() -> None:
    source = ParsedSource("let a: number = 1;\nlet b: string = 'c';\n", "typescript")
    literals = {node.text() for node in source.nodes if is_literal(node)}
    assert {"1", "'c'"} <= literals
    assert literals.isdisjoint({"number", "string"})


def test_a_text_that_a_function_is_has_no_docstring() -> None:
    source = ParsedSource("const f = () => 'a';\n", "javascript")
    assert comments_at(source, source.text.index("'a'"), source.text.index(";")) == ""


def test_a_missing_sign_does_not_depend_on_variables() -> None:
    text = "void f(void) {\n    int n = 1;\n    for (int i = 0; i < 3; i++)\n        g()\n}\n"
    source = ParsedSource(text, "c")
    span = text.index("g()"), text.index("g()") + 3
    said = _said("expected ;", at=(4, 12))

    def site(rewrite: TokenRewrite | TreeRewrite) -> Site:
        return Site(rewrite, source, said, span=span, changed=span, holes={})

    assert has_unread_variable(site(TreeRewrite("g()", "h()")))
    assert not has_unread_variable(site(TokenRewrite(") $EOL", ");")))


def test_a_header_is_that_of_a_declaration_and_not_of_its_keyword() -> None:
    before = "function go() {}\n"
    said = _said("{0} is not async", "go", at=(1, 3))
    [edit] = edits_between(before, f"async {before}", "javascript")
    example = Example(before, f"async {before}", said.message, said.args, said.area)
    made = header_rewrite([Sample(example, said, edit, "javascript")])
    assert isinstance(made, HeaderRewrite)
    assert made.pattern == "function_declaration"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "python",
            'f"a {n.m:>3} {{b}}" + "{c}"',
            ['f"a {', "n", ".", "m", ':>3} {{b}}"', "+", '"{c}"'],
        ),
        ("typescript", "`a ${b.c} {d}`", ["`a ${", "b", ".", "c", "} {d}`"]),
        ("rust", '"{a}"', ['"{a}"']),
    ],
)
def test_code_in_a_text_is_tokens_of_its_own(language: str, text: str, expected: list[str]) -> None:
    tokens = tokenize(text, language)
    assert texts_of(tokens) == expected
    assert [text[token.start : token.end] for token in tokens] == expected


def test_a_number_between_angle_brackets_is_a_type_argument() -> None:
    assert fits_type("Set<number>", "Set<_>")
    assert common_type("Set<number>", "Set<string>") == "Set<_>"
    assert common_type("list[int]", "list[float]") == "list[<number>]"


@pytest.mark.parametrize(
    ("text", "program", "expected"),
    [
        ("int", "def f(line):\n    return int(line)\n\ndef g(a: b) -> None: pass\n", "int"),
        ("Weather.Day", "class Weather { record Day(int n) {} }", "<record>"),
        ("Optional<Day>", "record Day(int n) {}", "Optional<<record>>"),
    ],
)
def test_what_is_returned_is_not_declared_and_a_type_may_be_in_another(
    text: str, program: str, expected: str
) -> None:
    assert value_in(text, program) == expected


@pytest.mark.parametrize(
    ("column", "covered"),
    [(9, "slider.value"), (16, ""), (5, "set(slider.value)")],
)
def test_a_point_is_about_the_longest_chain_of_members_and_calls_there(
    column: int, covered: str
) -> None:
    text = "{\n    set(slider.value) + 1;\n}\n"
    source = ParsedSource(text, "javascript")
    said = _said("no", at=(2, column))
    start = source.place_of(said)
    assert text[start : source.operand_end(said)] == covered


@pytest.mark.parametrize(
    ("language", "template", "first", "second"),
    [
        # A type of the program has another name in another program.
        (
            "java",
            "{0} is no {1}",
            ("record Dish(int n) {}\nclass A { int f(B b) {\n    Dish d = find(b);\n    return d.n();\n} B find(B b) { return b; } }\n", ("java.util.Optional<Dish>", "Dish"), "find(b);", "find(b).orElseThrow();"),
            ("record Car(int n) {}\nclass C { int g(B b) {\n    Car c = look(b);\n    return c.n();\n} B look(B b) { return b; } }\n", ("java.util.Optional<Car>", "Car"), "look(b);", "look(b).orElseThrow();"),
        ),
        # A class is called as a function is.
        (
            "python",
            "argument of {0} has type {1}, not {2}",
            ("def ruler(n: int) -> None: pass\nruler(text)\n", ("ruler", "str", "int"), "text)", "int(text))"),
            ("class Timer:\n    pass\nTimer(word)\n", ("Timer", "str", "int"), "word)", "int(word))"),
        ),
        # What a closure takes with it may have any name.
        (
            "rust",
            "closure may outlive {0}",
            ("fn f(host: String) {\n    spawn(|| use_it(&host));\n}\n", ("host",), "|| use", "move || use"),
            ("fn g(name: String) {\n    spawn(|| {\n        print(&name);\n    });\n}\n", ("name",), "|| {", "move || {"),
        ),
    ],
)  # fmt: skip
def test_what_a_program_names_itself_has_another_name_in_another_program(
    language: Target,
    template: str,
    first: tuple[str, tuple[str, ...], str, str],
    second: tuple[str, tuple[str, ...], str, str],
) -> None:
    made = []
    for text, names, old, new in (first, second):
        lines = text[: text.index(old)].split("\n")
        said = _said(template, *names, at=(len(lines), len(lines[-1]) + 1))
        made.append((text, text.replace(old, new, 1), said))

    (before, after, said), (other, expected, asked) = made
    rule = learn(before, after, said, language)
    assert isinstance(rule, Rule), rule
    assert rewrite(rule, other, asked) == Rewritten(expected)
