"""What go 1.19 printed about real files (captured/), and the other words of later versions."""

from __future__ import annotations

import pytest

from holdfast.repair.diagnostics import go
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.vocab.diagnostics import Area, Related
from tests.repair.diagnostics.test_captured_outputs import output, source, summaries


def test_go_counts_bytes_and_names_stand_without_quotes() -> None:
    sources = source("go_types", "go", "types.go")
    found = go.parse(output("go_types"), version="1.19.8", sources=sources)
    assert [(template, args, place) for _, template, args, place in summaries(found, sources)][
        :11
    ] == [
        ('imported and not used: "{0}"', ("os",), '"os"'),
        ('imported and not used: "{0}" as {1}', ("strings", "str"), 'str "strings"'),
        ("missing return", (), "}"),
        (
            "cannot use {0} ({1}) as type {2} in variable declaration",
            ("é", "variable of type string", "int"),
            "é; unused := undeclared",
        ),
        ("undefined: {0}", ("undeclared",), "undeclared"),
        (
            "{0} undefined (type {1} has no field or method {2}, but does have {3})",
            ("t.name", "T", "name", "Name"),
            'name = "x"',
        ),
        ("{0} undefined (type {1} has no field or method {2})", ("t.Foo", "T", "Foo"), "Foo()"),
        ("not enough arguments in call to {0}", ("f",), "1)"),
        ("too many arguments in call to {0}", ("f",), "3)"),
        (
            "cannot use {0} ({1}) as {2} value in argument to {3}",
            ('"a"', "untyped string constant", "int", "f"),
            '"a", 1)',
        ),
        (
            "cannot use {0} ({1}) as {2} value in argument to {3}",
            ("1", "untyped int constant", "string", "f"),
            "1)",
        ),
    ]


def test_what_go_says_further_is_related_with_its_own_place() -> None:
    sources = source("go_types", "go", "types.go")
    found = {
        each.template: each for each in go.parse(output("go_types"), version="", sources=sources)
    }
    few = found["not enough arguments in call to {0}"]
    assert [each.message for each in few.related] == ["have (number)", "want (int, string)"]
    assert few.message == "not enough arguments in call to f\n\thave (number)\n\twant (int, string)"
    twice = found["{0} redeclared in this block"]
    assert twice.related == (Related("other declaration of f", "types.go", Area(15, 6, 15, 6)),)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "go_syntax",
            [
                ("syntax error: unexpected if, expecting expression", ()),
                ("syntax error: unexpected } after top level declaration", ()),
            ],
        ),
        (
            "go_unused",
            [
                ("{0} declared but not used", ("x",)),
                ("assignment mismatch: {0} variable(s) but {1} value(s)", ("2", "1")),
                (
                    "invalid operation: {0} (mismatched types {1} and {2})",
                    ('"é" + 1', "untyped string", "untyped int"),
                ),
            ],
        ),
        (
            "go_vet",
            [
                ("self-assignment of {0} to {1}", ("x", "x")),
                (
                    "{0} passes lock by value: {1} contains {2}",
                    ("g", "command-line-arguments.S", "sync.Mutex"),
                ),
                (
                    "{0} format {1} has arg {2} of wrong type {3}",
                    ("fmt.Printf", "%d", '"a"', "string"),
                ),
                (
                    "struct field tag {0} not compatible with reflect.StructTag.Get: bad syntax for struct tag value",
                    ("json:a",),
                ),
                ("unreachable code", ()),
            ],
        ),
        (
            "go_miss",
            [
                ("cannot find module providing package {0}", ("github.com/none/such",)),
                (
                    "package {0} is not in GOROOT ({1})",
                    ("nostd/zork", "/usr/lib/go-1.19/src/nostd/zork"),
                ),
            ],
        ),
        ("go_vet_alone", [("{0} redeclared in this block", ("f",))]),
        ("go_many", [("undefined: {0}", (f"a{number}",)) for number in range(1, 11)]),
    ],
)
def test_what_go_says_of_a_file(name: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    found = go.parse(output(name), version="1.19.8")
    assert [(each.template, each.args) for each in found] == expected


def test_several_packages_are_reported_with_their_folders() -> None:
    found = go.parse(output("go_module"), version="1.19.8")
    assert [(each.path, each.args) for each in found] == [
        ("main.go", ("sub.One",)),
        ("sub/a_test.go", ("One",)),
    ]


def test_later_versions_say_it_in_other_words() -> None:
    lines = (
        "# example.com/m",
        "./a.go:4:2: declared and not used: x",
        'vet: ./b.go:7:10: "os" imported and not used',
        './c.go:1:1: "strings" imported as str and not used',
        "./d.go:3:4: cannot use t (variable of type T) as I value in variable declaration: T does not implement I",
    )
    found = go.parse("\n".join(lines), version="1.22", sources=SourceLines({"a.go": "\n\n\n\té\n"}))
    assert [(each.path, each.template, each.args) for each in found] == [
        ("a.go", "declared and not used: {0}", ("x",)),
        ("b.go", '"{0}" imported and not used', ("os",)),
        ("c.go", '"{0}" imported as {1} and not used', ("strings", "str")),
        (
            "d.go",
            "cannot use {0} ({1}) as {2} value in variable declaration: {3}",
            ("t", "variable of type T", "I", "T does not implement I"),
        ),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "main.go:3:8: module lookup disabled by GOPROXY=off",
        "main.go:3:8: golang.org/x/text@v0.3.0: module lookup disabled by GOPROXY=off",
        "./a.go:13:2: too many errors",
        "go: errors parsing go.mod:\n/m/go.mod:1: unknown directive: bad",
    ],
)
def test_what_says_nothing_of_the_code_is_no_diagnostic(line: str) -> None:
    assert go.parse(line, version="1.19.8") == ()
