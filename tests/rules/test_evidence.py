"""What in a program tells it from the example of a rule, and what a second example frees. Each case has a twin that is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.apply_rule import Rewritten, rewrite
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook
from holdfast.rules.type_text import common_type, fits_type, outline
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(text: str, part: str, template: str, *args: str, tool: str = "tool") -> Diagnostic:
    """Return a diagnostic at the first place of `part`."""
    before = text[: text.index(part)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    area = Area(line, column, line, column + len(part))
    message = template.format(*args)
    return Diagnostic(tool, "", "E", "error", message, template, args, "", area)


def _book(target: Target, *fixes: tuple[str, str, Diagnostic]) -> Rule:
    """Return the only rule that is learned from these fixes."""
    book = RuleBook()
    for before, after, said in fixes:
        rule = book.learn(before, after, [said], target)
        assert isinstance(rule, Rule), rule
    (rule,) = book
    return rule


def _made(rule: Rule, text: str, said: Diagnostic) -> str | None:
    made = rewrite(rule, text, said)
    return made.text if isinstance(made, Rewritten) else None


# ------------------------------------------------------------------------------ types in messages


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("list[int]", "list[float]", "list[<number>]"),
        ("list[int]", "list[str]", "list[_]"),
        ("int", "double", "<number>"),
        ("int", "str", ""),
        ("Vec<u8>", "Option<u8>", "_<u8>"),
        ("f(std::a<int>::size_type, int)", "f(std::b<char>::size_type, int)", "f(std::_<_>::size_type,int)"),
        ("char*", "int", ""),
    ],
)  # fmt: skip
def test_two_types_have_a_common_one(one: str, other: str, common: str) -> None:
    assert common_type(one, other) == common
    if common:
        assert (fits_type(one, common), fits_type(other, common)) == (True, True)


def test_a_common_type_fits_no_other_type() -> None:
    assert not fits_type("list[bytes]", "list[<number>]")
    assert not fits_type("std::list<int>", "std::vector<_>")
    assert not fits_type("f(long int&)", "f(int)")


@pytest.mark.parametrize("text", ["a<b", "]", "<", "list[", "a > b", "", "x[]y"])
def test_any_text_is_a_type(text: str) -> None:
    assert fits_type(text, text)
    outline(text)
    common_type(text, "list[int]")


def test_two_types_of_elements_free_the_element_within_what_they_have_in_common() -> None:
    template = "incompatible type {0}"
    texts = [f"def f(xs: list[{kind}]) -> str:\n    return '-'.join(xs)\n" for kind in ("int", "float", "bool", "bytes")]  # fmt: skip
    said = [_said(text, "xs)\n", template, f"list[{kind}]") for text, kind in zip(texts, ("int", "float", "complex", "bytes"), strict=True)]  # fmt: skip
    said = [Diagnostic("tool", "", "E", "error", each.message, template, each.args, "", Area(2, 21, 2, 23)) for each in said]  # fmt: skip
    fixes = [(text, text.replace("(xs)", "(map(str, xs))"), each) for text, each in zip(texts[:2], said[:2], strict=True)]  # fmt: skip
    rule = _book("python", *fixes)
    assert rule.values == {0: ("list[<number>]",)}
    assert _made(rule, texts[2], said[2]) == texts[2].replace("(xs)", "(map(str, xs))")
    assert _made(rule, texts[3], said[3]) is None


# ----------------------------------------------------------------------------------- free parts


def test_the_name_in_a_declaration_that_goes_does_not_matter() -> None:
    text = "void f(void) {\n    int result = show(1);\n}\n"
    rule = _book(
        "c",
        (text, text.replace("int result = ", ""), _said(text, "show", "void value not ignored")),
    )
    other = "void g(int n) {\n    int done = reverse(n, 2);\n}\n"
    said = _said(other, "reverse", "void value not ignored")
    assert _made(rule, other, said) == other.replace("int done = ", "")
    assigned = "int d;\nvoid g(int n) {\n    d = reverse(n, 2);\n}\n"
    assert _made(rule, assigned, _said(assigned, "reverse", "void value not ignored")) is None


def test_what_the_message_names_is_extended_in_any_call_but_only_in_one() -> None:
    moved = "borrow of moved value: {0}"
    one = 'fn f(a: String) {\n    let n = shout(a);\n    println!("{}", a);\n}\n'
    rule = _book(
        "rust", (one, one.replace("(a);", "(a.clone());"), _said(one, "a);\n}", moved, "a"))
    )
    other = one.replace("shout(a)", "self.print(a, 2)")
    said = _said(other, "a);\n}", moved, "a")
    assert _made(rule, other, said) == other.replace("(a, 2)", "(a.clone(), 2)")
    method = 'fn f(c: String) {\n    let n = c.invert();\n    println!("{}", c);\n}\n'
    assert _made(rule, method, _said(method, "c);\n}", moved, "c")) is None
    twice = one.replace("shout(a)", "shout(a) + print(a)")
    assert _made(rule, twice, _said(twice, "a);\n}", moved, "a")) is None
    # The use that the message is about is not the one that moves the value.
    used = one.replace('println!("{}", a)', "print(a)")
    said = _said(used, "a);\n}", moved, "a")
    assert _made(rule, used, said) == used.replace("shout(a)", "shout(a.clone())")


def test_an_operand_whose_type_is_named_is_free_of_the_construct_around() -> None:
    template = "expected {0}, found {1}"
    text = 'fn f() -> User {\n    User { name: "a", age: 0 }\n}\n'
    rule = _book(
        "rust", (text, text.replace('"a"', '"a".to_string()'), _said(text, '"a"', template, "String", "&str"))
    )  # fmt: skip
    other = 'fn g() -> String {\n    return "b";\n}\n'
    said = _said(other, '"b"', template, "String", "&str")
    assert _made(rule, other, said) == other.replace('"b"', '"b".to_string()')
    assert _made(rule, other, _said(other, '"b"', template, "PathBuf", "&str")) is None
    name = "fn g(b: &str) -> String {\n    return b;\n}\n"
    assert _made(rule, name, _said(name, "b;", template, "String", "&str")) is None


def test_a_keyword_does_not_depend_on_the_value_beside_it() -> None:
    template = "cannot assign twice to {0}"
    text = "fn f() {\n    let n = 0;\n    n = 2;\n}\n"
    rule = _book(
        "rust", (text, text.replace("let n", "let mut n"), _said(text, "n = 2", template, "n"))
    )
    other = text.replace("= 0", "= start(1)")
    said = _said(other, "n = 2", template, "n")
    assert _made(rule, other, said) == other.replace("let n", "let mut n")
    loop = "fn f() {\n    for n in 0..3 {\n        n = 2;\n    }\n}\n"
    assert _made(rule, loop, _said(loop, "n = 2", template, "n")) is None


def test_a_plain_name_and_a_literal_stand_for_each_other_beside_an_operator() -> None:
    template = "invalid syntax"
    text = "if month = 2:\n    pass\n"
    rule = _book("python", (text, text.replace(" = ", " == "), _said(text, "=", template)))
    other = "if number = secret:\n    pass\n"
    assert _made(rule, other, _said(other, "=", template)) == other.replace(" = ", " == ")
    called = "if block = read(1):\n    pass\n"
    assert _made(rule, called, _said(called, "=", template)) is None
    loop = "while block = secret:\n    pass\n"
    assert _made(rule, loop, _said(loop, "=", template)) is None


def test_what_is_missing_at_the_end_of_a_line_may_be_reported_on_the_next_line() -> None:
    template = "expected ';' before {0}"
    text = "struct a {\n    int x;\n}\n\nint f(void);\n"
    rule = _book("c", (text, text.replace("}\n", "};\n"), _said(text, "int f", template, "int")))
    other = "struct b {\n    int y;\n}\n\nstatic void g(void);\n"
    said = _said(other, "void g", template, "void")
    assert _made(rule, other, said) == other.replace("}\n", "};\n")
    later = "struct b {\n    int y;\n}\n\nstatic\nvoid g(void);\n"
    assert _made(rule, later, _said(later, "void g", template, "void")) is None


# -------------------------------------------------------------------------------------- evidence


def test_a_variable_that_is_given_to_another_module_has_a_form_of_its_own() -> None:
    template = "{0} has no attribute {1}"
    text = "def f(xs: list[int], x: int) -> None:\n    xs.push(x)\n"
    rule = _book("python", (text, text.replace("push", "append"), _said(text, "xs.push", template, "list[int]", "push")))  # fmt: skip
    other = "def g(ys: list[str], y: str) -> None:\n    ys.push(y)\n    print(len(ys))\n"
    said = _said(other, "ys.push", template, "list[str]", "push")
    assert _made(rule, other, said) == other.replace("push", "append")
    heap = "import heapq\n\ndef g(ys: list[str], y: str) -> None:\n    ys.push(y)\n    heapq.heappop(ys)\n"
    assert _made(rule, heap, _said(heap, "ys.push", template, "list[str]", "push")) is None


def test_a_name_with_a_member_of_its_own_name_is_a_module() -> None:
    text = "def f():\n    return datetime.now()\n"
    said = _said(text, "datetime", "Undefined name {0}", "datetime", tool="ruff")
    fix = "from datetime import datetime\n\n\ndef f():\n    return datetime.now()\n"
    book = RuleBook()
    undefined = Diagnostic("ruff", "", "F821", "error", said.message, said.template, said.args, "", said.area)  # fmt: skip
    rule = book.learn(text, fix, [undefined], "python")
    assert isinstance(rule, Rule)
    other = text.replace("now()", "today()")
    assert _made(rule, other, undefined) == fix.replace("now()", "today()")
    module = text.replace("now()", "datetime.now()")
    assert _made(rule, module, undefined) is None


def test_a_value_is_a_hint_until_a_second_fix_agrees() -> None:
    few = "too few arguments to function {0}"

    def fixed(name: str, value: int) -> tuple[str, str, Diagnostic]:
        text = f"long f(char *{name}) {{\n    return strtol({name}, NULL);\n}}\n"
        return text, text.replace("NULL)", f"NULL, {value})"), _said(text, "strtol", few, "strtol")

    assert not _book("c", fixed("a", 10)).safe
    assert _book("c", fixed("a", 10), fixed("b", 10)).safe
    book = RuleBook()
    for name, value in (("a", 10), ("b", 16)):
        before, after, said = fixed(name, value)
        book.learn(before, after, [said], "c")
    assert [rule.safe for rule in book] == [False, False]


def test_a_header_takes_what_the_message_names_whatever_else_is_in_it() -> None:
    template = "unreported exception {0}"
    text = "class A {\n    static int f(int a) {\n        return load(a);\n    }\n}\n"
    said = _said(text, "load", template, "java.io.IOException")
    rule = _book("java", (text, text.replace("a) {", "a) throws IOException {"), said))
    other = "class A {\n    static void g(String b, int n) {\n        save(b, n);\n    }\n}\n"
    named = _said(other, "save", template, "java.io.IOException")
    assert _made(rule, other, named) == other.replace("n) {", "n) throws IOException {")
    assert _made(rule, other, _said(other, "save", template, "java.sql.SQLException")) is None
    method = other.replace("static ", "public ")
    named = _said(method, "save", template, "java.io.IOException")
    assert _made(rule, method, named) == method.replace("n) {", "n) throws IOException {")
    constructor = other.replace("static void g", "A")
    named = _said(constructor, "save", template, "java.io.IOException")
    assert _made(rule, constructor, named) is None


def test_what_is_in_a_variable_of_any_type_no_example_can_tell() -> None:
    template = "inconvertible types: {0}, {1}"

    def fixed(name: str, kind: str) -> tuple[str, str, Diagnostic]:
        text = f"class A {{\n    String f({kind} {name}) {{\n        String t = {name};\n        return t;\n    }}\n}}\n"
        said = _said(text, f"{name};", template, f"java.lang.{kind}", "java.lang.String")
        return text, text.replace(f"= {name}", f"= (String) {name}"), said

    assert not _book("java", fixed("a", "Object"), fixed("b", "Object")).safe
    assert _book("java", fixed("a", "CharSequence")).safe


# ---------------------------------------------------------------- what the program itself declares


def test_a_comparison_that_would_be_a_whole_statement_was_meant_as_something_else() -> None:
    template = "Invalid left-hand side in assignment"
    text = 'function f(a) {\n  if (a && a.kind = "x") {\n    return 1;\n  }\n}\n'
    rule = _book(
        "javascript", (text, text.replace(" = ", " === "), _said(text, "a.kind", template))
    )
    other = 'function g(b) {\n  return b && b.name = "y";\n}\n'
    assert _made(rule, other, _said(other, "b.name", template)) == other.replace(" = ", " === ")
    alone = 'function g(b) {\n  b && b.name = "y";\n}\n'
    assert _made(rule, alone, _said(alone, "b.name", template)) is None


def test_a_string_of_bytes_is_no_text() -> None:
    template = "assignment to expression with array type"

    def program(value: str) -> str:
        return f'#include <string.h>\nvoid f(void) {{\n    char a[8];\n    a = "{value}";\n}}\n'

    text = program("one")
    rule = _book(
        "c", (text, text.replace('a = "one"', 'strcpy(a, "one")'), _said(text, "a = ", template))
    )
    other = program("two")
    assert _made(rule, other, _said(other, "a = ", template)) == other.replace(
        'a = "two"', 'strcpy(a, "two")'
    )
    for value in (r"\x01\x00", r"\0ab"):
        data = program(value)
        assert _made(rule, data, _said(data, "a = ", template)) is None


def test_a_missing_name_that_the_function_gets_elsewhere_is_no_module() -> None:
    template = "Undefined name {0}"

    def program(body: str) -> tuple[str, Diagnostic]:
        text = f"def f(day):\n    now = {body}\n    return time.hour, now\n"
        said = _said(text, "time.hour", template, "time", tool="ruff")
        return text, Diagnostic("ruff", "", "F821", "error", said.message, template, ("time",), "", said.area)  # fmt: skip

    text, said = program("day.now()")
    rule = _book("python", (text, f"import time\n\n\n{text}", said))
    other, there = program("day.today()")
    assert _made(rule, other, there) == f"import time\n\n\n{other}"
    assert _made(rule, *program("day.time()")) is None


def test_a_comment_beside_a_declaration_may_say_that_another_thing_is_meant() -> None:
    template = "{0} undeclared (first use in this function)"

    def program(comment: str) -> tuple[str, Diagnostic]:
        text = f"struct line {{\n    int last; /* {comment} */\n}};\n\nint f(void) {{\n    return errno;\n}}\n"
        return text, _said(text, "errno;", template, "errno", tool="gcc")

    text, said = program("why it failed")
    rule = _book("c", (text, f"#include <errno.h>\n\n{text}", said))
    other, there = program("when it failed")
    assert _made(rule, other, there) == f"#include <errno.h>\n\n{other}"
    told = program("the error; errno is not touched")
    told_said = Diagnostic(
        "gcc", "", "E", "error", told[1].message, template, ("errno",), "", Area(6, 12, 6, 17)
    )
    assert _made(rule, told[0], told_said) is None


def test_a_module_may_rely_on_the_form_of_a_value() -> None:
    (rule,) = [each for each in builtin_rules() if each.id == "python-push-to-append"]
    template = "{0} has no attribute {1}"

    def program(call: str) -> tuple[str, Diagnostic]:
        text = (
            f"import heapq\n\n\ndef f(xs: list[int], n: int) -> None:\n    xs.push(n)\n    {call}\n"
        )
        said = _said(text, "xs.push", template, "list[int]", "push", tool="mypy")
        return text, replace(said, code="attr-defined")

    for call in ("print(xs)", "n.add(xs)"):
        text, said = program(call)
        assert _made(rule, text, said) == text.replace("push", "append")
    assert _made(rule, *program("heapq.heappop(xs)")) is None


def test_a_number_whose_bits_are_taken_apart_is_no_amount() -> None:
    template = "expression has type {0}, variable has type {1}"

    def program(use: str) -> tuple[str, Diagnostic]:
        text = f'def f() -> int:\n    n: int = input("n: ")\n    return {use}\n'
        return text, _said(text, 'input("n: ")', template, "str", "int")

    text, said = program("n + 1")
    rule = _book("python", (text, text.replace('input("n: ")', 'int(input("n: "))'), said))
    other, said = program("n * 2")
    assert _made(rule, other, said) == other.replace('input("n: ")', 'int(input("n: "))')
    for use in ("n >> 8", "2 + (n & 7)"):
        assert _made(rule, *program(use)) is None


# --------------------------------------------------------------------------------------- traits

_TO_INT = "def f(text: str) -> int:\n    n: int = text\n    return n\n"
_INT = "{0} is no {1}"


def _int_rule() -> Rule:
    said = _said(_TO_INT, "text\n", _INT, "str", "int")
    return _book("python", (_TO_INT, _TO_INT.replace("= text", "= int(text)"), said))


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("def g(word: str) -> int:\n    k: int = word\n    return k\n", True),
        ("def g(word: str) -> int:\n    k: int = word\n    print(f'{k:.2f}')\n    return k\n", False),
        ("def g(word: str) -> int:\n    h = int(word, 16)\n    k: int = word\n    return k + h\n", False),
    ],
)  # fmt: skip
def test_a_conversion_is_for_a_value_that_is_used_alike(text: str, converted: bool) -> None:
    said = _said(text, "word\n    ret" if "word\n    ret" in text else "word\n", _INT, "str", "int")
    place = text.index("k: int = word") + len("k: int = ")
    line = text[:place].count("\n") + 1
    column = place - text[:place].rfind("\n")
    said = replace(said, area=Area(line, column, line, column + 4))
    expected = text.replace("k: int = word", "k: int = int(word)") if converted else None
    assert _made(_int_rule(), text, said) == expected


def test_a_value_that_is_joined_to_a_text_is_not_one_that_is_added_to_a_variable() -> None:
    template = "no + for {0} and {1}"
    text = 'def f(n: int) -> str:\n    return "n: " + n\n'
    rule = _book("python", (text, text.replace("+ n", "+ str(n)"), _said(text, "n\n", template, "str", "int")))  # fmt: skip
    named = 'def g(k: int) -> str:\n    head = "k: "\n    return head + k\n'
    said = replace(_said(named, "k\n", template, "str", "int"), area=Area(3, 19, 3, 20))
    assert _made(rule, named, said) == named.replace("+ k", "+ str(k)")
    other = "def g(answer: str, k: int) -> str:\n    return answer + k\n"
    said = replace(_said(other, "k\n", template, "str", "int"), area=Area(2, 21, 2, 22))
    assert _made(rule, other, said) is None


def test_an_operator_behind_an_operand_keeps_a_prefix_away() -> None:
    text = "if !ready:\n    pass\n"
    rule = _book("python", (text, text.replace("!", "not "), _said(text, "!", "invalid syntax")))
    other = "if !done:\n    pass\n"
    assert _made(rule, other, _said(other, "!", "invalid syntax")) == other.replace("!", "not ")
    compared = "if !left == right:\n    pass\n"
    assert _made(rule, compared, _said(compared, "!", "invalid syntax")) is None


def test_a_function_that_is_passed_on_does_not_become_async() -> None:
    text = "function load(u) {\n  return await get(u);\n}\n"
    rule = _book("javascript", (text, f"async {text}", _said(text, "await", "await is not valid")))
    other = "function save(f, t) {\n  await f.write(t);\n}\n"
    assert _made(rule, other, _said(other, "await", "await is not valid")) == f"async {other}"
    passed = f"{other}const kept = files.filter(save);\n"
    assert _made(rule, passed, _said(passed, "await", "await is not valid")) is None


def test_a_value_of_a_fix_is_a_hint_also_if_the_file_has_it_elsewhere() -> None:
    text = "int f(int n) {\n    int k;\n    if (n == 0) return k;\n    return 1;\n}\n"
    said = _said(text, "k;", "{0} is not set", "k")
    assert not _book("c", (text, text.replace("int k;", "int k = 0;"), said)).safe


def test_a_name_of_the_message_in_the_fix_is_free() -> None:
    text = "void f(int total) {\n    auto g = [](int n) { return n + total; };\n}\n"
    said = _said(text, "total; ", "{0} is not captured", "total")
    rule = _book("cpp", (text, text.replace("[]", "[&total]"), said))
    other = text.replace("total", "offset")
    said = _said(other, "offset; ", "{0} is not captured", "offset")
    assert _made(rule, other, said) == other.replace("[]", "[&offset]")


def test_a_function_that_relies_on_the_order_keeps_another_way_to_add_away() -> None:
    rule = next(rule for rule in builtin_rules() if rule.id == "cpp-push-to-push-back")
    text = "struct A {\n    void add(int n) { all.push(n); }\n    std::vector<int> all;\n};\n"
    template, names = "{0} has no member named {1}", ("std::vector<int>", "push")
    said = replace(_said(text, "push", template, *names, tool="g++"), code="")
    assert _made(rule, text, said) == text.replace("push", "push_back")
    heap = text.replace("};", "    void f() { std::make_heap(all.begin(), all.end()); }\n};")
    assert _made(rule, heap, said) is None


def test_a_fix_sets_nothing_to_itself() -> None:
    template = "{0} is not defined"

    def program(target: str) -> tuple[str, Diagnostic]:
        text = f"class A {{\n  n = 1;\n  f() {{\n    this.{target} = n;\n  }}\n}}\n"
        column = len(f"    this.{target} = n")
        return text, replace(_said(text, "n;", template, "n"), area=Area(4, column, 4, column + 1))

    text, said = program("m")
    rule = _book("javascript", (text, text.replace("= n;", "= this.n;"), said))
    other, said = program("k")
    assert _made(rule, other, said) == other.replace("= n;", "= this.n;")
    assert _made(rule, *program("n")) is None


def test_a_second_example_frees_an_operand_and_ties_the_rule_to_nothing_around_it() -> None:
    few = "too few arguments to function {0}"
    one = "int ask(void) {\n    char a[80];\n    return fgets(a, 80) != NULL;\n}\n"
    two = "int ask(char *b) {\n    return fgets(b, strlen(b)) != NULL;\n}\n"
    rule = _book(
        "c",
        (one, one.replace("80) !", "80, stdin) !"), _said(one, "fgets", few, "fgets")),
        (two, two.replace("(b))", "(b), stdin)"), _said(two, "fgets", few, "fgets")),
    )
    other = "void skip(void) {\n    char row[99];\n    fgets(row, 99);\n}\n"
    made = _made(rule, other, _said(other, "fgets", few, "fgets"))
    assert made == other.replace("99);", "99, stdin);")


def test_a_dropped_argument_belongs_to_the_function_though_no_message_names_it() -> None:
    many = "this function takes 2 arguments but 3 were supplied"
    text = "fn f(a: i32, b: i32) -> i32 {\n    g(a, b, 0)\n}\n"
    rule = _book("rust", (text, text.replace(", 0)", ")"), _said(text, "g(", many)))
    same = text.replace("a", "k").replace("f(", "h(")
    assert _made(rule, same, _said(same, "g(", many)) == same.replace(", 0)", ")")
    other = text.replace("g(", "charge(")
    assert _made(rule, other, _said(other, "charge(", many)) is None


def test_a_cast_of_a_number_is_no_cast_of_a_pointer() -> None:
    wrong = "array subscript is not an integer"
    text = "double pick(const double *row, double at) {\n    return row[at];\n}\n"
    rule = _book("c", (text, text.replace("[at", "[(int)at"), _said(text, "[at", wrong)))
    same = "double pick(const double *xs, double k) {\n    return xs[k];\n}\n"
    assert _made(rule, same, _said(same, "[k", wrong)) == same.replace("[k", "[(int)k")
    other = "int price(const int *all, const char *name) {\n    return all[name];\n}\n"
    assert _made(rule, other, _said(other, "[name", wrong)) is None
