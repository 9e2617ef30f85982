"""Rules that add words to the header of a function or a type: learned from one program, applied to another.

`«»` marks what the compiler is about; where there is nothing to write, the twin says why.
"""

from __future__ import annotations

import pytest

from holdfast.rules.apply_rule import Rewritten, rewrite
from holdfast.rules.learn_rule import learn
from holdfast.rules.rule import HeaderRewrite, Rule
from holdfast.rules.rule_yaml import BadRule, dump_rule, parse_rule
from holdfast.rules.scope import scope_of
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(text: str, template: str, *args: str) -> tuple[str, Diagnostic]:
    """Return a text without its marks, and the diagnostic at the marked place."""
    start, end = text.index("«"), text.index("»") - 1
    lines = text[:start].split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    area = Area(line, column, line, column + end - start)
    plain = text.replace("«", "").replace("»", "")
    message = template.format(*args)
    return plain, Diagnostic("tool", "", "X", "error", message, template, args, "", area)


def _learned(language: Target, text: str, old: str, new: str, template: str, *args: str) -> Rule:
    before, said = _said(text, template, *args)
    rule = learn(before, before.replace(old, new, 1), said, language)
    assert isinstance(rule, Rule), rule
    return rule


def _made(rule: Rule, text: str, *args: str) -> str:
    plain, said = _said(text, rule.template, *args)
    made = rewrite(rule, plain, said)
    return made.text if isinstance(made, Rewritten) else f"! {made.reason}"


THROWS = _learned(
    "java",
    "class A {\n    static int f(int a) {\n        return «load»(a);\n    }\n}\n",
    "a) {",
    "a) throws IOException {",
    "unreported {0}",
    "java.io.IOException",
)
STATIC = _learned(
    "java",
    "class A {\n    int f(int a) { return a; }\n    static int g() { return «f(1)»; }\n}\n",
    "int f",
    "static int f",
    "no static {0}",
    "f(int)",
)
CONST = _learned(
    "cpp",
    "class A {\npublic:\n    A(int n) : n(n) {}\n    int get() { return n; }\n    int n;\n};\nint f(const A &a) { return «a.get()»; }\n",
    "get() {",
    "get() const {",
    "discards {0}",
    "const A",
)
DERIVE = _learned(
    "rust",
    "pub struct P { x: i32 }\n\nfn f(a: &P, b: &P) -> bool {\n    «a == b»\n}\n",
    "pub struct",
    "#[derive(PartialEq)]\npub struct",
    "no == on {0}",
    "&P",
)
ASYNC = _learned(
    "javascript",
    "const f = (a) => {\n  return «await» g(a);\n};\n",
    "(a) =>",
    "async (a) =>",
    "await is only valid in async functions",
)
MUT = _learned(
    "rust",
    "impl A {\n    pub fn add(&self, n: u8) {\n        «self.v».push(n);\n    }\n}\n",
    "&self",
    "&mut self",
    "cannot borrow {0}",
    "self.v",
)
NONE = _learned(
    "python", "def «f»(a: int):\n    print(a)\n", "):", ") -> None:", "missing return type"
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (THROWS, HeaderRewrite("method_declaration", "throws IOException", "after parameters")),
        (STATIC, HeaderRewrite("method_declaration", "static", "before type", named=True)),
        (CONST, HeaderRewrite("function_declarator", "const", "after parameters", named=True)),
        (DERIVE, HeaderRewrite("struct_item", "#[derive(PartialEq)]", "above", named=True)),
        (MUT, HeaderRewrite("function_item", "mut", "before self")),
        (ASYNC, HeaderRewrite("arrow_function", "async", "start", inside=("value",))),
        (NONE, HeaderRewrite("function_definition", "-> None", "after parameters")),
    ],
)
def test_words_that_are_added_to_a_header_are_a_rule_for_any_header_of_that_kind(
    rule: Rule, expected: HeaderRewrite
) -> None:
    assert rule.rewrite == expected
    assert rule.safe
    assert parse_rule(dump_rule(rule)) == rule


@pytest.mark.parametrize(
    ("rule", "text", "args", "old", "new"),
    [
        (THROWS, "class B {\n    public void g(String b) {\n        for (;;) «save»(b);\n    }\n}\n", ("java.io.IOException",), "b) {", "b) throws IOException {"),
        (STATIC, "class B {\n    private String t(int n) { return s(n); }\n    static void m() { u(«t(2)»); }\n}\n", ("t(int)",), "String t", "static String t"),
        (CONST, 'struct B {\n    B(int k);\n    bool is(const char *s) {\n        return s;\n    }\n};\nbool g(const B &b) { return g(b) && «b.is("x")»; }\n', ("const B",), "s) {", "s) const {"),
        (DERIVE, "mod m {\n    struct C { y: u8 }\n\n    fn g(c: C) -> bool { «c == c.d» }\n}\n", ("C",), "struct C", "#[derive(PartialEq)]\n    struct C"),
        (ASYNC, "class K {\n  constructor() {\n    this.g = (u) => {\n      «await» h(u);\n    };\n  }\n}\n", (), "(u) =>", "async (u) =>"),
        (MUT, "impl B {\n    fn take(&self) -> u8 {\n        let self_ = 1;\n        «self.w».pop().unwrap()\n    }\n}\n", ("self.w",), "(&self)", "(&mut self)"),
        (NONE, "class K:\n    def «g»(self, *rest: str):\n        self.x = rest\n", (), "str):", "str) -> None:"),
    ],
)  # fmt: skip
def test_another_program_gets_the_words_whatever_else_its_header_has(
    rule: Rule, text: str, args: tuple[str, ...], old: str, new: str
) -> None:
    plain, _ = _said(text, "")
    assert _made(rule, text, *args) == plain.replace(old, new, 1)


@pytest.mark.parametrize(
    ("rule", "text", "args", "reason"),
    [
        # Another exception, a constructor, and a lambda around which another function is.
        (THROWS, "class B {\n    void g() {\n        «save»();\n    }\n}\n", ("java.sql.SQLException",), "the message is another one, or names something else"),
        (THROWS, "class B {\n    B() {\n        «save»();\n    }\n}\n", ("java.io.IOException",), "the message is about 0 functions"),
        (THROWS, "class B {\n    // Never fails.\n    void g() {\n        «save»();\n    }\n}\n", ("java.io.IOException",), "a comment says what is meant, and a rule cannot read it"),
        (STATIC, "class B {\n    int t(int n) { return 1; }\n    int t(long n) { return 2; }\n    static void m() { u(«t(2)»); }\n}\n", ("t(int)",), "the message is about 2 functions"),
        (CONST, "struct B {\n    bool is();\n};\nbool g(const B &b) { return «b.at()»; }\n", ("const B",), "the message is about 0 functions"),
        (DERIVE, "enum C { Y }\n\nfn g(c: C) -> bool { «c == c.d» }\n", ("C",), "the message is about 0 functions"),
        # A callback is called by somebody else.
        (ASYNC, "xs.filter((x) => {\n  return «await» g(x);\n});\n", (), "the message is about 0 functions"),
        (MUT, "impl B {\n    fn new() -> u8 {\n        «self.w».pop()\n    }\n}\n", ("self.w",), "the message is about 0 functions"),
        (NONE, "def f() -> int:\n    return 1\n\n\nx = «f»\n", (), "the message is about 0 functions"),
    ],
)  # fmt: skip
def test_a_header_that_the_message_is_not_about_stays_as_it_is(
    rule: Rule, text: str, args: tuple[str, ...], reason: str
) -> None:
    assert _made(rule, text, *args) == f"! {reason}"


def test_what_is_more_than_words_in_a_header_is_no_such_rule() -> None:
    text = "class A {\n    int f(int a) {\n        return «load»(a);\n    }\n}\n"
    body = _learned("java", text, "return", "check(a); return", "bad {0}", "load")
    assert not isinstance(body.rewrite, HeaderRewrite)
    changed = _learned("java", text, "int f", "long f", "bad {0}", "load")
    assert not isinstance(changed.rewrite, HeaderRewrite)


def test_the_scope_of_such_a_rule_in_words() -> None:
    assert scope_of(THROWS) == (
        "the header of the method_declaration around: `throws IOException` after parameters, where the message names"
        " `java.io.IOException` ({0}), where no comment says what is meant, in Java"
    )
    assert scope_of(CONST).startswith(
        "the header of the function_declarator that the message names: `const` after parameters"
    )
    assert scope_of(ASYNC).startswith(
        "the header of the arrow_function around: `async` start, inside `value`"
    )


def test_a_rule_for_a_header_is_written_by_hand_and_checked() -> None:
    text = """\
language: java
diagnostic:
  tool: javac
  message: "unreported {0}"
function: method_declaration
place: after parameters
fix: throws Exception
"""
    rule = parse_rule(text)
    assert rule.rewrite == HeaderRewrite(
        "method_declaration", "throws Exception", "after parameters"
    )
    with pytest.raises(BadRule, match="`place` must be one of after parameters, before type"):
        parse_rule(text.replace("after parameters", "behind"))
    with pytest.raises(BadRule, match="it has both `function` and `pattern`"):
        parse_rule(f"{text}pattern: f()\n")
