"""The options of a program against a list of those that are allowed."""

from __future__ import annotations

import pytest

from holdfast.guards.shell.options import NotAllowed, ParsedOptions, parse_options

ALLOWED = "-i -n -# -e= -M? --all --color=? --sort="


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("", ParsedOptions((), (), 0)),
        ("a - b", ParsedOptions((), ("a", "-", "b"), 3)),
        ("-in a", ParsedOptions(("-i", "-n"), ("a",), 1)),
        ("-12 a", ParsedOptions(("-#",), ("a",), 1)),
        ("-e x a", ParsedOptions(("-e",), ("a",), 1)),
        ("-ex a", ParsedOptions(("-e",), ("a",), 1)),
        ("-ee a", ParsedOptions(("-e",), ("a",), 1)),
        ("-ine x a", ParsedOptions(("-i", "-n", "-e"), ("a",), 1)),
        ("-M a", ParsedOptions(("-M",), ("a",), 1)),
        ("-M90 a", ParsedOptions(("-M",), ("a",), 1)),
        ("--all a", ParsedOptions(("--all",), ("a",), 1)),
        ("--color a", ParsedOptions(("--color",), ("a",), 1)),
        ("--color=no a", ParsedOptions(("--color",), ("a",), 1)),
        ("--sort x a", ParsedOptions(("--sort",), ("a",), 1)),
        ("--sort=x a", ParsedOptions(("--sort",), ("a",), 1)),
        ("a -- -x --y", ParsedOptions((), ("a", "-x", "--y"), 1)),
        ("-e -x", NotAllowed("-e")),
        ("-ie -x", NotAllowed("-e")),
        ("-e", ParsedOptions(("-e",), (), 0)),
        ("a --sort", ParsedOptions(("--sort",), ("a",), 1)),
        ("--sort --all", NotAllowed("--sort")),
        ("--all=x", NotAllowed("--all")),
        ("--al", NotAllowed("--al")),
        ("--none=x", NotAllowed("--none")),
        ("-ix", NotAllowed("-x")),
        ("-e= a", ParsedOptions(("-e",), ("a",), 1)),
        ("-1x", NotAllowed("-1")),
    ],
)
def test_options_are_read_as_getopt_does(line: str, parsed: ParsedOptions | NotAllowed) -> None:
    assert parse_options(line.split(), ALLOWED) == parsed


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("-i a -n -e x", ParsedOptions(("-i",), ("a", "-n", "-e", "x"), 4)),
        ("-e x a -n -- b --", ParsedOptions(("-e",), ("a", "-n", "b", "--"), 2)),
        ("-- a -n", ParsedOptions((), ("a", "-n"), 0)),
        ("-x a", NotAllowed("-x")),
    ],
)
def test_the_first_operand_ends_the_options_where_the_program_stops_there(
    line: str, parsed: ParsedOptions | NotAllowed
) -> None:
    assert parse_options(line.split(), ALLOWED, stops=True) == parsed


def test_a_value_may_be_empty_and_the_word_behind_it_is_an_option() -> None:
    assert parse_options(["-e", "", "-i", "a"], ALLOWED) == ParsedOptions(("-e", "-i"), ("a",), 1)


def test_an_option_without_a_value_is_not_allowed_with_one() -> None:
    assert parse_options(["--alone=x"], "--alone") == NotAllowed("--alone")
    assert parse_options(["--alone"], "--alone") == ParsedOptions(("--alone",), (), 0)


def test_a_number_is_an_option_only_where_the_list_has_one() -> None:
    assert parse_options(["-5"], "-n=") == NotAllowed("-5")
