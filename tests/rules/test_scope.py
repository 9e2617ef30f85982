"""A rule from one example stays within what that example shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.fix_shares import split_fix
from holdfast.rules.learn_rule import NotLearned, learn, learn_from
from holdfast.rules.rule import Rule, TokenRewrite, TreeRewrite, example_of
from holdfast.rules.rule_book import RuleBook
from holdfast.rules.scope import scope_of
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(template: str, *args: str, at: tuple[int, int]) -> Diagnostic:
    area = Area(*at, *at)
    return Diagnostic("gcc", "", "E", "error", template.format(*args), template, args, "", area)


def _rule(before: str, after: str, said: Diagnostic, target: Target) -> Rule:
    rule = learn(before, after, said, target)
    assert isinstance(rule, Rule), rule
    return rule


FEW = "too few arguments to function {0}"
ASK = _rule(
    "int f(void) {\n    return fgets(line, 80);\n}\n",
    "int f(void) {\n    return fgets(line, 80, stdin);\n}\n",
    _said(FEW, "fgets", at=(2, 12)),
    "c",
)


def _made(rule: Rule, text: str, said: Diagnostic) -> str | None:
    made = rewrite(rule, text, said)
    return made.text if isinstance(made, Rewritten) else None


def test_names_and_literals_that_the_fix_carries_over_are_free() -> None:
    text = "void g(void) {\n    if (x) fgets(row, 12);\n}\n"
    made = _made(ASK, text, _said(FEW, "fgets", at=(2, 12)))
    assert made == text.replace("12)", "12, stdin)")


@pytest.mark.parametrize(
    "call",
    ["fputs(line, 80)", "fgets(line)", "fgets(line, 80, 1)", "fgets(line, n)", "fgets(f(x), 80)"],
)
def test_another_function_number_or_kind_of_operands_is_left_alone(call: str) -> None:
    text = f"int g(void) {{\n    return {call};\n}}\n"
    said = _said(FEW, call.partition("(")[0], at=(2, 12))
    assert isinstance(rewrite(ASK, text, said), NoFit)


def test_a_comma_in_a_call_is_no_comma_in_a_condition() -> None:
    expected = "expected ')' before {0}"
    rule = _rule(
        'void f(void) {\n    printf("%s" name);\n}\n',
        'void f(void) {\n    printf("%s", name);\n}\n',
        _said(expected, "name", at=(2, 17)),
        "c",
    )
    call = 'void g(void) {\n    puts("a" other);\n}\n'
    made = _made(rule, call, _said(expected, "other", at=(2, 14)))
    assert made == call.replace('"a" other', '"a", other')
    condition = 'void g(void) {\n    while ("a" other) ;\n}\n'
    assert _made(rule, condition, _said(expected, "other", at=(2, 16))) is None


def test_lines_that_were_added_behind_what_they_are_about_are_indented_like_it() -> None:
    rule = _rule(
        "def f(t):\n    m = find(t)\n    return m.group()\n",
        "def f(t):\n    m = find(t)\n    if m is None:\n        return ''\n    return m.group()\n",
        _said("{0} may be None", "Match", at=(3, 12)),
        "python",
    )
    text = (
        "class A:\n    def f(self):\n        k = self.t.search(1)\n        return int(k.group())\n"
    )
    made = _made(rule, text, _said("{0} may be None", "Match", at=(4, 20)))
    guard = "        if k is None:\n            return ''\n"
    assert made == text.replace("        return", f"{guard}        return")
    # In a loop, to leave the function is another thing.
    loop = text.replace("        k", "        for n in self.t:\n            k").replace(
        "  return", "      return"
    )
    assert _made(rule, loop, _said("{0} may be None", "Match", at=(5, 24))) is None


def test_two_places_that_fit_are_none() -> None:
    said = _said("cannot assign twice to {0}", "n", at=(3, 5))
    rule = _rule(
        "fn f() {\n    let n = 1;\n    n += 1;\n}\n",
        "fn f() {\n    let mut n = 1;\n    n += 1;\n}\n",
        said,
        "rust",
    )
    twice = "fn f() {\n    let n = 1;\n    n += 1;\n    let n = 2;\n}\n"
    assert rewrite(rule, twice, said) == NoFit("the pattern fits at 2 places")


def test_a_type_that_is_a_keyword_stays_as_it_is() -> None:
    said = _said("Type {0} is not assignable to type {1}.", "string", "number", at=(1, 7))
    rule = _rule("const n: number = t;\n", "const n: number = Number(t);\n", said, "typescript")
    assert _made(rule, "const k: number = word;\n", said) == "const k: number = Number(word);\n"
    assert _made(rule, "const k: string = word;\n", said) is None


BOX = "class Box:\n    def __init__(self, w):\n        self.w = w\n\n    def area(self):\n        return w * 2\n"


def test_a_word_written_beside_a_name_is_for_names_that_the_file_has_so_elsewhere() -> None:
    said = _said("Undefined name {0}", "w", at=(6, 16))
    rule = _rule(BOX, BOX.replace("return w", "return self.w"), said, "python")
    other = BOX.replace("w * 2", "2 + size").replace("self.w = w", "self.size = w")
    missing = _said("Undefined name {0}", "size", at=(6, 20))
    assert _made(rule, other, missing) == other.replace("+ size", "+ self.size")
    module = BOX.replace("w * 2", "json.dumps(2)")
    assert _made(rule, module, _said("Undefined name {0}", "json", at=(6, 16))) is None


def test_a_word_that_nothing_ties_to_another_name_is_for_that_name_alone() -> None:
    said = _said("{0} does not name a type", "vector", at=(1, 1))
    rule = _rule("vector<int> a;\n", "std::vector<int> a;\n", said, "cpp")
    assert _made(rule, "vector<char> b;\n", said) == "std::vector<char> b;\n"
    own = _said("{0} does not name a type", "grid", at=(1, 1))
    assert _made(rule, "grid<char> b;\n", own) is None


def test_a_type_of_the_program_stands_for_others_of_its_kind_if_the_fix_brings_nothing() -> None:
    bad = "not a pointer: {0}"
    rule = _rule(
        "struct point { int x; };\nint f(struct point p) { return p->x; }\n",
        "struct point { int x; };\nint f(struct point p) { return p.x; }\n",
        _said(bad, "struct point", at=(2, 33)),
        "c",
    )
    size = "struct size { int w; };\nint g(struct size s) { return s->w; }\n"
    assert _made(rule, size, _said(bad, "struct size", at=(2, 32))) == size.replace("->", ".")
    number = "int g(int s) { return s->w; }\n"
    assert _made(rule, number, _said(bad, "int", at=(1, 24))) is None


def test_a_rewrite_that_subtracts_a_text_from_itself_is_left_alone() -> None:
    said = _said("no member {0}", "size", at=(1, 32))
    rule = _rule(
        "int f(struct t *t) { return t->size; }\n",
        "int f(struct t *t) { return t->len; }\n",
        said,
        "c",
    )
    text = "int g(struct t *t) { return t->size - t->len; }\n"
    assert rewrite(rule, text, said) == NoFit("an operator would have the same operand twice")


def test_a_part_of_a_fix_without_a_diagnostic_is_not_learned_alone() -> None:
    before = "typedef struct {\n    int value;\n    Node *next;\n} Node;\n"
    after = "typedef struct Node {\n    int value;\n    struct Node *next;\n} Node;\n"
    said = _said("unknown type name {0}", "Node", at=(3, 5))
    [share] = split_fix(before, after, [said], "c")
    assert share.after == after


def test_each_of_two_errors_in_a_line_has_its_own_part_of_the_fix() -> None:
    said = [_said("Undefined name {0}", "f", at=(1, column)) for column in (1, 3)]
    shares = split_fix("f(f(x))\n", "m.f(m.f(x))\n", said, "python")
    assert [share.after for share in shares] == ["m.f(f(x))\n", "f(m.f(x))\n"]


def test_a_statement_added_at_the_end_of_a_block_is_for_no_other_block() -> None:
    before = "def f(n: int) -> str:\n    if n:\n        return 'a'\n"
    said = _said("Missing return statement", at=(1, 1))
    assert isinstance(learn(before, before + "    return ''\n", said, "python"), NotLearned)


def test_a_literal_has_no_declaration_though_another_variable_has_that_number() -> None:
    text = "int f(void) {\n    char line[80];\n    return fgets(line, 80);\n}\n"
    said = _said(FEW, "fgets", at=(3, 12))
    rule = _rule(text, text.replace("80)", "80, stdin)"), said, "c")
    other = text.replace("line", "row")
    assert _made(rule, other, said) == other.replace("80)", "80, stdin)")


MODE = "too few arguments to function {0}"
MAKE = "int f(const char *dir) {\n    return mkdir(dir);\n}\n"


@pytest.mark.parametrize(
    "commented",
    [
        "/* Nobody but the owner may enter it. */\nint g(const char *at) {\n    return mkdir(at);\n}\n",
        "int g(const char *at) {\n    // private\n    return mkdir(at);\n}\n",
        "int g(const char *at) {\n    return mkdir(at); // private\n}\n",
        "// Keys.\n// Private.\nint g(const char *at) {\n    return mkdir(at);\n}\n",
    ],
)
def test_a_choice_is_not_made_where_a_comment_says_what_is_meant(commented: str) -> None:
    said = _said(MODE, "mkdir", at=(2, 12))
    rule = _rule(MAKE, MAKE.replace("(dir)", "(dir, 0755)"), said, "c")
    line = commented[: commented.index("mkdir")].count("\n") + 1
    near = _said(MODE, "mkdir", at=(line, 12))
    cured = NoFit("a comment says what is meant, and a rule cannot read it")
    assert rewrite(rule, commented, near) == cured
    header = "/* Copyright. */\n\n" + MAKE.replace("dir", "at").replace("mkat", "mkdir")
    assert _made(rule, header, _said(MODE, "mkdir", at=(4, 12))) is not None


def test_a_comment_of_an_example_is_known_and_any_other_may_ask_for_another_fix() -> None:
    said = _said(MODE, "mkdir", at=(3, 12))
    first, second, third = (f"// {word}.\n{MAKE}" for word in ("One", "Two", "Three"))
    book = RuleBook([])
    for text in (first, second):
        book.add(_rule(text, text.replace("(dir)", "(dir, 0755)"), said, "c"))
    [rule] = book
    for text in (first, second):
        assert _made(rule, text, said) == text.replace("(dir)", "(dir, 0755)")
    assert _made(rule, third, said) is None


def test_signs_that_the_grammar_demands_are_no_choice() -> None:
    said = _said("not a pointer: {0}", "int", at=(1, 31))
    text = "int f(struct point p) { return p->x; }\n"
    rule = _rule(text, text.replace("->", "."), said, "c")
    assert _made(rule, "// Now.\n" + text, _said("not a pointer: {0}", "int", at=(2, 31)))


def test_a_name_is_free_only_for_names_of_the_same_spelling() -> None:
    said = _said("missing initializer", at=(1, 7))
    rule = _rule("const result;\n", "let result;\n", said, "javascript")
    assert _made(rule, "const data;\n", said) == "let data;\n"
    assert _made(rule, "const MAX_RETRIES;\n", said) is None
    assert _made(rule, "const Parser;\n", said) is None


def test_a_default_value_is_for_variables_that_are_used_in_the_same_way() -> None:
    said = _said("variable {0} might not have been initialized", "best", at=(4, 17))
    text = (
        "class A { static int f(int[] all) {\n    int best;\n    for (int n : all)\n"
        "        if (n > best) best = n;\n    return best;\n} }\n"
    )
    rule = _rule(text, text.replace("int best;", "int best = 0;"), said, "java")
    assert _made(rule, text.replace("best", "most"), _said(said.template, "most", at=(4, 17)))
    assert _made(rule, text.replace("n > best", "n < best"), said) is None


def test_an_operand_computed_by_a_call_is_no_plain_one() -> None:
    said = _said("no match for {0} ({1} and {2})", "+", "std::string", "int", at=(2, 12))
    text = "std::string f(std::string a, int n) {\n    return a + n;\n}\n"
    rule = _rule(text, text.replace("+ n", "+ std::to_string(n)"), said, "cpp")
    near = "std::string f(std::string a) {\n    int n = toupper(a[0]);\n    return a + n;\n}\n"
    assert _made(rule, text.replace("n)", "k)").replace("+ n", "+ k"), said) is not None
    assert _made(rule, near, _said(said.template, *said.args, at=(3, 12))) is None


def test_what_both_examples_have_in_a_free_part_is_asked_for() -> None:
    said = _said("{0} has already been declared", "a", at=(2, 5))
    texts = ["let a = 1;\nlet a = a + 2;\n", "let a = 1;\nlet a = f(a);\n"]
    book = RuleBook([])
    for text in texts:
        fixed = text.replace("\nlet ", "\n")
        book.add(_rule(text, fixed, said, "javascript"))
    [rule] = book
    again = "let a = 1;\nlet a = [a, 3];\n"
    assert _made(rule, again, said) == again.replace("\nlet ", "\n")
    assert _made(rule, "let a = 1;\nlet a = [b, 3];\n", said) is None


def test_a_name_that_the_program_declares_itself_is_no_name_of_a_library() -> None:
    said = _said("{0} does not name a type", "string", at=(1, 1))
    rule = _rule("string name();\n", "std::string name();\n", said, "cpp")
    assert _made(rule, "string title();\n", said) == "std::string title();\n"
    own = "namespace text { struct string { char at[8]; }; }\nstring title();\n"
    assert _made(rule, own, _said(said.template, "string", at=(2, 1))) is None
    function = "int fgets(char *to, int size, int from) {\n    return 0;\n}\n"
    text = f"{function}int g(void) {{\n    return fgets(line, 80);\n}}\n"
    assert _made(ASK, text, _said(FEW, "fgets", at=(5, 12))) is None


def test_a_value_that_is_used_again_is_not_moved() -> None:
    said = _said("use of deleted function {0}", "p(p&)", at=(2, 5))
    text = "void f(ptr own) {\n    keep(own);\n}\n"
    rule = _rule(text, text.replace("(own);", "(std::move(own));"), said, "cpp")
    other = text.replace("own", "box")
    assert _made(rule, other, said) == other.replace("(box);", "(std::move(box));")
    assert _made(rule, other.replace("}\n", "    use(box);\n}\n"), said) is None


def test_a_sign_is_not_put_where_a_statement_would_have_no_effect() -> None:
    said = _said("expected ';' before {0}", "return", at=(2, 14))
    text = "int f(int n) {\n    int t = n + 2\n    return t;\n}\n"
    rule = _rule(text, text.replace("2\n", "2;\n"), said, "c")
    near = "int f(int n, int d) {\n    int t = n + 2\n        d;\n    return t;\n}\n"
    assert _made(rule, text.replace(" t", " k"), said) is not None
    assert _made(rule, near, _said(said.template, "d", at=(2, 14))) is None


def test_two_functions_in_the_message_are_a_list_if_the_fix_is_a_choice() -> None:
    book = RuleBook([])
    for name in ("load", "read"):
        said = _said("argument of {0} is {1}", name, "str", at=(1, 6))
        book.add(_rule("use(a, x)\n", "use(a, x.encode())\n", said, "python"))
    [rule] = book
    assert rule.values[0] == ("load", "read")


IMPORTED = "import k\nimport s\n\n"


def test_an_import_goes_with_the_part_of_a_fix_that_uses_it() -> None:
    before = f"{IMPORTED}a = f(x)\nb = g(x)\n"
    after = "import k\nimport m\nimport s\nimport z\n\na = m.f(x)\nb = z.g(x)\n"
    said = [_said("no {0}", "f", at=(4, 5)), _said("no {0}", "g", at=(5, 5))]
    first, second = split_fix(before, after, said, "python")
    assert first.after == "import k\nimport m\nimport s\n\na = m.f(x)\nb = g(x)\n"
    assert second.after == "import k\nimport s\nimport z\n\na = f(x)\nb = z.g(x)\n"
    assert (first.diagnostics, second.diagnostics) == (tuple(said), tuple(said[::-1]))


def test_the_imports_of_a_fix_at_one_place_stay_together_unless_a_message_names_one() -> None:
    before = f"{IMPORTED}a = f(x)\n"
    after = "import k\nimport m\nimport s\nimport z\n\na = m.f(x)\n"
    said = _said("no {0}", "f", at=(4, 5))
    [share] = split_fix(before, after, [said], "python")
    assert share.after == after
    named = _said("no {0}", "z", at=(4, 5))
    first, second = split_fix(before, after, [said, named], "python")
    assert first.after == after.replace("import z\n", "")
    assert second.after == "import k\nimport s\nimport z\n\na = f(x)\n"


def test_a_name_of_the_message_is_called_so_in_the_scope() -> None:
    said = _said("Undefined name {0}", "w", at=(6, 16))
    rule = _rule(BOX, BOX.replace("return w", "return self.w"), said, "python")
    assert "$ARG0 the name in the message" in scope_of(rule)


def test_two_examples_that_differ_in_what_they_add_are_no_rule() -> None:
    one = example_of("f(a)\n", "f(a, 1)\n", _said(FEW, "f", at=(1, 1)))
    other = example_of("f(b)\n", "f(b, 2)\n", _said(FEW, "f", at=(1, 1)))
    made = learn_from([one, other], _said(FEW, "f", at=(1, 1)), "c")
    assert isinstance(made, NotLearned)


@pytest.mark.parametrize("text", ["function go() {}\n", "function go(a) { await f(a); }\n"])
def test_what_is_in_the_brackets_of_a_header_and_in_its_block_is_free(text: str) -> None:
    said = _said("{0} is not async", "go", at=(1, 1))
    rule = _rule(text, f"async {text}", said, "javascript")
    for other in ("function run(b, c) {\n  await g(b, c);\n}\n", "function run() {}\n"):
        assert _made(rule, other, _said(said.template, "run", at=(1, 1))) == f"async {other}"


def test_a_message_with_fewer_names_than_a_rule_asks_for_is_another_one() -> None:
    said = _said("argument {1} of {0} is wrong", "load", "str", at=(1, 6))
    rule = _rule("use(a, x)\n", "use(a, x.encode())\n", said, "python")
    assert 1 in rule.values
    for args in ((), ("load",)):
        assert rewrite(rule, "use(a, x)\n", replace(said, args=args)) == NoFit(
            "the message is another one, or names something else"
        )


def test_a_misspelt_keyword_is_a_rule_of_tokens() -> None:
    said = _said("invalid syntax", at=(1, 1))
    rule = _rule("fro x in xs:\n    f(x)\n", "for x in xs:\n    f(x)\n", said, "python")
    assert _made(rule, "fro k in ks:\n    g(k)\n", said) == "for k in ks:\n    g(k)\n"
    assert _made(rule, "frm k in ks:\n    g(k)\n", said) is None


LIMITED = Rule(
    id="a",
    target="go",
    tool="go",
    code="",
    template="no {0}",
    rewrite=TreeRewrite("f($A, $$$B)", "g($A)"),
    examples=(),
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rewrite": None}, "any place, in Go"),
        ({}, "`f($A, $$$B)`, in Go"),
        ({"target": "any"}, "`f($A, $$$B)`, in any"),
        ({"rewrite": TreeRewrite("f()", "g()")}, "`f` called with no arguments `f()`, in Go"),
        (
            {"rewrite": TreeRewrite("a.f($A, $B, $C, 1)", "g()")},
            "`a.f` called with 4 arguments `a.f($A, $B, $C, 1)`, in Go",
        ),
        (
            {"rewrite": TreeRewrite("f($A)", "g", kinds={"A": ("string:empty", "integer")})},
            "`f` called with one argument `f($A)`, $A an empty string or integer, in Go",
        ),
        (
            {"rewrite": TreeRewrite("f($A)", "g", kinds={"A": ("reference:constant",)})},
            "`f` called with one argument `f($A)`, $A a constant, in Go",
        ),
        (
            {"rewrite": TreeRewrite("f($A)", "g", uses={"A": ("call 0",)}, inside=("block",))},
            "`f` called with one argument `f($A)`, used afterwards as `call 0`, inside `block`, in Go",
        ),
        (
            {"rewrite": TreeRewrite("f($A)", "g", mentions={"A": ("ARG0",)}, needs=("x.y",))},
            (
                "`f` called with one argument `f($A)`, with `$ARG0` in it,"
                " if the file has `x.y` elsewhere, in Go"
            ),
        ),
        (
            {"rewrite": TokenRewrite("$A $EOL", "$A;", kinds={"A": ("name",)}, inside=("line",))},
            "`$A $EOL`, $A a name, where the text does not parse, in Go",
        ),
        (
            {"values": {1: ("b",), 0: tuple("acdefgh")}, "rewrite": None},
            (
                "any place, where the message names `a` or `c` or `d` or `e` or `f` or `g` or one of"
                " 1 more ({0}), where the message names `b` ({1}), in Go"
            ),
        ),
        (
            {"values": {0: tuple("abcdef")}, "rewrite": None},
            "any place, where the message names `a` or `b` or `c` or `d` or `e` or `f` ({0}), in Go",
        ),
        (
            {"uncommented": True, "rewrite": None},
            "any place, where no comment says what is meant, in Go",
        ),
    ],
)
def test_the_scope_of_a_rule_is_told_in_words(changes: dict[str, Any], words: str) -> None:
    assert scope_of(replace(LIMITED, **changes)) == words


def test_the_nearest_of_two_places_on_a_line_is_the_one_that_a_message_points_at() -> None:
    expected = "expected ')' before {0}"
    text = 'void f(void) {\n    printf("%s" name);\n}\n'
    rule = _rule(text, text.replace('" n', '", n'), _said(expected, "name", at=(2, 17)), "c")
    twice = 'void g(void) {\n    puts("a" b); puts("c" d);\n}\n'
    for column, old in ((14, '"a" b'), (27, '"c" d')):
        made = _made(rule, twice, _said(expected, old[-1], at=(2, column)))
        assert made == twice.replace(old, old.replace(" ", ", "))


def test_an_example_that_only_imports_is_no_example_of_a_rewrite() -> None:
    said = _said("no {0}", "f", at=(1, 1))
    one = example_of("f(a)\n", "m.f(a)\n", said)
    other = example_of("f(b)\n", "import f\n\nf(b)\n", said)
    both = example_of("f(b)\n", "import m\n\nm.f(b)\n", said)
    assert learn_from([one, other], said, "python") == NotLearned(
        "the examples import different things"
    )
    only = example_of("f(b)\n", "import m\n\nf(b)\n", said)
    assert learn_from([both, only], said, "python") == NotLearned(
        "one of the examples changes only an import"
    )


def test_all_edits_of_an_example_are_one_place() -> None:
    said = _said("no {0}", "f", at=(1, 1))
    rule = _rule("f(a, b)\n", "g(a, b, 1)\n", said, "python")
    assert _made(rule, "f(c, d)\n", said) == "g(c, d, 1)\n"


def test_functions_that_differ_are_free_if_the_fix_writes_only_signs() -> None:
    book = RuleBook([])
    for name in ("load", "read"):
        said = _said("{0} needs a tuple", name, at=(1, 1))
        book.add(_rule("use(a, x)\n", "use((a, x))\n", said, "python"))
    [rule] = book
    assert 0 not in rule.values
