"""What a pattern of the tree is made of: which programs a fix is carried over to, and which it must leave alone.

`«…»` marks what the complaint is about; `«»` a tool that says only where it begins. In each row a fix is learned from
the first text and tried on the others: those with a result get it, those with None are near misses.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from holdfast.rules.learn.learn_rule import learn
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.match.names_at import names_here
from holdfast.rules.rule import Rule
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

_PATHS = {
    "python": "a.py",
    "typescript": "a.ts",
    "javascript": "a.js",
    "c": "a.c",
    "cpp": "a.cpp",
    "java": "A.java",
}
_PATHS |= {"rust": "a.rs", "go": "a.go"}


@dataclass(frozen=True, slots=True)
class Row:
    """`tried` holds a marked text, the arguments of the complaint about it, and what becomes of it."""

    name: str
    target: Target
    template: str
    args: tuple[str, ...]
    before: str
    after: str
    tried: tuple[tuple[str, tuple[str, ...], str | None], ...]


def _place(marked: str, offset: int) -> tuple[int, int]:
    text = marked.replace("«", "").replace("»", "")
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def _read(marked: str, row: Row, args: tuple[str, ...]) -> tuple[str, Diagnostic]:
    start, end = marked.index("«"), marked.index("»") - 1
    area = Area(*_place(marked, start), *_place(marked, end))
    message = row.template.format(*args)
    path = _PATHS[row.target]
    said = Diagnostic("tool", "1", "X1", "error", message, row.template, args, path, area)
    return marked.replace("«", "").replace("»", ""), said


ROWS = (
    # ------------------------------------------------------------------------------------- what is removed and not kept
    Row(
        "quotes change and their content stays, if it is one character still",
        "cpp",
        "not a char",
        (),
        'void f(S& s) { s.push(«"-"»); }\n',
        "void f(S& s) { s.push('-'); }\n",
        (
            ('void g(S& s) { s.push(«","»); }\n', (), "void g(S& s) { s.push(','); }\n"),
            ('void g(S& s) { s.push(«"\\n"»); }\n', (), "void g(S& s) { s.push('\\n'); }\n"),
            ('void g(S& s) { s.push(«"..."»); }\n', (), None),
        ),
    ),
    Row(
        "what is taken away and not written again is right for itself only",
        "python",
        "wrong call",
        (),
        "x = «load(name, 3)»\n",
        "x = read(name)\n",
        (
            ("y = «load(other, 3)»\n", (), "y = read(other)\n"),
            ("y = «load(other, 4)»\n", (), None),
            ("y = «dump(other, 3)»\n", (), None),
        ),
    ),
    Row(
        "a suffix is put to any number that the message names",
        "java",
        "number too large: {0}",
        ("3000000000",),
        "class A { long a = «»3000000000; }\n",
        "class A { long a = 3000000000L; }\n",
        (
            (
                "class A { long b = 1 + «»86400000000; }\n",
                ("86400000000",),
                "class A { long b = 1 + 86400000000L; }\n",
            ),
        ),
    ),
    # ------------------------------------------------------------------------------------------------- one way to match
    Row(
        "one of two clauses that are alike could be meant",
        "python",
        "undefined {0}",
        ("user",),
        "a = [«user».name for u in users]\n",
        "a = [user.name for user in users]\n",
        (
            (
                "n = sum(«item».n * 2 for i in items)\n",
                ("item",),
                "n = sum(item.n * 2 for item in items)\n",
            ),
            ("a = [«m».name for u in users for t in teams]\n", ("m",), None),
        ),
    ),
    Row(
        "a name that the fix writes is tied where the declaration has it",
        "c",
        "unknown type {0}",
        ("Node",),
        "typedef struct {\n    int n;\n    «Node» *next;\n} Node;\n",
        "typedef struct Node {\n    int n;\n    struct Node *next;\n} Node;\n",
        (
            (
                "typedef struct {\n    «Tree» *up;\n    char c;\n    int d;\n} Tree;\n",
                ("Tree",),
                "typedef struct Tree {\n    struct Tree *up;\n    char c;\n    int d;\n} Tree;\n",
            ),
            ("typedef struct {\n    int n;\n    «Load» *data;\n} Box;\n", ("Load",), None),
        ),
    ),
    # ------------------------------------------------------------------------------------------------ what does not count
    Row(
        "which statements stand between two others does not count",
        "rust",
        "cannot return reference to {0}",
        ("text",),
        "fn f() -> &str {\n    let text = g();\n    «&text»\n}\n",
        "fn f() -> String {\n    let text = g();\n    text\n}\n",
        (
            (
                "fn h(n: u8) -> &str {\n    check(n);\n    let out = g();\n    log();\n    «&out»\n}\n",
                ("out",),
                "fn h(n: u8) -> String {\n    check(n);\n    let out = g();\n    log();\n    out\n}\n",
            ),
            ("fn h() -> &[u8] {\n    let out = g();\n    «&out»\n}\n", ("out",), None),
        ),
    ),
    Row(
        "what stands before a new last argument does not count",
        "c",
        "too few arguments to {0}",
        ("strtol",),
        "long f(char *s) { return «strtol»(s, 0); }\n",
        "long f(char *s) { return strtol(s, 0, 10); }\n",
        (
            (
                "long g(char *s) { return «strtol»(s + 1, &end); }\n",
                ("strtol",),
                "long g(char *s) { return strtol(s + 1, &end, 10); }\n",
            ),
            ("long g(char *s) { return «strtol»(); }\n", ("strtol",), None),
        ),
    ),
    Row(
        "brackets are put around any expression",
        "typescript",
        "not a number",
        (),
        "f(«»x);\n",
        "f(Number(x));\n",
        (
            ("g(«»parts[1], 2);\n", (), "g(Number(parts[1]), 2);\n"),
            ("g(«»a.b + c);\n", (), "g(Number(a.b + c));\n"),
        ),
    ),
    Row(
        "an operator is put behind the largest expression that begins there, if that needs no brackets",
        "typescript",
        "may be undefined",
        (),
        "f(«»x);\n",
        'f(x ?? "");\n',
        (
            ("g(«»user.mail, 1);\n", (), 'g(user.mail ?? "", 1);\n'),
            ("g(«»a + b);\n", (), None),
        ),
    ),
    Row(
        "modifiers before a name do not count",
        "typescript",
        "no initializer for {0}",
        ("name",),
        "class A {\n  «»name: string;\n}\n",
        'class A {\n  name: string = "";\n}\n',
        (
            (
                "class B {\n  private «»note: string;\n}\n",
                ("note",),
                'class B {\n  private note: string = "";\n}\n',
            ),
            ("class B {\n  private note: «»string;\n}\n", ("note",), None),
        ),
    ),
    Row(
        "annotations before a declaration do not count, modifiers do",
        "java",
        "weaker than {0}",
        ("public",),
        "class A {\n    double «»area() { return 1; }\n}\n",
        "class A {\n    public double area() { return 1; }\n}\n",
        (
            (
                "class B {\n    @Override\n    int «»size() { return 1; }\n}\n",
                ("public",),
                "class B {\n    @Override\n    public int size() { return 1; }\n}\n",
            ),
            ("class B {\n    protected int «»size() { return 1; }\n}\n", ("public",), None),
        ),
    ),
    Row(
        "a modifier comes after those that are there",
        "java",
        "{0} is not static",
        ("square",),
        "class A {\n    int square() { return 1; }\n    static int f() { return «square»(); }\n}\n",
        "class A {\n    static int square() { return 1; }\n    static int f() { return square(); }\n}\n",
        (
            (
                "class B {\n    @Old\n    private int join() { return 1; }\n    static int f() { «join»(); }\n}\n",
                ("join",),
                "class B {\n    @Old\n    private static int join() { return 1; }\n    static int f() { join(); }\n}\n",
            ),
            (
                "class B {\n    int join(int a) { return a; }\n    int join() {}\n    static int f() { «join»(); }\n}\n",
                ("join",),
                None,
            ),
        ),
    ),
    # --------------------------------------------------------------------------------------------------------- functions
    Row(
        "what a function lacks is lacking in the nearest one, of whatever kind, but for a generator",
        "typescript",
        "await in a plain function",
        (),
        "export function f(u: string) {\n  return «»await g(u);\n}\n",
        "export async function f(u: string) {\n  return await g(u);\n}\n",
        (
            (
                "class A {\n  get(u: string) {\n    if (u) {\n      «»await g(u);\n    }\n  }\n}\n",
                (),
                "class A {\n  async get(u: string) {\n    if (u) {\n      await g(u);\n    }\n  }\n}\n",
            ),
            (
                "function f(us) {\n  return us.map((u) => «»await g(u));\n}\n",
                (),
                "function f(us) {\n  return us.map(async (u) => await g(u));\n}\n",
            ),
            ("function* f(us) {\n  yield «»await g(us);\n}\n", (), None),
            ("class A {\n  title = «»await g();\n}\n", (), None),
        ),
    ),
    Row(
        "what a method lacks is not put to the one around a lambda",
        "java",
        "unreported {0}",
        ("Stop",),
        "class A {\n    void f() {\n        g(«»1);\n    }\n}\n",
        "class A {\n    void f() throws Stop {\n        g(1);\n    }\n}\n",
        (
            (
                "class A {\n    int h(int n) {\n        if (n > 1) { g(«»n); }\n        return 1;\n    }\n}\n",
                ("End",),
                "class A {\n    int h(int n) throws End {\n        if (n > 1) { g(n); }\n        return 1;\n    }\n}\n",
            ),
            (
                "class A {\n    Object h() {\n        return of(() -> {\n            g(«»1);\n        });\n    }\n}\n",
                ("End",),
                None,
            ),
        ),
    ),
    Row(
        "the type that a function promises gets what stands for nothing, and no other type",
        "python",
        "got {0}, expected {1}",
        ("None", "str"),
        "def f(a: str) -> str:\n    if a:\n        return a\n    return «None»\n",
        "def f(a: str) -> str | None:\n    if a:\n        return a\n    return None\n",
        (
            (
                "class A:\n    def g(self) -> int:\n        return «None»\n",
                ("None", "int"),
                "class A:\n    def g(self) -> int | None:\n        return None\n",
            ),
            ("def g(a: str) -> str:\n    return «0»\n", ("int", "str"), None),
        ),
    ),
    # ---------------------------------------------------------------------------------------------- names at the place
    Row(
        "what is said of a caught error is not said of what anybody may give",
        "typescript",
        "{0} is unknown",
        ("error",),
        "try {\n  f();\n} catch (error) {\n  g(«»error.message);\n}\n",
        "try {\n  f();\n} catch (error) {\n  g((error as Error).message);\n}\n",
        (
            (
                "function h(u: string) {\n  try {\n    f(u);\n  } catch (e) {\n    g(1 + «»e.name);\n  }\n}\n",
                ("e",),
                "function h(u: string) {\n  try {\n    f(u);\n  } catch (e) {\n    g(1 + (e as Error).name);\n  }\n}\n",
            ),
            ("function h(e: unknown) {\n  g(«»e.name);\n}\n", ("e",), None),
        ),
    ),
    Row(
        "what is sure of a value that was looked up is not sure of a parameter",
        "typescript",
        "{0} may be null",
        ("box",),
        "const box = find(1);\n«»box.text = 2;\n",
        "const box = find(1);\nbox!.text = 2;\n",
        (
            (
                "function f(a) {\n  const b = find(a);\n  «»b.x();\n}\n",
                ("b",),
                "function f(a) {\n  const b = find(a);\n  b!.x();\n}\n",
            ),
            ("function f(b: Box | null) {\n  «»b.x();\n}\n", ("b",), None),
        ),
    ),
    Row(
        "the fix belongs where the name at the place is declared",
        "python",
        "a coroutine has no {0}",
        ("upper",),
        "async def f():\n    body = g(1)\n    print(«body.upper»())\n",
        "async def f():\n    body = await g(1)\n    print(body.upper())\n",
        (
            (
                "async def f(n):\n    other = g(1)\n    rows = h(n)\n    n += «rows.count»(2)\n",
                ("count",),
                "async def f(n):\n    other = g(1)\n    rows = await h(n)\n    n += rows.count(2)\n",
            ),
            ("async def f(rows):\n    other = g(1)\n    n = «rows.count»(2)\n", ("count",), None),
            (
                "async def f():\n    rows = h(1)\n    rows = h(2)\n    «rows.count»(2)\n",
                ("count",),
                None,
            ),
        ),
    ),
    Row(
        "a method is fixed where it is declared",
        "cpp",
        "{0} discards qualifiers",
        ("this",),
        "struct A {\n    int n() { return 1; }\n};\nint f(const A& a) { return «a.n()»; }\n",
        "struct A {\n    int n() const { return 1; }\n};\nint f(const A& a) { return a.n(); }\n",
        (
            (
                "struct B {\n    int m();\n    int k(int i) { return i; }\n};\nint f(const B& b) { return «b.k(2)»; }\n",
                ("this",),
                "struct B {\n    int m();\n    int k(int i) const { return i; }\n};\nint f(const B& b) { return b.k(2); }\n",
            ),
            (
                "struct B { int k() { return 1; } };\nstruct C { int k() { return 2; } };\nint f(B b) { «b.k()»; }\n",
                ("this",),
                None,
            ),
        ),
    ),
    Row(
        "a declaration is changed through what wraps it",
        "typescript",
        "{0} is a constant",
        ("n",),
        "export function f() {\n  const n = 0;\n  «»n = 2;\n  return n;\n}\n",
        "export function f() {\n  let n = 0;\n  n = 2;\n  return n;\n}\n",
        (
            (
                "class A {\n  g() {\n    const max = 3, x = 1;\n    const m = 2;\n    if (m) {\n      «»m = x;\n    }\n  }\n}\n",
                ("m",),
                "class A {\n  g() {\n    const max = 3, x = 1;\n    let m = 2;\n    if (m) {\n      m = x;\n    }\n  }\n}\n",
            ),
            ("import { m } from './m';\n«»m = 2;\n", ("m",), None),
        ),
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_fix_is_carried_over_to_what_is_alike_and_to_no_near_miss(row: Row) -> None:
    before, said = _read(row.before, row, row.args)
    rule = learn(before, row.after, said, row.target)
    assert isinstance(rule, Rule), rule
    for marked, args, expected in row.tried:
        text, again = _read(marked, row, args)
        made = rewrite(rule, text, again)
        if expected is None:
            assert isinstance(made, NoFit), (marked, made)
        else:
            assert isinstance(made, Rewritten), (marked, made)
            assert made.text == expected


@pytest.mark.parametrize(
    ("marked", "names"),
    [
        ("print(«body.upper»())", ("body", "upper")),
        ("print(«body.upper()»)", ("body", "upper")),
        ("x = body.«»upper().strip", ("body", "strip")),
        ("x = rows[«i»].name", ("i", "")),
        ("x = f(«y», 1)", ("y", "")),
        ("self.«»rows.count(1)", ("", "count")),
        ("«3» + 4", ("", "")),
    ],
)
def test_the_names_at_a_place_are_those_of_the_chain_around_it(
    marked: str, names: tuple[str, str]
) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    source = ParsedSource(marked.replace("«", "").replace("»", ""), "python")
    assert names_here(source, start, end) == names


def test_a_place_that_is_not_in_the_text_has_no_names() -> None:
    assert names_here(ParsedSource("x = 1\n", "python"), None, None) == ("", "")
