"""What surrounds a place: the comments about it, and how its variables are used afterwards."""

from __future__ import annotations

import pytest

from holdfast.rules.match.context import comments_at, owners_at, uses_of
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Target


def _comments(text: str, word: str = "here", language: Target = "python") -> list[str]:
    source = ParsedSource(text, language)
    start = text.rindex(word)
    return comments_at(source, start, start + len(word)).split("\n")


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("def f():\n    'About f.'\n    here\n", ["'About f.'"]),
        ("def f():\n    # First.\n    'About f.'\n    here\n", ["# First.", "'About f.'"]),
        ("def f():\n    g()\n    'no docstring'\n    here\n", [""]),
        ("def f():\n    'About f.'\n    'no docstring'\n    here\n", ["'About f.'"]),
        ("class A:\n    'About A.'\n    def f(self):\n        here\n", ["'About A.'"]),
        ("'About all.'\n\n\ndef f():\n    here\n", [""]),
        ("def g():\n    'About g.'\n\n\ndef f():\n    here\n", [""]),
        ("def f():\n    here  # Beside.\n", ["# Beside."]),
        ("def f():\n    here\n    # Below.\n", ["# Below."]),
        ("# Above.\ndef f():\n    here\n", ["# Above."]),
        ("# One.\n# Two.\ndef f():\n    here\n", ["# One.", "# Two."]),
        ("# Above.\n@cached\ndef f():\n    here\n", ["# Above."]),
        ("# Apart.\n\ndef f():\n    here\n", [""]),
        ("here = 1  # Of it.\n\n\ndef f():\n    here\n", ["# Of it."]),
        ("x = 1  # Of another.\n\n\ndef f():\n    here\n", [""]),
        ("def g():\n    x()  # In another.\n\n\ndef f():\n    here\n", [""]),
        ("# Above.\nhere\nx = 1  # Beside another.\n", ["# Above."]),
        ("x = 1\nhere  # Beside.\n", ["# Beside."]),
    ],
)
def test_a_comment_is_about_a_place_above_it_in_its_function_or_at_its_names(
    text: str, comments: list[str]
) -> None:
    assert _comments(text) == comments


def test_a_comment_of_c_is_above_its_function_and_a_line_of_the_preprocessor_is_none() -> None:
    text = "/* About f. */\nvoid f(void) {\n    here();\n}\n"
    assert _comments(text, language="c") == ["/* About f. */"]
    assert _comments(text.replace("void f", "#define N 1\nvoid f"), language="c") == [""]


def test_the_functions_and_types_around_a_place_are_its_owners() -> None:
    text = "class A {\n  f() {\n    return () => here;\n  }\n}\nfunction g() {}\n"
    source = ParsedSource(text, "javascript")
    kinds = [node.kind() for node in owners_at(source, text.index("here"))]
    assert kinds == ["class_declaration", "class_body", "method_definition", "arrow_function"]
    assert owners_at(source, len(text)) == []


USED = "def f(n):\n    n = here\n    g(n)\n    if n < 0:\n        return 0 > n\n    return m\n\n\ndef h(n):\n    print(n)\n"


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("n", ("argument_list ( 1", "comparison_operator < 0", "comparison_operator > 2")),
        ("m", ("return_statement return 1",)),
        ("k", ()),
    ],
)
def test_a_variable_is_used_in_its_function_after_a_place(name: str, uses: tuple[str, ...]) -> None:
    source = ParsedSource(USED, "python")
    start = USED.index("n = here")
    assert uses_of(source, name, start, start + len("n = here")) == uses
    assert uses_of(source, name, start, USED.index("return m")) == (uses if name == "m" else ())


def test_outside_of_a_function_a_variable_is_used_to_the_end_of_the_text() -> None:
    source = ParsedSource("n = 1\ng(n)\nh[n]\n", "python")
    assert uses_of(source, "n", 0, 5) == ("argument_list ( 1", "subscript [ 2")
    assert uses_of(source, "n", 0, 8) == ("argument_list ( 1", "subscript [ 2")
    assert uses_of(source, "n", 0, 9) == ("subscript [ 2",)
