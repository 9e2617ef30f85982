"""Where new lines go and how they are indented: as the lines of the file are, however the request was indented."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, Replace, land

METHODS = """\
class A:
    def f(self):
        if x:
            one()
            two()

    def g(self):
        three()
"""
NESTED = METHODS.replace(
    "            two()\n",
    "            if y:\n                more()\n            two()\n",
)


def landed(text: str, request: Replace | Patch, path: str | None = "a.py") -> str:
    outcome = land(text, request, path)
    assert isinstance(outcome, Landed), outcome
    return outcome.text


def insert(old: str, new: str) -> Replace:
    """Return the request that has the lines `new` above the last of the lines `old`."""
    *above, last = old.splitlines(keepends=True)
    return Replace(old, "".join((*above, new, last)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if x:\n    one()\n    two()\n", "    if y:\n        more()\n"),
        ("if x:\n  one()\n  two()\n", "  if y:\n    more()\n"),
        (
            "      if x:\n          one()\n          two()\n",
            "          if y:\n              more()\n",
        ),
        (
            f"{' ' * 16}if x:\n{' ' * 20}one()\n{' ' * 20}two()\n",
            f"{' ' * 20}if y:\n{' ' * 24}more()\n",
        ),
        # Only the first line lacks its indentation: the others are the file's.
        (
            "if x:\n            one()\n            two()\n",
            "            if y:\n                more()\n",
        ),
        # One line is off by a column: a slip, the others count.
        (
            "        if x:\n            one()\n           two()\n",
            "            if y:\n                more()\n",
        ),
    ],
)
def test_new_lines_are_as_deep_beside_the_lines_of_the_file_as_beside_the_old_ones(
    old: str, new: str
) -> None:
    assert landed(METHODS, insert(old, new)) == NESTED


def test_levels_of_blanks_become_the_tabs_of_the_file() -> None:
    text, after = (code.replace("    ", "\t") for code in (METHODS, NESTED))
    old = "    if x:\n        one()\n        two()\n"
    new = "        if y:\n            more()\n"
    assert landed(text, insert(old, new)) == after


def test_a_level_of_two_blanks_becomes_a_tab_where_the_file_shows_one_level_only() -> None:
    outcome = landed(
        "func a() {\n\tone()\n\ttwo()\n}\n",
        insert("  one()\n  two()\n", "  if x {\n    more()\n  }\n"),
        "a.go",
    )
    assert outcome == "func a() {\n\tone()\n\tif x {\n\t\tmore()\n\t}\n\ttwo()\n}\n"


def test_a_line_further_left_than_all_old_lines_loses_as_many_columns() -> None:
    assert landed(
        METHODS,
        Replace("        one()\n        two()\n", "        one()\n    else:\n        two()\n"),
    ) == METHODS.replace("            two()", "        else:\n            two()")


def test_no_line_is_further_left_than_the_margin() -> None:
    old = "                    one()\n                    two()\n"
    assert landed(METHODS, insert(old, "    more()\n"), "a.txt") == METHODS.replace(
        "            two()", "more()\n            two()"
    )


def test_most_lines_say_how_far_the_request_is_off() -> None:
    text = "start()\n    one()\n    two()\n    three()\n    four()\n"
    old = "start()\n  one()\n  two()\n  three()\n    four()\n"
    new = "start()\n  one()\n  two()\n  more()\n  three()\n    four()\n"
    after = "start()\n    one()\n    two()\n    more()\n    three()\n    four()\n"
    assert landed(text, Replace(old, new), "a.txt") == after


def test_most_lines_say_that_the_file_is_indented_by_tabs() -> None:
    text = "\ta\n\tb\n    c\n"
    assert landed(text, Replace("a\nb\n", "a\nx\nb\n"), "a.txt") == "\ta\n\tx\n\tb\n    c\n"


def test_the_lines_of_a_block_comment_are_one_column_deeper_and_say_nothing_about_levels() -> None:
    text = "  /**\n   * One.\n   */\n  int f() {\n    return 1;\n  }\n"
    old = "/**\n * One.\n */\nint f() {\n  return 1;\n"
    new = "/**\n * One.\n * Two.\n */\nint f() {\n  log();\n  return 1;\n"
    after = "  /**\n   * One.\n   * Two.\n   */\n  int f() {\n    log();\n    return 1;\n  }\n"
    assert landed(text, Replace(old, new), "a.c") == after


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        # Wrapped: what was the file's goes a level deeper.
        (
            "if x:\n    one()\n    two()\n",
            "while y:\n    if x:\n        one()\n        two()\n",
            "        while y:\n            if x:\n                one()\n                two()\n",
        ),
        # The wrapping is gone: a level less.
        ("if x:\n    one()\n    two()\n", "one()\ntwo()\n", "        one()\n        two()\n"),
        # The old lines lack their indentation and the new ones have it.
        (
            "if x:\none()\ntwo()\n",
            "        if x:\n            one()\n            two(2)\n",
            "        if x:\n            one()\n            two(2)\n",
        ),
    ],
)
def test_lines_that_change_their_level_are_at_a_level_of_the_file(
    old: str, new: str, after: str
) -> None:
    block = "        if x:\n            one()\n            two()\n"
    assert landed(METHODS, Replace(old, new)) == METHODS.replace(block, after)


def test_lines_around_the_change_say_its_indentation_where_all_lines_together_do_not() -> None:
    # `start` and `one` are as deep in the request and are not in the file: no map fits both.
    text = "start()\n  one()\n    two()\n    three()\n"
    old = "\tstart()\n\tone()\n\t\ttwo()\n\t\tthree()\n"
    outcome = landed(text, Replace(old, old.replace("two()", "two(2)")), "a.rb")
    assert outcome == text.replace("two()", "two(2)")


def test_a_line_at_a_level_that_is_nowhere_open_is_refused() -> None:
    new = "  one()\nelse:\n  two()\n"
    outcome = land(METHODS, Replace("  one()\n  two()\n", new), "a.py")
    assert outcome == Refused(
        "malformed",
        "a.py: `else:` is indented as no line of the file would be there; the file indents by 4 blanks. "
        "Send the new lines in the indentation of the lines around them.",
    )


THREE = "a = 1\n\nb = 2\n\nc = 3\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # The request knows of no blank lines: those of the file stay between the lines.
        (THREE, "a = 1\nb = 2\nc = 3\n", "a = 4\nb = 5\nc = 6\n", "a = 4\n\nb = 5\n\nc = 6\n"),
        (THREE, "a = 1\nb = 2\nc = 3\n", "a = 1\nx = 0\nb = 2\nc = 3\n", "a = 1\nx = 0\n\nb = 2\n\nc = 3\n"),
        # The new line is parted from one of its neighbours: the blank line of the file is on the other side.
        (THREE, "a = 1\nb = 2\nc = 3\n", "a = 1\n\nx = 0\nb = 2\nc = 3\n", "a = 1\n\nx = 0\n\nb = 2\n\nc = 3\n"),
        (THREE, "a = 1\nb = 2\nc = 3\n", "a = 1\nx = 0\n\nb = 2\nc = 3\n", "a = 1\n\nx = 0\n\nb = 2\n\nc = 3\n"),
        # A blank line keeps the blanks that it has in the file.
        ("a = 1\n  \nb = 2\n", "a = 1 \n\nb = 2\n", "a = 4\n\nb = 5\n", "a = 4\n  \nb = 5\n"),
        # What the file has not is not put there: the edit says nothing about it.
        ("a = 1\nb = 2\n", "a = 1\n\nb = 2\n", "a = 4\n\nb = 2\n", "a = 4\nb = 2\n"),
    ],
)  # fmt: skip
def test_blank_lines_of_the_file_stay_where_they_are(
    text: str, old: str, new: str, after: str
) -> None:
    assert landed(text, Replace(old, new)) == after


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        ("a()\n\nb()\n", "+x()\n \n b()\n", "a()\nx()\n\nb()\n"),
        ("a()\n\n\nb()\n", "+x()\n \n b()\n", "a()\n\nx()\n\nb()\n"),
        ("a()\n\n\nb()\n", "+x()\n \n \n b()\n", "a()\nx()\n\n\nb()\n"),
        ("a()\n\n\nb()\n", " a()\n \n+x()\n", "a()\n\nx()\n\nb()\n"),
        ("a()\n\n\nb()\n", " a()\n \n \n+x()\n", "a()\n\n\nx()\nb()\n"),
        ("a()\n\n\nb()\n", " a()\n+x()\n", "a()\nx()\n\n\nb()\n"),
        ("a()\n\n\nb()\n", "+x()\n b()\n", "a()\n\n\nx()\nb()\n"),
        # More blank lines than the file has: there is no further to go.
        ("a()\n\nb()\n", "+x()\n \n \n \n b()\n", "a()\nx()\n\nb()\n"),
        ("a()\n\nb()\n", " a()\n \n \n \n+x()\n", "a()\n\nx()\nb()\n"),
    ],
)
def test_an_insertion_leaves_as_many_blank_lines_beside_it_as_the_hunk_shows(
    text: str, body: str, after: str
) -> None:
    assert landed(text, Patch(f"@@\n{body}")) == after


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ('say "hello" now\n', 'say "hello" again now\n', "say “hello” again now\nother line\n"),
        (
            'say "hello" now\nother line\n',
            'other line\nsay "hello" now\n',
            "other line\nsay “hello” now\n",
        ),
    ],
)
def test_a_line_that_comes_back_has_the_characters_of_the_file(
    old: str, new: str, after: str
) -> None:
    assert landed("say “hello” now\nother line\n", Replace(old, new), "a.txt") == after


BRANCH = "if a:\n    one()\n    two()\n"


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        # In the indentation of the old lines, and in that of the file.
        ("one()\ntwo()\n", "try:\n    one()\n    two()\nexcept E:\n    pass\n", "try|>one|>two|except|>pass"),
        ("one()\ntwo()\n", "    try:\n        one()\n        two()\n    except E:\n        pass\n", "try|>one|>two|except|>pass"),
        ("one()\ntwo()\n", "    one()\n    extra()\n    two()\n", "one|extra|two"),
        ("one()\ntwo()\n", "one()\nextra()\ntwo()\n", "one|extra|two"),
        ("  one()\n  two()\n", "    one(1)\n    two(2)\n", "one 1|two 2"),
        ("  one()\n  two()\n", "  one(1)\n  two(2)\n", "one 1|two 2"),
        ("      one()\n      two()\n", "      one(1)\n      two(2)\n", "one 1|two 2"),
        ("      one()\n      two()\n", "    one(1)\n    two(2)\n", "one 1|two 2"),
    ],
)  # fmt: skip
def test_new_lines_are_in_the_indentation_of_the_old_lines_or_of_the_file(
    old: str, new: str, body: str
) -> None:
    words = {"try": "try:", "except": "except E:", "pass": "pass"}
    lines = ["if a:"]
    for word in body.split("|"):
        indent = "        " if word.startswith(">") else "    "
        name, _, value = word.removeprefix(">").partition(" ")
        lines.append(indent + words.get(name, f"{name}({value})"))
    assert landed(BRANCH, Replace(old, new)) == "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  one()\n  two()\n", "  one()\n    two(2)\n"),
        ("  one()\n  two()\n", "    one(1)\n  two()\n"),
    ],
)
def test_new_lines_in_two_indentations_at_once_are_refused(old: str, new: str) -> None:
    # The one line is in the indentation of the request, the other in that of the file.
    outcome = land(BRANCH, Replace(old, new), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('aa("x")\nbb()\n', ' aa("x")\n'),
        ('  aa("x")\n  bb()\n  cc()\n', ' aa("x")\n'),
    ],
)
def test_a_slip_of_one_blank_in_the_copy_does_not_reach_the_file(text: str, line: str) -> None:
    first, rest = text.split("\n", 1)
    old = line + rest
    assert first.strip() == line.strip()
    outcome = landed(text, Replace(old, old.replace('"x"', '"z"')), None)
    assert outcome == text.replace('"x"', '"z"')


def test_where_half_of_the_lines_have_tabs_a_level_is_of_blanks() -> None:
    text = "if x\n\tone\n\ttwo\n  three\n  four\nend\n"
    outcome = landed(text, Replace("three\nfour\n", "three\n  deeper\nfour\n"), "a.txt")
    assert outcome == text.replace("  four", "    deeper\n  four")
