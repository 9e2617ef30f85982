"""Types as messages spell them: what two have in common, their outline, and which a common one stands for."""

from __future__ import annotations

import pytest

from holdfast.rules.type_text import common_type, fits_type, outline


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("int", "int", "int"),
        ("int", "i32", "<number>"),
        ("<number>", "u8", "<number>"),
        ("x", "y", ""),
        ("_", "_", ""),
        ("<struct>", "<enum>", ""),
        ("list[int]", "list[int]", "list[int]"),
        ("list[int]", "set[int]", "_[int]"),
        ("list[int]", "list", ""),
        ("list[list[int]]", "list[int]", "list[_]"),
        ("list[list[int]]", "list[list[str]]", "list[list[_]]"),
        ("int[]", "str[]", "_[]"),
        ("int[]", "int[3]", "int[_]"),
        ("a<b>", "a[b]", ""),
        ("a::b", "a::c", "a::_"),
        ("Map<int,str>", "Map<str,int>", "Map<_,_>"),
        ("Map<int,str>", "Map<str>", "Map<_>"),
        ("f(int)", "f(str, int)", ""),
        ("const char *", "const int *", "const _*"),
        ("unsigned long", "unsigned int", "unsigned <number>"),
        ("std::__cxx11::string", "std::string", "std::string"),
        ("list[int", "list[str", "list[_"),
    ],
)
def test_what_differs_between_two_types_is_free_within_the_same_shape(
    one: str, other: str, common: str
) -> None:
    assert (common_type(one, other), common_type(other, one)) == (common, common)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "int"),
        ("unsigned long", "unsigned long"),
        ("char*", "char*"),
        ("std::vector<int>", "std::vector<_>"),
        ("std::array<int, 3>", "std::array<_>"),
        ("list[list[int]]", "list[_]"),
        ("Map<int, str>", "Map<_>"),
        ("f(a<b>, c[d])", "f(a<_>,c[_])"),
        ("double[]", "_[]"),
        ("a<b>[]", "_[]"),
        ("int[3]", "int[_]"),
        ("list[", "list["),
    ],
)
def test_the_outline_of_a_type_has_no_types_of_elements(text: str, expected: str) -> None:
    assert outline(text) == expected


@pytest.mark.parametrize(
    ("text", "pattern", "fits"),
    [
        ("x", "x", True),
        ("x", "y", False),
        ("int", "<number>", True),
        ("list[int]", "list[_]", True),
        ("list[list[int]]", "list[_]", True),
        ("list[int]", "list[<number>]", True),
        ("list[str]", "list[<number>]", False),
        ("int[]", "_[]", True),
        ("String", "_[]", False),
        ("Map<a,b>", "Map<_>", True),
        ("Map<a,b>", "Map<_,_>", True),
        ("a", "<struct>", False),
    ],
)
def test_a_type_fits_a_common_one_itself_or_by_its_outline(
    text: str, pattern: str, fits: bool
) -> None:
    assert fits_type(text, pattern) is fits


def test_what_cpp_declares_as_a_class_or_as_a_struct_is_the_same() -> None:
    assert common_type("<class>*", "<struct>*") == "<class>*"
    assert fits_type("<struct>", "<class>")
    assert not fits_type("<enum>", "<class>")
