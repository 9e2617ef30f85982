"""What a program says about a place that has the form of the examples: the fix is not what it needs."""

from __future__ import annotations

import pytest

from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.learn_rule import learn
from holdfast.rules.rule import Rule
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

USED = "the value is used in another way than in the examples"


def _said(template: str, names: str, text: str) -> Diagnostic:
    """Return a diagnostic at the place that a text marks with `«»`."""
    start, end = text.index("«"), text.index("»") - 1
    lines = text[:start].split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    area = Area(line, column, line, column + end - start)
    args = tuple(names.split("|"))
    return Diagnostic("tool", "", "E", "error", template.format(*args), template, args, "", area)


def _plain(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def _reason(rule: Rule, text: str, said: Diagnostic) -> str:
    made = rewrite(rule, _plain(text), said)
    return made.reason if isinstance(made, NoFit) else "rewritten"


Row = tuple[Target, str, tuple[str, str], tuple[str, str], tuple[str, str], str]

ROWS: list[Row] = [
    (
        "java",
        "{0} is no {1}",
        (
            "class A {\n  int f(B b) {\n    C c = «b.g()»;\n    return c.n();\n  }\n}\n",
            "java.util.Optional<D>|D",
        ),
        ("b.g()", "b.g().orElseThrow()"),
        (
            "class A {\n  int f(B b) {\n    C c = «b.g()»;\n    if (c == null) return 0;\n    return c.n();\n  }\n}\n",
            "java.util.Optional<D>|D",
        ),
        USED,
    ),
    (
        "cpp",
        "cannot convert {0} to {1}",
        (
            "int f(std::string s) {\n    const char* p = «s»;\n    return g(p);\n}\n",
            "std::string|const char*",
        ),
        ("= s", "= s.c_str()"),
        (
            'int f(std::string s) {\n    const char* p = «s»;\n    s += ".bak";\n    return g(p);\n}\n',
            "std::string|const char*",
        ),
        "the variable is set afterwards, and in the examples it is not",
    ),
    (
        "rust",
        "expected {0}, found {1}",
        ("fn f(a: u32, b: u32) -> f64 {\n    let n: u32 = a + b;\n    g(«n»)\n}\n", "f64|u32"),
        ("g(n)", "g(f64::from(n))"),
        ("fn f(a: u32, b: u32) -> f64 {\n    let n: u32 = a / b;\n    g(«n»)\n}\n", "f64|u32"),
        "a division computes the value, and in the examples none does",
    ),
    (
        "rust",
        "expected {0}, found {1}",
        ("fn f(a: i32, b: i32) -> u8 {\n    let n: i32 = a + b;\n    g(«n»)\n}\n", "usize|i32"),
        ("g(n)", "g(n as usize)"),
        ("fn f(a: i32, b: i32) -> u8 {\n    let n: i32 = a - b;\n    g(«n»)\n}\n", "usize|i32"),
        "a difference may be negative, and in the examples there is none",
    ),
    (
        "cpp",
        "{0} is a member function",
        ("struct A { int n() { return 1; } };\nint f(A a) {\n    return «a.n»;\n}\n", "A::n"),
        ("a.n;", "a.n();"),
        (
            "struct A { int k; int n() { k = 2; return k; } };\nint f(A a) {\n    return «a.n»;\n}\n",
            "A::n",
        ),
        "the function that is called changes something",
    ),
    (
        "go",
        "missing comma",
        ('var a = []string{\n\t"one"«»\n\t"two",\n}\n', ""),
        ('"one"', '"one",'),
        ('var b = []string{\n\t"one and "«»\n\t"two",\n}\n', ""),
        "a text ends with a blank: what follows may be a part of it",
    ),
    (
        "c",
        "type of {0} defaults to {1}",
        ("static «n» = 1;\n", "n|int"),
        ("static n", "static int n"),
        ("static «part» = 0.25;\n", "part|int"),
        "a number is a fraction, and in the examples none is",
    ),
    (
        "python",
        "undefined name {0}",
        ("class A:\n    def f(self, other):\n        return «n» + 1\n", "n"),
        ("return n", "return self.n"),
        ("class A:\n    def f(self, other):\n        return «n» + other.n\n", "n"),
        "another object has a member of that name",
    ),
    (
        "c",
        "{0} has no member {1}",
        ("int f(struct tm *t) {\n    return t->«day»;\n}\n", "struct tm|day"),
        ("t->day", "t->mday"),
        ("char f(struct tm *t) {\n    return NAMES[t->«day»];\n}\n", "struct tm|day"),
        "something else takes the result than in the examples",
    ),
    (
        "python",
        "got {0}, expected {1}",
        ("def f(a, b):\n    return «a / b»\n", "float|int"),
        ("a / b", "a // b"),
        ("def f(a, b):\n    return «a / b» * 100\n", "float|int"),
        "something else takes the result than in the examples",
    ),
    (
        "go",
        "{0} declared but not used",
        (
            "package a\n\nfunc f(w []int) int {\n\ts := 0\n\tfor «i», v := range w {\n\t\ts += v\n\t}\n\treturn s\n}\n",
            "i",
        ),
        ("for i", "for _"),
        (
            "package a\n\nfunc f(w []int) int {\n\ts := 0\n\tfor «i», v := range w {\n\t\ts += v * w[0]\n\t}\n\treturn s\n}\n",
            "i",
        ),
        "a number is written where the unused variable may be meant",
    ),
    (
        "cpp",
        "passing {0} discards qualifiers",
        (
            "class A {\n  public:\n    int n() { return 1; }\n};\nint f(const A &a) {\n    return «a.n()»;\n}\n",
            "const A",
        ),
        ("n() {", "n() const {"),
        (
            "class A {\n  public:\n    void n() { m->clear(); }\n};\nvoid f(const A &a) {\n    «a.n()»;\n}\n",
            "const A",
        ),
        "the function returns nothing: what else than a change is it for?",
    ),
    (
        "javascript",
        "await is only valid in async functions",
        ("class A {\n  f(a) {\n    return «await» g(a);\n  }\n}\n", ""),
        ("f(a) {", "async f(a) {"),
        ("class A {\n  toString(a) {\n    return «await» g(a);\n  }\n}\n", ""),
        "the language itself calls the function",
    ),
    (
        "rust",
        "cannot borrow {0} as mutable",
        ("fn f(s: &S) -> u8 {\n    let n = S::new();\n    «n».hit();\n    n.hits\n}\n", "n"),
        ("let n", "let mut n"),
        ("fn f(s: &S) -> u8 {\n    let n = s.counter;\n    «n».hit();\n    n.hits\n}\n", "n"),
        "the variable has a copy of what an object has",
    ),
    (
        "typescript",
        "cannot assign to {0}",
        (
            "function f(xs: number[]): number {\n  const s = 0;\n  for (const x of xs) {\n    «s» += x;\n  }\n  return s;\n}\n",
            "s",
        ),
        ("const s", "let s"),
        (
            "function f(xs: number[]): number {\n  const s = 0;\n  let t = 0;\n  for (const x of xs) {\n    «s» += x;\n  }\n  return s - t;\n}\n",
            "s",
        ),
        "another variable may be set, and never is",
    ),
    (
        "cpp",
        "cannot convert {0} to {1} in return",
        (
            "int f() {\n    auto p = g();\n    if (!p) {\n        return 0;\n    }\n    return «p»;\n}\n",
            "std::optional<int>|int",
        ),
        ("return p", "return *p"),
        (
            "int f() {\n    auto p = g();\n    if (!p) {\n        log();\n    }\n    return «p»;\n}\n",
            "std::optional<int>|int",
        ),
        "that the value is missing is noticed, and the function goes on",
    ),
    (
        "go",
        "cannot use {0} as value",
        ("package a\n\nfunc f(w A) {\n\tadd(«w»)\n\tw.g()\n}\n", "w"),
        ("add(w)", "add(&w)"),
        (
            "package a\n\nfunc f(ws []A) {\n\tfor _, w := range ws {\n\t\tadd(«w»)\n\t\tw.g()\n\t}\n}\n",
            "w",
        ),
        "the variable counts the turns of a loop, and in the examples it does not",
    ),
    (
        "cpp",
        "use of deleted function {0}",
        ("void f(S s) {\n    auto p = make();\n    «s.add(p)»;\n}\n", "std::unique_ptr"),
        ("(p)", "(std::move(p))"),
        (
            "void f(S s) {\n    auto p = make();\n    for (int n : s) {\n        «s.add(p)»;\n        use(n);\n    }\n}\n",
            "std::unique_ptr",
        ),
        "a loop around gives the same value away again",
    ),
    (
        "javascript",
        "missing ) after argument list",
        ("const a = f(g(b)«;»\n", ""),
        ("f(g(b)", "f(g(b))"),
        ("const a = f(g(b + c / 2)«;»\n", ""),
        "the operator in the call may be meant to follow it",
    ),
    (
        "javascript",
        "missing ) after argument list",
        ("const a = f(g(b)«;»\n", ""),
        ("f(g(b)", "f(g(b))"),
        ("const a = f(g(b, c)«;»\n", ""),
        "the place of the bracket decides which operator comes first",
    ),
    (
        "rust",
        "expected {0}, found {1}",
        ("fn f(a: &[u8]) -> Option<u8> {\n    let n = 1 + 2;\n    «n»\n}\n", "Option<u8>|u8"),
        ("    n\n", "    Some(n)\n"),
        (
            "fn f(a: &[u8]) -> Option<u8> {\n    let mut n = u8::MAX;\n    g(&mut n);\n    «n»\n}\n",
            "Option<u8>|u8",
        ),
        "a special value may stand for none",
    ),
    (
        "typescript",
        "expected {0}, got {1}",
        ('f(«s»);\nconst t = "12";\n', "number|string"),
        ("f(s)", "f(Number(s))"),
        ('f(«s»);\nconst t = "9:22";\n', "number|string"),
        "a text of the program is no whole number",
    ),
    (
        "python",
        "{0} is assigned to but never used",
        ("def f(a):\n    «r» = send(a)\n    log(a)\n\n\nf(1)\n", "r"),
        ("r = send", "send"),
        ("def f(a):\n    «r» = send(a)\n    log(a)\n\n\nprint(f(1))\n", "r"),
        "the program uses the result of the function, which returns nothing",
    ),
    (
        "rust",
        "borrow of moved value: {0}",
        ("fn f(a: S) -> u8 {\n    let n = g(a);\n    n + «a».m\n}\n", "a"),
        ("g(a)", "g(a.clone())"),
        ("fn g(a: S) -> S {\n    a\n}\nfn f(a: S) -> u8 {\n    g(a);\n    «a».m\n}\n", "a"),
        "nothing uses what the function returns",
    ),
    (
        "rust",
        "field {0} is private",
        ("fn price(&self) -> u64 { self.p }\nfn f(i: I) -> u64 {\n    i.«price»\n}\n", "price"),
        ("i.price\n", "i.price()\n"),
        (
            "fn price(&self) -> u64 { self.p }\nfn price_cents(&self) -> u64 { self.p }\nfn f(i: I) -> u64 {\n    i.«price»\n}\n",
            "price",
        ),
        "the program has a function that is named after the member",
    ),
    (
        "java",
        "{0} is no {1}",
        ("class A {\n  void f(int n) {\n    String s = «n + 1»;\n  }\n}\n", "int|String"),
        ("= n + 1", "= String.valueOf(n + 1)"),
        ("class A {\n  void f(int n) {\n    String s = «'a' + n»;\n  }\n}\n", "int|String"),
        "a character is a part of the value, and in the examples none is",
    ),
    (
        "cpp",
        "cannot convert {0} to {1}",
        (
            "int f() {\n    auto p = g();\n    if (!p) return 0;\n    int n = «p»;\n    return n;\n}\n",
            "std::optional<int>|int",
        ),
        ("= p", "= *p"),
        (
            "int f() {\n    auto p = g();\n    int n = «p»;\n    return n;\n}\n",
            "std::optional<int>|int",
        ),
        "nothing looks whether there is a value",
    ),
    (
        "c",
        "too few arguments to {0}",
        ('void f(char *t) {\n    char b[9];\n    «snprintf»(b, "%s", t);\n}\n', "snprintf"),
        ("(b, ", "(b, sizeof b, "),
        ('void f(char *b, char *t) {\n    «snprintf»(b, "%s", t);\n}\n', "snprintf"),
        "the size of a pointer is not that of what it points to",
    ),
    (
        "java",
        "loss of precision: {0}, {1}",
        (
            "class A {\n    int f(double x) {\n        int n = «Math.sqrt(x)»;\n        return n;\n    }\n}\n",
            "double|int",
        ),
        ("= Math", "= (int) Math"),
        (
            "class A {\n    double f(double x) {\n        int n = «Math.sqrt(x)»;\n        return n;\n    }\n}\n",
            "double|int",
        ),
        "the function returns the value with its fraction",
    ),
    (
        "typescript",
        "expected {0}, got {1}",
        ("function f(s: string) {\n  g(«s»);\n}\n", "number|string"),
        ("g(s)", "g(Number(s))"),
        ('function f(s: string) {\n  g(«s»);\n  h(s + "!");\n}\n', "number|string"),
        "the value is also used as a text",
    ),
    (
        "c",
        "assignment of read-only variable {0}",
        ("void f(int k) {\n    const int n = 3;\n    «n» += k;\n    g(n);\n}\n", "n"),
        ("const int", "int"),
        (
            "void f(int k) {\n    const int n = 3;\n    for (int i = 0; i < n; «n»++) g(n);\n}\n",
            "n",
        ),
        "something is compared with the variable, and in the examples nothing is",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[5][:40])
def test_a_place_that_says_something_else_is_left_alone(row: Row) -> None:
    target, template, (before, names), (old, new), (near, near_names), reason = row
    said = _said(template, names, before)
    rule = learn(_plain(before), _plain(before).replace(old, new, 1), said, target)
    assert isinstance(rule, Rule), rule
    # Without what it says, the same program is repaired.
    assert _reason(rule, before, said) == "rewritten"
    assert _reason(rule, near, _said(template, near_names, near)) == reason


def test_an_argument_that_the_fix_passes_on_may_be_one_of_any_call_that_has_no_other() -> None:
    template, names = "use of deleted function {0}", "std::unique_ptr"
    before = "void f(S s) {\n    auto p = make();\n    «s.add(p)»;\n}\n"
    said = _said(template, names, before)
    rule = learn(_plain(before), _plain(before).replace("(p)", "(std::move(p))"), said, "cpp")
    assert isinstance(rule, Rule), rule
    assert rule.rewrite is not None
    assert rule.rewrite.inside == ("call_expression",)
    other = 'void g() {\n    auto q = make();\n    «install("q", q)»;\n}\n'
    made = rewrite(rule, _plain(other), _said(template, names, other))
    assert made == Rewritten(_plain(other).replace(", q)", ", std::move(q))"))
    two = "void g(int n) {\n    auto q = make();\n    «install(n, q)»;\n}\n"
    assert _reason(rule, two, _said(template, names, two)) == "the pattern fits at 2 places"
