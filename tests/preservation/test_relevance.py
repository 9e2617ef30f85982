"""Which edits of a fix have to do with no error: those that are neither at it nor declare what it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.preservation.relevance import unrelated_edits
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, Target, TextEdit

Words = tuple[str, str]
Place = tuple[int, int, int, int]


def _said(place: Place, names: str) -> Diagnostic:
    return Diagnostic(
        "tool", "", "X", "error", "bad", "bad", tuple(names.split()), "", Area(*place)
    )


def _unrelated(
    before: str, language: Target, changes: list[Words], said: Diagnostic
) -> list[Words]:
    """Return the old and the new text of each edit that is not related."""
    after = before
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    edits = unrelated_edits(
        ParsedSource(before, language), ParsedSource(after, language), "a", [said]
    )
    return [(before[edit.start : edit.end], after[edit.new_start : edit.new_end]) for edit in edits]


FUNCTIONS = "limit = 5\n\n\ndef f(n, k):\n    use(m)\n    if n:\n        g(n)\n    return n\n\n\ndef h(x):\n    m = x\n    return x\n"


@pytest.mark.parametrize(
    ("changes", "place", "names", "unrelated"),
    [
        ([("use(m)", "use(w)"), ("g(n)", "g(w)")], (5, 9, 5, 9), "m", []),
        ([("use(m)", "use(w)"), ("return n", "return w"), ("g(n)", "g(w)")], (5, 9, 5, 9), "m", []),
        ([("use(m)", "use(w)"), ("return n", "return v"), ("g(n)", "g(v)")], (5, 9, 5, 9), "m", [("n", "v"), ("n", "v")]),
        ([("    use(m)\n", "    use(m)\n    w = 1\n"), ("limit = 5", "limit = w")], (5, 9, 5, 9), "m", []),
        ([("limit = 5\n", ""), ("use(m)", "limit = 6\n    use(m)")], (5, 9, 5, 9), "m", [("limit = 5", "")]),
        ([("    return x\n", ""), ("use(m)", "use(x)")], (5, 9, 5, 9), "m", [("return x", "")]),
        ([("limit = 5", "limit = 6")], (5, 9, 5, 9), "limit", []),
        ([("limit = 5", "limit = 6")], (1, 1, 5, 9), "m", []),
        ([("g(n)", "g(k)")], (1, 1, 5, 9), "m", [("n", "k")]),
        ([("if n:", "if k:")], (7, 9, 7, 9), "", []),
        ([("if n:", "if k:")], (6, 5, 6, 5), "", []),
        ([("def f(n, k)", "def f(n, k, z)")], (7, 9, 7, 9), "", []),
        ([("def f(n, k)", "def g(n, k)")], (7, 9, 7, 9), "", []),
        ([("def h(x)", "def h(y)")], (7, 9, 7, 9), "", [("x", "y")]),
        ([("def h(x)", "def h(x, y)")], (7, 9, 7, 9), "h", []),
        ([("    if n:\n        g(n)\n", "    if n:\n        if k:\n            g(n)\n")], (7, 9, 7, 9), "", []),
        ([("    use(m)\n", "")], (7, 9, 7, 9), "", [("use(m)", "")]),
        ([("    use(m)\n", "    use(m)\n    k = 3\n")], (7, 9, 7, 9), "", []),
        ([("    g(n)\n", "    g(n)\n        k = 3\n")], (6, 8, 6, 8), "", []),
        ([("    return n\n", "    k = 3\n    return n\n")], (6, 8, 6, 8), "", []),
        ([("    return n\n", "    k = 3\n    return n\n")], (4, 5, 4, 5), "", []),
        ([("    return n\n", "    return n\n    k = 3\n")], (4, 5, 4, 5), "", []),
        ([("use(m)", "use(n)")], (5, 9, 5, 9), "m", []),
        ([("g(n)", "g(k)")], (5, 9, 5, 9), "m", [("n", "k")]),
        ([("if n:", "if k:")], (5, 9, 5, 9), "m", [("n", "k")]),
        ([("return n", "return k")], (5, 9, 5, 9), "m", [("n", "k")]),
        ([("f(n, k)", "f(n, m)")], (5, 9, 5, 9), "m", []),
        ([("f(n, k)", "f(n)")], (5, 9, 5, 9), "m", []),
        ([("m = x", "m = 1")], (5, 9, 5, 9), "m", []),
        ([("return x", "return m")], (5, 9, 5, 9), "m", []),
        ([("limit = 5", "limit = 5\nm = 2")], (5, 9, 5, 9), "m", []),
        ([("limit = 5", "limit = 5\nz = 2")], (5, 9, 5, 9), "m", [("", "z = 2")]),
        ([("    use(m)", "    m = 2\n    use(m)")], (5, 9, 5, 9), "m", []),
        ([("    use(m)", "    z = 2\n    use(m)")], (5, 9, 5, 9), "m", []),
        ([("    use(m)\n", "    use(m)\n    z = 2\n")], (5, 9, 5, 9), "m", []),
        ([("limit", "import m\nlimit")], (5, 9, 5, 9), "m", []),
        ([("limit = 5\n", "")], (5, 9, 5, 9), "m", [("limit = 5", "")]),
        ([("    return x\n", "    return x\n    m()\n")], (5, 9, 5, 9), "m", []),
        ([("        g(n)\n", "        g(n)\n        m()\n")], (5, 9, 5, 9), "m", []),
        ([("        g(n)\n", "        g(n)\n        z()\n")], (5, 9, 5, 9), "m", [("", "z()")]),
        ([("use(m)", "use(zz)")], (5, 9, 5, 9), "m", []),
    ],
)  # fmt: skip
def test_an_edit_is_in_the_statement_of_an_error_or_declares_a_name_in_it(
    changes: list[Words], place: Place, names: str, unrelated: list[Words]
) -> None:
    assert _unrelated(FUNCTIONS, "python", changes, _said(place, names)) == unrelated


BROKEN = "a = 1\nb = 2\nc = )\nd = 4\ne = 5\nf = 6\ng = 7\n"


@pytest.mark.parametrize(
    ("changes", "place", "names", "unrelated"),
    [
        ([("c = )", "c = 3")], (3, 5, 3, 5), "", []),
        ([("c = )", "c = 3")], (7, 1, 7, 1), "", [(")", "3")]),
        ([("f = 6", "f = 66")], (3, 5, 3, 5), "", []),
        ([("f = 6", "f = 66")], (7, 1, 7, 1), "", []),
        ([("g = 7", "g = 77")], (3, 5, 3, 5), "", [("7", "77")]),
        ([("g = 7", "g = 77")], (7, 1, 7, 1), "", []),
        ([("g = 7", "g = 7,")], (3, 5, 3, 5), "", []),
        ([("g = 7", "g = 7,")], (7, 1, 7, 1), "", []),
        ([("g = 7", "(g) = 7")], (3, 5, 3, 5), "", [("g", "(g)")]),
        ([("g = 7", "(g) = 7")], (7, 1, 7, 1), "", []),
        ([("g = 7", "g = 7.5")], (3, 5, 3, 5), "", [("7", "7.5")]),
        ([("g = 7", "g = 7.5")], (7, 1, 7, 1), "", []),
        ([("g = 7\n", "")], (3, 5, 3, 5), "", [("g = 7", "")]),
        ([("g = 7\n", "")], (7, 1, 7, 1), "", []),
        ([("a = 1", "a = 11")], (3, 5, 3, 5), "", []),
        ([("a = 1", "a = 11")], (7, 1, 7, 1), "", [("1", "11")]),
        ([("a = 1", "import a\na = 1")], (3, 5, 3, 5), "", []),
        ([("a = 1", "import a\na = 1")], (7, 1, 7, 1), "", []),
    ],
)  # fmt: skip
def test_the_cure_of_a_syntax_error_is_near_or_only_punctuation(
    changes: list[Words], place: Place, names: str, unrelated: list[Words]
) -> None:
    assert _unrelated(BROKEN, "python", changes, _said(place, names)) == unrelated


CLASS = "class A {\n  int n;\n  int f(int a) {\n    return a + m;\n  }\n  int g(int b) {\n    return b;\n  }\n}\n"


@pytest.mark.parametrize(
    ("changes", "place", "names", "unrelated"),
    [
        ([("int n;", "int n;\n  int m;")], (4, 16, 4, 16), "m", []),
        ([("int n;", "int k;")], (4, 16, 4, 16), "m", [("n", "k")]),
        ([("return b", "return n")], (4, 16, 4, 16), "m", [("b", "n")]),
        ([("return b;", "int m = 1;\n    return b;")], (4, 16, 4, 16), "m", []),
        ([("int n;\n", "int n;\n  int m() { return 1; }\n")], (4, 16, 4, 16), "m", []),
        ([("int n;\n", "int n;\n  int z() { return 1; }\n")], (4, 16, 4, 16), "m", [("", "int z() { return 1; }")]),
        ([("int f(int a)", "int f(int a, int m)")], (4, 16, 4, 16), "m", []),
        ([("int f(int a)", "int f(int a) throws E")], (4, 16, 4, 16), "m", []),
        ([("int f", "long f")], (4, 16, 4, 16), "m", []),
        ([("int g", "long g")], (4, 16, 4, 16), "m", [("int", "long")]),
        ([("class A", "class A extends M")], (4, 16, 4, 16), "m", []),
        ([("class A", "class A extends B")], (4, 16, 4, 16), "m", []),
    ],
)  # fmt: skip
def test_an_edit_of_a_class_is_about_an_error_in_a_member(
    changes: list[Words], place: Place, names: str, unrelated: list[Words]
) -> None:
    assert _unrelated(CLASS, "java", changes, _said(place, names)) == unrelated


STRUCT = "class A {\n    int n;\n    int f() { return m; }\n};\nint g(A a) { return a.n; }\n"


@pytest.mark.parametrize(
    ("changes", "place", "names", "unrelated"),
    [
        ([("class A {\n", "class A {\npublic:\n")], (5, 23, 5, 23), "n", []),
        ([("class A {\n", "class A {\npublic:\n")], (5, 23, 5, 23), "q", []),
        ([("class A {\n", "class A {\n    int z;\n")], (5, 23, 5, 23), "n", [("", "int z;")]),
        ([("class A {\n", "class A {\n    int z;\n")], (5, 23, 5, 23), "q", [("", "int z;")]),
        ([("int f()", "public: int f()")], (5, 23, 5, 23), "n", [("", "public:")]),
        ([("int f()", "public: int f()")], (5, 23, 5, 23), "q", [("", "public:")]),
    ],
)  # fmt: skip
def test_an_edit_of_a_class_is_about_an_error_in_its_user(
    changes: list[Words], place: Place, names: str, unrelated: list[Words]
) -> None:
    assert _unrelated(STRUCT, "cpp", changes, _said(place, names)) == unrelated


HERE = _said((5, 9, 5, 9), "m")
ELSEWHERE = [("limit = 5", "limit = 6")]
TOP = Area(1, 1, 1, 1)


@pytest.mark.parametrize(
    ("said", "unrelated"),
    [
        (HERE, [("5", "6")]),
        (replace(HERE, path="a"), [("5", "6")]),
        (replace(HERE, path="b"), []),
        (replace(HERE, area=None), []),
        (replace(HERE, related=(Related("see", "a", TOP),)), []),
        (replace(HERE, related=(Related("see", "a"),)), [("5", "6")]),
        (replace(HERE, fixits=(FixIt("do", (TextEdit("a", TOP, ""),)),)), []),
        (replace(HERE, fixits=(FixIt("do", ()),)), [("5", "6")]),
    ],
)
def test_an_error_is_also_where_its_notes_and_proposals_are_and_without_a_place_everywhere(
    said: Diagnostic, unrelated: list[Words]
) -> None:
    assert _unrelated(FUNCTIONS, "python", ELSEWHERE, said) == unrelated


CALLED = 'fn read(p: &str) -> String {\n    let t = load(p)?;\n    t.trim()\n}\n\nfn keep(q: u8) -> u8 {\n    check(q);\n    q\n}\n\nfn best() {\n    show(read("a"));\n}\n'


@pytest.mark.parametrize(
    ("changes", "unrelated"),
    [
        # The error is in `load(p)?`: the header of the function around is about it.
        ([("-> String {\n    let t", "-> Result<String> {\n    let t"), ("t.trim()", "Ok(t.trim())")], []),
        ([("-> String {\n    let t", "-> Result<String> {\n    let t"), ('read("a")', 'read("a")?')], []),
        ([('read("a")', 'read("a")?')], [("", "?")]),
        ([("-> String {\n    let t", "-> Result<String> {\n    let t"), ("    check(q);\n", "")], [("check(q);", "")]),
        ([("-> String {\n    let t", "-> Result<String> {\n    let t"), ("    q\n", "    0\n")], [("q", "0")]),
    ],
)  # fmt: skip
def test_what_calls_a_function_whose_header_changes_and_its_result_may_change_with_it(
    changes: list[Words], unrelated: list[Words]
) -> None:
    assert _unrelated(CALLED, "rust", changes, _said((2, 13, 2, 20), "")) == unrelated


LISTED = """struct Row {
    int id;
    int size;
    int half() { int h = size; return h / 2; }
};
struct Other {
    int size;
};
const Row rows[] = {
    {1, 2.5},
};
"""


@pytest.mark.parametrize(
    ("changes", "unrelated"),
    [
        ([("int size;\n    int half", "double size;\n    int half")], []),
        ([("int size;\n    int half", "float size;\n    int half")], [("int", "float")]),
        ([("int size;\n};", "double size;\n};")], [("int", "double")]),
        ([("int h =", "double h =")], [("int", "double")]),
    ],
    ids=["member", "another type", "of another type", "in a function of it"],
)
def test_a_list_of_values_is_about_the_types_of_the_members(
    changes: list[Words], unrelated: list[Words]
) -> None:
    said = _said((10, 9, 10, 12), "double int")
    assert _unrelated(LISTED, "cpp", changes, said) == unrelated


def test_what_takes_the_place_of_a_related_edit_is_related() -> None:
    before = "struct A {\n    int f(B b) const { return c[b]; }\n\nprivate:\n    M c;\n};\n"
    changes = [
        ("{ return c[b]; }", "{\n        auto i = c.find(b);\n        return i->second;\n    }")
    ]
    said = _said((2, 33, 2, 33), "M")
    assert _unrelated(before, "cpp", changes, said) == []
    changes.append(("M c;", "M c;\n    int n;"))
    assert _unrelated(before, "cpp", changes, said) == [("", "int n;")]
