"""A comment in the place of lines that vanish: how many may, in a part of a file and in a whole one."""

from __future__ import annotations

import pytest

from holdfast.landing.lost_lines import judge_lost_lines
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc

BODY = "def f():\n    one(1)\n    two(2)\n    three(3)\n    four(4)\n    return five\n"
TWO, THREE, FOUR, FIVE = "    two(2)\n", "    three(3)\n", "    four(4)\n", "    return five\n"


@pytest.mark.parametrize(
    ("old", "new", "part", "whole"),
    [
        (TWO, "    # note\n", "", ""),
        (TWO + THREE, "    # note\n", "# note", "# note"),
        (TWO + THREE, "    x(1)\n    # note\n", "# note", "# note"),
        (TWO + THREE + FOUR, "    x(1)\n    y(1)\n    # note\n", "# note", "# note"),
        (TWO + THREE + FOUR, "    # note\n    x(1)\n", "", ""),
        (TWO + THREE, "        # note\n", "# note", "# note"),
        (TWO + THREE, "    # note\n\n", "# note", "# note"),
        (TWO + THREE, "    # two(2)\n    # three(3)\n", "", ""),
        (TWO + THREE, "    # note\n    two(22)\n", "", ""),
        (TWO, "    # ...\n", "# ...", "# ..."),
        (TWO, "    # ...\n    two(2)\n", "", ""),
        (TWO + THREE + FOUR, "    # ...\n    two(2)\n    three(3)\n", "# ...", "# ..."),
        (FOUR + FIVE, "    # the rest\n", "# the rest", "# the rest"),
        (FIVE, "    # note\n", "", "# note"),
        (FOUR + FIVE, "    # note\n", "# note", "# note"),
        ("def f():\n", "# note\n", "# note", "# note"),
        ("def f():\n", "# note\ndef g():\n", "", ""),
    ],
)
def test_a_comment_stands_for_lines_if_more_vanish_than_one_is_honest_about(
    old: str, new: str, part: str, whole: str
) -> None:
    after = Doc(BODY.replace(old, new)).lines
    before, language = Doc(BODY).lines, language_of("a.py")
    for is_whole, line in ((False, part), (True, whole)):
        refusal = judge_lost_lines(before, after, language, whole_file=is_whole)
        if not line:
            assert refusal is None
            continue
        assert refusal is not None
        assert refusal.reason == "elision"
        assert refusal.message.startswith(f"the new text has `{line}`, and lines of the old text")
