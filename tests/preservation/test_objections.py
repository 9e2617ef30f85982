"""All that is objected to in a fix: each row is a change at an error, and what it changes beyond that error."""

from __future__ import annotations

import pytest

from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from tests.preservation.judged import objections

PATHS: dict[Target, str] = {
    "python": "a.py",
    "typescript": "a.ts",
    "c": "a.c",
    "rust": "a.rs",
    "java": "A.java",
}


@pytest.mark.parametrize(
    ("language", "text", "old", "new", "names", "code", "reasons"),
    [
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a", "read(a", "load", "", ["it takes `read` for `load`, which is another name."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a", "load(b", "", "", ["it no longer uses `a`."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 4)", "", "", ["it changes the constant 3 to 4."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3.0)", "", "", ["it changes the constant 3 to 3.0."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, '3')", "", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 4)", "3", "", ["it changes the constant 3 to 4."]),
        ("python", "def f(a, b):\n    x = «load»(a, 'red')\n    return x\n", "'red'", "'blue'", "red", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a)", "load", "mypy call-arg", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "3", "load", "", ["it no longer computes `x`, but writes it out.", "it no longer uses `a`.", "it drops the call of `load`, and keeps what it was passed."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "a", "load", "", ["it drops the call of `load`, and keeps what it was passed."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "None", "load", "", ["it no longer computes `x`, but writes it out.", "it changes the constant 3 to None.", "it writes `None` where `load` was used."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3) or b", "", "", ["it changes a condition or takes another value (`or` is new)."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3) + 1", "", "", ["it changes a calculation (`+ 1` is new)."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3) if a else b", "", "", ["it changes a condition or takes another value (`if else` is new)."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3) == 1", "", "", ["it compares where a value was used (`==` is new)."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "load(a, 3)", "load(a, 3) == b", "bool", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "    x = load(a, 3)\n", "    try:\n        x = load(a, 3)\n    except E:\n        x = b\n", "", "", ["it swallows errors (`except`); let them reach the caller."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "    x = load(a, 3)\n", "    x = load(a, 3)\n    if a:\n        return b\n", "", "", ["it ends the code on a new condition (`return`)."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "    x = load(a, 3)\n", "    x = load(a, 3)\n    if a is None:\n        return b\n", "", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "    x = load(a, 3)\n", "    x = load(a, 3)\n    y = b\n", "", "", ["it sets `y`, which nothing uses."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "    x = load(a, 3)\n", "    y = load(a, 3)\n", "", "", ["it no longer uses `x`.", "it sets `y`, which nothing uses."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "x = load", "x: Any = load", "x", "", ["it evades the check with `Any` instead of a fix."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "x = load", "x: object = load", "x", "", ["it evades the check with `object` instead of a fix."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "x = load", "x: Any = load", "any", "", ["it evades the check with `Any` instead of a fix."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a, b, c)", "load", "", ["it changes how f is called; keep the parameters."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a, b, load)", "load", "", ["it changes how f is called; keep the parameters."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a, c)", "c", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a)", "f", "", ["it drops the code that uses `b`; fix the code instead."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a, b=1)", "b", "", ["it makes the parameter `b` optional."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a, b)", "def f(a, b=None)", "b", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "def g(a", "f", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "def load(x, y): pass\n\n\ndef f(a", "load", "", ["it makes up load without meaning; find the name that was meant, or define it properly."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "def load(x, y): return x + y\n\n\ndef f(a", "load", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "load = None\n\n\ndef f(a", "load", "", ["it makes up load without meaning; find the name that was meant, or define it properly."]),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "load = 3\n\n\ndef f(a", "load", "", []),
        ("python", "def f(a, b):\n    x = «load»(a, 3)\n    return x\n", "def f(a", "from m import load\n\n\ndef f(a", "load", "", []),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "a - b <", "b - a <", "", "", ["it swaps the operands of `-`."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "a - b <", "a + b <", "", "", ["it changes a calculation (`-` is now `+`)."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "b < b", "b > b", "", "", ["it changes a condition (`<` is gone)."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "b < b - 1", "b - 1 < b", "", "", []),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", " and not a", "", "a", "", ["it changes a condition (`and` is gone).", "it drops the code that uses `a`; fix the code instead."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", " and not a", "", "", "", ["it changes a condition (`and` is gone).", "it drops the code that uses `a`; fix the code instead."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", " and not a", " or not a", "", "", ["it changes a condition (`and` is gone).", "it changes a condition or takes another value (`or` is new)."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "not a", "a", "", "", ["it changes a condition (`not` is gone)."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "        raise E(a)\n", "        pass\n", "", "", ["it changes `raise E(a)` in line 3, which no error points at; change only what the errors are about."]),
        ("python", "def f(a, b):\n    if a «-» b < b - 1 and not a:\n        raise E(a)\n    return a\n", "- 1", "- 2", "", "", ["it changes the constant 1 to 2."]),
        ("python", "class A:\n    x: int = «1»\n\n    def f(self, a: int) -> str:\n        return a\n\n\nA.f(1)\n", "x: int", "x", "int", "", ["it removes the type of x; correct the type instead."]),
        ("python", "class A:\n    x: int = «1»\n\n    def f(self, a: int) -> str:\n        return a\n\n\nA.f(1)\n", "x: int", "x: str", "int str", "", []),
        ("python", "class A:\n    x: int = «1»\n\n    def f(self, a: int) -> str:\n        return a\n\n\nA.f(1)\n", "x: int", "x: Any", "int", "", ["it evades the check with `Any` instead of a fix."]),
        ("python", "class A:\n    x: int = «1»\n\n    def f(self, a: int) -> str:\n        return a\n\n\nA.f(1)\n", "x: int", "x: int | None", "int", "", ["it allows more values (`|`) instead of giving a right one."]),
        ("python", "class A:\n    x: int = «1»\n\n    def f(self, a: int) -> str:\n        return a\n\n\nA.f(1)\n", "x: int = 1", "x: int | None = None", "int", "", ["it changes the constant 1 to None."]),
        ("python", "def f(a):\n    n = «load»(a)\n    m = a\n    return a\n", "    n = load(a)\n", "", "n", "ruff F841", ["it drops the call of `load`, which may have an effect."]),
        ("python", "def f(a):\n    n = «load»(a)\n    m = a\n    return a\n", "n = load(a)", "load(a)", "n", "ruff F841", []),
        ("python", "def f(a):\n    n = «load»(a)\n    m = a\n    return a\n", "n = load(a)", "n = 0", "n", "ruff F841", ["it no longer computes `n`, but writes it out.", "it writes `0` where `load` was used."]),
        ("python", "def f(a):\n    n = «load»(a)\n    m = a\n    return a\n", "    m = a\n", "", "m", "ruff F841", []),
        ("c", "static const int n = 1;\nint f(const int a) {\n    «n» = a;\n    a = n;\n    return a;\n}\n", "static const", "static", "n", "", []),
        ("c", "static const int n = 1;\nint f(const int a) {\n    «n» = a;\n    a = n;\n    return a;\n}\n", "static const", "const", "n", "", []),
        ("c", "static const int n = 1;\nint f(const int a) {\n    «n» = a;\n    a = n;\n    return a;\n}\n", "const int a", "int a", "a", "", []),
        ("c", "static const int n = 1;\nint f(const int a) {\n    «n» = a;\n    a = n;\n    return a;\n}\n", "const int a", "int a", "b", "", []),
        ("c", "static const int n = 1;\nint f(const int a) {\n    «n» = a;\n    a = n;\n    return a;\n}\n", "static const", "", "static n", "", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "final int", "int", "a", "", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "private int", "public int", "n", "javac compiler.err.report.access", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "private int", "public int", "n", "", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "public int f", "private int f", "f", "javac compiler.err.report.access", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "public int f", "private int f", "f", "", ["it no longer exports what it did (`public`); keep what others may use."]),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "public int f", "int f", "f", "", ["it no longer exports what it did (`public`); keep what others may use."]),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "return a;", "return 0;", "a", "", ["it changes `a` in line 5, which no error points at; change only what the errors are about."]),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "a = n;", "this.a = n;", "a", "", []),
        ("java", "class A {\n  private int n;\n  public int f(final int a) {\n    «a» = n;\n    return a;\n  }\n}\n", "a = n;", "int b = n;", "a", "", ["it sets `b`, which nothing uses."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "= a;", "= a as any;", "string number", "", ["it evades the check with `any` instead of a fix.", "it evades the check with `as` instead of a fix."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "= a;", "= Number(a);", "string number", "", []),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "= a;", "= a.length;", "string number", "", []),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "= a;", "= len(a);", "string number", "", ["it takes what `len` says of a value for the value."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "a: string", "a: number", "string number a", "", []),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "a: string", "a: any", "string number a", "", ["it evades the check with `any` instead of a fix."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "a: string", "a: string | number", "string number a", "", ["it allows more values (`|`) instead of giving a right one."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "): number", ")", "number", "", []),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "export function", "function", "f", "", ["it no longer exports what it did (`export`); keep what others may use."]),
        ("typescript", "export function f(a: string): number {\n  const n = «a»;\n  return n;\n}\n", "const n", "let n", "n", "", []),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "load(a)?", "load(a).unwrap_or(0)", "load", "", ["it evades the check with `unwrap_or` instead of a fix.", "it drops `?`; keep what the code checks and promises."]),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "load(a)?", "load(a).unwrap()", "load", "", ["it drops `?`; keep what the code checks and promises."]),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "load(a)?", "load(a)", "load", "", ["it drops `?`; keep what the code checks and promises."]),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "let n = load(a)?;", "let _ = load(a);", "n", "", ["it throws a result away that may be an error; handle the result.", "it drops `?`; keep what the code checks and promises.", "it sets `_`, which nothing uses."]),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "load(a)", "load(a).map(|_| 1)", "load", "", ["it drops the value that `map` gets."]),
        ("rust", "fn f(a: &str) -> u8 {\n    let n = «load»(a)?;\n    n\n}\n", "load(a)", "laod(a)", "load", "", []),
        ("python", "def f(a):\n    return a[«0»\n", "[0", "[0]", "", "", []),
        ("python", "def f(a):\n    return a[«0»\n", "[0", "[1]", "", "", ["it changes the constant 0 to 1."]),
        ("python", "def f(a):\n    return a[«0»\n", "[0", "[0] + 1", "", "", ["it writes `1`, which no syntax error asks for."]),
        ("python", "def f(a):\n    return a[«0»\n", "return a[0", "a[0]", "", "", ["it drops `return`; keep what the code checks and returns."]),
        ("python", "def f(a):\n    return a[«0»\n", "return a[0", "return a", "", "", ["it drops the constant 0."]),
        ("python", "def f(a, b):\n    if a < b and a «b»:\n        return 'x'\n", "a b:", "a == b:", "", "", []),
        ("python", "def f(a, b):\n    if a < b and a «b»:\n        return 'x'\n", "and a b", "or a", "", "", ["it changes a condition (`and` is gone).", "it no longer uses `b`.", "it changes a condition (`and` is now `or`)."]),
        ("python", "def f(a, b):\n    if a < b and a «b»:\n        return 'x'\n", "< b and a b", "<= b and a.b", "", "", ["it changes a condition (`<` is gone).", "it changes a condition (`<` is now `<=`)."]),
        ("python", "def f(a, b):\n    if a < b and a «b»:\n        return 'x'\n", "a b:", "a.b:\n        b\n", "", "", []),
        ("python", "def f(a, b):\n    if a < b and a «b»:\n        return 'x'\n", "'x'", "'y'", "", "", ["it changes the constant 'x' to 'y'."]),
        ("python", "def f(a):\n    return «q»(a)\nx = 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'\n", "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'", "1", "q", "", ["it changes `'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'` in line 3, which no error points at; change only what the errors are about."]),
        ("python", "def f(a):\n    return «q»(a)\nx = 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'\n", "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'", "1", "q", "", ["it changes `'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…` in line 3, which no error points at; change only what the errors are about."]),
        ("java", "class A {\n  final int n = 1;\n  void f(int a) {\n    «n» = a;\n  }\n}\n", "final int", "int", "n", "", ["it drops `final`; keep what the code checks and promises."]),
        ("java", "class A {\n  void f(int a) {\n    final int n = 1;\n    «n» = a;\n  }\n}\n", "final int", "int", "n", "", []),
    ],
)  # fmt: skip
def test_what_a_fix_changes_beyond_its_error(
    language: Target, text: str, old: str, new: str, names: str, code: str, reasons: list[str]
) -> None:
    start, end = text.index("«"), text.index("»") - 1
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    area = Area(line, column, line, column + end - start)
    before = text.replace("«", "").replace("»", "")
    tool, _, word = code.partition(" ")
    said = Diagnostic(tool, "", word, "error", "bad", "bad", tuple(names.split()), "", area)
    assert old in before
    found = objections(before, before.replace(old, new), PATHS[language], language, [said])
    assert list(found) == reasons
