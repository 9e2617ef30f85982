"""On which side of blank lines new lines go, and a first old line that was copied without its indentation."""

from __future__ import annotations

import pytest

from holdfast import Landed, Replace, land

APART = "one_line\n\n\ntwo_line\n"


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("one_line \n\ntwo_line\n", "one_line \n\nnew\n\ntwo_line\n", "one_line\n\n\nnew\n\ntwo_line\n"),
        ("one_line \ntwo_line\n", "one_line \nnew\ntwo_line\n", "one_line\nnew\n\n\ntwo_line\n"),
        ("one_line \ntwo_line\n", "one_line \nnew\n\ntwo_line\n", "one_line\n\n\nnew\n\ntwo_line\n"),
        ("one_line \ntwo_line\n", "one_line \n\nnew\ntwo_line\n", "one_line\n\nnew\n\n\ntwo_line\n"),
        ("one_line \ntwo_line\n", "two_line\n", "\n\ntwo_line\n"),
        ("one_line \ntwo_line\n", "one_line \n", "one_line\n\n\n"),
        ("one_line \n", "one_line \nnew\n", "one_line\nnew\n\n\ntwo_line\n"),
        ("one_line \n\n", "one_line \n\nnew\n", "one_line\n\nnew\n\ntwo_line\n"),
        ("two_line \n", "new\ntwo_line \n", "one_line\n\n\nnew\ntwo_line\n"),
        ("two_line \n", "new\n\ntwo_line \n", "one_line\n\n\nnew\n\ntwo_line\n"),
        ("\ntwo_line \n", "\nnew\ntwo_line \n", "one_line\n\n\nnew\ntwo_line\n"),
    ],
)  # fmt: skip
def test_new_lines_go_on_the_side_of_the_blank_lines_on_which_the_request_has_them(
    old: str, new: str, after: str
) -> None:
    outcome = land(APART, Replace(old, new), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == after


CLASS = "class A:\n    def f(self):\n{}        three(3)\n"
BODY = "        one(1)\n        two(2)\n"


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("one(1)\n        two(2)\n", "one(5)\n        two(2)\n", "        one(5)\n        two(2)\n"),
        (
            "one(1)\n        two(2)\n",
            "one(5)\n        six(6)\n        two(2)\n",
            "        one(5)\n        six(6)\n        two(2)\n",
        ),
        ("one(1)\n", "one(5)\n        six(6)\n", "        one(5)\n        six(6)\n        two(2)\n"),
        ("one(1)\n", "one(5)\nsix(6)\n", "        one(5)\n        six(6)\n        two(2)\n"),
        ("one(1)\n", "if a:\n    one(1)\n", "        if a:\n            one(1)\n        two(2)\n"),
        ("one(1)\n", "if a:\n            one(1)\n", "        if a:\n            one(1)\n        two(2)\n"),
        ("  one(1)\n        two(2)\n", "  one(5)\n        two(2)\n", "        one(5)\n        two(2)\n"),
        ("one(1)\ntwo(2)\n", "one(5)\ntwo(2)\n", "        one(5)\n        two(2)\n"),
        ("       one(1)\n", "       one(5)\n        six(6)\n", "        one(5)\n        six(6)\n        two(2)\n"),
    ],
)  # fmt: skip
def test_a_first_line_without_its_indentation_gets_that_of_the_file(
    old: str, new: str, body: str
) -> None:
    outcome = land(CLASS.format(BODY), Replace(old, new), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == CLASS.format(body)
