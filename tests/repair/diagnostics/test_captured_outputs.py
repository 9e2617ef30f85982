"""What the real tools printed about real files (captured/, taken with ruff 0.17, mypy 2.4, CPython 3.11, gcc 12, rustc 1.95, javac 17, tsc 5.9, node 20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.repair.diagnostics import gcc, javac, mypy, node, python_compile, ruff, rustc, tsc
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, TextEdit

CAPTURED = Path(__file__).with_name("captured")


def output(name: str) -> str:
    return (CAPTURED / f"{name}.output.txt").read_bytes().decode()


def source(name: str, suffix: str, path: str) -> SourceLines:
    return SourceLines({path: (CAPTURED / f"{name}.{suffix}.txt").read_bytes().decode()})


def marked(found: Diagnostic, sources: SourceLines) -> str:
    """The text that a diagnostic points at, up to its end or the end of its line."""
    assert found.area is not None
    line = sources.line(found.path, found.area.line)
    assert line is not None
    end = found.area.end_column if found.area.end_line == found.area.line else None
    point = (found.area.line, found.area.column) == (found.area.end_line, found.area.end_column)
    return line[found.area.column - 1 : None if point or end is None else end - 1]


def summaries(
    found: tuple[Diagnostic, ...], sources: SourceLines
) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(each.code, each.template, each.args, marked(each, sources)) for each in found]


# -------------------------------------------------------------------------------------------------------------- python


def test_ruff_tells_its_fixes_and_whether_they_are_safe() -> None:
    unused, undefined_local, undefined, literal = ruff.parse(output("ruff"), version="0.17.4")
    assert unused == Diagnostic(
        "ruff",
        "0.17.4",
        "F401",
        "error",
        "`os` imported but unused",
        "{0} imported but unused",
        ("os",),
        "/project/a.py",
        Area(1, 8, 1, 10),
        (
            FixIt(
                "Remove unused import: `os`",
                (TextEdit("/project/a.py", Area(1, 1, 1, 15), "import sys"),),
                safe=True,
            ),
        ),
    )
    assert [fixit.safe for fixit in undefined_local.fixits] == [False]
    assert undefined.fixits == ()
    assert [edit for fixit in literal.fixits for edit in fixit.edits] == [
        TextEdit("/project/a.py", Area(4, 6, 4, 8), "==")
    ]


def test_ruff_counts_characters() -> None:
    sources = source("ruff", "py", "/project/a.py")
    found = ruff.parse(output("ruff"), version="0.17.4", sources=sources)
    assert summaries(found, sources)[1:3] == [
        ("F841", "Local variable {0} is assigned to but never used", ("ñandú",), "ñandú"),
        ("F821", "Undefined name {0}", ("undefinedñ",), "undefinedñ"),
    ]


def test_ruff_tells_what_does_not_parse() -> None:
    sources = source("ruff_syntax", "py", "/project/s.py")
    found = ruff.parse(output("ruff_syntax"), version="0.17.4", sources=sources)
    assert [(each.code, each.template, each.area) for each in found] == [
        ("invalid-syntax", "Expected `)`, found newline", Area(1, 9, 2, 1)),
        ("invalid-syntax", "Expected an expression", Area(2, 5, 2, 9)),
    ]


def test_mypy_counts_bytes_from_zero() -> None:
    sources = source("mypy", "py", "m.py")
    found = mypy.parse(output("mypy"), version="2.4.1", sources=sources)
    assert summaries(found, sources) == [
        (
            "return-value",
            "Incompatible return value type (got {0}, expected {1})",
            ("int", "str"),
            "a",
        ),
        (
            "arg-type",
            "Argument {0} to {1} has incompatible type {2}; expected {3}",
            ("1", "g", "str", "int"),
            '"ñ"',
        ),
        (
            "arg-type",
            "Argument {0} to {1} has incompatible type {2}; expected {3}",
            ("2", "g", "int", "str"),
            "2",
        ),
        ("attr-defined", "{0} has no attribute {1}", ("A", "foo"), "A().foo"),
        (
            "arg-type",
            "Argument {0} to {1} has incompatible type {2}; expected {3}",
            ("2", "h", "str", "int"),
            '"x"',
        ),
    ]
    assert {each.severity for each in found} == {"error"}


def test_a_note_of_mypy_belongs_to_the_error_before_it() -> None:
    last = mypy.parse(output("mypy"), version="2.4.1")[-1]
    assert [related.message for related in last.related] == [
        'Revealed type is "Any"',
        "'reveal_type' always outputs 'Any' in unchecked functions",
    ]


def test_mypy_counts_what_does_not_parse_from_one() -> None:
    sources = source("mypy_syntax", "py", "n.py")
    assert summaries(
        mypy.parse(output("mypy_syntax"), version="2.4.1", sources=sources), sources
    ) == [("syntax", "Invalid syntax", (), ":")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("python_1", ("SyntaxError", "{0} outside function", ("return",), "return 1")),
        ("python_2", ("SyntaxError", "invalid syntax. Perhaps you forgot a comma?", (), "3 4")),
        ("python_3", ("SyntaxError", "'(' was never closed", (), "(1,")),
        ("python_4", ("SyntaxError", "keyword argument repeated: {0}", ("a",), "a=2")),
        (
            "python_5",
            (
                "IndentationError",
                "expected an indented block after {0} statement on line {1}",
                ("if", "1"),
                "y",
            ),
        ),
        (
            "python_6",
            ("SyntaxWarning", '{0} with a literal. Did you mean "=="?', ("is",), "if 1 is 1: pass"),
        ),
        ("python_7", ("SyntaxError", "invalid character '“' (U+201C)", (), "“a”")),
    ],
)
def test_python_tells_where_it_stops(
    name: str, expected: tuple[str, str, tuple[str, ...], str]
) -> None:
    sources = source(name, "py", "p.py")
    found = python_compile.parse(output(name), version="3.11.7", sources=sources)
    assert summaries(found, sources) == [expected]
    assert found[0].severity == ("warning" if expected[0].endswith("Warning") else "error")


# ------------------------------------------------------------------------------------------------------------ c and c++


def test_gcc_tells_bytes_which_become_characters() -> None:
    sources = source("gcc", "c", "a.c")
    found = gcc.parse(output("gcc"), version="12.2.0", sources=sources)
    assert summaries(found, sources) == [
        (
            "-Wimplicit-function-declaration",
            "implicit declaration of function {0}",
            ("prinft",),
            "prinft",
        ),
        ("", "{0} has no member named {1}", ("struct s", "membr"), "membr"),
        ("", "{0} undeclared (first use in this function)", ("undeclared",), "M(3)"),
        ("", "expected ';' before '}' token", (), "}"),
        ("", "too many arguments to function {0}", ("g",), "g(a,"),
    ]
    assert [each.severity for each in found] == ["warning", "error", "error", "error", "error"]


def test_gcc_proposes_edits_without_a_promise() -> None:
    found = gcc.parse(output("gcc"), version="12.2.0")
    assert found[1].fixits == (
        FixIt(found[1].message, (TextEdit("a.c", Area(6, 11, 6, 16), "member"),), safe=False),
    )


def test_a_note_of_gcc_belongs_to_what_stands_before_it() -> None:
    found = gcc.parse(output("gcc"), version="12.2.0")
    assert found[-1].related == (Related("declared here", "a.c", Area(8, 5, 8, 5)),)
    assert (
        found[2].related[0].message.startswith("each undeclared identifier is reported only once")
    )


def test_a_missing_header_is_named() -> None:
    (found,) = gcc.parse(output("gcc_include"), version="12.2.0")
    assert (found.template, found.args, found.area) == (
        "{0}: No such file or directory",
        ("none.h",),
        Area(1, 10, 1, 18),
    )


def test_what_gcc_puts_below_a_warning_about_a_header_stands_for_itself() -> None:
    found = gcc.parse(output("gcc_header"), version="12.2.0")
    assert [(each.severity, each.message.partition(" (")[0]) for each in found] == [
        ("warning", "#pragma once in main file"),
        ("error", "unknown type name 'zork'"),
        ("error", "'y' undeclared"),
    ]


def test_what_a_type_is_an_alias_of_is_not_in_the_template() -> None:
    sources = source("gxx", "cpp", "a.cpp")
    found = gcc.parse(output("gxx"), version="12.2.0", sources=sources, tool="g++")
    assert summaries(found, sources) == [
        ("", "conversion from {0} to non-scalar type {1} requested", ("int", "std::string"), "5;"),
        ("-fpermissive", "invalid conversion from {0} to {1}", ("const char*", "int"), '"é"'),
        ("", "{0} was not declared in this scope", ("é",), "é"),
        ("", "{0} was not declared in this scope", ("foo",), "foo"),
    ]
    assert {each.tool for each in found} == {"g++"}


# ---------------------------------------------------------------------------------------------------------------- rust


def test_rustc_tells_types_beside_the_place_and_they_are_arguments() -> None:
    sources = source("rustc", "rs", "a.rs")
    found = rustc.parse(output("rustc"), version="1.95.0", sources=sources)
    assert summaries(found, sources) == [
        ("E0425", "cannot find type {0} in this scope", ("Instant",), "Instant"),
        (
            "unused_imports",
            "unused import: {0}",
            ("std::collections::HashMap",),
            "std::collections::HashMap",
        ),
        ("E0308", "mismatched types: expected {0}, found {1}", ("i32", "&str"), '"a"'),
        ("E0277", "cannot add {0} to {1}", ("&str", "{integer}"), "+"),
        ("E0308", "mismatched types: expected {0}, found {1}", ("i32", "&str"), '"a"'),
        ("E0433", "cannot find type {0} in this scope", ("HashMp",), "HashMp"),
        (
            "E0061",
            "this function takes {0} argument(s) but {1} argument(s) was supplied",
            ("2", "1"),
            "f",
        ),
        ("E0308", "mismatched types: expected {0}, found `()`", ("i32",), "i32"),
        ("unused_variables", "unused variable: {0}", ("a",), "a"),
        ("unused_variables", "unused variable: {0}", ("b",), "b"),
    ]


def test_rustc_vouches_for_some_suggestions_only() -> None:
    found = {each.message: each.fixits for each in rustc.parse(output("rustc"), version="1.95.0")}
    assert found["unused import: `std::collections::HashMap`"] == (
        FixIt("remove the whole `use` item", (TextEdit("a.rs", Area(1, 1, 2, 1), ""),), safe=True),
    )
    assert [fixit.safe for fixit in found["cannot find type `HashMp` in this scope"]] == [False]


def test_of_several_suggestions_for_one_place_each_is_a_fix_of_its_own_and_none_is_safe() -> None:
    instant = rustc.parse(output("rustc"), version="1.95.0")[0]
    assert [(fixit.edits[0].text, len(fixit.edits), fixit.safe) for fixit in instant.fixits] == [
        ("use std::time::Instant;\n", 1, False)
    ]


def test_what_is_within_a_macro_says_where_it_is_called() -> None:
    found = rustc.parse(output("rustc"), version="1.95.0")[3]
    assert found.area == Area(2, 38, 2, 39)
    assert Related("in this call of the macro `bad!`", "a.rs", Area(6, 10, 6, 17)) in found.related


def test_line_endings_of_two_characters_do_not_move_a_suggestion() -> None:
    (found,) = rustc.parse(output("rustc_crlf"), version="1.95.0")
    assert (found.template, found.args) == ("expected `;`, found {0}", ("println",))
    assert found.fixits == (
        FixIt("add `;` here", (TextEdit("c.rs", Area(2, 14, 2, 14), ";"),), safe=True),
    )


def test_cargo_hands_on_what_rustc_says() -> None:
    found = rustc.parse(output("cargo"), version="1.95.0")
    assert [(each.code, each.path, each.args) for each in found] == [
        ("E0308", "src/b.rs", ("String", "&str")),
        ("E0308", "src/main.rs", ("i32", "String")),
    ]


# ---------------------------------------------------------------------------------------------------------------- java


def test_javac_gives_its_own_arguments_and_its_columns_go_to_the_next_tab() -> None:
    sources = source("javac", "java", "A.java")
    found = javac.parse(output("javac"), version="17.0.15", sources=sources)
    assert summaries(found, sources)[:5] == [
        (
            "compiler.err.cant.resolve.location",
            "compiler.err.cant.resolve.location: kindname.variable, {0}, , , (compiler.misc.location: kindname.class, {1}, null)",
            ("undefd", "A"),
            'undefd; f(3); List<String> l = new ArrayList<>(); l.ad("x"); }',
        ),
        (
            "compiler.err.cant.apply.symbol",
            "compiler.err.cant.apply.symbol: kindname.method, {0}, {1}, {2}, kindname.class, {3}, (compiler.misc.no.conforming.assignment.exists: (compiler.misc.inconvertible.types: {4}, {5}))",
            ("f", "java.lang.String", "int", "A", "int", "java.lang.String"),
            'f(3); List<String> l = new ArrayList<>(); l.ad("x"); }',
        ),
        (
            "compiler.err.cant.resolve.location.args",
            "compiler.err.cant.resolve.location.args: kindname.method, {0}, , {1}, (compiler.misc.location.1: kindname.variable, {2}, {3})",
            ("ad", "java.lang.String", "l", "java.util.List<java.lang.String>"),
            '.ad("x"); }',
        ),
        (
            "compiler.err.prob.found.req",
            "compiler.err.prob.found.req: (compiler.misc.inconvertible.types: {0}, {1})",
            ("java.lang.String", "int"),
            "s; }",
        ),
        (
            "compiler.err.cant.assign.val.to.final.var",
            "compiler.err.cant.assign.val.to.final.var: {0}",
            ("q",),
            'q = 2; List raw = new ArrayList(); raw.add("x"); }',
        ),
    ]
    assert [each.severity for each in found] == ["error"] * 5 + ["warning"] * 3
    assert found[0].message == "cannot find symbol: variable, undefd, (in: class, A, null)"


def test_a_token_that_javac_expects_stays_in_the_template() -> None:
    found = javac.parse(output("javac_syntax"), version="17.0.15")
    assert [(each.template, each.args) for each in found] == [
        ("compiler.err.expected: ';'", ()),
        ("compiler.err.premature.eof", ()),
    ]


# ------------------------------------------------------------------------------------------- javascript and typescript


def test_tsc_counts_halves_of_characters() -> None:
    sources = source("tsc", "ts", "a.ts")
    found = tsc.parse(output("tsc"), version="5.9.3", sources=sources)
    assert summaries(found, sources) == [
        (
            "TS2561",
            "Object literal may only specify known properties, but {0} does not exist in type {1}. Did you mean to write {2}?",
            ("siz", "P", "size"),
            "siz: 3 };",
        ),
        (
            "TS2322",
            "Type {0} is not assignable to type {1}.",
            ("number", "string"),
            's: string = 5; \tlet e = "😀"; s.lenght;',
        ),
        (
            "TS2551",
            "Property {0} does not exist on type {1}. Did you mean {2}?",
            ("lenght", "string", "length"),
            "lenght;",
        ),
        ("TS2322", "Type {0} is not assignable to type {1}.", ("string", "number"), "return b }"),
        ("TS2554", "Expected {0} argument(s), but got {1}.", ("2", "1"), "f(1);"),
        ("TS2304", "Cannot find name {0}.", ("undefd",), "undefd;"),
        (
            "TS2420",
            "Class {0} incorrectly implements interface {1}.",
            ("C", "P"),
            'C implements P { name = "x" }',
        ),
        (
            "TS2305",
            "Module {0} has no exported member {1}.",
            ('"./other"', "nope"),
            'nope } from "./other";',
        ),
    ]


def test_what_tsc_says_further_is_related_and_in_the_message() -> None:
    found = tsc.parse(output("tsc"), version="5.9.3")[6]
    detail = "Property 'size' is missing in type 'C' but required in type 'P'."
    assert found.related == (Related(detail, "a.ts"),)
    assert found.message == f"Class 'C' incorrectly implements interface 'P'.\n  {detail}"


def test_tsc_may_complain_of_no_file_at_all() -> None:
    (found,) = tsc.parse(output("tsc_none"), version="5.9.3")
    assert (found.code, found.path, found.area, found.args) == ("TS6053", "", None, ("none.ts",))


@pytest.mark.parametrize(
    ("name", "template", "args", "pointed"),
    [
        ("node_1", "Unexpected token ';'", (), ";"),
        ("node_2", "Unexpected identifier {0}", ("cd",), "cd"),
        ("node_3", "Unexpected end of input", (), ""),
        ("node_4", "Identifier {0} has already been declared", ("a",), "a"),
        ("node_5", "Cannot use import statement outside a module", (), "import"),
    ],
)
def test_node_points_with_carets(
    name: str, template: str, args: tuple[str, ...], pointed: str
) -> None:
    sources = source(name, "js", "/project/u.js")
    found = node.parse(output(name), version="20.20.2", sources=sources)
    assert summaries(found, sources) == [("SyntaxError", template, args, pointed)]


def test_an_error_of_node_itself_is_no_diagnostic() -> None:
    assert node.parse(output("node_gone"), version="20.20.2") == ()
