"""Broken programs and their repairs: one to learn from, one that differs in names, literals and structure, a near miss."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from holdfast.vocab.diagnostics import Target


@dataclass(frozen=True, slots=True)
class Case:
    """`near` is a text with a complaint that is much like it, which the rule must leave alone."""

    name: str
    tool: str
    before: str
    after: str
    second: str
    second_after: str
    near: str

    @property
    def target(self) -> Target:
        targets: dict[str, Target] = {
            "gcc": "c",
            "g++": "cpp",
            "rustc": "rust",
            "javac": "java",
            "node": "javascript",
            "tsc": "typescript",
        }
        return targets.get(self.tool, "python")


def _case(name: str, tool: str, *texts: str) -> Case:
    return Case(name, tool, *(dedent(text).lstrip("\n") for text in texts))


CASES = (
    # ---------------------------------------------------------------------------------------------------------- python
    _case(
        "a missing colon",
        "python",
        "def grade(x):\n    if x > 3\n        return 'a'\n    return 'b'\n",
        "def grade(x):\n    if x > 3:\n        return 'a'\n    return 'b'\n",
        "items = [1, 2]\nfor item in range(len(items))  # each\n    print(item)\n",
        "items = [1, 2]\nfor item in range(len(items)):  # each\n    print(item)\n",
        "x = 1\nif x:\n    pass\nelse if x > 2:\n    pass\n",
    ),
    _case(
        "print without parentheses",
        "python",
        "name = 'x'\nprint name\n",
        "name = 'x'\nprint(name)\n",
        "def show(total, n):\n    if n:\n        print total / n, 'each'\n",
        "def show(total, n):\n    if n:\n        print(total / n, 'each')\n",
        "exec 'x = 1'\n",
    ),
    _case(
        "a bracket that is never closed",
        "python",
        "names = ['a']\nprint(len(names)\n",
        "names = ['a']\nprint(len(names))\n",
        "def area(w, h):\n    return round(w * h, 2\n",
        "def area(w, h):\n    return round(w * h, 2)\n",
        "total = sum(1,\n            2\nprint(total)\n",
    ),
    _case(
        "one equals sign in a condition",
        "python",
        "x = 3\nif x = 3:\n    print(x)\n",
        "x = 3\nif x == 3:\n    print(x)\n",
        "class A:\n    def f(self, size, other):\n        while size = other.size:\n            break\n",
        "class A:\n    def f(self, size, other):\n        while size == other.size:\n            break\n",
        "def f(a):\n    return a\n\nf(a.b=1)\n",
    ),
    _case(
        "else if for elif",
        "python",
        "x = 1\nif x > 3:\n    pass\nelse if x > 2:\n    pass\n",
        "x = 1\nif x > 3:\n    pass\nelif x > 2:\n    pass\n",
        "def f(name, n):\n    if name == 'a':\n        return 1\n    else if n in (1, 2):\n        return 2\n    return 3\n",
        "def f(name, n):\n    if name == 'a':\n        return 1\n    elif n in (1, 2):\n        return 2\n    return 3\n",
        "x = 1\nif x > 3:\n    pass\nelse\n    pass\n",
    ),
    _case(
        "a body that is not indented",
        "python",
        "def f(x):\n    return x\n\n\nfor i in range(3):\nprint(i)\n",
        "def f(x):\n    return x\n\n\nfor i in range(3):\n    print(i)\n",
        "def g(names):\n    total = 0\n    for name in names:\n    total += len(name)\n    return total\n",
        "def g(names):\n    total = 0\n    for name in names:\n        total += len(name)\n    return total\n",
        "def f():\n    x = 1\n      y = 2\n    return x\n",
    ),
    _case(
        "a line that is indented too much",
        "python",
        "def f():\n    x = 1\n      y = 2\n    return x + y\n",
        "def f():\n    x = 1\n    y = 2\n    return x + y\n",
        "class A:\n    def f(self, n):\n        total = n * 2\n           return total\n",
        "class A:\n    def f(self, n):\n        total = n * 2\n        return total\n",
        "for i in range(3):\nprint(i)\n",
    ),
    _case(
        "a module that is not imported",
        "ruff",
        "def here():\n    return os.getcwd()\n",
        "import os\n\ndef here():\n    return os.getcwd()\n",
        '"""A module."""\n\nimport sys\n\n\ndef home(user):\n    if user:\n        print(os.path.join("home", user), file=sys.stderr)\n',
        '"""A module."""\n\nimport os\nimport sys\n\n\ndef home(user):\n    if user:\n        print(os.path.join("home", user), file=sys.stderr)\n',
        "def here():\n    return total.getcwd()\n",
    ),
    _case(
        "a name from a module",
        "ruff",
        "import sys\n\nroot = Path(sys.argv[0])\n",
        "import sys\nfrom pathlib import Path\n\nroot = Path(sys.argv[0])\n",
        "import json\n\n\ndef load(name):\n    return json.loads(Path(name).read_text())\n",
        "import json\nfrom pathlib import Path\n\n\ndef load(name):\n    return json.loads(Path(name).read_text())\n",
        "import sys\n\nroot = Pth(sys.argv[0])\n",
    ),
    _case(
        "a name added to an import",
        "ruff",
        "from typing import List\n\n\ndef f(x: Dict[str, List[int]]) -> None:\n    print(x)\n",
        "from typing import List, Dict\n\n\ndef f(x: Dict[str, List[int]]) -> None:\n    print(x)\n",
        "import sys\nfrom typing import Any, Tuple\n\n\nclass A:\n    seen: Dict[str, Tuple[Any, Any]] = {}\n    out = sys.stdout\n",
        "import sys\nfrom typing import Any, Tuple, Dict\n\n\nclass A:\n    seen: Dict[str, Tuple[Any, Any]] = {}\n    out = sys.stdout\n",
        "from types import ModuleType\n\n\ndef f(x: Dict[str, ModuleType]) -> None:\n    print(x)\n",
    ),
    _case(
        "a common typing error in a name",
        "ruff",
        "def f(x):\n    pritn(x)\n",
        "def f(x):\n    print(x)\n",
        "names = ['a', 'b']\nfor name in names:\n    pritn('name:', name, 12)\n",
        "names = ['a', 'b']\nfor name in names:\n    print('name:', name, 12)\n",
        "def f(x):\n    prnt(x)\n",
    ),
    _case(
        "a comparison to None",
        "ruff",
        "def f(x):\n    if x == None:\n        return 1\n    return 2\n",
        "def f(x):\n    if x is None:\n        return 1\n    return 2\n",
        "class A:\n    items = {}\n\n    def g(self, key):\n        return [1] if self.items.get(key) == None else []\n",
        "class A:\n    items = {}\n\n    def g(self, key):\n        return [1] if self.items.get(key) is None else []\n",
        "def f(x):\n    if x != None:\n        return 1\n    return 2\n",
    ),
    _case(
        "an f-string without placeholders",
        "ruff",
        "print(f'hello')\n",
        "print('hello')\n",
        "def f(x):\n    return {x: f'a {1} b', 2: f'plain text, long'}\n",
        "def f(x):\n    return {x: f'a {1} b', 2: 'plain text, long'}\n",
        "print(F'hello')\n",
    ),
    _case(
        "an import that is not used",
        "ruff",
        "import os\nimport sys\n\nprint(sys.argv)\n",
        "import sys\n\nprint(sys.argv)\n",
        "import json\nimport re\nimport sys\n\n\ndef f(x):\n    return json.dumps(x), sys.argv\n",
        "import json\nimport sys\n\n\ndef f(x):\n    return json.dumps(x), sys.argv\n",
        "import os, sys\n\nprint(sys.argv)\n",
    ),
    _case(
        "an annotation that the value does not have",
        "mypy",
        "limit: int = 'ten'\n",
        "limit: str = 'ten'\n",
        "class A:\n    def f(self) -> str:\n        name: str = len('abc') + 1\n        return str(name)\n",
        "class A:\n    def f(self) -> str:\n        name: int = len('abc') + 1\n        return str(name)\n",
        "limit = 1\nlimit = 'ten'\n",
    ),
    _case(
        "a return that is not the type that was said",
        "mypy",
        "def f(n: int) -> str:\n    return n\n",
        "def f(n: int) -> str:\n    return str(n)\n",
        "class A:\n    size: int = 3\n\n    def label(self, x: int) -> str:\n        if x:\n            return self.size\n        return 'none'\n",
        "class A:\n    size: int = 3\n\n    def label(self, x: int) -> str:\n        if x:\n            return str(self.size)\n        return 'none'\n",
        "def f(n: int) -> list[int]:\n    return n\n",
    ),
    # --------------------------------------------------------------------------------------------------------------- c
    _case(
        "a missing semicolon",
        "gcc",
        "int main(void) {\n    int x = 1\n    return x;\n}\n",
        "int main(void) {\n    int x = 1;\n    return x;\n}\n",
        "int twice(int n) {\n    int total = n * (2 + 1)\n    while (total > 10) {\n        total -= n;\n    }\n    return total;\n}\n",
        "int twice(int n) {\n    int total = n * (2 + 1);\n    while (total > 10) {\n        total -= n;\n    }\n    return total;\n}\n",
        "int main(void) {\n    int x = 1 2;\n    return x;\n}\n",
    ),
    _case(
        "a header for printf",
        "gcc",
        'int main(void) {\n    printf("hi\\n");\n    return 0;\n}\n',
        '#include <stdio.h>\n\nint main(void) {\n    printf("hi\\n");\n    return 0;\n}\n',
        '#include <stdlib.h>\n\nstatic void show(int n) {\n    if (n > 0) {\n        printf("%d\\n", n * 2);\n    }\n}\n\nint main(void) {\n    show(abs(-3));\n    return 0;\n}\n',
        '#include <stdio.h>\n#include <stdlib.h>\n\nstatic void show(int n) {\n    if (n > 0) {\n        printf("%d\\n", n * 2);\n    }\n}\n\nint main(void) {\n    show(abs(-3));\n    return 0;\n}\n',
        'int main(void) {\n    prntf("hi\\n");\n    return 0;\n}\n',
    ),
    _case(
        "a dot for an arrow",
        "gcc",
        "struct point { int x; };\nint get(struct point *p) {\n    return p.x;\n}\n",
        "struct point { int x; };\nint get(struct point *p) {\n    return p->x;\n}\n",
        "struct node { struct node *next; int size; };\nvoid grow(struct node *first, int by) {\n    if (by > 0)\n        first.size += by * 2;\n}\n",
        "struct node { struct node *next; int size; };\nvoid grow(struct node *first, int by) {\n    if (by > 0)\n        first->size += by * 2;\n}\n",
        "int get(int p) {\n    return p.x;\n}\n",
    ),
    # ------------------------------------------------------------------------------------------------------------- c++
    _case(
        "a stream without its namespace",
        "g++",
        "#include <iostream>\nint main() {\n    cout << 1;\n}\n",
        "#include <iostream>\nint main() {\n    std::cout << 1;\n}\n",
        "#include <iostream>\n#include <vector>\nvoid show(const std::vector<int>& all) {\n    for (int each : all) {\n        cout << each * 2 << ' ';\n    }\n}\n",
        "#include <iostream>\n#include <vector>\nvoid show(const std::vector<int>& all) {\n    for (int each : all) {\n        std::cout << each * 2 << ' ';\n    }\n}\n",
        "#include <iostream>\nint main() {\n    cuot << 1;\n}\n",
    ),
    _case(
        "a class without its semicolon",
        "g++",
        "class A {\npublic:\n    int x;\n}\nint main() { return 0; }\n",
        "class A {\npublic:\n    int x;\n};\nint main() { return 0; }\n",
        "class Point {\npublic:\n    double x, y;\n    double sum() const { return x + y; }\n}\n\ndouble f(Point p) {\n    return p.sum();\n}\n",
        "class Point {\npublic:\n    double x, y;\n    double sum() const { return x + y; }\n};\n\ndouble f(Point p) {\n    return p.sum();\n}\n",
        "int main() {\n    int x = 1\n    return x;\n}\n",
    ),
    # ------------------------------------------------------------------------------------------------------------ rust
    _case(
        "a variable that is assigned twice",
        "rustc",
        'pub fn f() -> i32 {\n    let x = 1;\n    println!("{}", x);\n    x = 2;\n    x\n}\n',
        'pub fn f() -> i32 {\n    let mut x = 1;\n    println!("{}", x);\n    x = 2;\n    x\n}\n',
        "pub fn g(all: &[u32]) -> u32 {\n    let total: u32 = all.len() as u32 + 1;\n    for each in all {\n        total += each * 2;\n    }\n    total\n}\n",
        "pub fn g(all: &[u32]) -> u32 {\n    let mut total: u32 = all.len() as u32 + 1;\n    for each in all {\n        total += each * 2;\n    }\n    total\n}\n",
        "pub fn h(pair: (i32, i32)) -> i32 {\n    let (x, y) = pair;\n    x = 2;\n    x + y\n}\n",
    ),
    _case(
        "a literal where a String is asked for",
        "rustc",
        'pub fn f() -> String {\n    "a"\n}\n',
        'pub fn f() -> String {\n    "a".to_string()\n}\n',
        'pub struct User { pub name: String, pub age: u8 }\npub fn new(age: u8) -> User {\n    User { name: "no name yet", age: age + 1 }\n}\n',
        'pub struct User { pub name: String, pub age: u8 }\npub fn new(age: u8) -> User {\n    User { name: "no name yet".to_string(), age: age + 1 }\n}\n',
        'pub fn f() -> u8 {\n    "a"\n}\n',
    ),
    _case(
        "a map that is not in scope",
        "rustc",
        "pub fn f() -> HashMap<u8, u8> {\n    panic!()\n}\n",
        "use std::collections::HashMap;\n\npub fn f() -> HashMap<u8, u8> {\n    panic!()\n}\n",
        "use std::fmt::Debug;\n\npub struct Cache<T: Debug> {\n    pub seen: HashMap<String, T>,\n    pub hits: usize,\n}\n",
        "use std::collections::HashMap;\nuse std::fmt::Debug;\n\npub struct Cache<T: Debug> {\n    pub seen: HashMap<String, T>,\n    pub hits: usize,\n}\n",
        "pub fn f() -> HashMop<u8, u8> {\n    panic!()\n}\n",
    ),
    _case(
        "a statement without its semicolon",
        "rustc",
        "pub fn f() -> i32 {\n    let x = 1\n    let y = 2;\n    x + y\n}\n",
        "pub fn f() -> i32 {\n    let x = 1;\n    let y = 2;\n    x + y\n}\n",
        "pub fn g(all: Vec<u32>) -> usize {\n    let count = all.iter().filter(|n| **n > 3).count()\n    return count;\n}\n",
        "pub fn g(all: Vec<u32>) -> usize {\n    let count = all.iter().filter(|n| **n > 3).count();\n    return count;\n}\n",
        "pub fn f() -> i32 {\n    let x = (1\n    let y = 2;\n    x + y\n}\n",
    ),
    _case(
        "a value that was moved",
        "rustc",
        "pub fn eat(_s: String) {}\npub fn f(s: String) -> String {\n    eat(s);\n    s\n}\n",
        "pub fn eat(_s: String) {}\npub fn f(s: String) -> String {\n    eat(s.clone());\n    s\n}\n",
        "pub fn count(all: Vec<u8>) -> usize { all.len() }\npub fn g(names: Vec<u8>) -> (usize, Vec<u8>) {\n    let n = 2 + count(names);\n    (n, names)\n}\n",
        "pub fn count(all: Vec<u8>) -> usize { all.len() }\npub fn g(names: Vec<u8>) -> (usize, Vec<u8>) {\n    let n = 2 + count(names.clone());\n    (n, names)\n}\n",
        "pub fn f(n: u8) -> u8 {\n    q\n}\n",
    ),
    # ------------------------------------------------------------------------------------------------------------ java
    _case(
        "a java statement without its semicolon",
        "javac",
        "class Main {\n    int f() {\n        int x = 1\n        return x;\n    }\n}\n",
        "class Main {\n    int f() {\n        int x = 1;\n        return x;\n    }\n}\n",
        'class Main {\n    static String join(String a, int n) {\n        String all = a.repeat(n) + "!"\n        for (int i = 0; i < n; i++) all += a;\n        return all;\n    }\n}\n',
        'class Main {\n    static String join(String a, int n) {\n        String all = a.repeat(n) + "!";\n        for (int i = 0; i < n; i++) all += a;\n        return all;\n    }\n}\n',
        "class Main {\n    int f( {\n        return 1;\n    }\n}\n",
    ),
    _case(
        "a java class that is not imported",
        "javac",
        "class Main {\n    List<String> f() {\n        return null;\n    }\n}\n",
        "import java.util.List;\n\nclass Main {\n    List<String> f() {\n        return null;\n    }\n}\n",
        "import java.util.Map;\n\nclass Shop {\n    Map<String, Integer> prices;\n    int sum(List<Integer> all) {\n        return all.size() + 1;\n    }\n}\n",
        "import java.util.List;\nimport java.util.Map;\n\nclass Shop {\n    Map<String, Integer> prices;\n    int sum(List<Integer> all) {\n        return all.size() + 1;\n    }\n}\n",
        "class Main {\n    Lst<String> f() {\n        return null;\n    }\n}\n",
    ),
    _case(
        "an exception that is not declared",
        "javac",
        'import java.io.*;\nclass Main {\n    void f() {\n        new FileReader("a");\n    }\n}\n',
        'import java.io.*;\nclass Main {\n    void f() throws FileNotFoundException {\n        new FileReader("a");\n    }\n}\n',
        "import java.io.*;\nclass Main {\n    public static String read(String name, int n) {\n        Reader in = new FileReader(name);\n        return name + n;\n    }\n}\n",
        "import java.io.*;\nclass Main {\n    public static String read(String name, int n) throws FileNotFoundException {\n        Reader in = new FileReader(name);\n        return name + n;\n    }\n}\n",
        "class Main {\n    int f() {\n        return g();\n    }\n}\n",
    ),
    _case(
        "a java variable that may have no value",
        "javac",
        "class Main {\n    int f(boolean b) {\n        int x;\n        if (b) x = 2;\n        return x;\n    }\n}\n",
        "class Main {\n    int f(boolean b) {\n        int x = 0;\n        if (b) x = 2;\n        return x;\n    }\n}\n",
        "class Main {\n    static int count(String s) {\n        int a = 1;\n        int total;\n        for (char c : s.toCharArray()) { total = c + a; }\n        return total * 2;\n    }\n}\n",
        "class Main {\n    static int count(String s) {\n        int a = 1;\n        int total = 0;\n        for (char c : s.toCharArray()) { total = c + a; }\n        return total * 2;\n    }\n}\n",
        "class Main {\n    static int f(boolean b) {\n        final int[] x;\n        if (b) x = new int[1];\n        return x[0];\n    }\n}\n",
    ),
    # ------------------------------------------------------------------------------------------------------ javascript
    _case(
        "a call that is not closed",
        "node",
        "const names = ['a'];\nconsole.log(names.length;\n",
        "const names = ['a'];\nconsole.log(names.length);\n",
        "function area(w, h) {\n  return Math.round(w * h * 2;\n}\n",
        "function area(w, h) {\n  return Math.round(w * h * 2);\n}\n",
        "const x = ;\n",
    ),
    # ------------------------------------------------------------------------------------------------------ typescript
    _case(
        "a constant that is assigned",
        "tsc",
        "const x = 1;\nx = 2;\nexport { x };\n",
        "let x = 1;\nx = 2;\nexport { x };\n",
        "export function sum(all: number[]): number {\n  const total: number = all.length * 0;\n  for (const each of all) total += each;\n  return total;\n}\n",
        "export function sum(all: number[]): number {\n  let total: number = all.length * 0;\n  for (const each of all) total += each;\n  return total;\n}\n",
        "import { join } from './x';\njoin = 2;\n",
    ),
    _case(
        "a property with a name much like it",
        "tsc",
        "export const n = 'abc'.lenght;\n",
        "export const n = 'abc'.length;\n",
        "interface Box { width: number; height: number }\nexport function area(box: Box): number {\n  return box.widht * box.height * 2;\n}\n",
        "interface Box { width: number; height: number }\nexport function area(box: Box): number {\n  return box.width * box.height * 2;\n}\n",
        "export const n = 'abc'.q;\n",
    ),
    _case(
        "an annotation in TypeScript that the value does not have",
        "tsc",
        "export const limit: number = 'ten';\n",
        "export const limit: string = 'ten';\n",
        "export function f(n: number): string {\n  const name: string = n * 2 + 1;\n  return String(name);\n}\n",
        "export function f(n: number): string {\n  const name: number = n * 2 + 1;\n  return String(name);\n}\n",
        "export let limit = 1;\nlimit = 'ten';\n",
    ),
)
