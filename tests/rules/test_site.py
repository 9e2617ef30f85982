"""The place that a rule fits: the texts around it, and the variables that nothing reads or combines with it."""

from __future__ import annotations

import pytest

from holdfast.rules.match.site import Site, is_declaration
from holdfast.rules.match.variables import (
    has_unread_variable,
    has_unused_parameter,
    is_write_lost,
    kind_beside,
)
from holdfast.rules.rule import Rewrite, TokenRewrite, TreeRewrite
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _site(
    language: Target,
    marked: str,
    *args: str,
    at: str = "",
    rewrite: Rewrite | None = None,
    holes: dict[str, str] | None = None,
) -> Site:
    """Return the place between `«` and `»`; the diagnostic is there, or at the first `at`."""
    text = marked.replace("«", "").replace("»", "")
    start, end = marked.index("«"), marked.index("»") - 1
    place = text.index(at) if at else start
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    area = Area(line, column, line, column)
    return Site(
        rewrite or TreeRewrite("$A", "g($A)"),
        ParsedSource(text, language),
        Diagnostic("tool", "", "X", "error", "bad", "bad", args, "", area),
        span=(start, end),
        changed=(start, end),
        holes=holes or {"A": text[start:end]},
    )


@pytest.mark.parametrize(
    ("language", "text", "args", "expected"),
    [
        ("python", "def f(a):\n    b = 1\n    c = 2\n    g(«c»)\n", "", True),
        ("python", "def f(a):\n    b = 1\n    c = 2\n    g(«c», b)\n", "", False),
        ("python", "def f(a):\n    b = 1\n    b = 2\n    g(«a»)\n", "", True),
        ("python", "def f(a):\n    b = 1\n    b += 2\n    g(«a»)\n", "", True),
        ("python", "def f(a):\n    b = 1\n    g(«a»)\n", "b", False),
        ("python", "def f(a):\n    b = g(«a»)\n", "", False),
        ("python", "def f(a):\n    b = []\n    b.append(a)\n    g(«a»)\n", "", True),
        ("python", "def f(a):\n    b = []\n    c = b.append(a)\n    g(«a», c)\n", "", False),
        ("python", "def f(a):\n    for b in a:\n        g(«a»)\n", "", True),
        ("python", "def f(a):\n    for b in a:\n        h()\n    g(«a»)\n", "", False),
        ("python", "def f(a):\n    _ = 1\n    g(«a»)\n", "", False),
        ("python", "b = 1\ng(«a»)\n", "", False),
        ("python", "def f(a, b):\n    g(«a»)\n", "", False),
        ("python", "def k():\n    z = 1\n    def f(a):\n        g(«a»)\n", "", True),
        ("c", "void f(int a) {\n    int b;\n    g(«a»);\n}\n", "", True),
        ("c", "void f(int a) {\n    int b;\n    b++;\n    g(«a»);\n}\n", "", True),
        ("c", "void f(int a) {\n    int b = 2;\n    h(b++);\n    g(«a»);\n}\n", "", True),
        ("c", "void f(int a) {\n    for (int i = 0; i < 3; i++) {\n        g(«a»);\n    }\n}\n", "", True),
        ("c", "void f(int a) {\n    for (int i = 0; i < 3; i++) {\n        h(i);\n    }\n    g(«a»);\n}\n", "", False),
        ("rust", "fn f(a: u8) {\n    let mut b = 1;\n    b = 2;\n    g(«a»);\n}\n", "", True),
        ("javascript", "function f(a) {\n  const b = [];\n  b.push(a);\n  return g(«a»);\n}\n", "", True),
        ("javascript", "function f(a) {\n  const b = [];\n  b.push(a);\n  return g(«a»).c(b);\n}\n", "", False),
    ],
)  # fmt: skip
def test_a_variable_that_is_only_set_filled_or_counts_is_not_read(
    language: Target, text: str, args: str, expected: bool
) -> None:
    assert has_unread_variable(_site(language, text, *args.split())) is expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "def f(a, b):\n    g(«a»)\n", True),
        ("python", "def f(a, b):\n    g(«a», b)\n", False),
        ("python", "def f(self, a):\n    g(«a»)\n", False),
        ("python", "def k(z):\n    def f(a):\n        g(«a»)\n", False),
        ("python", "def f(a, b=1):\n    g(«a»)\n", True),
        ("python", "def f(a: b, c: b):\n    g(«a»)\n", True),
        ("c", "int f(int *a, char *b) { return g(«a»); }\n", True),
        ("rust", "fn f(a: u8, b: u8) { g(«a») }\n", True),
        ("python", "g(«a»)\n", False),
    ],
)
def test_a_parameter_that_is_written_once_is_not_used(
    language: Target, text: str, expected: bool
) -> None:
    assert has_unused_parameter(_site(language, text)) is expected


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("fn f() {\n    let «v» = g();\n    v.push(1);\n}\n", "v", True),
        ("fn f() {\n    let «v» = g();\n    v.push(1);\n    h(v);\n}\n", "v", False),
        ("fn f() {\n    let «v» = g();\n    v.push(1);\n    h(w);\n}\n", "v", True),
        ("fn f() {\n    let «v» = g();\n    v.push(1);\n    h(w);\n}\n", "w", False),
        (
            "fn f() {\n    let «v» = g();\n    for i in 0..3 {\n        k(v);\n        v.push(1);\n    }\n}\n",
            "v",
            False,
        ),
        (
            "fn f() {\n    let «v» = g();\n    for i in 0..3 {\n        v.push(1);\n    }\n}\n",
            "v",
            True,
        ),
        (
            "fn f() {\n    for i in 0..3 {\n        k(v);\n        let «v» = g();\n        v.push(1);\n    }\n}\n",
            "v",
            True,
        ),
        ("fn f() {\n    v.push(1);\n    let «v» = g();\n}\n", "v", False),
        (
            "fn f() {\n    let «v» = g();\n    k(v);\n    v.push(1);\n}\nfn z() {\n    h(v);\n}\n",
            "v",
            True,
        ),
        ("fn f() {\n    let «v» = g();\n    v.push(1); h(v);\n}\n", "v", True),
    ],
)
def test_a_change_is_lost_if_nothing_reads_the_variable_behind_it_or_in_its_loop(
    text: str, name: str, expected: bool
) -> None:
    assert is_write_lost(_site("rust", text, name, at="v.push")) is expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = 'a' + «b»\n", ["text"]),
        ("python", "x = «b» + 'a'\n", ["text"]),
        ("python", "x = 1 + «b»\n", ["value"]),
        ("python", "c = 'a'\nx = c + «b»\n", ["text"]),
        ("python", "c: str = 'a'\nx = c + «b»\n", ["text"]),
        ("python", "x = c + «b»\n", ["value"]),
        ("python", "x = f(«b»)\n", []),
        ("python", "x = ('a' + k) * «b»\n", ["value"]),
        ("python", "x = 'a' + f(1 - «b»)\n", ["value"]),
        ("c", 'int x = "a" + «b»;\n', ["text"]),
        ("python", "x = d + c + «b»\n", ["value"]),
    ],
)
def test_what_an_operand_is_combined_with_is_a_text_or_a_value(
    language: Target, text: str, expected: list[str]
) -> None:
    assert list(kind_beside(_site(language, text))) == expected


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (
            "python",
            "def f(a, b=1, *c, d: int):\n    e = g\n    e.h = k\n    for i in j:\n        l: m = n\n    o += p\n",
            "a b c d e i l",
        ),
        (
            "c",
            "int a = b;\nint f(int c, char *d) {\n    int e, g = h;\n    for (int i = 0; i < j; i++) k();\n}\nint l(void);\n",
            "a c d e g i",
        ),
        (
            "rust",
            "fn f(a: u8, mut b: c) {\n    let d = e;\n    let mut g: h = i;\n    for j in k { }\n}\n",
            "a b d g j",
        ),
    ],
)
def test_a_variable_is_declared_as_a_parameter_a_target_or_in_a_loop(
    language: Target, text: str, names: str
) -> None:
    found = ParsedSource(text, language).find("identifier")
    assert " ".join(node.text() for node in found if is_declaration(node)) == names


LOADED = "import m\n\nclass A:\n    def f(self, a):\n        x = «load»(a,\n            b)\n        return y\n\n    def g(self): pass\n"


@pytest.mark.parametrize(
    ("rewrite", "broken", "kept"),
    [
        (TreeRewrite("$F($A, $B)", "$F($A)"), "", {"load", "a.c"}),
        (TreeRewrite("$F($A, $B)", "$F($A, $B, 1)"), "", {""}),
        (TokenRewrite("$F ( $A", "$F ( x"), "(a,\n            b)\n        return y", {"load"}),
    ],
)
def test_a_place_has_the_texts_in_which_something_may_say_what_is_meant(
    rewrite: Rewrite, broken: str, kept: set[str]
) -> None:
    holes = {"F": "load", "A": "a.c", "B": "b"}
    site = _site("python", LOADED, "load", "q", rewrite=rewrite, holes=holes)
    text = LOADED.replace("«", "").replace("»", "")
    texts = dict(site.texts)
    assert set(texts.pop("kept").split("\n")) == kept
    function = text[text.index("def f") : text.index("\n\n    def g")]
    assert texts == {
        "program": text,
        "function": function,
        "after": function[function.index("(a,") :],
        "behind broken": broken,
        "from place": text[text.index("load") :],
        "head": "        x = ",
        "lines": "        x = load(a,",
        "broken lines": "        x = load(a," if broken else "",
        "next line": "        x = load(a,\n            b)",
        "message": "load\nq",
        "fix": rewrite.fix,
        "holes": "load\na.c\nb",
    }
    assert site.names == {"F": "load", "B": "b"}
    assert [node.kind() for node in site.functions] == ["function_definition"]
    assert site.function_span == (text.index("def f"), text.index("\n\n    def g"))


def test_a_place_outside_of_all_functions_is_in_the_whole_text() -> None:
    site = _site("python", "x = 1\ny = «x»")
    assert (site.function_span, site.functions, site.owners) == ((0, 11), [], [])
    assert (site.texts["next line"], site.texts["after"]) == ("y = x", "")
