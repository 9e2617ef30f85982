"""What a fix must keep: "it compiles" alone is weak."""

from __future__ import annotations

import pytest

from holdfast.preservation.suppression_comments import suppressions_between
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from tests.preservation.judged import objections, refusals

FILLER = "".join(f"\n\ndef helper_{n}(value):\n    return value * {n} + 1\n" for n in range(8))

PY = 'import os\n\n__all__ = ["total"]\n\n\nclass Cart:\n    def add(self, item):\n        self.items.append(itm)\n\n\ndef total(prices):\n    return sum(prices)\n'
JS = "export function total(prices) { return prices.reduce((a, b) => a + b, 0); }\nexport const rate = 2;\nexport default class Cart { add(x) { this.items.push(y); } }\n"
C = '#include <stdio.h>\nstatic int twice(int x) { return x * 2; }\nint main(void) { printf("%d", twice(y)); return 0; }\n'
RS = "pub struct Cart { pub items: Vec<u32> }\nimpl Cart { pub fn total(&self) -> u32 { self.items.iter().sum() } }\npub fn run() -> u32 { let c = Cart { items: vec![1] }; c.totl() }\n"
JAVA = "public class Cart {\n  public int total(int[] xs) { int sum = 0; for (int x : xs) { sum += y; } return sum; }\n  public void clear() { items.clear(); }\n}\n"
GO = "package cart\n\nfunc Total(xs []int) int { s := 0; for _, x := range xs { s += y }; return s }\n\ntype Cart struct{ items []int }\n"

KEPT: list[tuple[str, Target, str, str, str]] = [
    ("a.py", "python", PY, "itm)", "item)"),
    ("a.py", "python", PY, "import os\n", "import os\nimport sys\n"),
    ("a.py", "python", PY, "import os\n\n", ""),
    ("a.js", "javascript", JS, "push(y)", "push(x)"),
    ("a.ts", "typescript", JS, "push(y)", "push(x)"),
    ("a.c", "c", C, "twice(y)", "twice(2)"),
    ("a.rs", "rust", RS, "totl", "total"),
    ("A.java", "java", JAVA, "sum += y", "sum += x"),
    ("a.go", "go", GO, "s += y", "s += x"),
    ("notes.txt", "any", "a b c\n", "b", "d"),
    (
        "a.ts",
        "typescript",
        "export function warn(): string {\n  return 'It's late';\n}\n",
        "'It's late'",
        '"It\'s late"',
    ),
]


@pytest.mark.parametrize(("path", "target", "text", "old", "new"), KEPT)
def test_an_honest_fix_loses_nothing(
    path: str, target: Target, text: str, old: str, new: str
) -> None:
    assert old in text
    assert refusals(text, text.replace(old, new, 1), path, target) == ()


LOST: list[tuple[str, Target, str, str, str, str]] = [
    ("a.py", "python", PY, "def total", "def sum_up", "no longer declares total"),
    ("a.py", "python", PY, "class Cart", "class Basket", "no longer declares Cart"),
    (
        "a.py",
        "python",
        PY,
        "def add(self, item):\n        self.items.append(itm)",
        "items = ()",
        "no longer declares add",
    ),
    ("a.py", "python", PY, '__all__ = ["total"]', "__all__ = []", "no longer declares total"),
    (
        "a.py",
        "python",
        PY,
        "self.items.append(itm)",
        "pass",
        "drops the code that uses `append`",
    ),
    (
        "a.py",
        "python",
        PY,
        "return sum(prices)",
        "raise NotImplementedError",
        "no longer uses `sum`",
    ),
    ("a.py", "python", PY, "append(itm)", "append(itm)  # noqa: F821", "silences the checker"),
    (
        "a.py",
        "python",
        PY,
        "append(itm)",
        "append(itm)  # type: ignore[name-defined]",
        "silences the checker",
    ),
    ("a.py", "python", PY, "import os\n", "# pyright: basic\nimport os\n", "silences the checker"),
    (
        "a.py",
        "python",
        PY,
        "def add(self, item)",
        "def add(self, item: Any)",
        "evades the check with `Any`",
    ),
    ("a.py", "python", PY, "append(itm)", "append(item", "adds syntax errors: 3 now, 0 before"),
    ("a.py", "python", PY, PY, "", "no longer declares"),
    ("a.py", "python", PY, PY, "# " + PY.replace("\n", "\n# "), "drops the code"),
    (
        "a.js",
        "javascript",
        JS,
        "export function total",
        "function total",
        "no longer exports what it did (`export`)",
    ),
    ("a.js", "javascript", JS, "const rate", "const rates", "no longer declares rate"),
    (
        "a.js",
        "javascript",
        JS,
        "export default class",
        "class",
        "no longer exports what it did (`export`)",
    ),
    ("a.js", "javascript", JS, "this.items.push(y);", "", "drops the code that uses `push`"),
    (
        "a.js",
        "javascript",
        JS,
        "export const",
        "/* eslint-disable */ export const",
        "silences the checker",
    ),
    ("a.ts", "typescript", JS, "add(x) {", "add(x: any) {", "evades the check with `any`"),
    ("a.ts", "typescript", JS, "push(y)", "push(x as any)", "evades the check with `as`"),
    (
        "a.ts",
        "typescript",
        JS,
        "export const",
        "// @ts-ignore\nexport const",
        "silences the checker",
    ),
    (
        "a.ts",
        "typescript",
        JS,
        "export const",
        "// @ts-expect-error\nexport const",
        "silences the checker",
    ),
    ("a.c", "c", C, "int twice", "int doubled", "no longer declares twice"),
    (
        "a.c",
        "c",
        C,
        "static int",
        '#pragma GCC diagnostic ignored "-Wall"\nstatic int',
        "silences the checker",
    ),
    (
        "a.c",
        "c",
        C,
        "static int twice(int x) { return x * 2; }\n",
        "#if 0\nstatic int twice(int x) { return x * 2; }\n#endif\n",
        "can never run",
    ),
    ("a.rs", "rust", RS, "pub fn run", "fn run", "no longer exports what it did (`pub`)"),
    ("a.rs", "rust", RS, "pub fn run", "pub fn go", "no longer declares run"),
    ("a.rs", "rust", RS, "c.totl()", "unsafe { c.total() }", "silences the checker"),
    ("a.rs", "rust", RS, "pub struct", "#[allow(dead_code)]\npub struct", "silences the checker"),
    (
        "a.rs",
        "rust",
        RS,
        "let c = Cart { items: vec![1] }; c.totl()",
        "todo!()",
        "no longer uses `c`",
    ),
    (
        "A.java",
        "java",
        JAVA,
        "public int total",
        "int total",
        "no longer exports what it did (`public`)",
    ),
    ("A.java", "java", JAVA, "public class Cart", "public class Basket", "no longer declares Cart"),
    (
        "A.java",
        "java",
        JAVA,
        "  public int",
        '  @SuppressWarnings("all")\n  public int',
        "silences the checker",
    ),
    ("A.java", "java", JAVA, "items.clear();", "", "drops the code that uses `clear`"),
    ("a.go", "go", GO, "func Total", "func Sum", "no longer declares Total"),
    ("a.go", "go", GO, "s += y", "s += y // nolint", "silences the checker"),
    ("notes.txt", "any", "a b c d e f g h i j\n", "a b c d e f g", "", "deletes"),
    ("notes.txt", "any", "x\n", "x\n", "", "deletes"),
]


@pytest.mark.parametrize(("path", "target", "text", "old", "new", "why"), LOST)
def test_a_fix_that_loses_or_hides_something_is_refused_with_its_name(
    path: str, target: Target, text: str, old: str, new: str, why: str
) -> None:
    assert old in text
    reasons = objections(text, text.replace(old, new, 1), path, target)
    assert any(why in reason for reason in reasons), reasons


def test_an_import_may_go_and_other_code_may_not() -> None:
    text = "import os\nimport sys\n" + FILLER
    assert refusals(text, text.replace("import sys\n", ""), "a.py", "python") == ()
    much = text.replace("\n\ndef helper_1(value):\n    return value * 1 + 1\n", "")
    assert any("helper_1" in reason for reason in refusals(text, much, "a.py", "python"))
    lines = "".join(f"print({n})\n" for n in range(40))
    assert any(
        "drops the code that uses `print`" in reason
        for reason in refusals(lines, lines[: len(lines) // 2], "a.py", "python")
    )


def test_bytes_that_are_no_text_must_stay() -> None:
    text = "# caf\udce9\nx = y\n"
    assert refusals(text, text.replace("y", "1"), "a.py", "python") == ()
    assert any(
        "bytes of the file that are not text" in reason
        for reason in refusals(text, "# caf?\nx = 1\n", "a.py", "python")
    )


def test_to_comment_the_code_out_is_to_delete_it() -> None:
    text = "".join(f"int v{n} = {n};\n" for n in range(30))
    out = "".join(f"// int v{n} = {n};\n" for n in range(30))
    assert any("no longer declares" in reason for reason in refusals(text, out, "a.c", "c"))


def test_a_suppression_that_was_there_may_stay_and_go() -> None:
    text = "x = y  # noqa: F821\n"
    old, without, twice = (ParsedSource(each, "python") for each in (text, "x = 1\n", text * 2))
    assert suppressions_between(old, old) == ()
    assert suppressions_between(old, without) == ()
    assert suppressions_between(old, twice) == ("# noqa",)


def test_a_text_that_did_not_parse_is_not_held_to_names_that_were_guessed_of_it() -> None:
    broken = "class A {\n  run() {\n    if (x) {\n      go();\n  }\n  stop() { halt(); }\n}\n"
    fixed = "class A {\n  run() {\n    if (x) {\n      go();\n    }\n  }\n  stop() { halt(); }\n}\n"
    assert refusals(broken, fixed, "a.js", "javascript") == ()


def test_a_name_in_all_that_nobody_defines_may_go() -> None:
    text = '__all__ = ["totl", "total"]\n\n\ndef total():\n    return 1\n'
    message = "Undefined name `totl` in `__all__`"
    area = Area(1, 13, 1, 17)
    said = Diagnostic("ruff", "", "F822", "error", message, message, ("totl",), "", area)
    assert refusals(text, text.replace('"totl", ', ""), "a.py", "python", [said]) == ()
