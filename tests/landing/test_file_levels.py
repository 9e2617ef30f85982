"""What a file shows about its indentation, and what a request's indentation is there: tables of whole values."""

from __future__ import annotations

import pytest

from holdfast.landing.projection.indentation import Indents, map_indents, unit_of
from holdfast.landing.projection.levels import FileLevels, end_of, is_closer, step_between
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc

BLANKS4, BLANKS2, TABS = (Doc(f"a\n{unit}b\n{unit}{unit}c\n") for unit in ("    ", "  ", "\t"))


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a\n", "    "),
        ("a\n b\n", "    "),
        ("a\n  b\n", "  "),
        ("a\n     b\n", "    "),
        ("a\n        b\n", "        "),
        ("a\n\tb\n", "\t"),
        ("a\n\tb\n\tc\n  d\n", "\t"),
        ("a\n   b\na\n   b\na\n  c\n", "   "),
        ("a\n    b\n      c\n    d\n      e\n", "  "),
    ],
)
def test_the_unit_of_a_file_is_its_commonest_step_or_a_tab(text: str, unit: str) -> None:
    assert unit_of(Doc(text)) == unit


ASKED = ("", "  ", "    ", "        ", "\t", "\t  ", "   ")


@pytest.mark.parametrize(
    ("doc", "pairs", "indents", "mapped"),
    [
        (
            BLANKS4,
            [("a", "a"), ("    b", "    b")],
            Indents({}),
            ("", "  ", "    ", "        ", "\t", "\t  ", "   "),
        ),
        (
            BLANKS4,
            [("a", "    a"), ("    b", "        b")],
            Indents({"": "    ", "    ": "        "}, shift=4, unit="    "),
            ("    ", " " * 6, " " * 8, " " * 12, " " * 12, " " * 14, " " * 7),
        ),
        (
            BLANKS4,
            [("a", "a"), ("  b", "    b"), ("    c", "        c")],
            Indents({"": "", "  ": "    ", "    ": "        "}, step=2, unit="    "),
            ("", "    ", "        ", " " * 16, " " * 16, " " * 20, " " * 5),
        ),
        (
            TABS,
            [("a", "a"), ("    b", "\tb")],
            Indents({"": "", "    ": "\t"}, step=4, unit="\t"),
            ("", "  ", "\t", "\t\t", "\t", "\t\t  ", "   "),
        ),
        (
            TABS,
            [("a", "\ta")],
            Indents({"": "\t"}, shift=8, unit="\t"),
            ("\t", "\t  ", "\t    ", "\t\t", "\t\t", "\t\t  ", "\t   "),
        ),
        (
            TABS,
            [("    a", "\ta"), ("        b", "\t\tb")],
            Indents({"    ": "\t", "        ": "\t\t"}, step=4, unit="\t"),
            ("", "", "\t", "\t\t", "\t", "\t\t  ", ""),
        ),
        (
            BLANKS2,
            [("    a", "  a"), ("        b", "    b")],
            Indents({"    ": "  ", "        ": "    "}, step=4, unit="  "),
            ("", "", "  ", "    ", "    ", " " * 6, ""),
        ),
        (
            BLANKS4,
            [(" a", "a"), ("     b", "    b")],
            Indents({" ": "", "     ": "    "}, step=4, unit="    "),
            ("", " ", "   ", " " * 7, " " * 7, " " * 9, "  "),
        ),
        (
            BLANKS4,
            [("a", " a")],
            Indents({"": " "}, shift=1, unit="    "),
            (" ", "   ", " " * 5, " " * 9, " " * 9, " " * 11, "    "),
        ),
        (
            BLANKS4,
            [("a", "    a"), (" * b", "     * b")],
            Indents({"": "    ", " ": "     "}, shift=4, unit="    "),
            ("    ", " " * 6, " " * 8, " " * 12, " " * 12, " " * 14, " " * 7),
        ),
        (
            BLANKS4,
            [("a", "    a"), ("    b", "    b"), ("        c", "            c")],
            Indents({"": "    ", "        ": " " * 12}, shift=4, unit="    "),
            ("    ", " " * 6, " " * 8, " " * 12, " " * 12, " " * 14, " " * 7),
        ),
    ],
)
def test_an_indentation_is_shifted_or_scaled_as_the_lines_on_both_sides_show(
    doc: Doc, pairs: list[tuple[str, str]], indents: Indents, mapped: tuple[str, ...]
) -> None:
    found = map_indents(pairs, [line for line, _ in pairs], doc)
    assert found == indents
    assert tuple(map(indents.map, ASKED)) == mapped


def test_one_indentation_that_is_two_in_the_file_has_no_map() -> None:
    assert map_indents([("a", "a"), ("b", "    b")], ["a", "b"], BLANKS4) is None


@pytest.mark.parametrize(
    ("above", "line", "step"),
    [
        ("a", "b", ""),
        ("a", "  b", "  "),
        ("  a", "b", ""),
        ("  a", "    b", "  "),
        ("  a", "\tb", "\t"),
        ("\ta", "        b", ""),
        ("\ta", "         b", " " * 9),
    ],
)
def test_a_step_is_what_is_deeper_in_columns(above: str, line: str, step: str) -> None:
    assert step_between(above, line) == step


def test_the_end_of_a_line_is_its_last_word_or_mark() -> None:
    ends = {
        "a {": "{",
        "if x: ": ":",
        "do it": "it",
        "<a/>": "/>",
        "<b></b>": "/>",
        "<b>": ">",
        "": "",
    }
    assert {line: end_of(line) for line in ends} == ends
    closers = ["}", ");", "end", "else {", "</a>", "", "  ]"]
    assert list(filter(is_closer, [*closers, "endx", "ab", "a }"])) == closers


FILES = {
    "a.py": "def a():\n    b\n\ndef c():\n    d\n    if e:\n        f\n",
    "a.go": "func a() {\n\tb()\n}\n",
    "a.yml": "a:\n  b: 1\n  c:\n    d: 2\n",
    "a.js": "/*\n * x\n */\nfunction a() {\n  b();\n}\nlet c = {\n  d: 1,\n};\n",
    "a.tf": 'a "b" {\n  c = 1\n  d {\n    e = 2\n    f = 3\n  }\n}\n\na "g" {\n  h = 4\n}\n',
    "m.c": "int a\n{\n\tb;\n    c;\n\td;\n}\n",
}
STEPS = ("\t", " ", "  ", "   ", "    ")


def levels_of(path: str) -> FileLevels:
    return FileLevels(Doc(FILES[path], language_of(path)))


@pytest.mark.parametrize(
    ("path", "steps", "char", "outermost", "openers"),
    [
        ("a.py", {":": {"    ": 3}, "b": {"": 1}, "d": {"": 1}}, " ", {"def"}, {"def", "if"}),
        ("a.go", {"{": {"\t": 1}}, "\t", set(), {"func"}),
        ("a.yml", {":": {"  ": 2}, "1": {"": 1}}, " ", set(), {"a", "c"}),
        (
            "a.js",
            {"*": {" ": 1}, "/": {"": 1}, "{": {"  ": 2}, "}": {"": 1}},
            " ",
            set(),
            {"", "function", "let"},
        ),
        (
            "a.tf",
            {"{": {"  ": 3}, "1": {"": 1}, "2": {"": 1}, "}": {"": 1}},
            " ",
            {"a"},
            {"a", "d"},
        ),
        ("m.c", {"{": {"\t": 1}, ";": {"": 1, "\t": 1}}, "", set(), {"", "c"}),
    ],
)
def test_the_steps_of_a_file_are_counted_by_the_end_of_the_line_above(
    path: str,
    steps: dict[str, dict[str, int]],
    char: str,
    outermost: set[str],
    openers: set[str],
) -> None:
    levels = levels_of(path)
    assert {end: dict(counts) for end, counts in levels.steps.items()} == steps
    assert (levels.char, set(levels.outermost), set(levels.openers)) == (char, outermost, openers)


@pytest.mark.parametrize(
    ("path", "above", "always", "opens", "steps", "fitting"),
    [
        ("a.py", "if x:", True, True, {"    "}, {"", "    "}),
        ("a.py", "b()", False, False, set(STEPS), {""}),
        ("a.py", "for a in b", False, False, set(STEPS), {""}),
        ("a.py", "a {", False, True, {"    "}, {"", "    "}),
        ("a.go", "a {", False, True, {"\t"}, {"", "\t"}),
        ("a.go", "if x:", False, True, {"\t"}, {"", "\t"}),
        ("a.yml", "a:", True, True, {"  "}, {"", "  "}),
        ("a.yml", "b()", False, False, set(STEPS), {""}),
        ("a.js", "a {", True, True, {" ", "  "}, {"", " ", "  "}),
        ("a.js", "let x = {", False, True, {" ", "  "}, {"", " ", "  "}),
        ("a.js", "return (", False, True, {" ", "  "}, {"", " ", "  "}),
        ("a.js", "b()", False, False, set(STEPS), {""}),
        ("a.tf", "a {", True, True, {"  "}, {"", "  "}),
        ("a.tf", "b()", False, False, set(STEPS), {""}),
        ("m.c", "a {", False, True, {"\t"}, {"", "\t"}),
    ],
)
def test_what_may_be_below_a_line_is_what_the_file_has_below_such_lines(
    path: str, above: str, always: bool, opens: bool, steps: set[str], fitting: set[str]
) -> None:
    levels = levels_of(path)
    assert (levels.always_steps(above), levels.opens(above)) == (always, opens)
    assert {one for one in STEPS if levels.may_step(above, one)} == steps
    assert {one for one in ("", *STEPS) if levels.fit(above, [f"{one}x"])} == fitting


def test_below_a_line_that_opens_nothing_no_line_is_deeper() -> None:
    levels = FileLevels(Doc("a {\n  b;\n  c;\n  d;\n  e;\n}\n", language_of("a.js")))
    assert [levels.may_step("x;", step) for step in STEPS] == [False] * len(STEPS)
