"""Templates: the same complaint about other names has the same template."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.diagnostics.message_template import Quotes, split_message

NAMES = st.text("abXY_09<>[], :", max_size=8).map(lambda rest: f"n{rest}>")
COUNTS = st.integers(0, 10_000).map(str)
MESSAGES: list[tuple[Quotes, str]] = [
    ("backtick", "cannot find value `{}` in this scope"),
    ("backtick", "can't use `{}`: it doesn't live as long as `{}`"),
    ("single", "Type '{}' is not assignable to type '{}'."),
    ("single", "'{}' has no member named '{}'; did you mean '{}'?"),
    ("double", 'Argument "{}" to "{}" has incompatible type "{}"; expected "{}"'),
    ("double", "Incompatible types (expression has type \"{}\", variable has type 'X')"),
    ("any", "‘{}’ undeclared (first use in this function)"),
    ("any", "Cannot use “{}” or `{}` with '{}' or \"{}\""),
]


@given(st.sampled_from(MESSAGES), st.lists(NAMES, min_size=8, max_size=8))
def test_the_same_message_with_other_names_has_the_same_template(
    message: tuple[Quotes, str], names: list[str]
) -> None:
    quotes, text = message
    template, args = split_message(text.format(*names), quotes)
    first, _ = split_message(text.format(*"abcdefgh"), quotes)
    assert template == first
    assert args[: text.count("{}")] == tuple(names[: text.count("{}")])


@given(COUNTS, COUNTS)
def test_one_and_many_are_the_same_complaint(one: str, two: str) -> None:
    def message(takes: str, given: str) -> str:
        plural, verb = ("", "was") if given == "1" else ("s", "were")
        takes_plural = "" if takes == "1" else "s"
        return f"this function takes {takes} argument{takes_plural} but {given} argument{plural} {verb} supplied"

    template, args = split_message(message(one, two), "backtick")
    assert template == "this function takes {0} argument(s) but {1} argument(s) was supplied"
    assert args == (one, two)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "1 positional argument in format string, but no arguments were given",
            "2 positional arguments in format string, but no arguments were given",
        ),
        ("expected 1 generic argument", "expected 3 generic arguments"),
        ("there is 1 argument", "there are 2 arguments"),
        (
            "Type '5' is not an array type or a string type.",
            "Type 'x' is not an array type or a string type.",
        ),
    ],
)
def test_counts_do_not_make_another_template(one: str, other: str) -> None:
    assert split_message(one)[0] == split_message(other)[0]


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("expected ';' before '}' token", "expected ';' before '}' token"),
        (
            "expected one of `.`, `;` or `}`, found `x`",
            "expected one of `.`, `;` or `}`, found {0}",
        ),
        ("ISO C90 forbids mixed declarations", "ISO C90 forbids mixed declarations"),
        ("don't repeat what you can't", "don't repeat what you can't"),
        ("added in Python 3.12.", "added in Python {0}."),
        ("see E0308 and U+201C", "see E0308 and U+201C"),
        ("an open 'quote", "an open 'quote"),
        ("empty '' and ``", "empty '' and ``"),
    ],
)
def test_what_is_no_name_stays(message: str, template: str) -> None:
    assert split_message(message)[0] == template


def test_a_name_without_quotes_is_found_where_the_tool_is_known_for_it() -> None:
    undefined = (re.compile(r"undefined: (\S+)"),)
    assert split_message("undefined: x", "any", undefined) == ("undefined: {0}", ("x",))
    assert split_message("defined: x", "any", undefined) == ("defined: x", ())


@given(st.text(max_size=80), st.sampled_from(["backtick", "single", "double", "any"]))
def test_any_text_has_a_template_with_as_many_holes_as_names(text: str, quotes: Quotes) -> None:
    template, args = split_message(text, quotes)
    assert len(args) == 0 or f"{{{len(args) - 1}}}" in template
