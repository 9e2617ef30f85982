"""What a rule makes of a text at the place of an error, and why it leaves another text alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.rule import Example, Rule, TokenRewrite, TreeRewrite
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

RULE = Rule("r", "python", "tool", "X", "bad {0}")


def _said(text: str, *args: str) -> Diagnostic:
    """Return a diagnostic at the place that a text marks with `«»`."""
    start, end = text.index("«"), text.index("»") - 1
    lines = text[:start].split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    area = Area(line, column, line, column + end - start)
    return Diagnostic("tool", "", "X", "error", "bad", "bad {0}", args, "", area)


def _made(rule: Rule, text: str, said: Diagnostic) -> str:
    """Return the new text, or `! ` and why there is none."""
    made = rewrite(rule, text.replace("«", "").replace("»", ""), said)
    return made.text if isinstance(made, Rewritten) else f"! {made.reason}"


@pytest.mark.parametrize(
    ("language", "tokens", "pattern", "fix", "limits", "text", "args", "expected"),
    [
        ("python", False, "f($A)", "g($A)", {}, "x = «f(1)»\n", "", "x = g(1)\n"),
        ("python", False, "f($A)", "g($A)", {}, "x = «f»(1) + f(2)\n", "", "x = g(1) + f(2)\n"),
        ("python", False, "f($A)", "g($A)", {}, "x = f(1) + «f(2)»\n", "", "x = f(1) + g(2)\n"),
        ("python", False, "f($A)", "g($A)", {}, "x = «y» + f(2)\n", "", "! the pattern fits at 0 places"),
        ("python", False, "f($A)", "g($A)", {}, "x = f(«f(1)»)\n", "", "x = f(g(1))\n"),
        ("python", False, "f($A)", "g($A)", {}, "x = «f(f(1))»\n", "", "x = g(f(1))\n"),
        ("python", False, "f($A)", "g($A)", {}, "x = «f(1) + f(2)»\n", "", "x = g(1) + f(2)\n"),
        ("python", False, "f($A)", "f($A)", {}, "x = «f(1)»\n", "", "! nothing would change"),
        ("python", False, "f($A)", "", {}, "x = 1\n    \n«f(1)»\ny = 2\n", "", "x = 1\n    \ny = 2\n"),
        ("python", False, "f($A)", "", {}, "x = 1\n«f(1)»  # c\ny = 2\n", "", "x = 1\n  # c\ny = 2\n"),
        ("python", False, "f($A)", "g($A", {}, "x = «f(1)»\n", "", "! the new text would not parse"),
        ("python", False, "f($A, $B)", "$A - $B", {}, "x = «f(a, a)»\n", "", "! an operator would have the same operand twice"),
        ("python", False, "f($A, $B)", "$A in $B", {}, "x = «f(a, b)»\n", "", "x = a in b\n"),
        ("python", False, "f($A, $B)", "$A in $B", {}, "x = «f(a, b)» == c\n", "", "! an operator around would take only a part of the new text"),
        ("python", False, "f($A, $B)", "$A in $B", {}, "x = g(«f(a, b)») == c\n", "", "x = g(a in b) == c\n"),
        ("python", False, "f($A)", "if $A:\n    f($A)", {}, "def k():\n    if x:\n        «f(a)»\n        y\n", "", "def k():\n    if x:\n        if a:\n            f(a)\n        y\n"),
        ("python", False, "f($A)", "if $A:\n\n    f($A)", {}, "def k():\n\t«f(a)»\n", "", "def k():\n\tif a:\n\n\t    f(a)\n"),
        ("python", False, "f($A)", "if $A:\n    f($A)", {}, "def k():\r\n    «f(a)»\r\n    y\r\n", "", "def k():\r\n    if a:\r\n        f(a)\r\n    y\r\n"),
        ("python", False, "f($A,   $B)", "f($A, 1, $B)", {}, "x = «f(a ,  b)»  # c\n", "", "x = f(a , 1, b)  # c\n"),
        ("python", False, "$A = $B", "$A = h($B)", {}, "«x»  =  y   # c\n", "", "x  = h(y)   # c\n"),
        ("python", False, "$A = 1", "$A = 2", {"elsewhere": True}, "x = 1\ny = «x»\n", "", "x = 2\ny = x\n"),
        ("python", False, "$A = 1", "$A = 2", {"elsewhere": True}, "x = 1\nz = 1\ny = «x»\n", "", "x = 2\nz = 1\ny = x\n"),
        ("python", False, "$A = 1", "$A = 2", {"elsewhere": True}, "x = 1\nx = 1\ny = «x»\n", "", "! the pattern fits at 2 places"),
        ("python", False, "$A = 1", "$A = 2", {"elsewhere": True}, "x = 1\ny = «z»\n", "x", "x = 2\ny = z\n"),
        ("python", False, "$ARG0", "self.$ARG0", {"kinds": {"ARG0": ("reference",)}, "needs": ("self.$ARG0",)}, "x = «y»\n", "y", "! the program has no other place with what the fix writes"),
        ("python", False, "$ARG0", "self.$ARG0", {"kinds": {"ARG0": ("reference",)}, "needs": ("self.$ARG0",)}, "x = «y»\nself.y = 1\n", "y", "x = self.y\nself.y = 1\n"),
        ("python", False, "$ARG0", "m.$ARG0", {"kinds": {"ARG0": ("reference",)}, "imports": ("import m",)}, "x = «y»\n", "y", "import m\n\nx = m.y\n"),
        ("python", False, "$ARG0", "m.$ARG0", {"kinds": {"ARG0": ("reference",)}, "imports": ("import m",)}, "import m\nx = «y»\n", "y", "import m\nx = m.y\n"),
        ("python", False, "$ARG0", "$ARG0.$ARG0", {"kinds": {"ARG0": ("reference",)}, "imports": ("import $ARG0", "import z")}, "x = «y»\n", "y", "import y\nimport z\n\nx = y.y\n"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("str",)}}, "x = «f(1)»\n", "str", "x = g(1)\n"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("str",)}}, "x = «f(1)»\n", "int", "! the message is another one, or names something else"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("str",)}}, "x = «f(1)»\n", "", "! the message is another one, or names something else"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("list[_]",)}}, "x = «f(1)»\n", "list[int]", "x = g(1)\n"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("<class>",)}}, "class Row: pass\nx = «f(1)»\n", "Row", "class Row: pass\nx = g(1)\n"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("Row",)}}, "class Row: pass\nx = «f(1)»\n", "Row", "class Row: pass\nx = g(1)\n"),
        ("python", False, "f($A)", "g($A)", {"values": {0: ("<class>",)}}, "x = «f(1)»\n", "Row", "! the message is another one, or names something else"),
        ("python", True, "$A = $B", "$A == $B", {}, "if «a» = 1:\n    x = 2\n", "", "if a == 1:\n    x = 2\n"),
        ("python", True, "$A = $B", "$A == $B", {}, "if a = «1»:\n    x = 2\n", "", "if a == 1:\n    x = 2\n"),
        ("python", True, "$A = $B", "$A == $B", {}, "if a = 1«:»\n    x = 2\n", "", "if a == 1:\n    x = 2\n"),
        ("python", True, "$A = $B", "$A == $B", {}, "if a = 1:\n    x = 2«)»\n", "", "if a = 1:\n    x == 2)\n"),
        ("python", True, "$A = $B", "$A == $B", {}, "if a = 1 and b = «2»:\n    pass\n", "", "if a = 1 and b == 2:\n    pass\n"),
        ("python", True, "$A = $B", "$A == $B", {}, "if a = 1 and b = 2 and «c»:\n    pass\n", "", "! the pattern fits at 2 places"),
        ("python", True, "$A = $B", "$A == $B", {}, "«if» a = 1:\n    pass\n", "", "if a == 1:\n    pass\n"),
        ("python", True, "$A $EOL", "$A:", {"inside": ("if",)}, "if a«»\n    f()\n", "", "if a:\n    f()\n"),
        ("python", True, "$A $EOL", "$A:", {"inside": ("if",)}, "if a\n    «f»()\n", "", "if a:\n    f()\n"),
        ("python", True, "$A $EOL", "$A:", {"inside": ("if",)}, "if a\n    f(«)»\n", "", "if a:\n    f()\n"),
        ("python", True, "$A $EOL", "$A:", {"inside": ("if",)}, "if a\n    f()\n    «g»()\n", "", "! the pattern fits at 0 places"),
        ("python", True, "$A $EOL", "$A:", {"inside": ("if",)}, "if a  # c\n    «f»()\n", "", "if a:  # c\n    f()\n"),
        ("c", True, "$A $EOL", "$A;", {"inside": ("int",)}, "int a = 1\n\n/* c */\n«int» b;\n", "", "int a = 1;\n\n/* c */\nint b;\n"),
        ("c", True, "} $EOL", "}", {}, "x }\n«y»\n", "", "! nothing would change"),
        ("c", True, "f $A", "g $A", {}, "f «1»; f 2;", "", "g 1; f 2;"),
        ("c", True, "f $A", "g $A", {}, "f 1; h; f «2»;", "", "f 1; h; g 2;"),
        ("any", True, "f $A", "g $A", {}, "f «1»", "", "g 1"),
        ("python", False, "f($A)", "g($A)", {}, "f(«)»\nf(1)\n", "", "! the pattern fits at 0 places"),
    ],
)  # fmt: skip
def test_a_rule_rewrites_the_one_place_that_the_error_is_about(
    language: Target, tokens: bool, pattern: str, fix: str, limits: dict[str, Any], text: str, args: str, expected: str
) -> None:  # fmt: skip
    of_rule = {key: limits[key] for key in limits if key in {"values", "imports"}}
    of_rewrite = {key: limits[key] for key in limits if key not in of_rule}
    kind = TokenRewrite if tokens else TreeRewrite
    rule = replace(RULE, target=language, rewrite=kind(pattern, fix, **of_rewrite), **of_rule)
    assert _made(rule, text, _said(text, *args.split())) == expected


@pytest.mark.parametrize(
    "change", [{"tool": "other"}, {"code": "Y"}, {"template": "worse {0}"}, {"area": None}]
)
def test_a_rule_is_for_one_kind_of_error_at_a_place(change: dict[str, Any]) -> None:
    rule = replace(RULE, rewrite=TreeRewrite("f($A)", "g($A)"))
    text = "x = «f(1)»\n"
    assert _made(rule, text, _said(text)) == "x = g(1)\n"
    assert _made(rule, text, replace(_said(text), **change)).startswith("! the ")


def test_a_rule_that_only_imports_changes_nothing_else() -> None:
    rule = replace(RULE, imports=("import $ARG0",))
    text = "x = «y»\n"
    assert _made(rule, text, _said(text, "y")) == "import y\n\nx = y\n"
    assert _made(rule, f"import y\n{text}", _said(text, "y")) == "! nothing would change"
    broken = "x = «y»)\n"
    assert _made(rule, broken, _said(broken, "y")) == "import y\n\nx = y)\n"


# ------------------------------------------------------------------------ what the examples say

SAVED = "def f(a, b):\n    «save»(a, b)\n    print(a)\n"


def _needing(name: str, **changes: Any) -> Rule:
    before = SAVED.replace("«", "").replace("»", "")
    after = before.replace("b)\n    p", f"b, {name})\n    p")
    example = Example(before, after, "bad", (name,), Area(2, 5, 2, 9))
    made = TreeRewrite("save($A, $B)", f"save($A, $B, {name})")
    return replace(RULE, rewrite=made, examples=(example,), **changes)


def test_a_word_that_the_message_has_is_no_choice_of_the_fix() -> None:
    computed = "def g(b):\n    a = load(b)\n    «save»(a, b)\n    print(a)\n"
    said = _said(computed, "float")
    named = _needing("float", values={0: ("float",)})
    assert _made(named, computed, said) == computed.replace("«save»(a, b)", "save(a, b, float)")
    other = "! a call computes the value, and in the examples none does"
    assert _made(_needing("float"), computed, said) == other
    widened = _needing("float", widened=True)
    assert _made(widened, computed, said) == computed.replace("«save»(a, b)", "save(a, b, float)")


@pytest.mark.parametrize(
    ("comment", "is_rewritten"),
    [("", True), ("# As it is.", False), ("# Known.", True), ("# Known.\n    # New.", False)],
)
def test_a_comment_that_no_example_has_may_say_what_is_meant(
    comment: str, is_rewritten: bool
) -> None:
    rule = _needing("c", uncommented=True)
    [example] = rule.examples
    known = replace(example, before=f"# Known.\n{example.before}", area=Area(3, 5, 3, 9))
    rule = replace(rule, examples=(known,))
    text = SAVED.replace("    «", f"    {comment}\n    «")
    made = rewrite(rule, text.replace("«", "").replace("»", ""), _said(text, "c"))
    assert isinstance(made, Rewritten) is is_rewritten
    if not is_rewritten:
        assert made == NoFit("a comment says what is meant, and a rule cannot read it")


@pytest.mark.parametrize(("declared", "fits"), [("class Row: pass\n", True), ("", False)])
def test_a_type_that_a_program_declares_is_one_that_an_example_declares(
    declared: str, fits: bool
) -> None:
    example = Example(f"{declared}x = f(1)\n", f"{declared}x = g(1)\n", "bad", ("Row",), None)
    made = TreeRewrite("f($A)", "g($A)")
    rule = replace(RULE, rewrite=made, values={0: ("_",)}, examples=(example,))
    text = "class Cell: pass\nx = «f(1)»\n"
    expected = "class Cell: pass\nx = g(1)\n"
    if not fits:
        expected = "! the message is another one, or names something else"
    assert _made(rule, text, _said(text, "Cell")) == expected
    plain = "x = «f(1)»\n"
    assert _made(rule, plain, _said(plain, "Cell")) == "x = g(1)\n"
