"""What the program changes or names at a place says that the fix of the examples is not meant there."""

from __future__ import annotations

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.apply_rule import NoFit, rewrite
from holdfast.rules.learn_rule import learn, learn_from
from holdfast.rules.rule import Rule, example_of
from holdfast.rules.rule_book import RuleBook
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

REWRITTEN = "rewritten"
TS: Target = "typescript"


def _said(tool: str, code: str, template: str, *args: str, text: str) -> Diagnostic:
    """Return a diagnostic at the place that a text marks with `«»`."""
    start, end = text.index("«"), text.index("»") - 1
    lines = text[:start].split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    area = Area(line, column, line, column + end - start)
    return Diagnostic(tool, "", code, "error", template.format(*args), template, args, "", area)


def _plain(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def _reason(rule: Rule, text: str, said: Diagnostic) -> str:
    made = rewrite(rule, _plain(text), said)
    return made.reason if isinstance(made, NoFit) else REWRITTEN


def _learned(before: str, after: str, said: Diagnostic, target: Target) -> Rule:
    rule = learn(_plain(before), after, said, target)
    assert isinstance(rule, Rule), rule
    return rule


# ------------------------------------------------------------------------------------- changes

BORROW = ("rustc", "E0596", "cannot borrow {0} as mutable, as it is not declared as mutable")
COLLECT = "fn f(n: u32) -> Vec<u32> {\n    let out = Vec::new();\n    for i in 0..n {\n        «out».push(i);\n    }\n    out\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "fn g(w: &str) -> String {\n    let s = String::new();\n    «s».push_str(w);\n    s\n}\n",
            REWRITTEN,
        ),
        (
            "fn g(all: &[u8]) {\n    let s = Vec::new();\n    for b in all {\n        if s.len() < 3 {\n            «s».push(b);\n        }\n    }\n}\n",
            REWRITTEN,
        ),
        (
            "fn g(c: &mut Conf, w: &str) {\n    let s = c.paths.clone();\n    «s».push(w);\n}\n",
            "nothing reads what is changed, and in the examples something does",
        ),
    ],
)
def test_a_change_that_nothing_reads_is_lost(text: str, reason: str) -> None:
    rule = _learned(
        COLLECT,
        _plain(COLLECT).replace("let out", "let mut out"),
        _said(*BORROW, "out", text=COLLECT),
        "rust",
    )
    assert _reason(rule, text, _said(*BORROW, "s", text=text)) == reason


POINTER = (
    "gcc",
    "-Wint-conversion",
    "passing argument {0} of {1} makes pointer from integer without a cast",
)
NEXT = "static void up(int *p) { *p += 1; }\n\nint f(int id) {\n    up(«id»);\n    return id;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "static void half(int *p) { *p /= 2; }\n\nint g(int n) {\n    int m = n;\n    for (int i = 0; i < n; i++)\n        if (i % 3) half(«m»);\n    return m;\n}\n",
            REWRITTEN,
        ),
        (
            "static void half(int *p) { *p /= 2; }\n\nvoid g(int *all, int n) {\n    for (int i = 0; i < n; i++)\n        half(«i»);\n}\n",
            "the variable counts the turns of a loop, and in the examples it does not",
        ),
    ],
)
def test_the_address_of_what_counts_the_turns_of_a_loop_is_not_meant(
    text: str, reason: str
) -> None:
    rule = _learned(
        NEXT, _plain(NEXT).replace("up(id)", "up(&id)"), _said(*POINTER, "1", "up", text=NEXT), "c"
    )
    assert _reason(rule, text, _said(*POINTER, "1", "half", text=text)) == reason


# ------------------------------------------------------------------------------- other meanings

MISMATCH = ("rustc", "E0308", "mismatched types: expected {0}, found {1}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            'fn f(nick: String) -> String {\n    if nick.is_empty() { «"none"» } else { nick }\n}\n',
            REWRITTEN,
        ),
        (
            'fn f(nick: String) -> String {\n    if nick.is_empty() { nick } else { «"nick"» }\n}\n',
            "the text in quotes is also the name of a variable",
        ),
    ],
)
def test_a_text_in_quotes_may_be_the_variable_of_that_name(text: str, reason: str) -> None:
    (rule,) = [rule for rule in builtin_rules() if rule.id == "rust-literal-to-string"]
    assert _reason(rule, text, _said(*MISMATCH, "String", "&str", text=text)) == reason


CALLED = ("gcc", "", "called object {0} is not a function or function pointer")
WEIGHT = "int f(int w, int a, int b) {\n    return «w»(a + b);\n}\n"
SCALE = (
    "double f(double k, double x, double y) {\n    double r = «k»(x + y);\n    return r / 2;\n}\n"
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "static int twice(int n) { return n + n; }\n\nint f(int rate, int a) {\n    int d = «rate»(a + 1);\n    return d;\n}\n",
            REWRITTEN,
        ),
        (
            "static int rate_of(int n) { return n + n; }\n\nint f(int rate, int a) {\n    int d = «rate»(a + 1);\n    return d;\n}\n",
            "the program has a function that is named after the variable",
        ),
    ],
)
def test_a_variable_that_is_called_may_be_the_function_named_after_it(
    text: str, reason: str
) -> None:
    examples = [
        example_of(
            _plain(before), _plain(before).replace(old, new), _said(*CALLED, name, text=before)
        )
        for before, name, old, new in (
            (WEIGHT, "w", "w(a", "w * (a"),
            (SCALE, "k", "k(x", "k * (x"),
        )
    ]
    rule = learn_from(examples, _said(*CALLED, "w", text=WEIGHT), "c")
    assert isinstance(rule, Rule), rule
    assert _reason(rule, text, _said(*CALLED, "rate", text=text)) == reason


ARRAY = ("gcc", "", "assignment to expression with array type")
NAME = "struct user { char name[32]; };\n\nvoid f(struct user *u, const char *name) {\n    u->name «=» name;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "struct city { int id; char label[64]; };\n\nvoid g(struct city *c, int id, const char *text) {\n    c->id = id;\n    c->label «=» text;\n}\n",
            REWRITTEN,
        ),
        (
            "struct city { int id; char label[64]; };\n\nvoid g(struct city *c, const char *text, char **others) {\n    others[0] = 0;\n    c->label «=» text;\n}\n",
            REWRITTEN,
        ),
        (
            "struct city { int id; char label[64]; };\n\nvoid g(struct city *c, const char *text, unsigned char n) {\n    c->id = n;\n    c->label «=» text;\n}\n",
            "a number beside the pointer may be its length",
        ),
    ],
)
def test_a_pointer_with_a_number_beside_it_may_be_data(text: str, reason: str) -> None:
    rule = _learned(
        NAME,
        _plain(NAME).replace("u->name = name", "strcpy(u->name, name)"),
        _said(*ARRAY, text=NAME),
        "c",
    )
    assert _reason(rule, text, _said(*ARRAY, text=text)) == reason


PARSE = "fn f(text: &str) -> Option<i32> {\n    let value = text.len() as i32;\n    «value»\n}\n"
SEARCH = "fn search(xs: &[i32]) -> i32 {{\n    for x in xs {{\n        return *x;\n    }}\n    {}\n}}\n\nfn g(xs: &[i32]) -> Option<i32> {{\n    let at = search(xs);\n    «at»\n}}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SEARCH.format("xs.len() as i32"), REWRITTEN),
        (SEARCH.format("-1"), "a special result of a function may need another value"),
    ],
)
def test_a_special_result_may_need_another_value(text: str, reason: str) -> None:
    rule = _learned(
        PARSE,
        _plain(PARSE).replace("    value\n", "    Some(value)\n"),
        _said(*MISMATCH, "Option<i32>", "i32", text=PARSE),
        "rust",
    )
    assert _reason(rule, text, _said(*MISMATCH, "Option<i32>", "i32", text=text)) == reason


UNUSED = ("ruff", "F841", "Local variable {0} is assigned to but never used")
SEND = "def f(queue, message):\n    «ticket» = queue.send(message)\n    queue.flush()\n"
MOVE = "def f(files, target):\n    for file in files:\n        «moved» = file.move(target)\n    return len(files)\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def g(pool, job):\n    «handle» = pool.submit(job)\n    return job.name\n", REWRITTEN),
        (
            "def g(title):\n    «handle» = title.strip().lower()\n    return title\n",
            "the value that is dropped may be what is to be returned",
        ),
    ],
)
def test_a_value_computed_from_what_is_returned_is_not_dropped(text: str, reason: str) -> None:
    examples = [
        example_of(
            _plain(before),
            _plain(before).replace(f"{name} = ", ""),
            _said(*UNUSED, name, text=before),
        )
        for before, name in ((SEND, "ticket"), (MOVE, "moved"))
    ]
    rule = learn_from(examples, _said(*UNUSED, "ticket", text=SEND), "python")
    assert isinstance(rule, Rule), rule
    assert _reason(rule, text, _said(*UNUSED, "handle", text=text)) == reason


# ------------------------------------------------------------------------------------- imports


def test_no_builtin_rule_imports_the_abs_of_whole_numbers() -> None:
    text = "int f(double a, double b) {\n    return «abs»(a - b) < 0.1;\n}\n"
    said = _said(
        "gcc",
        "-Wimplicit-function-declaration",
        "implicit declaration of function {0}",
        "abs",
        text=text,
    )
    rules = [rule for rule in builtin_rules() if rule.target == "c" and rule.rewrite is None]
    assert rules
    assert all(_reason(rule, text, said) != REWRITTEN for rule in rules)


# -------------------------------------------------------------------------------------- choices

OFFERED = ("mypy", "attr-defined", "{0} has no attribute {1}; maybe {2} or {3}?")
EVENS = "def f(n: int) -> list[int]:\n    out: list[int] = []\n    for i in range(n):\n        «out.add»(i)\n    return out\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "def g(t: str) -> list[str]:\n    all_: list[str] = []\n    if t:\n        «all_.add»(t.lower())\n    return all_\n",
            REWRITTEN,
        ),
        (
            'def g(t: list[str]) -> int:\n    """How many different ones there are."""\n    all_: list[str] = []\n    for s in t:\n        «all_.add»(s)\n    return len(all_)\n',
            "a comment says what is meant, and a rule cannot read it",
        ),
    ],
)
def test_one_of_several_names_that_a_message_offers_is_a_choice(text: str, reason: str) -> None:
    names = ("add", "append", "extend")
    rule = _learned(
        EVENS,
        _plain(EVENS).replace("out.add", "out.append"),
        _said(*OFFERED, "list[int]", *names, text=EVENS),
        "python",
    )
    assert _reason(rule, text, _said(*OFFERED, "list[str]", *names, text=text)) == reason


# --------------------------------------------------------------------------------------- loops

NO_LENGTH = ("g++", "", "{0} has no member named {1}")
LAST = "int f(const std::vector<int> &all) {\n    return all[all.«length»() - 1];\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "int g(const std::vector<int> &ws) {\n    int n = 0;\n    for (const int &w : ws) n += w + ws.«length»();\n    return n;\n}\n",
            REWRITTEN,
        ),
        (
            "int g(const std::vector<int> &ws) {\n    int n = 0;\n    for (int w : ws) n += ws.«length»();\n    return n;\n}\n",
            "nothing reads a variable that may be what is meant",
        ),
    ],
)
def test_a_loop_whose_element_is_not_used_means_the_element(text: str, reason: str) -> None:
    args = ("std::vector<int>", "length")
    rule = _learned(
        LAST, _plain(LAST).replace("length", "size"), _said(*NO_LENGTH, *args, text=LAST), "cpp"
    )
    assert _reason(rule, text, _said(*NO_LENGTH, *args, text=text)) == reason


# ---------------------------------------------------------------------------------------- index


def test_a_type_with_a_blank_finds_its_rule() -> None:
    text = "int f(int x) {\n    int *p = «x»;\n    return *p;\n}\n"
    template = "initialization of {0} from {1} makes pointer from integer without a cast"
    said = _said("gcc", "-Wint-conversion", template, "int *", "int", text=text)
    rule = _learned(text, _plain(text).replace("= x", "= &x"), said, "c")
    assert RuleBook([rule]).candidates(said, "c") == [rule]
    other = _said("gcc", "-Wint-conversion", template, "char *", "int", text=text)
    assert RuleBook([rule]).candidates(other, "c") == []


# ------------------------------------------------------------------------------- own structures


# ------------------------------------------------------------------- what is left over, what is named

NO_MEMBER = ("tsc", "TS2339", "Property {0} does not exist on type {1}.")
EMPTY = "function f(all: string[]): boolean {\n    return all.«size» === 0;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "function g(all: string[]): number {\n    const seen = new Set<string>();\n    for (const each of all) seen.add(each);\n    return all.«size»;\n}\n",
            "nothing reads a variable that may be what is meant",
        ),
        (
            "function g(all: string[]): number {\n    const seen = new Set<string>();\n    for (const each of all) seen.add(each);\n    return seen.has('') ? 0 : all.«size»;\n}\n",
            REWRITTEN,
        ),
        (
            "function g(all: string[]): number {\n    for (let i = 0; i < 3; i++) put('-');\n    return all.«size»;\n}\n",
            REWRITTEN,
        ),
    ],
)
def test_a_collection_that_is_filled_and_not_read_may_be_what_is_meant(
    text: str, reason: str
) -> None:
    args = ("size", "string[]")
    rule = _learned(
        EMPTY, _plain(EMPTY).replace("size", "length"), _said(*NO_MEMBER, *args, text=EMPTY), TS
    )
    assert _reason(rule, text, _said(*NO_MEMBER, *args, text=text)) == reason


FEW = ("tsc", "TS2554", "Expected {0} argument(s), but got {1}.")
CIRCLE = "function f(r: number): number {\n    return Math.PI * «Math.pow(r)»;\n}\n"


def test_a_number_of_arguments_is_no_value_that_the_message_names() -> None:
    said = _said(*FEW, "2", "1", text=CIRCLE)
    rule = _learned(CIRCLE, _plain(CIRCLE).replace("r);", "r, 2);"), said, TS)
    assert not rule.safe
    assert getattr(rule.rewrite, "pattern", "") == "Math.pow($A)"


NOT_A_NUMBER = (
    "tsc",
    "TS2345",
    "Argument of type {0} is not assignable to parameter of type {1}.",
)
RUN = "function f(text: string): number {\n    return twice(«text»);\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "function g(word: string): number {\n    return half(«word», 2);\n}\n",
            REWRITTEN,
        ),
        (
            "function g(color: string): number {\n    const part = color.slice(1, 3);\n    return half(«part», 2);\n}\n",
            "a call computes the value, and in the examples none does",
        ),
    ],
)
def test_a_conversion_is_for_what_is_not_computed(text: str, reason: str) -> None:
    args = ("string", "number")
    rule = _learned(
        RUN,
        _plain(RUN).replace("(text)", "(Number(text))"),
        _said(*NOT_A_NUMBER, *args, text=RUN),
        TS,
    )
    assert _reason(rule, text, _said(*NOT_A_NUMBER, *args, text=text)) == reason


NO_SYMBOL = ("javac", "E", "cannot find symbol {0} in {1}")
LONG = "class A {\n    boolean f(String s) {\n        return s.«length» > 80;\n    }\n}\n"
PAD = "class B {\n    void g(String s, int n) {\n        for (int i = s.«length»; i < n; i++) {\n            put(' ');\n        }\n    }\n}\n"


def test_a_loop_may_repeat_what_it_does_as_often_as_the_place_says() -> None:
    args = ("length", "String")
    fixed = _plain(LONG).replace("length", "length()")
    rule = _learned(LONG, fixed, _said(*NO_SYMBOL, *args, text=LONG), "java")
    assert _reason(rule, PAD, _said(*NO_SYMBOL, *args, text=PAD)) == REWRITTEN


USER = "async function f(id: number): Promise<string> {\n    const user = load(id);\n    return user.«name»;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "async function g(url: string): Promise<boolean> {\n    const page = get(url);\n    if (page.«status» !== 200) {\n        return false;\n    }\n    return true;\n}\n",
            REWRITTEN,
        ),
        (
            "async function g(url: string): Promise<number> {\n    const page = get(url);\n    const first = await Promise.race([page, wait()]);\n    return first.a + page.«size»;\n}\n",
            "the pattern fits at 0 places",
        ),
        (
            "async function g(url: string): Promise<number> {\n    const page = get(url);\n    return other.«size»;\n}\n",
            "the pattern fits at 0 places",
        ),
    ],
)
def test_a_fix_of_a_declaration_is_for_the_variable_at_the_error_and_its_uses(
    text: str, reason: str
) -> None:
    said = _said(*NO_MEMBER, "name", "Promise<User>", text=USER)
    rule = _learned(USER, _plain(USER).replace("= load", "= await load"), said, TS)
    assert _reason(rule, text, _said(*NO_MEMBER, "a", "Promise<Page>", text=text)) == reason


BRACKETS = ("g++", "-fpermissive", "passing {0} as {1} argument discards qualifiers")
PORT = "int f(const std::map<std::string, int> &ports, const std::string &at) {\n    int n = «ports[at]»;\n    return n;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PORT.replace("ports", "codes"), REWRITTEN),
        (
            PORT.replace("return n;", "return n == 0;"),
            "the value is used in another way than in the examples",
        ),
    ],
)
def test_what_is_compared_with_zero_may_be_missing(text: str, reason: str) -> None:
    args = ("const std::map<std::string, int>", "this")
    rule = _learned(
        PORT,
        _plain(PORT).replace("[at]", ".at(at)"),
        _said(*BRACKETS, *args, text=PORT),
        "cpp",
    )
    assert _reason(rule, text, _said(*BRACKETS, *args, text=text)) == reason


# ------------------------------------------------------------------- what nothing uses or reads

UNREPORTED = ("javac", "E", "unreported exception {0}")
LOAD = "class A {\n    static String f(Path p) {\n        return «load»(p);\n    }\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "class B {\n    static String g(Path q, String s) {\n        return s + «read»(q);\n    }\n}\n",
            REWRITTEN,
        ),
        (
            "class B {\n    static String g(Path q, String other) {\n        return «read»(q);\n    }\n}\n",
            "nothing uses a parameter that may be what is meant",
        ),
        (
            "class B {\n    static final String NONE = name();\n    static String g(Path q) {\n        return «read»(q);\n    }\n}\n",
            "nothing uses a constant that may be what is meant",
        ),
    ],
)
def test_what_nothing_uses_may_be_what_is_meant(text: str, reason: str) -> None:
    said = _said(*UNREPORTED, "java.io.IOException", text=LOAD)
    after = _plain(LOAD).replace("p) {", "p) throws IOException {")
    rule = _learned(LOAD, after, said, "java")
    assert _reason(rule, text, _said(*UNREPORTED, "java.io.IOException", text=text)) == reason


MISMATCHED = ("rustc", "E0308", "expected {0}, found {1}")
SORTED = 'fn f() {\n    let mut all = vec![2];\n    sort(«all»);\n    println!("{:?}", all);\n}\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "fn g() -> Vec<u8> {\n    let mut xs = start();\n    order(«xs»);\n    xs\n}\n",
            REWRITTEN,
        ),
        (
            "fn g(row: Vec<u8>) {\n    let mut xs = row.clone();\n    order(«xs»);\n    show(row);\n}\n",
            "nothing reads afterwards what the function is to change",
        ),
    ],
)
def test_what_a_function_is_to_change_is_read_afterwards(text: str, reason: str) -> None:
    args = ("&mut Vec<u8>", "Vec<u8>")
    after = _plain(SORTED).replace("sort(all)", "sort(&mut all)")
    rule = _learned(SORTED, after, _said(*MISMATCHED, *args, text=SORTED), "rust")
    assert _reason(rule, text, _said(*MISMATCHED, *args, text=text)) == reason


FEE = "fn f(n: i64) -> u64 {\n    let all: u64 = «n»;\n    all\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fn g(k: i64) -> u64 {\n    let sum: u64 = «k»;\n    sum * 2\n}\n", REWRITTEN),
        (
            "fn g(k: i64) -> u64 {\n    let sum: u64 = «k»;\n    if k < 0 { 0 } else { sum }\n}\n",
            "the value may be negative",
        ),
    ],
)
def test_a_number_that_may_be_negative_is_not_converted(text: str, reason: str) -> None:
    after = _plain(FEE).replace("= n;", "= n as u64;")
    rule = _learned(FEE, after, _said(*MISMATCHED, "u64", "i64", text=FEE), "rust")
    assert _reason(rule, text, _said(*MISMATCHED, "u64", "i64", text=text)) == reason


RESULT = ("tsc", "TS1064", "the return type of an async function must be {0}")
AREA = "async function f(n: number): «number» {\n    return n;\n}\n\nf(1).then(show);\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "async function g(): «number» {\n    return 1;\n}\n\ng().then(show);\n",
            REWRITTEN,
        ),
        (
            "async function g(): «number» {\n    return 1;\n}\n\nconst text = `${g()}`;\n",
            "the program uses the result of the function at once",
        ),
    ],
)
def test_a_result_that_is_used_at_once_is_no_promise(text: str, reason: str) -> None:
    after = _plain(AREA).replace("): number", "): Promise<number>")
    rule = _learned(AREA, after, _said(*RESULT, "Promise", text=AREA), TS)
    assert _reason(rule, text, _said(*RESULT, "Promise", text=text)) == reason


BRACKET = ("node", "SyntaxError", "missing ) after condition")
OPEN = "function f(a, b) {\n    if ((a && b) «{»\n        go();\n    }\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("if ((x || y) «{»\n    stop();\n}\n", REWRITTEN),
        (
            "if ((x || y && !z) «{»\n    stop();\n}\n",
            "the place of the bracket decides which operator comes first",
        ),
    ],
)
def test_where_a_bracket_belongs_is_open_between_two_operators(text: str, reason: str) -> None:
    after = _plain(OPEN).replace("(a && b) {", "(a && b)) {")
    rule = _learned(OPEN, after, _said(*BRACKET, text=OPEN), "javascript")
    assert _reason(rule, text, _said(*BRACKET, text=text)) == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "long f(long a, int k) {\n    long t = a\n           + cost(k)\n    «return» t;\n}\n",
            REWRITTEN,
        ),
        (
            "long f(long a, int k) {\n    long t = a\n           + cost(k)\n           «price»(a);\n    return t;\n}\n",
            "the next line may go on with the expression",
        ),
    ],
)
def test_a_line_like_the_one_that_continues_a_statement_continues_it(
    text: str, reason: str
) -> None:
    [rule] = [rule for rule in builtin_rules() if rule.id == "c-missing-semicolon"]
    template = "expected ',' or ';' before {0}"
    name = text[text.index("«") + 1 : text.index("»")]
    assert _reason(rule, text, _said("gcc", "", template, name, text=text)) == reason


def test_a_missing_name_that_is_a_member_of_the_object_is_not_declared() -> None:
    missing = ("tsc", "TS2304", "Cannot find name {0}.")
    before = "function f() {\n    «at» = 0;\n    return at;\n}\n"
    rule = _learned(
        before,
        _plain(before).replace("at = 0", "let at = 0"),
        _said(*missing, "at", text=before),
        TS,
    )
    text = "const o = {\n    at: 1,\n    go() { return this.at; },\n    stop() {\n        «at» = 0;\n        return at;\n    },\n};\n"
    said = _said(*missing, "at", text=text)
    assert (
        _reason(rule, text, said)
        == "the program may have another thing that the missing name means"
    )


def test_a_function_that_a_condition_calls_does_not_become_async() -> None:
    only = ("node", "SyntaxError", "{0} is only valid in async functions")
    before = "function f(n) {\n    const all = «await» load(n);\n    return all;\n}\n\nf(1).then(show);\n"
    after = _plain(before).replace("function f", "async function f")
    rule = _learned(before, after, _said(*only, "await", text=before), "javascript")
    text = "function g(who) {\n    const names = «await» read(who);\n    return names;\n}\n\nif (g(2)) {\n    stop();\n}\n"
    said = _said(*only, "await", text=text)
    assert _reason(rule, text, said) == "the program uses the result of the function at once"
    late = text.replace("if (g(2)) {\n    stop();\n}\n", "g(2).then(stop);\n")
    assert _reason(rule, late, said) == REWRITTEN


AWAITED = ("node", "SyntaxError", "await is only valid in async functions")
GREET = "const greet = (name) => {\n  «await» wait(1);\n  return name;\n};\n"


@pytest.mark.parametrize(
    ("text", "is_rewritten"),
    [
        (
            "const load = (id, key) => {\n  const user = «await» read(id, key);\n  return user;\n};\n",
            True,
        ),
        ("function f(xs) {\n  xs.forEach((x) => {\n    «await» save(x);\n  });\n}\n", False),
    ],
    ids=["with a name", "passed on"],
)
def test_a_function_that_is_passed_on_is_not_one_with_a_name(text: str, is_rewritten: bool) -> None:
    after = _plain(GREET).replace("(name)", "async (name)")
    rule = _learned(GREET, after, _said(*AWAITED, text=GREET), "javascript")
    found = _reason(rule, text, _said(*AWAITED, text=text))
    assert (found == REWRITTEN) is is_rewritten, found


UNSET = ("node", "SyntaxError", "Missing initializer in const declaration")
SIZE = "function f(a) {\n  «const» name;\n  if (a) {\n    name = 1;\n  }\n  return name;\n}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("function g(b) {\n  «const» word;\n  while (b) {\n    word = b;\n  }\n  return word;\n}\n", REWRITTEN),
        (
            "function g(b) {\n  «const» most;\n  while (b < most) {\n    b = h(b);\n  }\n  return b;\n}\n",
            "nothing sets the variable afterwards",
        ),
    ],
    ids=["set", "only read"],
)  # fmt: skip
def test_a_constant_without_a_value_becomes_a_variable_if_something_sets_it(
    text: str, reason: str
) -> None:
    after = _plain(SIZE).replace("const", "let")
    rule = _learned(SIZE, after, _said(*UNSET, text=SIZE), "javascript")
    assert _reason(rule, text, _said(*UNSET, text=text)) == reason
