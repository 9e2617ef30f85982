"""What is learned from one fix or from two, as a whole: the pattern, the fix, and all its limits."""

from __future__ import annotations

import pytest

from holdfast.rules.learn_rule import NotLearned, learn_from
from holdfast.rules.rule import Example, example_of
from holdfast.rules.rule_yaml import rule_to_dict
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

Fix = tuple[str, ...]
"""A program with the place of the error between `«` and `»`, the old and the new words, the names in the message."""
LEARNED: list[tuple[Target, str, list[Fix], dict[str, object] | str]] = [
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, None)", "load")], {"pattern": "load($A, $B)", "fix": "load($A, $B, None)", "kinds": {"A": "reference:variable", "B": "integer:number"}, "where": {0: "load"}, "safe": False, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a)", "load")], {"pattern": "load($A, 1)", "fix": "load($A)", "kinds": {"A": "reference:variable"}, "where": {0: "load"}, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "load(a, 1)", "await load(a, 1)", "load")], "the rule would not repeat the fix"),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, True)", "load"), ("def f(a, b):\n    «load»(b, 'x')\n    return b\n", "(b, 'x')", "(b, 'x', True)", "load")], {"pattern": "load($A, $B)", "fix": "load($A, $B, True)", "kinds": {"A": "reference:variable", "B": ["integer:number", "string:text"]}, "where": {0: "load"}, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, True)", "load"), ("def f(a, b):\n    «save»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, True)", "save")], {"pattern": "$ARG0($A, $B)", "fix": "$ARG0($A, $B, True)", "kinds": {"ARG0": "reference:variable", "A": "reference:variable", "B": "integer:number"}, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, True)", "load"), ("def f(a, b):\n    «load»(a)\n    return b\n", "load(a)", "load(a, True)", "load")], "the change is not one construct at the diagnostic"),
    ("python", "few {0}", [("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, True)", "load"), ("def f(a, b):\n    «load»(a, 1)\n    return b\n", "(a, 1)", "(a, 1, False)", "load")], "the change is not one construct at the diagnostic"),
    ("python", "no {0}", [("x = «w» * 2\nself.w = 1\n", "w * 2", "self.w * 2", "w")], {"pattern": "$ARG0", "fix": "self.$ARG0", "kinds": {"ARG0": "reference:variable"}, "needs": "self.$ARG0", "uncommented": True}),
    ("python", "no {0}", [("x = «w» * 2\n", "w * 2", "self.w * 2", "w")], {"pattern": "$ARG0", "fix": "self.$ARG0", "kinds": {"ARG0": "reference:variable"}, "inside": "binary_operator", "where": {0: "w"}, "uncommented": True}),
    ("python", "no {0}", [("x = «w» * 2\n", "w", "v", "w")], {"pattern": "w", "fix": "v", "where": {0: "w"}, "uncommented": True}),
    ("python", "no {0}", [("x = a.«w»(2)\n", ".w", ".v", "list[int]", "w")], {"pattern": "w", "fix": "v", "where": {0: "list[_]", 1: "w"}, "uncommented": True}),
    ("python", "no {0} {1}", [("x = a.«w»(2)\n", ".w", ".v", "list[int]", "w")], {"pattern": "w", "fix": "v", "where": {0: "list[_]", 1: "w"}, "uncommented": True}),
    ("python", "no {0} {1}", [("x = a.«w»(2)\n", ".w", ".v", "list[int]", "w"), ("x = b.c.«w»(d, 1)\n", ".w", ".v", "list[str]", "w")], {"pattern": "w", "fix": "v", "where": {0: "list[_]", 1: "w"}, "uncommented": True}),
    ("python", "type {0} {1}", [("n: int = «text»\n", "= text", "= int(text)", "str", "int")], {"pattern": "$A", "fix": "int($A)", "kinds": {"A": "reference:variable"}, "where": {0: "str", 1: "int"}, "uncommented": True}),
    ("python", "type {0} {1}", [("n: int = «text»\n", "= text", "= int(text)", "str", "int"), ("k: int = «g(1)»\n", "= g(1)", "= int(g(1))", "str", "int")], "the change is not one construct at the diagnostic"),
    ("python", "type {0} {1}", [("n: int = «'1'»\n", "int", "str", "str", "int")], {"pattern": "$A: int = $B", "fix": "$A: str = $B", "where": {0: "str", 1: "int"}, "uncommented": True}),
    ("python", "type {0} {1}", [("def f(a: int) -> «int»:\n    return None\n", "-> int", "-> int | None", "None", "int")], {"pattern": "$ARG1", "fix": "$ARG1 | None", "kinds": {"ARG1": "reference:variable"}, "where": {0: "None", 1: "int"}, "uncommented": True}),
    ("python", "type {0}", [("def f(a: «int» = None):\n    return a\n", "int", "Optional[int]", "int")], {"pattern": "$ARG0", "fix": "Optional[$ARG0]", "kinds": {"ARG0": "reference:variable"}, "inside": "type", "where": {0: "int"}, "uncommented": True}),
    ("python", "cmp", [("if «a == None»:\n    f(a)\n", "== None", "is None")], {"pattern": "$A == None", "fix": "$A is None", "kinds": {"A": "reference:variable"}, "uncommented": True}),
    ("python", "cmp", [("if «a == None»:\n    f(a)\n", "== None", "is None"), ("while «b.c == None»:\n    g()\n", "== None", "is None")], {"pattern": "$A == None", "fix": "$A is None", "kinds": {"A": "reference:variable"}, "uncommented": True}),
    ("python", "none {0}", [("def f(m):\n    «m».go()\n", "    m.go()", "    if m:\n        m.go()", "m")], {"pattern": "$ARG0.$A()", "fix": "if $ARG0:\n    $ARG0.$A()", "kinds": {"ARG0": "reference:variable"}, "inside": "function_definition", "uncommented": True}),
    ("python", "none {0}", [("def f(t):\n    m = t.x()\n    «m».go()\n", "    m.go()", "    if m is None:\n        return ''\n    m.go()", "m")], {"pattern": "$ARG0 = $A.x()", "fix": "$ARG0 = $A.x()\nif $ARG0 is None:\n    return ''", "kinds": {"ARG0": "reference:variable", "A": "reference:variable"}, "inside": "function_definition", "elsewhere": True, "safe": False, "uncommented": True}),
    ("python", "unused {0}", [("import os\n«n» = f(1)\n", "n = f(1)", "f(1)", "n")], {"pattern": "$ARG0 = $A", "fix": "$A", "kinds": {"ARG0": "reference:variable", "A": "call"}, "uncommented": True}),
    ("python", "unused {0}", [("import os\n«n» = f(1)\n", "n = f(1)\n", "", "n")], {"pattern": "$ARG0 = f(1)", "fix": "", "kinds": {"ARG0": "reference:variable"}, "uncommented": True}),
    ("python", "bad", [("for i in range(3):\n    «pritn»(i)\n", "pritn", "print")], {"pattern": "pritn($A)", "fix": "print($A)", "kinds": {"A": "reference:variable"}, "uncommented": True}),
    ("python", "bad {0}", [("def f():\n    return «np».sum(x)\n", "def", "import numpy as np\n\n\ndef", "np")], {"imports": ["import numpy as np"], "where": {0: "np"}}),
    ("python", "bad {0}", [("def f():\n    return «np».sum(x)\n", "def", "import numpy as np\n\n\ndef", "np"), ("def g():\n    return «pd».sum(x)\n", "def", "import numpy as np\n\n\ndef", "pd")], {"imports": ["import numpy as np"], "where": {0: ["np", "pd"]}}),
    ("python", "bad {0}", [("def f():\n    return «Path»(x)\n", "def f():\n    return Path", "import pathlib\n\n\ndef f():\n    return pathlib.Path", "Path")], {"pattern": "$ARG0", "fix": "pathlib.$ARG0", "kinds": {"ARG0": "reference:type"}, "inside": "call", "imports": ["import pathlib"], "where": {0: "Path"}, "uncommented": True}),
    ("c", "few {0}", [("int f(char *a) {\n    return «strtol»(a);\n}\n", "(a)", "(a, NULL, 10)", "strtol")], {"pattern": "strtol($A)", "fix": "strtol($A, NULL, 10)", "kinds": {"A": "reference:variable"}, "where": {0: "strtol"}, "safe": False, "uncommented": True}),
    ("c", "ptr {0}", [("int f(struct p q) {\n    return «q»->x;\n}\n", "->", ".", "struct p")], {"pattern": "$A->$B", "fix": "$A.$B", "kinds": {"A": "expression", "B": "expression"}, "where": {0: "<struct>"}}),
    ("c", "ptr {0}", [("struct p { int x; };\nint f(struct p q) {\n    return «q»->x;\n}\n", "->", ".", "struct p")], {"pattern": "$A->$B", "fix": "$A.$B", "kinds": {"A": "expression", "B": "expression"}, "where": {0: "<struct>"}}),
    ("c", "int {0}", [("void f(void) {\n    int n;\n    g(«n»);\n}\n", "int n;", "int n = 0;", "n")], {"pattern": "int $ARG0;", "fix": "int $ARG0 = 0;", "kinds": {"ARG0": "reference:variable"}, "uses": {"ARG0": "argument_list ( 1"}, "elsewhere": True, "safe": False, "uncommented": True}),
    ("c", "int {0}", [("void f(void) {\n    int n;\n    g(«n»);\n}\n", "(n)", "(&n)", "n")], {"pattern": "$ARG0", "fix": "&$ARG0", "kinds": {"ARG0": "reference:variable"}, "inside": "call_expression", "uncommented": True}),
    ("c", "const {0}", [("void f(void) {\n    const int n = 1;\n    «n» = 2;\n}\n", "const int", "int", "n")], {"pattern": "const $A $ARG0 = $B;", "fix": "$A $ARG0 = $B;", "kinds": {"A": "primitive_type"}, "elsewhere": True, "uncommented": True}),
    ("c", "const {0}", [("void f(void) {\n    const unsigned long n = 1;\n    «n» = 2;\n}\n", "const unsigned", "unsigned", "n")], {"pattern": "const $A $ARG0 = $B;", "fix": "$A $ARG0 = $B;", "kinds": {"A": "sized_type_specifier"}, "elsewhere": True, "uncommented": True}),
    ("cpp", "member {0} in {1}, {2}", [("struct p { int x; };\nint f(p *q) {\n    return «q.x»;\n}\n", "q.x", "q->x", "x", "q", "p*")], {"pattern": "$ARG1.$ARG0", "fix": "$ARG1->$ARG0", "kinds": {"ARG1": "expression", "ARG0": "expression"}, "where": {2: "<struct>*"}}),
    ("cpp", "member {0} in {1}, {2}", [("struct p { int x; };\nint f(p *q) {\n    return «q.x»;\n}\n", "q.x", "q.y", "x", "q", "p*")], {"pattern": "$ARG1.x", "fix": "$ARG1.y", "kinds": {"ARG1": "reference:variable"}, "where": {0: "x", 2: "p*"}, "uncommented": True}),
    ("go", "mismatched {0} {1} {2}", [("package a\n\nfunc f(s float64, n int) float64 {\n\treturn «s / n»\n}\n", "/ n", "/ float64(n)", "s / n", "float64", "int")], {"pattern": "$A / $B", "fix": "$A / $ARG1($B)", "kinds": {"B": "expression"}, "where": {2: "int"}}),
    ("go", "cannot use {0} as {1}, {2}", [("package a\n\ntype c struct{}\n\nfunc f(n c) {\n\tg(«n»)\n}\n", "g(n)", "g(&n)", "n", "variable of type c", "io.Writer")], {"pattern": "$ARG0", "fix": "&$ARG0", "kinds": {"ARG0": "reference:variable"}, "where": {1: "variable of type <struct>", 2: "io.Writer"}, "uncommented": True}),
    ("typescript", "any {0} {1}", [("function f(«n»): number {\n  return n * 2;\n}\n", "(n)", "(n: number)", "n", "any"), ("class A {\n  f(«m»): number {\n    return m * 3;\n  }\n}\n", "(m)", "(m: number)", "m", "any")], {"pattern": "$ARG0", "fix": "$ARG0: number", "kinds": {"ARG0": "reference:variable"}, "where": {1: "any"}, "uncommented": True}),
    ("go", "undefined: {0}", [('package a\n\nimport (\n\t"fmt"\n)\n\nfunc f() {\n\tfmt.Println(«rand».Int())\n}\n', '\t"fmt"\n', '\t"fmt"\n\t"math/rand"\n', "rand")], {"imports": ['import "math/rand"'], "where": {0: "rand"}, "uncommented": True}),
    ("java", "no class {0}", [("import a.B;\n\nclass C {\n    «Date» d;\n}\n", "import a.B;\n", "import a.B;\nimport java.util.Date;\n", "Date")], {"imports": ["import java.util.Date;"], "where": {0: "Date"}, "uncommented": True}),
    ("go", "unused {0}", [("package a\n\nfunc f() {\n\tfor «k», v := range m {\n\t\tg(v)\n\t}\n}\n", "k, v", "_, v", "k")], {"pattern": "$ARG0", "fix": "_", "kinds": {"ARG0": "reference:variable"}}),
    ("go", "mismatch", [("package a\n\nfunc f(s string) (int, error) {\n\tn := «g(s)»\n\treturn n, nil\n}\n", "n := g(s)\n", "n, err := g(s)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n")], {"pattern": "$A := g($B)", "fix": "$A, err := g($B)\nif err != nil {\n\treturn 0, err\n}", "kinds": {"A": "reference:variable", "B": "reference:variable"}, "uses": {"B": []}, "inside": "function_declaration", "safe": False, "uncommented": True}),
    ("c", "void", [("void f(void) {\n    int r = «show»(1);\n}\n", "int r = ", "")], {"pattern": "int $A = $B;", "fix": "$B;", "kinds": {"A": "reference:variable", "B": "call_expression"}, "uncommented": True}),
    ("rust", "mut {0}", [("fn f() {\n    let v = Vec::new();\n    «v».push(1);\n}\n", "let v", "let mut v", "v")], {"pattern": "let $ARG0 = $A;", "fix": "let mut $ARG0 = $A;", "kinds": {"ARG0": "reference:variable"}, "elsewhere": True, "uncommented": True}),
    ("rust", "moved {0}", [("fn f(a: String) {\n    g(a);\n    h(«a»);\n}\n", "g(a)", "g(a.clone())", "a")], {"pattern": "$ARG0", "fix": "$ARG0.clone()", "kinds": {"ARG0": "reference:variable"}, "inside": "call_expression", "elsewhere": True, "uncommented": True}),
    ("rust", "type {0} {1}", [('fn f() -> String {\n    «"a"»\n}\n', '"a"', '"a".to_string()', "String", "&str")], {"pattern": "$A", "fix": "$A.to_string()", "kinds": {"A": "string_literal:text"}, "where": {0: "String", 1: "&str"}, "uncommented": True}),
    ("rust", "semi", [("fn f() -> u8 {\n    «1»;\n}\n", "1;", "1")], {"pattern": "$A;", "fix": "$A", "kinds": {"A": "integer_literal"}}),
    ("java", "ex {0}", [("class A {\n    int f(int a) {\n        return «load»(a);\n    }\n}\n", "a) {", "a) throws IOException {", "java.io.IOException")], {"function": "method_declaration", "fix": "throws IOException", "place": "after parameters", "where": {0: "java.io.IOException"}, "uncommented": True}),
    ("java", "cast {0} {1}", [("class A {\n    int f(long a) {\n        return «a»;\n    }\n}\n", "return a", "return (int) a", "long", "int")], {"pattern": "$A", "fix": "(int) $A", "kinds": {"A": "reference:variable"}, "where": {0: "long", 1: "int"}, "uncommented": True}),
    ("java", "cast {0} {1}", [("class A {\n    int f(long a) {\n        return «a»;\n    }\n}\n", "return a", "return (int) a", "long", "int"), ("class A {\n    void f(long a) {\n        int b = «a + 1»;\n    }\n}\n", "= a + 1", "= (int) (a + 1)", "long", "int")], "the change is not one construct at the diagnostic"),
    ("javascript", "const {0}", [("const a = 1;\n«a» = 2;\n", "const a", "let a", "a")], {"pattern": "const $ARG0 = $A;", "fix": "let $ARG0 = $A;", "kinds": {"ARG0": "reference:variable"}, "elsewhere": True, "uncommented": True}),
    ("javascript", "await", [("function f(a) {\n  return «await» g(a);\n}\n", "function", "async function")], {"function": "function_declaration", "fix": "async", "place": "start", "uncommented": True}),
    ("javascript", "this {0}", [("class A {\n  n = 1;\n  f() { return «n»; }\n}\n", "return n", "return this.n", "n")], {"pattern": "$ARG0", "fix": "this.$ARG0", "kinds": {"ARG0": "reference:variable"}, "inside": "return_statement", "where": {0: "n"}, "uncommented": True}),
    ("typescript", "type {0} {1}", [("const n: number = «t»;\n", "= t", "= Number(t)", "string", "number")], {"pattern": "$A", "fix": "Number($A)", "kinds": {"A": "reference:variable"}, "where": {0: "string", 1: "number"}, "uncommented": True}),
    ("go", "unused {0}", [("package a\n\nfunc f() {\n\t«n» := g()\n}\n", "n := g()", "_ = g()", "n")], {"pattern": "n := $A", "fix": "_ = $A", "kinds": {"A": "call_expression"}, "where": {0: "n"}, "uncommented": True}),
    ("go", "unused {0}", [("package a\n\nfunc f() {\n\t«n» := g()\n}\n", "n :=", "n =", "n")], {"pattern": "$ARG0 := $A", "fix": "$ARG0 = $A", "kinds": {"ARG0": "reference:variable", "A": "call_expression"}, "uncommented": True}),
    ("cpp", "std {0}", [("«vector»<int> a;\n", "vector", "std::vector", "vector")], {"pattern": "$ARG0", "fix": "std::$ARG0", "kinds": {"ARG0": "type_identifier"}, "inside": "template_type", "where": {0: "vector"}}),
    ("cpp", "conv {0} {1}", [("std::string f(std::string a, int n) {\n    return a «+» n;\n}\n", "+ n", "+ std::to_string(n)", "std::string", "int")], {"pattern": "$A + $B", "fix": "$A + std::to_string($B)", "kinds": {"A": "reference:variable", "B": "reference:variable"}, "where": {0: "std::string", 1: "int"}, "uncommented": True}),
    ("python", "syntax", [("if a «=» 1:\n    f(a)\n", " = ", " == ")], {"tokens": "$A = $B", "fix": "$A == $B", "kinds": {"A": ["name:constant", "name:variable", "number", "string:empty", "string:text"], "B": ["name:constant", "name:variable", "number", "string:empty", "string:text"]}, "inside": "if", "uncommented": True}),
    ("python", "syntax", [("if n > 1«»\n    f()\n", "1\n", "1:\n")], {"tokens": "$A $EOL", "fix": "$A:", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "if"}),
    ("python", "syntax", [("if n > 1«»\n    f()\n", "1\n", "1:\n"), ("if k > w«»\n    f()\n", "w\n", "w:\n")], {"tokens": "$A $EOL", "fix": "$A:", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "if"}),
    ("python", "syntax", [("print «name»\n", "print name", "print(name)")], {"pattern": "print $A", "fix": "print($A)", "kinds": {"A": "reference"}}),
    ("python", "syntax", [("«fro» x in xs:\n    f(x)\n", "fro", "for")], {"tokens": "fro $A", "fix": "for $A", "kinds": {"A": "name:variable"}, "inside": "line", "uncommented": True}),
    ("python", "syntax", [("«fro» x in xs:\n    f(x)\n", "fro", "for"), ("«fro» k in ks.b:\n    f(x)\n", "fro", "for")], {"tokens": "fro $A", "fix": "for $A", "kinds": {"A": "name:variable"}, "inside": "line", "uncommented": True}),
    ("c", "semi {0}", [("int f(void) {\n    int a = 1\n    «return» a;\n}\n", "1\n", "1;\n", "return")], {"tokens": "$A $EOL", "fix": "$A;", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "int"}),
    ("c", "semi {0}", [("struct a {\n    int x;\n}\n\n«int» f(void);\n", "}\n", "};\n", "int")], {"tokens": "$A $EOL", "fix": "$A;", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "line"}),
    ("javascript", "paren", [("function f(a) {\n  if (a > 1 «{»\n    g();\n  }\n}\n", "1 {", "1) {")], {"tokens": "$A {", "fix": "$A) {", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "if ("}),
    ("javascript", "comma", [("f(1 «2»);\n", "1 2", "1, 2")], {"tokens": "$A $B", "fix": "$A, $B", "kinds": {"A": ["name", "number", "string", "close"], "B": ["name", "number", "string", "close"]}, "inside": "call ("}),
    ("javascript", "comma", [("f(1 «2»);\n", "1 2", "1, 2"), ("f('a' «b»);\n", "'a' b", "'a', b")], {"tokens": "$A $B", "fix": "$A, $B", "kinds": {"A": ["name", "number", "string", "close"], "B": ["name", "number", "string", "close"]}, "inside": "call ("}),
    ("java", "str", [("class A {\n    String s = «'abc'»;\n}\n", "'abc'", '"abc"')], {"pattern": "String $A = 'abc';", "fix": 'String $A = "abc";', "kinds": {"A": "reference:variable"}, "uses": {"A": []}, "kind": "field_declaration", "safe": False, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(\n        a,\n        1,\n    )\n", "        1,\n", "        1,\n        None,\n", "load")], {"pattern": "load(\n    $A,\n    $B,\n)", "fix": "load(\n    $A,\n    $B,\n    None,\n)", "kinds": {"A": "reference:variable", "B": "integer:number"}, "inside": "function_definition", "where": {0: "load"}, "safe": False, "uncommented": True}),
    ("python", "few {0}", [("def f(a, b):\n    «load»(\n        a,\n        b,\n        1,\n    )\n", "        1,\n", "        1,\n        None,\n", "load")], "the change is not one construct at the diagnostic"),
    ("rust", "mut {0}", [("fn f() {\n    let v = 1;\n    «v» += 1;\n}\n", "let v", "let mut v", "v"), ("fn f() {\n    let w: u8 = 1;\n    «w» += 1;\n}\n", "let w", "let mut w", "w")], "the change is not one construct at the diagnostic"),
    ("rust", "mut {0}", [("fn f() {\n    let v = 1;\n    «v» += 1;\n}\n", "let v", "let mut v", "v"), ("fn f() {\n    let w = g(2);\n    «w» += 1;\n}\n", "let w", "let mut w", "w")], {"pattern": "let $ARG0 = $A;", "fix": "let mut $ARG0 = $A;", "kinds": {"ARG0": "reference:variable"}, "elsewhere": True, "uncommented": True}),
    ("python", "no {0}", [("x = «w» * 2\n", "w * 2", "self.w * 2", "w"), ("x = «k» * 2\n", "k * 2", "self.k * 2", "k")], {"pattern": "$ARG0", "fix": "self.$ARG0", "kinds": {"ARG0": "reference:variable"}, "inside": "binary_operator", "uncommented": True}),
    ("python", "no {0}", [("x = «w» * 2\n", "w * 2", "self.w * 2", "w"), ("return_(«k»)\n", "(k)", "(self.k)", "k")], {"pattern": "$ARG0", "fix": "self.$ARG0", "kinds": {"ARG0": "reference:variable"}, "uncommented": True}),
    ("python", "close", [("f(g(«1»)\nx = 2\n", "1)\n", "1))\n")], {"tokens": "$A $EOL", "fix": "$A)", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "call ("}),
    ("python", "bytes {0} {1}", [("h(«a», 'x')\n", "(a, 'x')", "(a.encode(), 'x')", "str", "bytes")], {"pattern": "$A", "fix": "$A.encode()", "kinds": {"A": "reference:variable"}, "where": {0: "str", 1: "bytes"}, "uncommented": True}),
    ("python", "bytes {0} {1}", [("h(«a», 'x')\n", "(a, 'x')", "(a.encode(), 'x')", "str", "bytes"), ("h(«b», 'x')\n", "(b, 'x')", "(b.encode(), 'x')", "str", "bytes")], {"pattern": "$A", "fix": "$A.encode()", "kinds": {"A": "reference:variable"}, "where": {0: "str", 1: "bytes"}, "uncommented": True}),
    ("python", "bytes {0} {1}", [("h(«a», 'x')\n", "(a, 'x')", "(a.encode(), 'x')", "str", "bytes"), ("g(«b», 'x')\n", "(b, 'x')", "(b.encode(), 'x')", "str", "bytes")], {"pattern": "$A", "fix": "$A.encode()", "kinds": {"A": "reference:variable"}, "where": {0: "str", 1: "bytes"}, "uncommented": True}),
    ("python", "bytes {0} {1}", [("h(«a», 'x')\n", "(a, 'x')", "(a.encode(), 'x')", "str", "bytes"), ("g(«b», 'x')\n", "(b, 'x')", "(b.encode(), 'x')", "bytearray", "bytes")], {"pattern": "$A", "fix": "$A.encode()", "kinds": {"A": "reference:variable"}, "where": {1: "bytes"}, "uncommented": True}),
    ("python", "order {0}", [("h(«a», b)\n", "(a, b)", "(b, a)", "h")], {"pattern": "h($A, $B)", "fix": "h($B, $A)", "kinds": {"A": "reference", "B": "reference"}, "where": {0: "h"}}),
    ("python", "kw {0}", [("h(«a=1», b=k)\n", "a=1, ", "", "a")], {"pattern": "h(a=1, $A=$B)", "fix": "h($A=$B)", "kinds": {"A": "reference:variable"}, "where": {0: "a"}, "uncommented": True}),
    ("python", "name {0}", [("class A:\n    def go(self):\n        return 1\n\n    «def» run(self):\n        return 2\n", "run(self)", "run(self, x)", "run")], {"pattern": "def $ARG0(self):\n    $$$A", "fix": "def $ARG0(self, x):\n    $$$A", "kinds": {"ARG0": "reference:variable"}, "uncommented": True}),
    ("javascript", "none {0}", [("let n = «a».b.c;\n", "a.b", "a?.b", "a")], {"pattern": "$ARG0", "fix": "$ARG0?", "kinds": {"ARG0": "reference:variable"}, "inside": "member_expression", "uncommented": True}),
    ("javascript", "none {0}", [("let n = «a.b».c;\n", "b.c", "b?.c", "a.b")], {"pattern": "$ARG0", "fix": "$ARG0?", "kinds": {"ARG0": "reference:variable"}, "uncommented": True}),
    ("java", "res {0}", [("class A {\n    int f() {\n        «Reader» r = open();\n        return r.read();\n    }\n}\n", "Reader r = open();\n        return r.read();", "try (Reader r = open()) {\n            return r.read();\n        }", "Reader")], "the change is not one construct at the diagnostic"),
    ("java", "gen {0}", [("class A {\n    «List» a = new ArrayList();\n}\n", "ArrayList()", "ArrayList<>()", "List")], {"pattern": "$ARG0 $A = new $B();", "fix": "$ARG0 $A = new $B<>();", "kinds": {"B": "type_identifier"}, "kind": "field_declaration", "uncommented": True}),
    ("java", "ret", [("class A {\n    int f(int a) {\n        if (a > 1) return 2;\n    «}»\n}\n", "return 2;\n", "return 2;\n        return 0;\n")], {"pattern": "int $A($$$B) {\n    if ($C) return $D;\n}", "fix": "int $A($$$B) {\n    if ($C) return $D;\n    return 0;\n}", "kinds": {"A": "reference:variable", "C": "binary_expression", "D": "decimal_integer_literal:number"}, "inside": "class_declaration", "safe": False, "uncommented": True}),
    ("typescript", "null {0}", [("function f(a: string | null) {\n  return «a».length;\n}\n", "a.length", "a!.length", "a")], {"pattern": "$ARG0", "fix": "$ARG0!", "kinds": {"ARG0": "reference:variable"}, "inside": "member_expression", "uncommented": True}),
    ("typescript", "miss {0} {1}", [("interface A {\n  x: number;\n}\nconst a: A = { «y»: 1 };\n", "{ y:", "{ x:", "y", "A")], {"pattern": "y", "fix": "x", "kind": "property_identifier", "where": {0: "y", 1: "A"}, "uncommented": True}),
    ("rust", "lifetime", [("fn f(a: «&str») -> &str {\n    a\n}\n", "a: &str) -> &str", "a: &'static str) -> &'static str")], "the rule would not repeat the fix"),
    ("rust", "try {0}", [("fn f() -> Result<u8, E> {\n    let a = «g()»;\n    Ok(a)\n}\n", "g()", "g()?", "u8")], {"pattern": "$A", "fix": "$A?", "kinds": {"A": "call_expression"}, "where": {0: "u8"}, "uncommented": True}),
    ("rust", "match {0}", [("fn f(a: A) {\n    «match» a {\n        A::B => 1,\n    };\n}\n", "1,\n", "1,\n        _ => 2,\n", "C")], {"pattern": "match $A {\n    A::B => $B,\n}", "fix": "match $A {\n    A::B => $B,\n    _ => 2,\n}", "kinds": {"A": "reference:variable", "B": "integer_literal:number"}, "inside": "function_item", "where": {0: "C"}, "safe": False, "uncommented": True}),
    ("c", "fmt {0} {1}", [('void f(long n) {\n    printf(«"%d"», n);\n}\n', "%d", "%ld", "int", "long")], {"pattern": '"%d"', "fix": '"%ld"', "where": {0: "int", 1: "long"}, "safe": False, "uncommented": True}),
    ("c", "cast {0} {1}", [("void f(void *p) {\n    int *q = «p»;\n}\n", "= p", "= (int *)p", "void *", "int *")], {"pattern": "$A", "fix": "(int *)$A", "kinds": {"A": "reference:variable"}, "where": {0: "void *", 1: "int *"}, "safe": False, "uncommented": True}),
    ("cpp", "const {0}", [("struct A {\n    int n() { return 1; }\n};\nint f(const A &a) { return a.«n»(); }\n", "n() {", "n() const {", "n")], {"function": "function_declarator", "fix": "const", "place": "after parameters", "elsewhere": True, "uncommented": True}),
    ("cpp", "null {0}", [("void f() {\n    int *p = «NULL»;\n}\n", "NULL", "nullptr", "NULL")], {"pattern": "NULL", "fix": "nullptr", "where": {0: "NULL"}, "safe": False, "uncommented": True}),
    ("go", "type {0} {1}", [("package a\n\nfunc f(n int) float64 {\n\treturn «n»\n}\n", "return n", "return float64(n)", "int", "float64")], {"pattern": "$A", "fix": "$ARG1($A)", "kinds": {"A": "expression"}, "where": {0: "int"}}),
    ("go", "err {0}", [("package a\n\nfunc f() int {\n\tn := «g()»\n\treturn n\n}\n", "n := g()", "n, _ := g()", "2")], {"pattern": "$A := $B", "fix": "$A, _ := $B", "kinds": {"A": "reference:variable"}, "where": {0: "2"}, "uncommented": True}),
    ("python", "unused", [("from a import «b», c\n", "b, c", "c")], {"pattern": "from $A import b, $B", "fix": "from $A import $B", "kinds": {"B": "reference:variable"}, "uncommented": True}),
    ("python", "undef {0}", [("from a import b\nx = «c»(1)\n", "import b", "import b, c", "c")], "the rule would not repeat the fix"),
    ("python", "self {0}", [("class A:\n    def «f»(a):\n        return a\n", "f(a)", "f(self, a)", "f")], {"pattern": "def $ARG0($A):\n    $$$B", "fix": "def $ARG0(self, $A):\n    $$$B", "kinds": {"ARG0": "reference", "A": "reference"}}),
    ("python", "fstr", [("x = «f'a'»\n", "f'a'", "'a'")], {"pattern": "$A = f'a'", "fix": "$A = 'a'", "kinds": {"A": "reference:variable"}, "uses": {"A": []}, "safe": False, "uncommented": True}),
    ("python", "cmp {0}", [("if «x is 1»:\n    pass\n", "is", "==", "is")], {"pattern": "$A is $B", "fix": "$A == $B", "kinds": {"A": "reference:variable", "B": "integer:number"}, "where": {0: "is"}, "uncommented": True}),
    ("python", "raise", [("try:\n    f()\nexcept E:\n    «raise» G()\n", "G()", "G() from None")], "the rule would not repeat the fix"),
    ("python", "default {0}", [("def f(a=«[]»):\n    a = a\n    return a\n", "a=[]", "a=None", "a")], {"pattern": "[]", "fix": "None", "where": {0: "a"}, "safe": False, "uncommented": True}),
    ("python", "syntax", [("d = {'a': 1 «'b'»: 2}\n", "1 ", "1, ")], {"tokens": "$A $B", "fix": "$A, $B", "kinds": {"A": ["name", "number", "string", "close"], "B": ["name", "number", "string", "close"]}, "inside": "object {"}),
    ("python", "syntax", [("d = {'a': 1 «'b'»: 2}\n", "1 ", "1, "), ("d = {'c': e «'f'»: g}\n", "e ", "e, ")], {"tokens": "$A $B", "fix": "$A, $B", "kinds": {"A": ["name", "number", "string", "close"], "B": ["name", "number", "string", "close"]}, "inside": "object {"}),
    ("python", "syntax", [("d = {'a': 1 «'b'»: 2}\n", "1 ", "1, "), ("d = ['c' «'f' k»]\n", "'c' ", "'c', ")], {"tokens": "$A $B", "fix": "$A, $B", "kinds": {"A": ["name", "number", "string", "close"], "B": ["name", "number", "string", "close"]}}),
    ("python", "syntax", [("else «if» x:\n    pass\n", "else if", "elif")], {"tokens": "else if $A", "fix": "elif $A", "kinds": {"A": "name:variable"}, "inside": "else", "uncommented": True}),
    ("python", "syntax", [("def f()«»\n    pass\n", ")\n", "):\n")], {"tokens": "$A $EOL", "fix": "$A:", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "def"}),
    ("python", "syntax", [("x «=>» 3 and\n", "=> 3 and", ">= 3")], "the rule would not repeat the fix"),
    ("python", "syntax", [("x = 5 «5» 5\n", "5 5 5", "5 + 5 + 5")], {"tokens": "$A $A $A", "fix": "$A + $A + $A", "kinds": {"A": ["name:constant", "name:variable", "number", "string:empty", "string:text"]}, "inside": "line", "uncommented": True}),
    ("python", "syntax", [("«}»\nx = 1\n", "}\n", "")], {"tokens": "} $EOL", "fix": "", "inside": "line"}),
    ("c", "brace", [("int f(void) {\n    return 1;\n«»", "1;\n", "1;\n}\n")], "the rule would not repeat the fix"),
    ("c", "paren {0}", [("int f(int a) {\n    return g(a «;»\n}\n", "a ;", "a);", ";")], {"tokens": "$A ;", "fix": "$A);", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "call ("}),
    ("javascript", "colon {0}", [("const a = {\n  b «1»,\n};\n", "b 1", "b: 1", "1")], {"tokens": "$A $ARG0", "fix": "$A: $ARG0", "kinds": {"A": ["name", "number", "string", "close"], "ARG0": ["name", "number", "string", "close"]}, "inside": "object {"}),
    ("rust", "semi {0}", [("fn f() {\n    let a = 1\n    «let» b = 2;\n}\n", "1\n", "1;\n", "let"), ("fn f() {\n    let a = g(1)\n    «h»();\n}\n", ")\n    h", ");\n    h", "h")], {"tokens": "$A $EOL", "fix": "$A;", "kinds": {"A": ["name", "number", "string", "close"]}, "inside": "let"}),
    ("rust", "semi {0}", [("fn f() {\n    let a = 1\n    «let» b = 2;\n}\n", "1\n", "1;\n", "let"), ("fn f() {\n    g(k «l»);\n}\n", "k l", "k; l", "l")], "the change is not one construct at the diagnostic"),
    ("python", "bad", [("class A:\n    def f(self): «return» self.x\n", "self.x", "self.y")], {"pattern": "return self.x", "fix": "return self.y", "uncommented": True}),
    ("python", "bad", [("x: list[int] = «f(1)»\n", "f(1)", "g(1)"), ("x: int = «f(1)»\n", "f(1)", "g(1)")], {"pattern": "f($A)", "fix": "g($A)", "kinds": {"A": "integer:number"}, "uncommented": True}),
    ("python", "bad", [("x = «f(a)» if b else c\n", "f(a)", "g(a)"), ("x = «f(a)» if b.d(1) else c\n", "f(a)", "g(a)")], {"pattern": "f($A)", "fix": "g($A)", "kinds": {"A": "reference:variable"}, "uncommented": True}),
    ("python", "bad", [("for i in a:\n    «f»(i)\nelse:\n    g()\n", "f(i)", "h(i, k)"), ("for i in a:\n    «f»(i)\n", "f(i)", "h(i, k)")], {"pattern": "f($A)", "fix": "h($A, k)", "kinds": {"A": "reference:variable"}, "uncommented": True}),
    ("javascript", "bad", [("let a = «f»(`x`);\n", "f(", "g("), ("let a = «f»(`x ${1}`);\n", "f(", "g(")], {"pattern": "f($A)", "fix": "g($A)", "kinds": {"A": ["template_string:format", "template_string:text"]}, "uncommented": True}),
    ("javascript", "bad", [("«f»({ a: 1 }, b);\n", "f(", "g("), ("«f»({ a: 1, c: 2 }, b);\n", "f(", "g(")], {"pattern": "f($A, $B)", "fix": "g($A, $B)", "kinds": {"A": "object", "B": "reference:variable"}, "uncommented": True}),
    ("javascript", "bad", [("«f»([1, 2]);\n", "f(", "g("), ("«f»([1]);\n", "f(", "g(")], {"pattern": "f($A)", "fix": "g($A)", "kinds": {"A": "array"}, "uncommented": True}),
    ("javascript", "bad {0}", [("const a = «f»({ x: 1 });\n", "const a", "let a", "f"), ("const b = «f»({ y: 1, c: 2 });\n", "const b", "let b", "f")], {"pattern": "const $A = $B;", "fix": "let $A = $B;", "kinds": {"A": "reference:variable"}, "mentions": {"B": "ARG0"}, "uncommented": True}),
    ("rust", "bad {0}", [("fn f(a: u8) { «g»(a); }\n", "fn f(a: u8)", "fn f(mut a: u8)", "a"), ("fn h(b: u8, c: i8) { «g»(b); }\n", "(b: u8", "(mut b: u8", "b")], {"pattern": "$ARG0: $A", "fix": "mut $ARG0: $A", "kinds": {"ARG0": "reference:variable"}, "elsewhere": True, "uncommented": True}),
    ("java", "bad {0}", [("class A { «List» a = f(1, 2); }\n", "List a", "List<X> a", "List"), ("class A { «List» a = f(1); }\n", "List a", "List<X> a", "List")], {"pattern": "$ARG0", "fix": "$ARG0<X>", "kinds": {"ARG0": "type_identifier"}, "inside": "field_declaration", "where": {0: "List"}, "uncommented": True}),
    ("go", "bad {0}", [("package a\n\nvar «x» = []int{1}\n", "var x", "var y", "x"), ("package a\n\nvar «x» = []int{1, 2}\n", "var x", "var y", "x")], {"pattern": "x", "fix": "y", "where": {0: "x"}, "uncommented": True}),
    ("cpp", "bad {0}", [("int «a»{1};\n", "int a", "long a", "a"), ("int «a»{1, 2};\n", "int a", "long a", "a")], "the rule would not repeat the fix"),
    ("c", "bad {0}", [("int «a»[] = {1};\n", "int a", "long a", "a"), ("int «a»[] = {1, 2};\n", "int a", "long a", "a")], {"pattern": "int $ARG0[] = $A;", "fix": "long $ARG0[] = $A;", "kinds": {"ARG0": "reference:variable", "A": "initializer_list"}, "uncommented": True}),
    ("python", "bad {0}", [("a = {«b»: 1}\n", "{b:", "{'b':", "b"), ("a = {«b»: 1, c: 2}\n", "{b:", "{'b':", "b")], {"pattern": "b", "fix": "'b'", "where": {0: "b"}, "uncommented": True}),
    ("python", "bad {0}", [("with a as b, c as d: «f»(1)\n", "f(1)", "f(1, 2)", "f")], {"pattern": "f($A)", "fix": "f($A, 2)", "kinds": {"A": "integer:number"}, "where": {0: "f"}, "safe": False, "uncommented": True}),
    ("python", "bad {0}", [("@d\ndef «f»(): pass\n", "def f", "def g", "f"), ("@d\n@e\ndef «f»(): pass\n", "def f", "def g", "f")], {"pattern": "f", "fix": "g", "where": {0: "f"}, "uncommented": True}),
    ("python", "no {0}", [("x = «f»(a, b)\n", "x = f(a, b)", "import m\n\nx = m.f(b, a)", "f")], {"pattern": "f($A, $B)", "fix": "m.$ARG0($B, $A)", "kinds": {"A": "reference:variable", "B": "reference:variable"}, "imports": ["import m"], "uncommented": True}),
    ("python", "no {0}", [("k(1)\nx = «f»(a, b)\n", "k(1)\nx = f(a, b)", "import m\n\nk(1)\nx = m.f(b, a)", "f")], {"pattern": "f($A, $B)", "fix": "m.$ARG0($B, $A)", "kinds": {"A": "reference:variable", "B": "reference:variable"}, "imports": ["import m"], "uncommented": True}),
    ("python", "syntax", [("if a «=» f(1):\n    g()\n", " = ", " == ")], {"tokens": "$A = $B", "fix": "$A == $B", "kinds": {"A": ["name:constant", "name:variable", "number", "string:empty", "string:text"], "B": "name:called"}, "inside": "if", "uncommented": True}),
    ("python", "syntax", [("if a «=» b[1]:\n    g()\n", " = ", " == ")], {"tokens": "$A = $B", "fix": "$A == $B", "kinds": {"A": ["name:constant", "name:variable", "number", "string:empty", "string:text"], "B": "name:indexed"}, "inside": "if", "uncommented": True}),
    ("python", "syntax", [("if A «=» b:\n    g()\n", " = ", " == ")], {"tokens": "$A = $B", "fix": "$A == $B", "kinds": {"A": "name:type", "B": ["name:constant", "name:variable", "number", "string:empty", "string:text"]}, "inside": "if", "uncommented": True}),
    ("python", "syntax", [("if A «b»:\n    g()\n", " b", " == b")], {"tokens": "$A $B", "fix": "$A == $B", "kinds": {"A": "name:type", "B": ["name:constant", "name:variable", "number", "string:empty", "string:text"]}, "inside": "if", "uncommented": True}),
    ("python", "syntax", [("y = 1\n«fro» x in xs:\n    f(x)\n", "fro", "for")], {"tokens": "fro $A", "fix": "for $A", "kinds": {"A": "name:variable"}, "inside": "line", "uncommented": True}),
    ("python", "syntax", [("y = 1\n«fro»\nx = )\n", "fro", "for")], {"tokens": "fro $EOL", "fix": "for", "inside": "line", "uncommented": True}),
    ("python", "syntax", [("y = 1 «fro» x in xs:\n    f(x)\n", "fro", "for")], {"tokens": "$A fro $B", "fix": "$A for $B", "kinds": {"A": "number", "B": "name:variable"}, "inside": "line", "uncommented": True}),
    ("python", "syntax", [("y = 1 «fro»\nx in xs:\n    f(x)\n", "fro", "for")], {"tokens": "$A fro $EOL", "fix": "$A for", "kinds": {"A": "number"}, "inside": "line", "uncommented": True}),
]  # fmt: skip
_OF_THE_ERROR = {"id", "language", "diagnostic", "examples", "provenance"}


def _said(text: str, template: str, args: Fix) -> Diagnostic:
    start, end = text.index("«"), text.index("»") - 1
    lines = text[:start].split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    area = Area(line, column, line, column + end - start)
    return Diagnostic("tool", "", "X", "error", template.format(*args), template, args, "", area)


def _example(template: str, fix: Fix) -> tuple[Example, Diagnostic]:
    text, old, new, *args = fix
    said = _said(text, template, tuple(args))
    before = text.replace("«", "").replace("»", "")
    return example_of(before, before.replace(old, new), said), said


@pytest.mark.parametrize(("language", "template", "fixes", "expected"), LEARNED)
def test_a_fix_is_learned_as_one_rule_with_its_limits(
    language: Target, template: str, fixes: list[Fix], expected: dict[str, object] | str
) -> None:
    examples = [_example(template, fix) for fix in fixes]
    rule = learn_from([example for example, _ in examples], examples[0][1], language)
    if isinstance(rule, NotLearned):
        assert rule.reason == expected
    else:
        made = rule_to_dict(rule)
        assert {key: made[key] for key in made if key not in _OF_THE_ERROR} == expected
