"""Which fixes of a compiler are certain enough to be applied without asking anybody."""

from __future__ import annotations

import shutil

import pytest

from tests.rules.compilers import complaints

CASES = [
    ("gcc", "int f(void) {\n    return 1\n}\n", True),
    (
        "gcc",
        "int f(int a) {\n    if ((a > 1) {\n        return 1;\n    }\n    return 2;\n}\n",
        False,
    ),
    ("gcc", "int max_price(int a);\nint f(int a) { return max_prise(a); }\n", False),
    ("rustc", "pub fn f() -> i32 {\n    let a = 1;\n    a = 2;\n    a\n}\n", False),
    ("rustc", "pub fn f(a: bool, b: bool) {\n    if not a == b {}\n}\n", False),
    ("rustc", "pub fn f(a: i32) -> i32 {\n    a + 1;\n}\n", False),
    ("rustc", "pub fn f() -> i32 {\n    let a = 1\n    a\n}\n", True),
    ("rustc", "pub fn f(n: u64) -> u32 {\n    let m: u32 = n;\n    m\n}\n", False),
]


@pytest.mark.parametrize(("tool", "text", "certain"), CASES)
def test_a_separator_is_certain_and_a_bracket_a_name_a_call_or_a_keyword_is_a_guess(
    tool: str, text: str, certain: bool
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    fixits = [fixit for said in complaints(tool, text) for fixit in said.fixits]
    assert fixits, "the compiler proposes a fix"
    assert any(fixit.safe for fixit in fixits) is certain
