"""The syntax gate: a guess must not break a file that parsed."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, Replace, land
from holdfast.syntax.parse_check import language_of, parses

PYTHON = "def load(path):\n    # read it all\n    data = read(path)\n    return parse(data)\n"
DRIFTED = "def load(path):\n    # read everything\n    data = read(path)\n    return parse(data)\n"


def test_a_guessed_landing_that_breaks_the_file_is_refused() -> None:
    request = Replace(DRIFTED, DRIFTED.replace("return parse(data)", "return parse(data"))
    outcome = land(PYTHON, request, path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "syntax"
    assert "python" in outcome.message


def test_an_exact_landing_that_breaks_the_file_carries_a_warning() -> None:
    outcome = land(PYTHON, Replace("return parse(data)", "return parse(data"), path="a.py")
    assert isinstance(outcome, Landed)
    assert outcome.warning is not None
    assert "no longer parses as python" in outcome.warning


def test_a_file_that_did_not_parse_before_is_not_judged() -> None:
    broken = PYTHON + "def (:\n"
    request = Replace(DRIFTED, DRIFTED.replace("return parse(data)", "return parse(data"))
    assert isinstance(land(broken, request, path="a.py"), Landed)


def test_without_a_path_or_a_known_language_there_is_no_gate() -> None:
    for path in (None, "notes.txt", "Makefile", "a.unknown"):
        outcome = land(PYTHON, Replace("return parse(data)", "return parse(data"), path=path)
        assert isinstance(outcome, Landed)
        assert outcome.warning is None


def test_a_file_of_more_than_a_megabyte_is_not_parsed() -> None:
    assert parses("x = (\n" + "#" * 1_000_000, "python") is None


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("a.py", "x = 1\n", "x = (\n"),
        ("a.js", "let x = 1;\n", "let x = = 1;\n"),
        ("a.ts", "let x: number = 1;\n", "let x: = = 1;\n"),
        ("a.tsx", "const x = <a>b</a>;\n", "const x = <a>b</c;\n"),
        ("a.c", "int main(void) { return 0; }\n", "int main(void) { return ) 0; }\n"),
        ("a.cpp", "class A { int x; };\n", "class A { int x = = ; };\n"),
        ("a.rs", "fn main() {}\n", "fn main() { let = ; }\n"),
        ("a.go", "package a\n\nfunc f() {}\n", "package a\n\nfunc f() { := 1 }\n"),
        ("A.java", "class A { int x; }\n", "class A { int = = x; }\n"),
        ("a.json", '{"a": 1}\n', '{"a": , 1}\n'),
        ("a.css", "a { color: red; }\n", "a { color: red; }}} b {{\n"),
        ("a.sh", "if true; then echo; fi\n", "if true; then ) echo; fi\n"),
    ],
)
def test_each_language_tells_good_from_bad(name: str, good: str, bad: str) -> None:
    language = language_of(name)
    assert language is not None
    assert parses(good, language) is True
    assert parses(bad, language) is False


def test_bytes_that_are_no_text_and_a_byte_order_mark_do_not_trouble_a_parser() -> None:
    assert parses("\ufeffx = '\udce9'\n", "python") is True
    assert parses("let x = '\udce9';\n", "javascript") is True
