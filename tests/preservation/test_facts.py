"""What the code of a text does, as facts, each at its own word."""

from __future__ import annotations

import pytest

from holdfast.preservation.facts import facts_of, value_of, written_names
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Target

# Each row: a text, and its facts but for names, with the word where each one is.
FACTS: list[tuple[Target, str, list[str]]] = [
    (
        "python",
        "class A(B):\n    size: int = 3\n    name = 'a'\n\n    def f(self, x, y=1, *rest):\n        return x < y\n",
        [
            "declared: A @ A(B):",
            "declared: size @ size:",
            "type: size @ int",
            "constant: size @ 3",
            "literal: 3 @ 3",
            "declared: name @ name",
            "no type: name @ name",
            "constant: name @ 'a'",
            "literal: 'a' @ 'a'",
            "function: f @ f(self,",
            "parameter: f 0 x @ x,",
            "no type: f x @ x,",
            "parameter: f 1 y @ y=1,",
            "default: f 1 y @ 1,",
            "no type: f y @ y=1,",
            "parameter: f 2 rest @ *rest):",
            "default: f 2 rest @ *rest):",
            "no type: f rest @ *rest):",
            "no type: f result @ def",
            "literal: 1 @ 1,",
            "stop: return @ return",
            "comparison: < @ <",
            "order: x < y @ x",
        ],
    ),
    (
        "python",
        "__all__ = ['f', \"g\"]\n_x = 1\n\n\ndef f(a: int, /, b: str) -> int:\n    inner = 2\n    def h():\n        return inner\n    return h() + len(b)\n",
        [
            "declared: __all__ @ __all__",
            "exported: f @ 'f',",
            'exported: g @ "g"]',
            "literal: 'f' @ 'f',",
            'literal: "g" @ "g"]',
            "declared: _x @ _x",
            "constant: _x @ 1",
            "literal: 1 @ 1",
            "function: f @ f(a:",
            "parameter: f 0 a @ a:",
            "type: f a @ int,",
            "parameter: f 1 / @ /,",
            "no type: f / @ /,",
            "parameter: f 2 b @ b:",
            "type: f b @ str)",
            "type: f result @ int:",
            "constant: inner @ 2",
            "literal: 2 @ 2",
            "function: h @ h():",
            "no type: h result @ def",
            "stop: return @ return",
            "stop: return @ return",
            "made up: return h() + len(b) @ return",
            "arithmetic: + @ +",
            "call: h @ h()",
            "call: len @ len(b)",
        ],
    ),
    (
        "python",
        "def f(x):\n    return x\n\n\ndef g(x):\n    return 3\n\n\ndef h(x):\n    return -1\n\n\ndef k(x, y):\n    return y == 3\n\n\ndef m(x):\n    return y\n",
        [
            "function: f @ f(x):",
            "parameter: f 0 x @ x):",
            "no type: f x @ x):",
            "no type: f result @ def",
            "nothing: f @ f(x):",
            "stop: return @ return",
            "function: g @ g(x):",
            "parameter: g 0 x @ x):",
            "no type: g x @ x):",
            "no type: g result @ def",
            "nothing: g @ g(x):",
            "stop: return @ return",
            "made up: return 3 @ return",
            "constant result: x @ return",
            "literal: 3 @ 3",
            "function: h @ h(x):",
            "parameter: h 0 x @ x):",
            "no type: h x @ x):",
            "no type: h result @ def",
            "nothing: h @ h(x):",
            "stop: return @ return",
            "literal: 1 @ 1",
            "function: k @ k(x,",
            "parameter: k 0 x @ x,",
            "no type: k x @ x,",
            "parameter: k 1 y @ y):",
            "no type: k y @ y):",
            "no type: k result @ def",
            "stop: return @ return",
            "constant result: x @ return",
            "comparison: == @ ==",
            "literal: 3 @ 3",
            "function: m @ m(x):",
            "parameter: m 0 x @ x):",
            "no type: m x @ x):",
            "no type: m result @ def",
            "stop: return @ return",
        ],
    ),
    (
        "python",
        "a = None\nb = a\nc = f(1)\nd = lambda: None\nd += 1\n'call(me)'\n",
        [
            "declared: a @ a",
            "nothing: a @ a",
            "constant: a @ None",
            "literal: None @ None",
            "declared: b @ b",
            "alias: b a @ a",
            "declared: c @ c",
            "computed: c @ f(1)",
            "call: f @ f(1)",
            "literal: 1 @ 1)",
            "declared: d @ d",
            "nothing: d @ d",
            "constant: d @ None",
            "literal: None @ None",
            "arithmetic: + @ +=",
            "literal: 1 @ 1",
            "idle string: 'call(me)' @ 'call(me)'",
            "literal: 'call(me)' @ 'call(me)'",
        ],
    ),
    (
        "python",
        "'doc (of) it'\n\n\ndef f():\n    'doc (of) it'\n    'code(x)'\n",
        [
            "literal: 'doc (of) it' @ 'doc",
            "function: f @ f():",
            "no type: f result @ def",
            "literal: 'doc (of) it' @ 'doc",
            "idle string: 'code(x)' @ 'code(x)'",
            "literal: 'code(x)' @ 'code(x)'",
        ],
    ),
    (
        "c",
        "static int n = 4;\nint add(int a, const char *b) {\n    int c = a;\n    if (c >= n && a != 2) { return -1; }\n    { c += 1; }\n    return n == 3;\n}\n#define LIMIT 10\nstruct point { int x; };\nint empty(void) { return 0; }\n",
        [
            "visibility: static @ static",
            "visibility: static @ static",
            "declared: n @ n",
            "constant: n @ 4;",
            "literal: 4 @ 4;",
            "function: add @ add(int",
            "parameter: add 0 a @ int",
            "parameter: add 1 b @ const",
            "guard: const @ const",
            "alias: c a @ a;",
            "logic: && @ &&",
            "comparison: >= @ >=",
            "order: c >= n @ c",
            "comparison: != @ !=",
            "literal: 2 @ 2)",
            "stop: return @ return",
            "constant result: b @ return",
            "literal: -1 @ -1;",
            "evasion: { } @ {",
            "arithmetic: + @ +=",
            "literal: 1 @ 1;",
            "stop: return @ return",
            "constant result: b @ return",
            "comparison: == @ ==",
            "literal: 3 @ 3;",
            "constant: LIMIT @ 10",
            "declared: point @ point",
            "function: empty @ empty(void)",
            "parameter: empty 0 void @ void)",
            "nothing: empty(void) @ empty(void)",
            "stop: return @ return",
            "made up: return 0; @ return",
            "constant result: void @ return",
            "literal: 0 @ 0;",
        ],
    ),
    (
        "cpp",
        "class A {\npublic:\n    int f(int a = 2) const { return a; }\nprivate:\n    int n_;\n};\ntemplate <class T> T id(T x) { return x; }\n",
        [
            "declared: A @ A",
            "visibility: public @ public:",
            "visibility: public @ public:",
            "function: f @ f(int",
            "parameter: f 0 a @ int",
            "default: f 0 a @ 2)",
            "nothing: f(int a = 2) const @ f(int",
            "literal: 2 @ 2)",
            "guard: const @ const",
            "stop: return @ return",
            "visibility: private @ private:",
            "visibility: private @ private:",
            "function: id @ id(T",
            "parameter: id 0 x @ T",
            "nothing: id(T x) @ id(T",
            "stop: return @ return",
        ],
    ),
    (
        "rust",
        "pub struct P { pub x: u32 }\nimpl P {\n    pub fn get(&self, at: usize) -> u32 { self.x + at as u32 }\n}\nfn stub(a: u32) -> u32 { 1 }\n",
        [
            "declared: P @ P",
            "visibility: pub @ pub",
            "visibility: pub @ pub",
            "visibility: pub @ pub",
            "visibility: pub @ pub",
            "function: get @ get(&self,",
            "parameter: get 0 at @ at:",
            "visibility: pub @ pub",
            "visibility: pub @ pub",
            "arithmetic: + @ +",
            "function: stub @ stub(a:",
            "parameter: stub 0 a @ a:",
            "nothing: stub @ stub(a:",
            "literal: 1 @ 1",
        ],
    ),
    (
        "java",
        "public class A {\n  private int n = 1;\n  public int f(final int a, String... s) { return g(a) > 2 ? a : n; }\n}\n",
        [
            "declared: A @ A",
            "visibility: public @ public",
            "visibility: public @ public",
            "visibility: private @ private",
            "visibility: private @ private",
            "declared: n @ n",
            "constant: n @ 1;",
            "literal: 1 @ 1;",
            "function: f @ f(final",
            "parameter: f 0 a @ final",
            "parameter: f 1 s @ String...",
            "visibility: public @ public",
            "visibility: public @ public",
            "guard: final @ final",
            "nothing: s @ s)",
            "stop: return @ return",
            "made up: return g(a) > 2 ? a : n; @ return",
            "logic: ? : @ ?",
            "comparison: > @ >",
            "order: g(a) > 2 @ g(a)",
            "call: g @ g(a)",
            "literal: 2 @ 2",
        ],
    ),
    (
        "typescript",
        "export function f(a: number, b?: string, c = 1): any { return a | 0; }\nclass A { #p = 1; private q: string | null = null; }\nconst g = (x: unknown) => x as any;\n",
        [
            "visibility: export @ export",
            "function: f @ f(a:",
            "parameter: f 0 a @ a:",
            "parameter: f 1 b @ b?:",
            "default: f 1 b @ b?:",
            "parameter: f 2 c @ c",
            "default: f 2 c @ 1):",
            "wider type: ? @ ?:",
            "literal: 1 @ 1):",
            "wide type: any @ any",
            "stop: return @ return",
            "made up: return a | 0; @ return",
            "arithmetic: | @ |",
            "literal: 0 @ 0;",
            "declared: A @ A",
            "visibility: private @ #p",
            "literal: 1 @ 1;",
            "visibility: private @ private",
            "visibility: private @ private",
            "wider type: | @ |",
            "literal: null @ null;",
            "declared: g @ g",
            "wide type: unknown @ unknown)",
            "evasion: as @ as",
            "wide type: any @ any;",
        ],
    ),
    (
        "go",
        "package a\n\nfunc (t *T) M(n int, m ...string) int { return n }\n\nfunc id[T any](x T) T { return x }\n\nvar Limit = 3\n",
        [
            "function: M @ M(n",
            "parameter: M 0 n @ n",
            "parameter: M 1 m @ m",
            "nothing: M @ M(n",
            "stop: return @ return",
            "function: id @ id[T",
            "parameter: id 0 x @ x",
            "nothing: id @ id[T",
            "stop: return @ return",
            "declared: Limit @ Limit",
            "literal: 3 @ 3",
        ],
    ),
    (
        "javascript",
        "function f(a, b = 2, ...c) { return a === b ? `x ${a} y` : eval('1'); }\nexport const k = 3;\n",
        [
            "function: f @ f(a,",
            "parameter: f 0 a @ a,",
            "parameter: f 1 b @ b",
            "default: f 1 b @ b",
            "parameter: f 2 c @ ...c)",
            "literal: 2 @ 2,",
            "stop: return @ return",
            "made up: return a === b ? `x ${a} y` : eval('1'); @ return",
            "logic: ? : @ ?",
            "comparison: === @ ===",
            'literal: "x  y" @ `x',
            "call: eval @ eval('1');",
            "evasion: eval @ eval('1');",
            "literal: '1' @ '1');",
            "visibility: export @ export",
            "declared: k @ k",
            "constant: k @ 3;",
            "literal: 3 @ 3;",
        ],
    ),
]


# As above, for the forms that declarations, operations and results have.
FORMS: list[tuple[Target, str, list[str]]] = [
    ("python", "class A(B, C=D):\n    pass\n\n\nclass E:\n    pass\n\n\ndef f(): pass\n\n\ndef g(*, a): ...\n", ["declared: A @ A(B,", "declared: E @ E:", "nothing: E @ E:", "function: f @ f():", "no type: f result @ def", "nothing: f @ f():", "function: g @ g(*,", "parameter: g 0 * @ *,", "no type: g * @ *,", "parameter: g 1 a @ a):", "no type: g a @ a):", "no type: g result @ def", "nothing: g @ g(*,"]),
    ("python", "class A:\n    x: int\n    y = 1\n\n    def f(self):\n        z: int = 2\n        self.w: str = 'a'\n        return lambda q: q\n", ["declared: A @ A:", "declared: x @ x:", "type: x @ int", "nothing: x @ x:", "declared: y @ y", "no type: y @ y", "constant: y @ 1", "literal: 1 @ 1", "function: f @ f(self):", "no type: f result @ def", "constant: z @ 2", "literal: 2 @ 2", "constant: w @ 'a'", "literal: 'a' @ 'a'", "stop: return @ return"]),
    ("python", "def f(a):\n    def g():\n        return a\n    return g\n\n\ndef h(b, c):\n    return not b\n\n\ndef k(b):\n    return 'x' + b\n", ["function: f @ f(a):", "parameter: f 0 a @ a):", "no type: f a @ a):", "no type: f result @ def", "function: g @ g():", "no type: g result @ def", "stop: return @ return", "stop: return @ return", "function: h @ h(b,", "parameter: h 0 b @ b,", "no type: h b @ b,", "parameter: h 1 c @ c):", "no type: h c @ c):", "no type: h result @ def", "stop: return @ return", "made up: return not b @ return", "logic: not @ not", "function: k @ k(b):", "parameter: k 0 b @ b):", "no type: k b @ b):", "no type: k result @ def", "stop: return @ return", "made up: return 'x' + b @ return", "arithmetic: + @ +", "literal: 'x' @ 'x'"]),
    ("python", 'x = f\'a {b(1)} c\'\ny = \'d\' \'e\'\nz = """g"""\nw = b\'h\'\n', ["declared: x @ x", "constant: x @ f'a", "computed: x @ f'a", 'literal: "a  c" @ f\'a', "call: b @ b(1)}", "literal: 1 @ 1)}", "declared: y @ y", "constant: y @ 'd'", 'literal: "" @ \'d\'', "literal: 'd' @ 'd'", "literal: 'e' @ 'e'", "declared: z @ z", 'constant: z @ """g"""', 'literal: """g""" @ """g"""', "declared: w @ w", "constant: w @ b'h'", "literal: b'h' @ b'h'"]),
    ("python", "a: Optional[int] = None\nb: int | str = 1\nc: list[Any] = []\nd: 'int' = 2\ne: Literal['x'] = 'x'\n", ["declared: a @ a:", "nothing: a @ a:", "constant: a @ None", "wider type: Optional @ Optional[int]", "literal: None @ None", "declared: b @ b:", "constant: b @ 1", "wider type: | @ |", "literal: 1 @ 1", "declared: c @ c:", "nothing: c @ c:", "wide type: Any @ Any]", "declared: d @ d:", "constant: d @ 2", "literal type: 'int' @ 'int'", "literal: 2 @ 2", "declared: e @ e:", "constant: e @ 'x'", "literal type: 'x' @ 'x']", "literal: 'x' @ 'x'"]),
    ("python", "try:\n    f()\nexcept E:\n    pass\nexcept:\n    raise\nfinally:\n    return\n", ["call: f @ f()", "handler: except @ except", "evasion: except: @ :", "stop: raise @ raise", "guard: finally @ finally:", "handler: finally @ return", "stop: return @ return"]),
    ("python", "with a.b(c) as d:\n    await e\nassert f, 'g'\nraise H(1) from None\n", ["guard: with @ a.b(c)", "call: b @ b(c)", "guard: await @ await", "guard: await @ await", "stop: assert @ assert", "literal: 'g' @ 'g'", "stop: raise @ raise", "call: H @ H(1)", "literal: 1 @ 1)", "literal: None @ None"]),
    ("python", "a.b.c(d)[0].e()\n(f or g)(h)\n", ["call: e @ e()", "call: c @ c(d)[0].e()", "literal: 0 @ 0].e()", "call: (f or g) @ (f", "logic: or @ or"]),
    ("python", "if a is not b and not c in d or -e < f ** 2:\n    del g\nelse:\n    h -= i\n", ["logic: or @ or", "logic: and @ and", "comparison: is not @ is", "logic: not @ not", "comparison: in @ in", "comparison: < @ <", "order: -e < f ** 2 @ -e", "arithmetic: ** @ **", "order: f ** 2 @ f", "literal: 2 @ 2:", "arithmetic: - @ -="]),
    ("python", "'a(b)'\n'c(d)'\nf('e(g)')\n'plain'\n", ["literal: 'a(b)' @ 'a(b)'", "idle string: 'c(d)' @ 'c(d)'", "literal: 'c(d)' @ 'c(d)'", "call: f @ f('e(g)')", "literal: 'e(g)' @ 'e(g)')", "literal: 'plain' @ 'plain'"]),
    ("python", "class A:\n    'doc(x)'\n    'not(x)'\n", ["declared: A @ A:", "literal: 'doc(x)' @ 'doc(x)'", "idle string: 'not(x)' @ 'not(x)'", "literal: 'not(x)' @ 'not(x)'"]),
    ("python", "def f(x):\n    if x:\n        return 1\n    return f(x)\n", ["function: f @ f(x):", "parameter: f 0 x @ x):", "no type: f x @ x):", "no type: f result @ def", "stop: return @ return", "made up: return 1 @ return", "literal: 1 @ 1", "stop: return @ return", "made up: return f(x) @ return", "call: f @ f(x)"]),
    ("python", "def f(a, b):\n    return b < 3\n\n\ndef g(a, b):\n    return b < a\n", ["function: f @ f(a,", "parameter: f 0 a @ a,", "no type: f a @ a,", "parameter: f 1 b @ b):", "no type: f b @ b):", "no type: f result @ def", "stop: return @ return", "constant result: a @ return", "comparison: < @ <", "order: b < 3 @ b", "literal: 3 @ 3", "function: g @ g(a,", "parameter: g 0 a @ a,", "no type: g a @ a,", "parameter: g 1 b @ b):", "no type: g b @ b):", "no type: g result @ def", "stop: return @ return", "comparison: < @ <", "order: b < a @ b"]),
    ("c", "int a[3] = {1, 2};\nextern int b;\nint *f(int *p, ...) { int c; c = *p++; return &c; }\n", ["declared: a[3] @ a[3]", "literal: 3 @ 3]", "literal: 1 @ 1,", "literal: 2 @ 2};", "function: f @ f(int", "parameter: f 0 p @ int", "parameter: f 1 ... @ ...)", "default: f 1 ... @ ...)", "nothing: c @ c;", "stop: return @ return"]),
    ("c", "#define A 1\n#define B (2)\n#define C f(3)\n#if A\nint x;\n#endif\n#ifdef NDEBUG\n#endif\n", ["constant: A @ 1", "constant: B @ (2)", "compiled out: #if A @ #if", "nothing: x @ x;", "compiled out: #ifdef NDEBUG @ #ifdef"]),
    ("c", "void f(int a) { if (a = 1) g(); for (;;) {} switch (a) { case 1: break; } { h(); } do { } while (a); }\n", ["function: f @ f(int", "parameter: f 0 a @ int", "constant: a @ 1)", "literal: 1 @ 1)", "call: g @ g();", "literal: 1 @ 1:", "evasion: { } @ {", "call: h @ h();"]),
    ("c", "int add(int a, int b) { return a; }\nint (*p)(int);\nenum e { X, Y = 2 };\ntypedef struct { int n; } row;\n", ["function: add @ add(int", "parameter: add 0 a @ int", "parameter: add 1 b @ int", "nothing: add(int a, int b) @ add(int", "stop: return @ return", "declared: e @ e", "literal: 2 @ 2"]),
    ("cpp", "class A : public B { int n = 0; void f() override; virtual void g() = 0; };\nauto h = [&](int x) { return x; };\nnew C<int>(1);\n", ["declared: A @ A", "guard: extends @ :", "visibility: public @ public", "visibility: public @ public", "literal: 0 @ 0;", "guard: override @ override;", "literal: 0 @ 0;", "declared: h @ h", "nothing: h @ h", "stop: return @ return", "literal: 1 @ 1);"]),
    ("rust", "fn f() -> Result<u8, E> { let x: u8 = g()?; let _ = h(); match x { 1 => 2, _ => 3 }; Ok(x) }\n", ["function: f @ f()", "computed: x @ g()?;", "guard: ? @ ?;", "call: g @ g()?;", "discard: _ @ _", "computed: _ @ h();", "call: h @ h();", "literal: 1 @ 1", "literal: 2 @ 2,", "evasion: _ @ _", "literal: 3 @ 3", "call: Ok @ Ok(x)"]),
    ("rust", 'enum A { B, C(u8) }\ntrait D { fn e(&self); }\nconst N: usize = 3;\nstatic S: &str = "t";\nmod m { pub fn k() {} }\n', ["declared: A @ A", "declared: D @ D", "declared: N @ N:", "constant: N @ 3;", "literal: 3 @ 3;", "declared: S @ S:", 'constant: S @ "t";', 'literal: "t" @ "t";', "function: k @ k()", "nothing: k @ k()", "visibility: pub @ pub", "visibility: pub @ pub"]),
    ("java", "interface A { int f(); }\nenum B { C, D }\nrecord E(int x) {}\nclass F extends G implements H { static final int N = 1; F() { super(); } <T> T m(T t) throws K { synchronized (this) { return t; } } }\n", ["declared: A @ A", "function: f @ f();", "nothing: f @ f();", "declared: B @ B", "declared: E @ E(int", "declared: F @ F", "guard: extends @ extends", "guard: implements @ implements", "guard: final @ final", "declared: N @ N", "constant: N @ 1;", "literal: 1 @ 1;", "function: F @ F()", "function: m @ m(T", "parameter: m 0 t @ T", "guard: synchronized @ synchronized", "stop: return @ return"]),
    ("typescript", "interface A { x?: number; y: 'a' | 'b' }\ntype B = A | null;\nenum C { D }\nabstract class E { abstract f(): void; readonly g = 1; }\nlet h = <any>i;\nj!.k?.l();\n", ["declared: A @ A", "wider type: ? @ ?:", "literal type: 'a' @ 'a'", "wider type: | @ |", "literal type: 'b' @ 'b'", "declared: B @ B", "wider type: | @ |", "declared: C @ C", "declared: E @ E", "guard: readonly @ readonly", "literal: 1 @ 1;", "declared: h @ h", "evasion: <type> @ <any>i;", "wide type: any @ any>i;", "call: l @ l();", "evasion: ! @ !.k?.l();"]),
    ("go", "package a\n\ntype S struct{ X int }\n\nconst c = 1\n\nfunc f() (int, error) {\n\tx, _ := g()\n\t_ = x\n\tdefer h()\n\tvar y interface{} = x\n\treturn 0, nil\n}\n", ["declared: S @ S", "declared: c @ c", "literal: 1 @ 1", "function: f @ f()", "discard: _ @ _", "computed: _ @ g()", "call: g @ g()", "evasion: _ = @ _", "guard: defer @ defer", "call: h @ h()", "stop: return @ return", "made up: return 0, nil @ return", "literal: 0 @ 0,", "literal: nil @ nil"]),
    ("javascript", "class A extends B { static x = 1; #y() { return this.#y; } }\nlet c = null ?? d;\nasync () => { await e; };\nthrow new F('g');\nh(`i`);\n", ["declared: A @ A", "literal: 1 @ 1;", "function: #y @ #y()", "visibility: private @ #y()", "stop: return @ return", "visibility: private @ #y;", "declared: c @ c", "logic: ?? @ ??", "literal: null @ null", "guard: await @ await", "guard: await @ await", "stop: throw @ throw", "call: F @ F('g');", "literal: 'g' @ 'g');"]),
    ("python", "if x:\n    'code(x)'\n", ["idle string: 'code(x)' @ 'code(x)'", "literal: 'code(x)' @ 'code(x)'"]),
]  # fmt: skip


def shown(text: str, language: Target) -> list[str]:
    found = []
    for fact in facts_of(ParsedSource(text, language)):
        if fact.kind != "name":
            word = text[fact.start :].split(maxsplit=1)[0]
            found.append(f"{fact.kind}: {fact.text} @ {word}".replace("\0", " "))
    return found


@pytest.mark.parametrize(("language", "text", "expected"), [*FACTS, *FORMS])
def test_the_facts_of_a_program(language: Target, text: str, expected: list[str]) -> None:
    assert shown(text, language) == expected


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("010", "10"),
        ("0o17", "17"),
        ("1_000", "1000"),
        ("10UL", "10"),
        ("2.5f", "2.5"),
        ("0x1F", "0x1f"),
        ("0xff_dUL", "0xffd"),
        ('rb"a  b"', "a b"),
        ("'%d, x'", "d x"),
        ("`a`", "a"),
        ("None", "None"),
    ],
)
def test_a_constant_has_its_value_whatever_its_notation(literal: str, value: str) -> None:
    assert value_of(literal) == value


def test_a_variable_is_written_if_it_is_set_or_its_contents_are_used() -> None:
    source = ParsedSource("a = 1\nb += 2\nc[0] = 3\nd.e(f)\nprint(g)\n", "python")
    assert {"a", "b", "c"} <= written_names(source)
    assert "g" not in written_names(source)
    assert "n" in written_names(ParsedSource("void f() { std::cin >> n; }", "cpp"))
    assert "n" in written_names(ParsedSource("package a\nfunc f() { Scan(text, &n) }", "go"))
    for condition in ("!n", "m & n", "m && n"):
        text = f"int f(void) {{ return {condition}; }}"
        assert "n" not in written_names(ParsedSource(text, "c"))


@pytest.mark.parametrize(
    ("text", "language", "is_stub"),
    [
        ("def f(a): return 1\n", "python", True),
        ("class A(B):\n    def f(self): return 1\n", "python", False),
        ("class A(B):\n    def f(self): pass\n", "python", True),
        ("class A(B):\n    def g(self):\n        def f(): return 1\n", "python", True),
        ("class A extends B { f() { return 1; } }\n", "typescript", False),
    ],
)
def test_a_method_may_return_a_constant_and_no_other_function(
    text: str, language: Target, is_stub: bool
) -> None:
    facts = facts_of(ParsedSource(text, language))
    assert any(fact.kind == "nothing" and fact.text == "f" for fact in facts) is is_stub


def test_code_that_never_runs_and_imports_have_no_facts() -> None:
    text = "import os\nif False:\n    f(1)\ng(2)\n"
    assert [fact for fact in shown(text, "python") if "@ f" in fact or "os" in fact] == []
    assert shown("from typing import Any as T\n", "python") == ["wide type: Any @ from"]


def test_the_type_whose_method_a_function_of_go_is_counts_as_a_name() -> None:
    text = "package a\n\nfunc (t *Shop) M(n int) int { return n }\n"
    facts = facts_of(ParsedSource(text, "go"))
    assert [fact.start for fact in facts if fact.text == "Shop"] == [text.index("Shop")]
    plain = "package a\n\nfunc M(t *Shop, n int) int { return n }\n"
    assert [fact for fact in facts_of(ParsedSource(plain, "go")) if fact.text == "Shop"] == []


def test_any_is_a_wide_type_also_as_a_value() -> None:
    assert "wide type: Any @ Any," in shown("x = cast(Any, y)\n", "python")


def test_a_block_that_only_ends_the_life_of_what_is_in_it_is_an_evasion() -> None:
    nested = "fn f() {\n    { g(1); }\n    h();\n}\n"
    assert "evasion: { } @ {" in shown(nested, "rust")
    assert "evasion: { } @ {" not in shown(nested.replace("{ g(1); }", "if a { g(1); }"), "rust")
