"""Fixes of texts that do not parse: each lesson repairs another program, and leaves alone what is only like it.

`§` in a text is where the complaint points; two of them are where what it points at begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from holdfast.rules.fix_hunks import apply_hunks, hunks_between
from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.rule import Rule
from holdfast.rules.rule_json import dump_rule, parse_rule
from holdfast.syntax.brace_nesting import nests_as_indented
from holdfast.syntax.quote_tokens import marks_of
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


@dataclass(frozen=True, slots=True)
class Lesson:
    """`before` is fixed to `after`; then `second` to `fixed`, and each of `nears` is unchanged, because of `why`."""

    title: str
    target: Target
    before: str
    after: str
    second: str
    fixed: str
    nears: tuple[str, ...]
    why: str = "the place of an edit is not there"


LESSONS = [
    Lesson(
        "the quotes around an apostrophe",
        "python",
        "print('It's late§')\n",
        'print("It\'s late")\n',
        "    raise ValueError('You can't sign up yet, sorry§')\n",
        '    raise ValueError("You can\'t sign up yet, sorry")\n',
        ("names = ['Ann's, 'Bob', 'Cy§']\n", "f('a', b§')\n", "x = 'abc' + 'def§\n"),
    ),
    Lesson(
        "an apostrophe that is escaped",
        "javascript",
        "log(§'It's late');\n",
        "log('It\\'s late');\n",
        "    fail(§'You can't sign up yet');\n",
        "    fail('You can\\'t sign up yet');\n",
        ("names(§'Ann's, 'Bob');\n", "fail(§'I can't say I don't');\n"),
    ),
    Lesson(
        "the quotes of a key in an f-string",
        "python",
        'x = f"Hello, {user["§name"]}!"\n',
        "x = f\"Hello, {user['name']}!\"\n",
        '    out.append(f"{order.id}: {order.data["§total"]} EUR")\n',
        "    out.append(f\"{order.id}: {order.data['total']} EUR\")\n",
        ('x = f"Hello, {§name}!"\n',),
    ),
    Lesson(
        "typographic quotes",
        "python",
        "title = §“Monthly report”\n",
        'title = "Monthly report"\n',
        "parts = [user.name, §“your order of the day”, 3]\n",
        'parts = [user.name, "your order of the day", 3]\n',
        ("total = price §× tax\n", "title = §“Monthly report\n"),
    ),
    Lesson(
        "a comment of another language",
        "javascript",
        "§# add two\nf();\n",
        "// add two\nf();\n",
        "function g() {\n  §# it isn't stored yet\n  return 1;\n}\n",
        "function g() {\n  // it isn't stored yet\n  return 1;\n}\n",
        ("x = a §# b;\n", "  §#count = 0;\n"),
    ),
    Lesson(
        "the base of a number",
        "python",
        "mode = §0755\n",
        "mode = 0o755\n",
        "os.chmod(path, §0640)\n",
        "os.chmod(path, 0o640)\n",
        ("x = §755\n",),
    ),
    Lesson(
        "a suffix that goes is that suffix",
        "python",
        "BIG = §100000L\n",
        "BIG = 100000\n",
        'sizes = {"a": §4096L}\n',
        'sizes = {"a": 4096}\n',
        ("x = §2kind\n",),
    ),
    Lesson(
        "a fence around the code",
        "python",
        "§```python\nx = 1\n```\n",
        "x = 1\n",
        "§```python\nimport os\n\n\nprint(os.name)\n```\n",
        "import os\n\n\nprint(os.name)\n",
        ("x = a §``` b\n", "§```text\nx = 1\n```\n"),
    ),
    Lesson(
        "a function with nothing but a comment",
        "python",
        "class A:\n    def f(self):\n        # later\n\n    §def g(self):\n        return 1\n",
        "class A:\n    def f(self):\n        # later\n        pass\n\n    def g(self):\n        return 1\n",
        "def on_close(event):\n    # nothing to do here: yet\n\n\n§def on_open(event):\n    print(event)\n",
        "def on_close(event):\n    # nothing to do here: yet\n    pass\n\n\ndef on_open(event):\n    print(event)\n",
        (
            "def f(x):\n§result = x\n",
            "def f(x):\n    # say it\n§print(x)\n",
            "def f(x):\n§def g(x):\n    return x\n",
        ),
    ),
    Lesson(
        "a comma between two operands, wherever the area begins",
        "python",
        '§connect("localhost" 8080§)\n',
        'connect("localhost", 8080)\n',
        "order(key.upper(), §stock[key] 2.5§)\n",
        "order(key.upper(), stock[key], 2.5)\n",
        ("print(§text not size§)\n", "total = (§price tax§)\n", "f(§a b c§)\n", "x = §a b§\n"),
    ),
    Lesson(
        "a comma only in a list",
        "javascript",
        'const names = ["a" §"b"];\n',
        'const names = ["a", "b"];\n',
        'return this.run("first", "second" §"third");\n',
        'return this.run("first", "second", "third");\n',
        ('function f(a) {\n  return a §"b";\n}\n', 'x = (a §"b");\n', 'if (x) { a §"b"; }\n'),
    ),
    Lesson(
        "a word for an operator, before whatever begins an operand",
        "python",
        "return a > 0 §&& b > 0\n",
        "return a > 0 and b > 0\n",
        "if user.active §&& not user.banned:\n",
        "if user.active and not user.banned:\n",
        ("x = a§&&b\n", "x = a §&& * b\n", "x = a §& & b\n"),
    ),
    Lesson(
        "a sign that stands apart",
        "javascript",
        "const f = (a) §-> a + 1;\n",
        "const f = (a) => a + 1;\n",
        "items.map((item) §-> item.name);\n",
        "items.map((item) => item.name);\n",
        ("return user§->name;\n",),
    ),
    Lesson(
        "a word far back on the line",
        "javascript",
        "if (n) {\n} elif (n < 0) §{\n}\n",
        "if (n) {\n} else if (n < 0) {\n}\n",
        "if (a) {\n} elif (a.b(c) && !d.e) §{\n  f();\n} else {\n}\n",
        "if (a) {\n} else if (a.b(c) && !d.e) {\n  f();\n} else {\n}\n",
        ("if (n) {\n} unless (n < 0) §{\n}\n",),
    ),
    Lesson(
        "a type that goes is a common one",
        "javascript",
        "function double(n§: number) {\n}\n",
        "function double(n) {\n}\n",
        "  put(key§: string, value) {\n  }\n",
        "  put(key, value) {\n  }\n",
        ("paint(size§: big);\n", "x = a ? b, a§: b;\n"),
    ),
    Lesson(
        "a string that ends before the brackets do",
        "javascript",
        'log(§"hello);\n',
        'log("hello");\n',
        '  this.rename(§"the item of the day);\n',
        '  this.rename("the item of the day");\n',
        ('get(§"key, 1);\n', 'log(§"hello + name);\n', "log(§hello);\n"),
    ),
    Lesson(
        "a bracket of a call",
        "python",
        "total = sum§(values\nx = 1\n",
        "total = sum(values)\nx = 1\n",
        'key = self.clean§(line.split(":")[0]\nx = 1\n',
        'key = self.clean(line.split(":")[0])\nx = 1\n',
        ("middle = §(a + b / 2\nx = 1\n", "same = normal§(a == normal(b)\nx = 1\n"),
    ),
    Lesson(
        "the last bracket of several",
        "javascript",
        'console.log("items: " + items.join(", "§);\n',
        'console.log("items: " + items.join(", "));\n',
        "this.counts.set(key, Math.max(1, this.counts.get(key)§);\n",
        "this.counts.set(key, Math.max(1, this.counts.get(key)));\n",
        ("console.assert(normal(a === normal(b)§);\n",),
    ),
    Lesson(
        "a bracket too many",
        "javascript",
        "console.log(f(1)§));\n",
        "console.log(f(1));\n",
        "  this.all.push(a.trim()§));\n",
        "  this.all.push(a.trim());\n",
        ("return a + 1§) * b;\n", "return a + f(1)§) * b;\n"),
    ),
    Lesson(
        "a brace too many",
        "javascript",
        "function f() {\n  return 1;\n}\n§}\n",
        "function f() {\n  return 1;\n}\n",
        "class Box {\n  size() {\n    return 1;\n  }\n}\n§}\n\nuse(Box);\n",
        "class Box {\n  size() {\n    return 1;\n  }\n}\n\nuse(Box);\n",
        (
            "function f(x) {\n  if (x > 0)\n    a();\n    b();\n  }\n  c();\n§}\n",
            "const c = [a, b§};\n",
        ),
    ),
    Lesson(
        "a brace too many, far from the complaint",
        "java",
        "class A {\n  void f() {\n    g();\n  }\n  }\n  void h() {}\n§}\n",
        "class A {\n  void f() {\n    g();\n  }\n  void h() {}\n}\n",
        "void f(int a,\n       int b) {\n  if (a) {\n    g();\n  }\n  }\n  h();\n§}\n",
        "void f(int a,\n       int b) {\n  if (a) {\n    g();\n  }\n  h();\n}\n",
        ("void f(int a) {\n  if (a)\n    g();\n  }\n  h();\n§}\n",),
    ),
    Lesson(
        "a brace that is missing where the lines go back",
        "javascript",
        "function f(a) {\n  if (a) {\n    return 1;\n  return 2;\n}\n§",
        "function f(a) {\n  if (a) {\n    return 1;\n  }\n  return 2;\n}\n",
        "class A {\n    g(items) {\n        for (const each of items) {\n            each();\n\n        return 1;\n    }\n}\n§",
        "class A {\n    g(items) {\n        for (const each of items) {\n            each();\n        }\n\n"
        "        return 1;\n    }\n}\n",
        (
            "function f(a) {\n  g(function () {\n    h();\n}\n§",
            "function f(a) {\n  return (a;\n}\n§",
        ),
    ),
    Lesson(
        "a word that goes",
        "python",
        "x = sorted(a, key=lambda x: §return x.name)\n",
        "x = sorted(a, key=lambda x: x.name)\n",
        "rows.sort(key=lambda row: §return -row.size)\n",
        "rows.sort(key=lambda row: -row.size)\n",
        ("x = §return items\n",),
    ),
    Lesson(
        "a variable that is declared twice",
        "javascript",
        "let sum = 0;\nlet §sum§ = 2;\n",
        "let sum = 0;\nsum = 2;\n",
        "  let text = a.trim();\n  let §text§ = text.toLowerCase();\n",
        "  let text = a.trim();\n  text = text.toLowerCase();\n",
        ("  const text = a.trim();\n  let §text§ = text.toLowerCase();\n",),
        why="text is a constant",
    ),
    Lesson(
        "a type and a variable",
        "python",
        "try:\n    f()\nexcept ValueError§, e:\n    print(e)\n",
        "try:\n    f()\nexcept ValueError as e:\n    print(e)\n",
        "try:\n    job()\nexcept RuntimeError§, error:\n    print(error)\n",
        "try:\n    job()\nexcept RuntimeError as error:\n    print(error)\n",
        ("try:\n    job()\nexcept RuntimeError§, ValueError:\n    g()\n",),
    ),
    Lesson(
        "a suffix of a number, whatever follows it",
        "java",
        "long a = 3000000000§;\n",
        "long a = 3000000000L;\n",
        "  wait(days, 86400000000§);\n",
        "  wait(days, 86400000000L);\n",
        ("long a = 3000000000 §b;\n",),
    ),
]


def _seen(marked: str) -> tuple[str, Diagnostic]:
    """Take the marks out of a text, and complain about what they enclose."""
    first, *rest = marked.split("§")
    start = first
    end = first + rest[0] if len(rest) > 1 else first
    area = Area(*_place(start), *_place(end))
    return "".join((first, *rest)), Diagnostic(
        "tool", "1", "syntax", "error", "invalid", "invalid", (), "a", area
    )


def _place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _learned(lesson: Lesson) -> Rule:
    before, said = _seen(lesson.before)
    rule = learn(before, lesson.after, said, lesson.target)
    assert isinstance(rule, Rule), rule
    return parse_rule(dump_rule(rule))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_a_lesson_repairs_another_text(lesson: Lesson) -> None:
    second, said = _seen(lesson.second)
    made = rewrite(_learned(lesson), second, said)
    assert isinstance(made, Rewritten), made
    assert made.text == lesson.fixed


@pytest.mark.parametrize(
    ("lesson", "near"),
    [
        pytest.param(lesson, near, id=f"{lesson.title}: {near}")
        for lesson in LESSONS
        for near in lesson.nears
    ],
)
def test_a_lesson_leaves_alone_what_is_only_like_it(lesson: Lesson, near: str) -> None:
    text, said = _seen(near)
    assert rewrite(_learned(lesson), text, said) == NoFit(lesson.why)


def test_the_end_of_the_file_is_no_tie_to_a_complaint() -> None:
    before, said = _seen("§x = 1\ny = 2\n```\n")
    assert learn(before, "x = 1\ny = 2\n", said, "python") == NotLearned(
        "the differences are not tied to the message or to its place"
    )


def test_marks_cut_a_text_in_the_same_way_whatever_its_quotes_are() -> None:
    one, other = "x = 'It's // 0755' # no\n", 'x = "It\'s // 0755" # no\n'
    texts = [[mark.text for mark in marks_of(text, "python")] for text in (one, other)]
    assert [len(each) for each in texts] == [len(texts[0])] * 2
    assert texts[0] == ["x", "=", "'", "It", "'", "s", "//", "0", "755", "'", "#", "no"]
    assert [mark.kind for mark in marks_of(other, "python")][-2:] == ["operator", "comment"]


@pytest.mark.parametrize(
    ("text", "nests"),
    [
        ("function f(a,\n           b) {\n  g();\n}\n", True),
        ("if (a)\n{\n  g();\n}\n", True),
        ("if (a) {\n  g();\n} else {\n  h({\n    b: 1,\n  });\n}\n", True),
        ("function f() {\n  g();\n  }\n", False),
        ("function f() {\n  g();\n", False),
        ("f(]\n", False),
    ],
)
def test_braces_nest_as_the_lines_are_indented(text: str, nests: bool) -> None:
    assert nests_as_indented(ParsedSource(text, "javascript")) is nests


def test_what_differs_makes_the_repaired_text_again() -> None:
    before = ParsedSource("a\nb(c\nd\ne\n", "python")
    after = ParsedSource("a\nnew\nb(c)\ne\nend\n", "python")
    differing = hunks_between(before, after)
    assert differing is not None
    assert apply_hunks(before, differing) == after.text
