from __future__ import annotations

import pytest

from holdfast.tools.globs import glob_to_regex

PATHS = (
    "a.py",
    "a.pyc",
    "a.py/b",
    "b.js",
    "ab.py",
    "src/a.py",
    "src/b/a.py",
    "src/b/c.js",
    "x[1]/a",
)


@pytest.mark.parametrize(
    ("glob", "matched"),
    [
        ("a.py", ["a.py", "src/a.py", "src/b/a.py"]),
        ("./a.py", ["a.py", "src/a.py", "src/b/a.py"]),
        ("/a.py", ["a.py", "src/a.py", "src/b/a.py"]),
        ("?.py", ["a.py", "src/a.py", "src/b/a.py"]),
        ("*.js", ["b.js", "src/b/c.js"]),
        ("src", []),
        ("src/", ["src/a.py", "src/b/a.py", "src/b/c.js"]),
        ("src/*", ["src/a.py"]),
        ("src/**", ["src/a.py", "src/b/a.py", "src/b/c.js"]),
        ("src/**/a.py", ["src/a.py", "src/b/a.py"]),
        ("/src/*.py", ["src/a.py"]),
        ("[ab].*", ["a.py", "a.pyc", "b.js", "src/a.py", "src/b/a.py"]),
        ("[!a].*", ["b.js", "src/b/c.js"]),
        ("{a.py,b.js}", ["a.py", "b.js", "src/a.py", "src/b/a.py"]),
        ("src/{b/*,*}.{js,py}", ["src/a.py", "src/b/a.py", "src/b/c.js"]),
        ("x[[]1]/a", ["x[1]/a"]),
        ("a.p", []),
    ],
)
def test_a_glob_matches_whole_paths(glob: str, matched: list[str]) -> None:
    assert [path for path in PATHS if glob_to_regex(glob).fullmatch(path)] == matched


@pytest.mark.parametrize("literal", ["{", "}", "[", "]", "[]", "a.b", "(a|b)", "a+"])
def test_what_is_no_wildcard_matches_itself_only(literal: str) -> None:
    matched = [
        text
        for text in (literal, "a", "b", "aa", "axb", "")
        if glob_to_regex(literal).fullmatch(text)
    ]
    assert matched == [literal]
