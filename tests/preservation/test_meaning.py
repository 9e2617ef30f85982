"""A fix changes only what the errors are about, and what may change the meaning is shown to a person."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from holdfast.repair.outcomes import NeedsReview, Repaired, RuleRepaired, VerificationRejected
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from tests.preservation.judged import objections
from tests.repair.pipeline.stage import MemoryRules, Proposing, Stage

_PATHS: dict[Target, str] = {
    "python": "a.py",
    "typescript": "a.ts",
    "javascript": "a.js",
    "c": "a.c",
    "cpp": "a.cpp",
    "rust": "a.rs",
    "java": "A.java",
    "go": "a.go",
}


def _said(message: str, line: int, column: int, *args: str) -> Diagnostic:
    area = Area(line, column, line, column)
    return Diagnostic("mypy", "", "misc", "error", message, message, args, "", area)


def _judged(before: str, after: str, said: Diagnostic, language: Target = "python") -> list[str]:
    path = _PATHS[language]
    return list(objections(before, after, path, language, [said]))


PAY = "def pay(amount, balance):\n    assert amount > 0\n    return balance - amount + ''\n"
PAY_SAID = _said("Unsupported operand types", 3, 12, "int", "str")


def test_an_edit_that_no_error_points_at_is_refused() -> None:
    honest = PAY.replace(" + ''", "")
    assert _judged(PAY, honest, PAY_SAID) == []
    (reason,) = _judged(PAY, honest.replace("    assert amount > 0\n", ""), PAY_SAID)
    assert reason == (
        "it changes `assert amount > 0` in line 2, which no error points at;"
        " change only what the errors are about."
    )


def test_a_declaration_or_an_import_of_the_name_in_the_message_is_about_it() -> None:
    before = "def f():\n    return os.sep\n"
    said = _said("undefined name `os`", 2, 12, "os")
    assert _judged(before, f"import os\n\n\n{before}", said) == []
    assert _judged(before, before.replace("    return", "    os = box()\n    return"), said) == []
    (reason,) = _judged(before, before.replace("f()", "f(os)"), said)
    assert reason == "it changes how f is called; keep the parameters."


@pytest.mark.parametrize(
    ("language", "old", "new", "word"),
    [
        ("python", "if not ok(n): return m", "if ok(n): return k", "not"),
        ("python", "return n < size(m)", "return n <= size(k)", "<"),
        ("python", "return total(m)", "return 19", "19"),
        ("python", "wait(30, m)", "wait(0, k)", "30"),
        ("python", "return int(m)", "return int(eval(k))", "eval"),
        ("typescript", "return m.get(1);", "return m.get(1) as number;", "`as`"),
        ("c", "write(f, m);", "(void)write(f, k);", "result"),
        ("java", "return f(m);", "try { return f(k); } catch (E e) { return g(); }", "catch"),
    ],
)
def test_a_change_of_meaning_at_the_error_is_not_simply_accepted(
    language: Target, old: str, new: str, word: str
) -> None:
    before, after = f"x = 1;\n{old}\n", f"x = 1;\n{new}\n"
    reasons = _judged(before, after, _said("Incompatible types", 2, 1), language)
    assert any(word in reason for reason in reasons), reasons


BAD = "def total(prices, rate):\n    if rate > 1:\n        return 0\n    return sum(price)\n"


def test_a_proposal_that_changes_something_else_is_rejected_and_nothing_is_learned() -> None:
    cheat = BAD.replace("rate > 1", "rate > 2").replace("price)", "prices)")
    stage = Stage(proposer=Proposing(cheat, cheat.replace("rate > 2", "rate > 3")))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, VerificationRejected)
    assert "which no error points at" in outcome.reasons[0]
    assert stage.rules.learned == []


def test_a_doubtful_proposal_needs_a_review_and_nothing_is_learned() -> None:
    hard_coded = BAD.replace("return sum(price)", "return 19 + rate")
    stage = Stage(proposer=Proposing(hard_coded))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NeedsReview)
    assert outcome.reasons == (
        "it changes a calculation (`+ 19` is new).",
        "it writes `19` where `sum` was used.",
        "it writes `rate` for `price`; the program has `prices`.",
    )
    assert "+    return 19 + rate" in outcome.proposal
    assert (outcome.is_success(), stage.rules.learned) == (False, [])
    honest = Stage(proposer=Proposing(BAD.replace("price)", "prices)")))
    assert isinstance(honest.repair(BAD), Repaired)


def test_a_rule_that_nobody_has_judged_does_not_make_a_doubtful_text() -> None:
    swap = ("sum(price)", "19 + rate")
    for reviewed, outcome in ((False, NeedsReview), (True, RuleRepaired)):
        rules = MemoryRules({"r1": swap}, reviewed=reviewed)
        stage = Stage(proposer=Proposing(BAD.replace(*swap)), rules=rules)
        assert isinstance(stage.repair(BAD), outcome)
        assert rules.records == ([] if not reviewed else [("r1", True)])


# ----------------------------------------------------------- what a fix drops or writes by the way


def _unused(name: str, line: int) -> Diagnostic:
    message = f"Local variable `{name}` is assigned to but never used"
    area = Area(line, 5, line, 5)
    return Diagnostic("ruff", "", "F841", "error", message, message, (name,), "", area)


def test_a_variable_that_is_not_used_may_go_and_the_call_that_computed_it_may_not() -> None:
    before = "def f(a):\n    n = load(a)\n    return a\n"
    (reason,) = _judged(before, before.replace("    n = load(a)\n", ""), _unused("n", 2))
    assert reason == "it drops the call of `load`, which may have an effect."
    assert _judged(before, before.replace("n = load(a)", "load(a)"), _unused("n", 2)) == []
    plain = before.replace("load(a)", "a")
    assert _judged(plain, plain.replace("    n = a\n", ""), _unused("n", 2)) == []


def test_a_statement_behind_the_return_may_not_go() -> None:
    before = "class A {\n    int f(int a) {\n        return a;\n        save(a);\n    }\n}\n"
    area = Area(4, 9, 4, 9)
    said = Diagnostic("javac", "", "compiler.err.unreachable.stmt", "error", "unreachable", "unreachable", (), "", area)  # fmt: skip
    gone = before.replace("        save(a);\n", "")
    (reason,) = _judged(before, gone, said, "java")
    assert reason == "it drops the call of `save`, which may have an effect."
    other = gone.replace("        return", "        load(a);\n        return")
    assert "which no error points at" in " ".join(_judged(before, other, said, "java"))


def test_a_value_that_a_call_computed_is_not_written_out() -> None:
    before = "async def f(t):\n    ok: bool = check(t)\n    return ok\n"
    said = _said("Incompatible types", 2, 16, "Coroutine[Any, Any, bool]", "bool")
    assert _judged(before, before.replace("check", "await check"), said) == []
    made = before.replace("ok: bool = check(t)", "await check(t)\n    ok: bool = True")
    assert _judged(before, made, said) == ["it no longer computes `ok`, but writes it out."]


def test_a_missing_name_is_not_declared_beside_a_similar_one() -> None:
    before = "def f(counts):\n    count += 1\n    return counts\n"
    said = _said("Name `count` is not defined", 2, 5, "count")
    made = before.replace("    count +=", "    count = 0\n    count +=")
    assert _judged(before, made, said) == ["it declares `count`, and the program has `counts`."]
    other, made = (text.replace("counts", "values") for text in (before, made))
    assert _judged(other, made, said) == []


def test_a_string_that_spells_an_unused_parameter_may_miss_it() -> None:
    before = 'def f(name):\n    return f"Hello (name)"\n'
    said = _said("f-string without any placeholders", 2, 12)
    made = before.replace('f"', '"')
    assert _judged(before, made, said) == ["it leaves `name` unused, and a string spells it."]
    inner = 'def g(name):\n    def f(key):\n        return f"Hello (name)" + key\n'
    assert _judged(inner, inner.replace('f"', '"'), _said(said.message, 3, 16)) == []
    used = before.replace("return", "print(name)\n    return")
    assert _judged(used, used.replace('f"', '"'), _said(said.message, 3, 12)) == []


def test_the_words_of_a_string_that_was_not_closed_are_no_unused_names() -> None:
    before = "def f(n):\n    if n < 0:\n        raise ValueError('must be positive)\n    return n\n"
    said = _said("unterminated string literal", 3, 26)
    assert _judged(before, before.replace("positive)", "positive')"), said) == []


def test_a_constant_does_not_go_with_a_syntax_error() -> None:
    before = "int f(int n) {\n    if (n % 2 = 0)\n        return 1;\n    return 2;\n}\n"
    said = _said("lvalue required as left operand of assignment", 2, 15)
    assert _judged(before, before.replace(" = 0", " == 0"), said, "c") == []
    assert _judged(before, before.replace(" = 0", ""), said, "c") == ["it drops the constant 0."]


# ------------------------------------------------------------------- what only looks like the value


def test_the_last_digit_of_a_hexadecimal_number_is_no_suffix() -> None:
    before = "void f(int v) {\n    send(v & 0xFF);\n}\n"
    said = _said("too few arguments to function {0}", 2, 5, "send")
    honest = before.replace("0xFF", "0xff, v")
    assert _judged(before, honest, said, "c") == []
    assert _judged(before, before.replace("0xFF", "0xFD, v"), said, "c") == [
        "it changes the constant 0xFF to 0xFD."
    ]


def test_a_result_from_a_constant_does_not_leave_a_parameter_unused() -> None:
    before = "class A {\n    boolean f(long a, long b) {\n        long c = g(a);\n    }\n}\n"
    said = _said("missing return statement", 4, 5)
    for result, reasons in (
        ("c == b", []),
        ("c >= 0", ["it returns a constant, though `b` is not used."]),
    ):
        after = before.replace("g(a);\n", f"g(a);\n        return {result};\n")
        assert _judged(before, after, said, "java") == reasons
    used = before.replace("g(a)", "g(a, b)")
    after = used.replace("b);\n", "b);\n        return c >= 0;\n")
    assert _judged(used, after, said, "java") == []


@pytest.mark.parametrize(
    ("wrapped", "reasons"),
    [
        ("int(text)", []),
        ("sum(map(int, text))", []),
        ("len(text)", ["it takes what `len` says of a value for the value."]),
        ("text.isdigit()", ["it takes what `isdigit` says of a value for the value."]),
    ],
)
def test_text_becomes_a_number_by_a_conversion_only(wrapped: str, reasons: list[str]) -> None:
    before = "def f(text: str) -> int:\n    return text\n"
    said = _said("Incompatible return value type", 2, 12, "str", "int")
    assert _judged(before, before.replace("return text", f"return {wrapped}"), said) == reasons


def test_the_length_of_a_list_may_be_the_number_that_was_meant() -> None:
    before = "def f(items: list[str]) -> None:\n    for i in range(items):\n        print(i)\n"
    said = _said("Argument 1 has incompatible type", 2, 20, "range", "list[str]", "SupportsIndex")
    assert _judged(before, before.replace("(items)", "(len(items))"), said) == []


def test_a_missing_function_is_not_defined_beside_a_similar_one() -> None:
    before = (
        "class A implements Sink {\n    public void flsh() {\n        out.addAll(in);\n    }\n}\n"
    )
    said = _said(
        "A does not override abstract method flush() in Sink", 1, 1, "A", "flush()", "Sink"
    )
    stub = "    public void flush() {\n        in.isEmpty();\n    }\n"
    made = before.replace("    public", f"{stub}    public", 1)
    assert _judged(before, made, said, "java") == [
        "it declares `flush`, and the program has `flsh`."
    ]
    assert _judged(before, before.replace("flsh", "flush"), said, "java") == []
    other, made = (text.replace("flsh", "store") for text in (before, made))
    assert _judged(other, made, said, "java") == []


def test_a_loop_over_a_copy_changes_only_the_copy() -> None:
    before = "fn f(a: &Vec<f64>) {\n    for p in a.iter_mut() {\n        *p *= 2.0;\n    }\n}\n"
    said = _said("cannot borrow `*a` as mutable", 2, 14, "*a")
    copied = before.replace("a.iter_mut", "a.clone().iter_mut")
    assert _judged(before, copied, said, "rust") == ["it changes only a copy (`clone`)."]
    assert _judged(before, before.replace("&Vec", "&mut Vec"), said, "rust") == []
    read = before.replace("iter_mut", "itr").replace("*p *= 2.0", "g(p)")
    said = _said("no method named `itr` found", 2, 16, "itr")
    assert _judged(read, read.replace("a.itr", "a.clone().iter"), said, "rust") == []


def test_a_missing_name_is_not_another_one_if_the_program_has_a_similar_one() -> None:
    before = "const MAX_TRIES: u32 = 3;\nfn f(n: u32) -> bool {\n    n >= MAX_RETRIES\n}\n"
    said = _said("cannot find value `MAX_RETRIES` in this scope", 3, 10, "MAX_RETRIES")
    other = before.replace("MAX_RETRIES", "u32::MAX")
    assert _judged(before, other, said, "rust") == [
        "it writes `u32` for `MAX_RETRIES`; the program has `MAX_TRIES`."
    ]
    assert _judged(before, before.replace("MAX_RETRIES", "MAX_TRIES"), said, "rust") == []
    before, other = (text.replace("MAX_TRIES", "LIMIT") for text in (before, other))
    assert _judged(before, other, said, "rust") == []


def test_the_limit_in_a_condition_is_not_made_up() -> None:
    before = "#define FIELD 32\nint f(int n) {\n    return n > MOST;\n}\n"
    said = _said("'MOST' undeclared (first use in this function)", 3, 16, "MOST")
    for value, reasons in (
        ("(FIELD - 1)", []),
        ("4096", ["it makes up the value of `MOST`, on which a condition depends."]),
    ):
        after = before.replace("int f", f"#define MOST {value}\nint f")
        assert _judged(before, after, said, "c") == reasons
    shown = before.replace("n > MOST", "g(n, MOST)")
    after = shown.replace("int f", "#define MOST 4096\nint f")
    assert _judged(shown, after, said, "c") == []


def test_a_missing_name_is_not_made_the_same_as_the_one_beside_it() -> None:
    before = "def f(data, wanted):\n    have = g(data)\n    return have == want\n"
    said = _said("Undefined name `want`", 3, 20, "want")
    for value, reasons in (
        ("wanted", []),
        ("have", ["it makes `want` the same as `have`, which is used beside it."]),
    ):
        after = before.replace("    return", f"    want = {value}\n    return")
        assert _judged(before, after, said) == reasons


def test_a_missing_argument_is_not_nothing() -> None:
    before = "void f(char *key, int n) {\n    memset(key, 0);\n}\n"
    said = _said("too few arguments to function 'memset'", 2, 5, "memset")
    for added, reasons in (
        ("n", []),
        ("sizeof *key", []),
        ("0", ["it makes up an argument (`0`)."]),
    ):
        after = before.replace("0);", f"0, {added});")
        assert _judged(before, after, said, "c") == reasons


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_loop_stays_a_loop(is_broken: bool) -> None:
    before = "int f(int n) {\n    while (g(&n) > m) {\n        n++;\n    }\n    return n;\n}\n"
    said = _said("'m' undeclared", 2, 20, "m")
    if is_broken:
        before = before.replace("> m)", "> 0")
        said = _said("expected ')' before '{' token", 2, 22)
    honest = before.replace("> m", "> n").replace("> 0", "> 0)")
    assert _judged(before, honest, said, "c") == []
    assert "it drops the loop (`while`)." in _judged(
        before, honest.replace("while", "if"), said, "c"
    )


def test_brackets_do_not_make_a_condition_of_an_assignment() -> None:
    before = "function f(u) {\n  if (u.a && u.b = true) {\n    return 1;\n  }\n}\n"
    said = _said("Invalid left-hand side in assignment", 2, 7)
    bracketed = before.replace("u.b = true", "(u.b = true)")
    assert _judged(before, bracketed, said, "javascript") == [
        "it sets a variable in a condition (`(u.b = true)`)."
    ]
    compared = before.replace("u.b = true", "u.b === true")
    assert _judged(before, compared, said, "javascript") == []
    matched = before.replace("u.b = true", "(m = g(u)")
    assert _judged(matched, matched.replace("(u))", "(u)))"), said, "javascript") == []


# -------------------------------------------------------------------- what is new needs a reason

SUM = "def f(rows):\n    total = 0\n    note(rows)\n    for row in rows:\n        total += row\n    return total\n"
SUM_SAID = _said("Unsupported operand types", 5, 9, "int", "str")


def test_new_lines_above_a_statement_without_an_error_are_an_edit_elsewhere() -> None:
    honest = SUM.replace("+= row", "+= int(row)")
    assert _judged(SUM, honest, SUM_SAID) == []
    early = honest.replace("    note", "    if rows:\n        return total\n    note")
    assert _judged(SUM, early, SUM_SAID) == [
        (
            "it adds `if rows: return total` in line 3, which no error points at;"
            " change only what the errors are about."
        )
    ]


@pytest.mark.parametrize(
    ("language", "before", "old", "new"),
    [
        ("python", "limit = 5\n\n\ndef f(n):\n    use(m)\n    return n\n", "return n\n", "return n + 1\n"),
        ("python", "limit = 5\n\n\ndef f(n):\n    use(m)\n    return n\n", "return n\n", "return n\n\n\nlimit = 6\n"),
        ("python", "limit = 5\n\n\ndef f(n):\n    use(m)\n    return n\n", "5\n", "5\nlimit = 6\n"),
        ("c", "int limit = 5;\n\nvoid f(int n) {\n    use(m);\n    g(n);\n}\n", "g(n);", "g(n);\n    limit = 6;"),
        ("javascript", "let limit = 5;\n\nfunction f(n) {\n  use(m);\n  g(n);\n}\n", "5;\n", "5;\nlimit = 6;\n"),
    ],
)  # fmt: skip
def test_new_code_at_the_edge_of_the_function_with_the_error_is_an_edit_elsewhere(
    language: Target, before: str, old: str, new: str
) -> None:
    said = _said("Undefined name {0}", before[: before.index("use")].count("\n") + 1, 9, "m")
    honest = before.replace("use(m)", "use(n)")
    assert _judged(before, honest, said, language) == []
    [reason] = _judged(before, honest.replace(old, new), said, language)
    assert "which no error points at" in reason


@pytest.mark.parametrize(
    ("language", "old", "new", "reason"),
    [
        ("python", "total += row", "if row: continue\n        total += int(row)", "it ends the code on a new condition (`continue`)."),
        ("python", "total += row", "kept = int(row)\n        total += 1", "it sets `kept`, which nothing uses."),
        ("rust", "parse(row);", "parse(row).map(|_| 0)?;", "it drops the value that `map` gets."),
        ("rust", "row.iters();", "row.iter().skip(1);", "it calls `skip` beside the correction of `iters`."),
        ("rust", "row.iters();", "row.iter().skip(1).take(2);", "it calls `take` beside the correction of `iters`."),
        ("python", "return self.size", "return self.size > 3", "it compares where a value was used (`>` is new)."),
    ],
)  # fmt: skip
def test_new_code_that_no_error_asks_for_is_shown(
    language: Target, old: str, new: str, reason: str
) -> None:
    frames = {
        "python": f"def f(rows):\n    for row in rows:\n        {old}\n",
        "rust": f"fn f(rows: &[u8]) {{\n    for row in rows {{\n        {old}\n    }}\n}}\n",
    }
    before = frames[language]
    said = _said("no such thing", 3, 9, "iters", "int", "str")
    assert reason in _judged(before, before.replace(old, new), said, language)


def test_a_missing_name_does_not_become_a_variable_beside_a_member_of_that_name() -> None:
    before = "class A:\n    def __init__(self):\n        self.n = 0\n\n    def add(self, k):\n        n += k\n"
    said = _said("undefined name `n`", 6, 9, "n")
    assert _judged(before, before.replace("        n +=", "        self.n +="), said) == []
    assert _judged(before, before.replace("        n +=", "        n = 0\n        n +="), said) == [
        "it declares `n`, and the object has a member of that name."
    ]


def test_a_syntax_error_asks_for_no_value() -> None:
    before = "def f(rows):\n    return [row for row in rows\n"
    said = _said("'[' was never closed", 2, 12)
    assert (
        _judged(before, before.replace("rows\n", "rows]\n", 2).replace("(rows]", "(rows"), said)
        == []
    )
    cut = "def f(rows):\n    return [row for row in rows[:10]]\n"
    assert _judged(before, cut, said) == ["it writes `10`, which no syntax error asks for."]


def test_a_final_block_that_returns_swallows_the_error() -> None:
    before = "class A {\n    int f() {\n        return g();\n    }\n}\n"
    said = _said("unreported exception", 3, 17, "IOException")
    final = "try {\n            return g();\n        } finally {\n            return 1;\n        }"
    reasons = _judged(before, before.replace("return g();", final), said, "java")
    assert "it swallows errors (`finally`); let them reach the caller." in reasons


# --------------------------------------------------------------- what a statement did, it still does


@pytest.mark.parametrize(
    ("code", "old", "new", "reasons"),
    [
        ("call-arg", "price = cut(cents)", "price = cut(cents, step)", []),
        ("call-arg", "price = cut(cents)", "price = cut_all(cents)", []),
        ("call-arg", "price = cut(cents)", "price = cents", ["it drops the call of `cut`, and keeps what it was passed."]),
        ("name-defined", "price = cute(cents)", "price = cut(cents)", []),
        ("unreachable", "price = cut(cents)", "cut(cents)", []),
    ],
)  # fmt: skip
def test_a_call_is_still_made_unless_its_function_does_not_exist(
    code: str, old: str, new: str, reasons: list[str]
) -> None:
    before = f"def cut(n, m):\n    return n - m\n\n\ndef pay(cents):\n    {old}\n    use(price)\n"
    area = Area(6, 5, 6, 5)
    args = ("cute",) if code == "name-defined" else ("cut",)
    said = Diagnostic("mypy", "", code, "error", "It is wrong", "It is wrong", args, "", area)
    assert _judged(before, before.replace(old, new), said) == reasons


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("_Static_assert(sizeof(struct h) == 8, m);", "_Static_assert(sizeof(struct h) == 16, m);", "8"),
        ("assert(size(m) < 8);", "assert(size(m) <= 8);", "<"),
    ],
)  # fmt: skip
def test_an_assertion_checks_what_it_checked(old: str, new: str, word: str) -> None:
    reason = f"it changes what an assertion checks (`{word}` is gone)."
    said = _said('static assertion failed: "8 bytes"', 1, 1)
    assert reason in _judged(f"{old}\n", f"{new}\n", said, "c")


@pytest.mark.parametrize(
    "cheat",
    [
        "tasks.push_back(std::unique_ptr<Task>(task.get()));",
        "std::shared_ptr<Task> other(task.get()); tasks.push_back(std::move(other));",
        "other.reset(task.get()); tasks.push_back(std::move(other));",
    ],
)
def test_a_pointer_has_one_owner(cheat: str) -> None:
    before = "void f() {\n    tasks.push_back(task);\n}\n"
    said = _said("use of deleted function", 2, 20, "std::unique_ptr<Task>")
    moved = before.replace("(task)", "(std::move(task))")
    assert _judged(before, moved, said, "cpp") == []
    reason = "it evades the check with `a second owner` instead of a fix."
    assert reason in _judged(before, before.replace("tasks.push_back(task);", cheat), said, "cpp")


@pytest.mark.parametrize(
    ("new", "reasons"),
    [
        ("s == OPEN", []),
        ("(s = OPEN) > 0", ["it sets a variable in a condition (`(s = OPEN)`)."]),
        ("(s = OPEN)", ["it sets a variable in a condition (`(s = OPEN)`)."]),
    ],
)
def test_a_comparison_does_not_hide_an_assignment(new: str, reasons: list[str]) -> None:
    before = "class A {\n    void f(int s) {\n        if (s = OPEN) { g(); }\n    }\n}\n"
    said = _said("incompatible types: int cannot be converted to boolean", 3, 15, "int", "boolean")
    assert _judged(before, before.replace("s = OPEN", new), said, "java") == reasons


@pytest.mark.parametrize(
    ("value", "is_made_up"),
    [
        ("found", False),
        ("names.size", False),
        ("-1", False),
        ("found == name", False),
        ("found >= 1", False),
        ("false", True),
        ("!found", True),
        ("!names.isEmpty()", True),
        ("found + 1", True),
    ],
)
def test_a_missing_result_is_not_made_up(value: str, is_made_up: bool) -> None:
    before = "class A {\n    T f(L names, T name) {\n        T found = g(names, name);\n    }\n}\n"
    said = _said("missing return statement", 4, 5)
    after = before.replace("name);\n", f"name);\n        return {value};\n")
    reasons = [f"it makes up a result (`return {value};`)."] if is_made_up else []
    assert _judged(before, after, said, "java") == reasons


# ------------------------------------------------------------ where what an error is about comes from


def test_a_value_may_be_corrected_where_the_failing_variable_gets_it() -> None:
    before = "def f(box):\n    path = find(box)\n    name = pick(box)\n    return path.strip()\n"
    said = _said("object has no attribute", 4, 12, "strip")
    assert _judged(before, before.replace("find(", "await find("), said) == []
    (reason,) = _judged(before, before.replace("pick(", "await pick("), said)
    assert "in line 3, which no error points at" in reason


def test_a_constant_that_a_condition_sets_stays_a_constant() -> None:
    before = "int f(int n) {\n    const int most = 9;\n    most = n;\n    return most;\n}\n"
    said = _said("assignment of read-only variable 'most'", 3, 10, "most")
    assert _judged(before, before.replace("const ", ""), said, "c") == []
    condition = before.replace("most = n;", "if (most = n) g();")
    assert _judged(condition, condition.replace("const ", ""), said, "c") == [
        "it drops `const`; keep what the code checks and promises."
    ]


def test_a_function_does_not_copy_what_is_set_afterwards() -> None:
    before = (
        "void f() {\n    int n = 1;\n    auto g = [](int k) { return k > n; };\n    use(g);\n}\n"
    )
    said = _said("'n' is not captured", 3, 37, "n")
    assert _judged(before, before.replace("[]", "[n]"), said, "cpp") == []
    later = before.replace("    use", "    n = 2;\n    use")
    assert _judged(later, later.replace("[]", "[&n]"), said, "cpp") == []
    assert _judged(later, later.replace("[]", "[n]"), said, "cpp") == [
        "it copies `n`, which is set afterwards."
    ]


EQUAL = "def f(value):\n    return value == None\n"


def test_a_comparison_with_none_by_identity_is_the_same_unless_a_class_compares_otherwise() -> None:
    said = _said("Comparison to `None` should be `cond is None`", 2, 21, "cond is None")
    assert _judged(EQUAL, EQUAL.replace("==", "is"), said) == []
    differ = EQUAL.replace("==", "!=")
    assert _judged(differ, differ.replace("!=", "is not"), said) == []
    own = "class Column:\n    def __eq__(self, other):\n        return 'IS NULL'\n\n\n" + EQUAL
    at_own = _said("Comparison to `None` should be `cond is None`", 7, 21, "cond is None")
    gone = ["it changes a condition (`==` is gone)."]
    assert _judged(own, own.replace("==", "is"), at_own) == gone
    assert _judged(EQUAL, EQUAL.replace("==", "is not"), said) == gone


@pytest.mark.parametrize(
    ("declared", "objected"),
    [
        ("Optional[int]", []),
        ("int | None", []),
        ("int", ["it makes up a result (`return None`)."]),
    ],
)
def test_none_is_no_made_up_result_of_a_function_that_may_return_it(
    declared: str, objected: list[str]
) -> None:
    before = f"def f(xs: list[int]) -> {declared}:\n    for x in xs:\n        if x:\n            return x\n"
    said = _said("Missing return statement", 1, 1)
    assert _judged(before, before + "    return None\n", said) == objected


@pytest.mark.parametrize(
    ("new", "objected"),
    [
        ("name in users", []),
        ("name in (users, users.has_key)", []),
        ("name in others", ["it compares where a value was used (`in` is new)."]),
    ],
)
def test_a_call_that_is_missing_may_become_an_operator_with_its_operands(
    new: str, objected: list[str]
) -> None:
    before = "def f(users: dict[str, int], others: set[str], name: str) -> object:\n    return users.has_key(name)\n"
    said = _said('"dict" has no attribute "has_key"', 2, 12, "dict[str, int]", "has_key")
    assert _judged(before, before.replace("users.has_key(name)", new), said)[:1] == objected


@pytest.mark.parametrize(
    ("new", "objected"),
    [
        ("ports.at(0)", []),
        ("ports.size()", ["it takes what `size` says of a value for the value."]),
    ],
)
def test_a_call_with_the_index_takes_its_place(new: str, objected: list[str]) -> None:
    before = "int f(const std::map<std::string, int> &ports) {\n    return ports[0];\n}\n"
    kind = "const std::map<std::__cxx11::basic_string<char>, int>"
    said = _said(f"passing '{kind}' as 'this' argument discards qualifiers", 2, 17, kind)
    assert _judged(before, before.replace("ports[0]", new), said, "cpp")[:1] == objected


@pytest.mark.parametrize(
    ("body", "is_empty"),
    [
        ("", True),
        ("/* ignored (on purpose) */", True),
        ("// nothing (yet)\n    ", True),
        ("log(e);", False),
    ],
)
def test_a_comment_in_a_handler_is_no_work(body: str, is_empty: bool) -> None:
    before = "class A {\n  void f() {\n    save();\n  }\n}\n"
    said = _said("unreported exception E", 3, 5, "E")
    after = before.replace("save();", f"try {{ save(); }} catch (E e) {{ {body} }}")
    reasons = _judged(before, after, said, "java")
    assert any("an empty catch" in reason for reason in reasons) is is_empty


SAVE = "void save(void) {\n    memcpy(saved, current);\n}\n"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("memcpy(saved, current, 8)", ""),
        ("memcpy(saved, 8, current)", ""),
        ("memcpy(current, saved, 8)", "it swaps the arguments of `memcpy`."),
        ("memcpy(saved, current, saved)", "it passes `saved` to `memcpy` twice."),
    ],
    ids=["added", "between", "swapped", "twice"],
)
def test_the_arguments_of_a_call_keep_their_order_and_none_is_passed_twice(
    call: str, reason: str
) -> None:
    said = _said("too few arguments to function 'memcpy'", 2, 5, "memcpy")
    found = _judged(SAVE, SAVE.replace("memcpy(saved, current)", call), said, "c")
    assert found == list(filter(None, [reason]))


def test_a_test_is_not_deleted_though_another_one_has_its_name() -> None:
    one, two = "def test_a():\n    assert f(0) == 0\n", "def test_a():\n    assert f(1) == 2\n"
    said = Diagnostic(
        "ruff", "", "F811", "error", "Redefinition of unused `test_a` from line 1", "", ("test_a",), "", Area(4, 5, 4, 11)
    )  # fmt: skip
    before = f"{one}\n\n{two}"
    assert (
        list(
            objections(
                before, before.replace("test_a", "test_of_zero", 1), "a.py", "python", [said]
            )
        )
        == []
    )
    (reason,) = objections(before, two, "a.py", "python", [said])
    assert reason == "it deletes the test `test_a`; keep it, or give it a name of its own."


@pytest.mark.parametrize(("sign", "count"), [("===", 0), ("!==", 1)])
def test_an_assignment_in_a_condition_was_a_comparison_and_no_negated_one(
    sign: str, count: int
) -> None:
    before = "function f(a, b) {\n  if (!a && b = 3) {\n    return 1;\n  }\n}\n"
    said = _said("Invalid left-hand side in assignment", 2, 7)
    found = _judged(before, before.replace("b = 3", f"b {sign} 3"), said, "javascript")
    assert len(found) == count, found


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        ("u64::from(limit)", ""),
        ("size as u64", ""),
        ("size as u32", "`as u32` cuts off what only `u64` can hold."),
    ],
)
def test_a_number_of_rust_is_not_cut_off(added: str, reason: str) -> None:
    before = "fn f(size: u64, limit: u32) -> bool {\n    size > limit\n}\n"
    old = "limit" if "limit" in added else "size"
    head, body = before.split("{", 1)
    said = _said("expected `u64`, found `u32`", 2, 12, "u64", "u32")
    found = _judged(before, f"{head}{{{body.replace(old, added)}", said, "rust")
    assert found == list(filter(None, [reason]))


def test_a_type_in_the_message_is_no_reason_to_check_nothing() -> None:
    before = "def f(amount: Decimal) -> None:\n    g(amount)\n\nf(row)\n"
    said = _said(
        'Argument 1 has incompatible type "str | Any"; expected "Decimal"',
        4,
        3,
        "f",
        "str | Any",
        "Decimal",
    )
    found = _judged(before, before.replace("amount: Decimal", "amount: Any"), said)
    assert "it evades the check with `Any` instead of a fix." in found


def test_a_call_that_only_moves_into_brackets_is_not_dropped() -> None:
    before = "class A {\n    int f() {\n        int n = r.nextDouble() * 6;\n        return n;\n    }\n}\n"
    said = _said("incompatible types: possible loss of precision", 3, 35, "double", "int")
    whole = before.replace("r.nextDouble() * 6", "(int) (r.nextDouble() * 6)")
    assert _judged(before, whole, said, "java") == []
    dropped = before.replace("r.nextDouble() * 6", "6")
    assert _judged(before, dropped, said, "java") != []


@pytest.mark.parametrize(
    ("old", "new", "made_up"),
    [
        ("may(user)", "may(user, True)", "True"),
        ("may(user)", "may(user, admin=True)", "True"),
        ("may(user)", "may('root', user)", "'root'"),
        ("may()", "may(1)", "1"),
        ("may(user)", "may(user, admin)", ""),
        ("may('root')", "may('root', 'all')", ""),
        ("max(user)", "max(user, 10)", ""),
    ],
)
def test_a_constant_is_no_further_argument_beside_variables_in_a_call_of_the_program(
    old: str, new: str, made_up: str
) -> None:
    before = (
        f"def may(user, admin):\n    return admin or user\n\n\ndef f(user, admin):\n    {old}\n"
    )
    said = _said("Missing positional argument", 6, 5, "may", "max")
    reasons = [f"it makes up an argument (`{made_up}`)."] if made_up else []
    assert _judged(before, before.replace(f"    {old}", f"    {new}"), said) == reasons


@pytest.mark.parametrize(
    ("language", "before", "old", "new", "lumped"),
    [
        ("rust", "fn f(a: A) -> u8 {\n    match a {\n        A::B => 1,\n    }\n}\n", "A::B", "A::B | A::C", "| A::C"),
        ("rust", "fn f(a: A) -> u8 {\n    match a {\n        A::B => 1,\n    }\n}\n", "=> 1,\n", "=> 1,\n        A::C | A::D => 2,\n", ""),
        ("python", "def f(a):\n    match a:\n        case A.B:\n            return g(a)\n", "A.B", "A.B | A.C", "| A.C"),
        ("java", "class A {\n  int f(B b) {\n    return switch (b) {\n      case X -> 1;\n    };\n  }\n}\n", "X", "X, Y", ", Y"),
        ("java", "class A {\n  int f(B b) {\n    return switch (b) {\n      case X -> 1;\n    };\n  }\n}\n", "1;\n", "1;\n      case Y, Z -> 2;\n", ""),
        ("java", "class A {\n  void f(B b) {\n    switch (b) {\n      case X: g();\n    }\n  }\n}\n", "case X", "case Y:\n    case X", "case Y:"),
        ("typescript", "function f(a: A) {\n  switch (a) {\n    case 'b':\n      return g(a);\n  }\n}\n", "    case 'b'", "    case 'c':\n    case 'b'", "case 'c':"),
        ("typescript", "function f(a: A) {\n  switch (a) {\n    case 'b':\n      return g(a);\n  }\n}\n", "g(a);\n", "g(a);\n    case 'c':\n    case 'd':\n      return h(a);\n", ""),
        ("c", "void f(int a) {\n  switch (a) {\n    case B: g();\n  }\n}\n", "case B", "case C: case B", "C: case"),
        ("go", "package a\n\nfunc f(a A) {\n\tswitch a {\n\tcase B:\n\t\tg()\n\t}\n}\n", "case B", "case B, C", ", C"),
        ("go", "package a\n\nfunc f(a any) {\n\tswitch a.(type) {\n\tcase B:\n\t\tg()\n\t}\n}\n", "case B", "case B, C", ", C"),
    ],
)  # fmt: skip
def test_a_missing_case_does_not_share_the_code_of_another_one(
    language: Target, before: str, old: str, new: str, lumped: str
) -> None:
    place = re.search("switch|match", before)
    assert place is not None
    line, column = (
        before.count("\n", 0, place.start()) + 1,
        place.start() - before.rfind("\n", 0, place.start()),
    )
    said = _said("a case is missing", line, column, "C", "D")
    reasons = [f"it gives a case the code of another one (`{lumped}`)."] if lumped else []
    assert _judged(before, before.replace(old, new), said, language) == reasons


LOCKED = "void f() {\n    std::lock_guard<std::mutex> guard(gate);\n    g(1);\n}\n"


@pytest.mark.parametrize(
    ("lines", "reasons"),
    [
        ("std::mutex local;\n    std::lock_guard<std::mutex> guard(local);", ["it puts `local`, which has no value, in the place of `gate`."]),
        ("std::mutex local = h();\n    std::lock_guard<std::mutex> guard(local);", []),
        ("std::mutex local;\n    h(&local);\n    std::lock_guard<std::mutex> guard(local);", []),
        ("std::mutex local;\n    h(local);\n    std::lock_guard<std::mutex> guard(gate);", []),
    ],
    ids=["empty", "declared with a value", "filled", "beside"],
)  # fmt: skip
def test_a_new_variable_without_a_value_takes_the_place_of_none(
    lines: str, reasons: list[str]
) -> None:
    said = _said("binding reference to 'const std::mutex' discards qualifiers", 2, 5)
    after = LOCKED.replace("std::lock_guard<std::mutex> guard(gate);", lines)
    assert _judged(LOCKED, after, said, "cpp") == reasons


def test_a_missing_variable_may_be_declared_without_a_value() -> None:
    before = "void f() {\n    std::getline(std::cin, line);\n    g(line);\n}\n"
    said = _said("'line' was not declared in this scope", 2, 28, "line")
    after = before.replace("    std::g", "    std::string line;\n    std::g")
    assert not any("in the place" in reason for reason in _judged(before, after, said, "cpp"))


@pytest.mark.parametrize(
    ("cast", "kinds", "reasons"),
    [
        ("(int)(long)", ("int", "struct customer *"), ["it takes an address for a number (`(int)`)."]),
        ("(int)", ("int", "double"), []),
        ("*", ("int", "int *"), []),
    ],
)  # fmt: skip
def test_an_address_is_no_number(cast: str, kinds: tuple[str, str], reasons: list[str]) -> None:
    before = "int f(const struct order *a) {\n    int first = a->buyer;\n    return first;\n}\n"
    said = _said("initialization of {0} from {1}", 2, 17, *kinds)
    assert _judged(before, before.replace("a->buyer", f"{cast}a->buyer"), said, "c") == reasons


def test_a_constant_that_an_error_names_keeps_its_value() -> None:
    before = "const MOST: u8 = 320;\n"
    said = _said("the literal `320` does not fit into the type `u8`", 1, 18, "u8", "320")
    assert _judged(before, before.replace("u8", "u16"), said, "rust") == []
    assert _judged(before, before.replace("320", "255"), said, "rust") == [
        "it changes the constant 320 to 255."
    ]
    before = "int n = 08;\n"
    said = _said("invalid digit '8' in octal constant", 1, 9, "08", "8")
    assert _judged(before, before.replace("08", "8"), said, "c") == []


@pytest.mark.parametrize(
    ("new", "reasons"),
    [
        ("size > int64(limit)", []),
        ("int32(size) > limit", ["`int32` cuts off what only `int64` can hold."]),
    ],
)
def test_a_number_of_go_is_not_cut_off(new: str, reasons: list[str]) -> None:
    before = "package a\n\nfunc f(size int64, limit int32) bool {\n\treturn size > limit\n}\n"
    said = _said("mismatched types", 4, 9, "size > limit", "int64", "int32")
    assert _judged(before, before.replace("size > limit", new), said, "go") == reasons


def test_a_float_of_go_may_hold_any_number() -> None:
    before = "package a\n\nfunc f(sum float64, n int) float64 {\n\treturn sum / n\n}\n"
    said = _said("mismatched types", 4, 9, "sum / n", "float64", "int")
    assert _judged(before, before.replace("/ n", "/ float64(n)"), said, "go") == []


def test_a_macro_of_a_constant_is_made_up_also_where_it_is_negated() -> None:
    before = "static int crc_matches(int n) { return n; }\nint f(int n) {\n    return !crc_match(n);\n}\n"
    said = _said("implicit declaration of function 'crc_match'", 3, 13, "crc_match")
    made = f"#define crc_match(n) 1\n{before}"
    assert any("makes up crc_match" in reason for reason in _judged(before, made, said, "c"))
    assert _judged(before, before.replace("crc_match(", "crc_matches("), said, "c") == []


def test_a_loop_changes_what_it_is_about_and_no_copy_of_it() -> None:
    before = (
        "fn f(jobs: &mut Vec<Job>) {\n    for job in jobs.iter() {\n        job.n += 1;\n    }\n}\n"
    )
    said = _said("cannot assign to `job.n`, which is behind a `&` reference", 2, 16, "job.n")
    assert _judged(before, before.replace("iter()", "iter_mut()"), said, "rust") == []
    for call in ("clone()", "to_vec()"):
        after = before.replace("for job", "for mut job").replace("iter()", call)
        reasons = _judged(before, after, said, "rust")
        assert f"it changes only a copy (`{call[:-2]}`)." in reasons


def test_the_parameters_of_a_function_that_an_error_points_at_may_change() -> None:
    before = "static int cmp(const row *a, const row *b) {\n    return a->n - b->n;\n}\nvoid f(row *r) {\n    qsort(r, 9, 8, cmp);\n}\n"
    body = "const void *p, const void *q) {\n    const row *a = p;\n    const row *b = q;\n"
    after = before.replace("const row *a, const row *b) {\n", body)
    at_name = _said("passing argument 4 of 'qsort' from incompatible pointer type", 5, 20, "qsort")
    assert _judged(before, after, at_name, "c") == []
    at_call = _said(at_name.message, 5, 11, "qsort")
    assert "it changes how cmp is called; keep the parameters." in _judged(
        before, after, at_call, "c"
    )


POP = "int f(S s, char op, int limit) {\n    s.pop();\n    return op;\n}\n"


def test_a_missing_member_is_compared_with_members_and_not_with_variables() -> None:
    said = _said("'S' has no member named 'pop'", 2, 7, "S", "pop")
    assert _judged(POP, POP.replace("pop()", "push_back()"), said, "cpp") == []
    has_member = POP.replace("return op", "return s.op")
    (reason,) = _judged(has_member, has_member.replace("pop()", "push_back()"), said, "cpp")
    assert reason == "it writes `push_back` for `pop`; the program has `op`."


LISTENER = "class L {\n  void onFinished(int n) {}\n}\nclass A extends L {\n  @Override\n  void onFinish(int n) {}\n}\n"


def test_a_method_that_overrides_nothing_may_get_the_name_of_one_that_it_does() -> None:
    said = _said("method does not override or implement a method from a supertype", 5, 3)
    assert _judged(LISTENER, LISTENER.replace("onFinish(", "onFinished("), said, "java") == []
    elsewhere = replace(said, area=Area(6, 21, 6, 21))
    reasons = _judged(LISTENER, LISTENER.replace("onFinish(", "onFinished("), elsewhere, "java")
    assert "it no longer declares onFinish; keep every name that others may use." in reasons
