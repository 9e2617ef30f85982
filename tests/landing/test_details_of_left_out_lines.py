"""Comments and dots in place of lines: which lines stay, which may go, and which would be lost."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, Replace, WriteFile, land, locate
from holdfast.vocab.outcomes import Ambiguous, Fuzzy, NotFound, Span

LOST = "Write those lines out, or put the same line into the old text"
LOST_OF_FILE = "Write the whole file out, or send an edit of the lines that change"

CODE = "def f():\n    one()\n    two()\n    three()\n    four()\n"
BRACES = "function f() {\n  one();\n  if (x) {\n    two();\n  }\n  three();\n}\n"


def judged(outcome: Landed | Refused) -> str:
    """Return the new text, or the line that the refusal shows and what it says to do."""
    if isinstance(outcome, Landed):
        return outcome.text
    assert outcome.reason == "elision", outcome
    line, _, rest = outcome.message.partition("`, and lines of the old text would be lost there. ")
    return f"{line.partition('`')[2]}: {rest.partition(';')[0]}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # One line goes where a comment about the next line comes.
        ("    one()\n    two()\n", "    # explain two\n    two()\n"),
        # What the comment stands above has a new line of the same name.
        ("    two()\n    three()\n", "    # by hand\n    three(3)\n"),
        # As many lines come as go.
        ("    two()\n    three()\n    four()\n", "    # better\n    x()\n    y()\n    four()\n"),
        (
            "    two()\n    three()\n    four()\n",
            "    x()\n    y()\n    # the last one\n    four()\n",
        ),
        # Lines that become comments are not lost.
        ("    two()\n    three()\n    four()\n", "    # two()\n    # three()\n    four()\n"),
        # A comment above a line that stays, with nothing lost.
        ("    one()\n    two()\n", "    one()\n    # the second\n    two()\n"),
        # Lines are deleted, and no comment comes.
        ("    one()\n    two()\n    three()\n", "    three()\n"),
    ],
)
def test_an_honest_comment_lands(old: str, new: str) -> None:
    assert judged(land(CODE, Replace(old, new), "a.py")) == CODE.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        # Two lines go, and only a comment comes.
        ("    one()\n    two()\n    three()\n", "    # explain three\n    three()\n", "# explain three"),
        # Nothing that stays is below the comment.
        ("    one()\n    two()\n", "    # did both\n", "# did both"),
        # One line comes, two go.
        ("    two()\n    three()\n    four()\n", "    x()\n    # the last one\n    four()\n", "# the last one"),
        # A blank line parts the comment from what stays: the comment is about what was there.
        ("    two()\n    three()\n    four()\n", "    x()\n    # the last one\n\n    four()\n", "# the last one"),
        # Dots, or words about text only, stand for each line that goes.
        ("    two()\n    three()\n    four()\n", "    two()\n    # ...\n    four()\n", "# ..."),
        ("    two()\n    three()\n    four()\n", "    two(2)\n    # same as before\n    four()\n", "# same as before"),
        ("    one()\n    two()\n    three()\n    four()\n", "    one()\n    # rest of the code\n", "# rest of the code"),
        # The placeholder is beside lines that stay, and the lines go in another place.
        ("    one()\n    two()\n    three()\n    four()\n", "    # ...\n    one()\n    two()\n    four()\n", "# ..."),
    ],
)  # fmt: skip
def test_a_comment_in_place_of_lines_is_refused(old: str, new: str, line: str) -> None:
    assert judged(land(CODE, Replace(old, new), "a.py")) == f"{line}: {LOST}"


@pytest.mark.parametrize(
    ("body", "new", "after"),
    [
        ("    two();\n", "    // nothing to do\n", None),
        ("    two();\n    more();\n", "    // nothing to do\n", f"// nothing to do: {LOST}"),
    ],
)
def test_one_line_of_a_block_may_become_a_comment(body: str, new: str, after: str | None) -> None:
    text = BRACES.replace("    two();\n", body)
    outcome = land(text, Replace(f"  if (x) {{\n{body}  }}\n", f"  if (x) {{\n{new}  }}\n"), "a.js")
    assert judged(outcome) == (after or text.replace(body, new))


def test_a_block_whose_brackets_stay_elsewhere_is_lost() -> None:
    # The bracket that stays may close another block: the edits beside it are one.
    old = "  one();\n  if (x) {\n    two();\n  }\n  three();\n"
    outcome = land(BRACES, Replace(old, "  one();\n  // handle x\n  three();\n"), "a.js")
    assert judged(outcome) == f"// handle x: {LOST}"


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [
        # In a whole file no line may vanish for a comment alone, but for one that the comment is of or about.
        (CODE, CODE.replace("    two()\n", "    # two\n"), None),
        (CODE, CODE.replace("    two()\n", "    # about three\n"), None),
        (CODE, CODE.replace("    one()\n    two()\n", "    # both are gone\n"), f"# both are gone: {LOST_OF_FILE}"),
        (CODE, "def f():\n    # rest unchanged\n    four(4)\n", f"# rest unchanged: {LOST_OF_FILE}"),
        (CODE, "def f():\n    one()\n    # more\n", f"# more: {LOST_OF_FILE}"),
        (
            f"{CODE}\n\ndef g():\n    five()\n    six()\n",
            f"{CODE}\n\n# g is gone\n",
            f"# g is gone: {LOST_OF_FILE}",
        ),
        # The comment is one of the two lines: the other one is lost behind it.
        (
            "def f():\n    return one()\n    log()\n    done()\n",
            "def f():\n    # return one\n    done()\n",
            f"# return one: {LOST_OF_FILE}",
        ),
        ("def f():\n    return one()\n    done()\n", "def f():\n    # return one\n    done()\n", None),
        # A comment that replaces a comment loses nothing.
        ("# first\n# second\na = 1\n", "# both in one\na = 1\n", None),
    ],
)  # fmt: skip
def test_a_comment_alone_in_a_whole_file_stands_for_at_most_one_line(
    text: str, new: str, after: str | None
) -> None:
    assert judged(land(text, WriteFile(new), "a.py")) == (after or new)


ELIDED = """\
def one():
    start()
    first()
    second()
    third()
    stop()


def two():
    start()
    other()
    stop()
"""


@pytest.mark.parametrize(
    ("old", "new", "was", "becomes"),
    [
        ("def one():\n    # ...\n    second()\n    # ...\n    stop()\n", "second()|second(2)", "second()", "second(2)"),
        ("def one():\n    start()\n    # ...\n    stop()\n", "start()|begin()", "one():\n    start()", "one():\n    begin()"),
        ("    start()\n    # ...\n    other()\n    stop()\n", None, "", ""),
        ("    start()\n    # ...\n    third()\n    # ...\n    stop()\n", "third()|third(3)", "third()", "third(3)"),
        ("def one():\n    # ...\n    second()\n    third()\n    # ...\n    stop()\n", "stop()|halt()", "third()\n    stop()", "third()\n    halt()"),
        ("def two():\n    # ...\n    stop()\n", "stop()|halt()", "other()\n    stop()", "other()\n    halt()"),
        ("    first()\n    # ...\n    stop()\n", "first()|first(1)", "first()", "first(1)"),
    ],
)  # fmt: skip
def test_lines_between_dots_are_found_within_one_block(
    old: str, new: str | None, was: str, becomes: str
) -> None:
    if new is None:
        # Blank: nothing is left out between these lines, and the dots may stand for nothing.
        outcome = land(ELIDED, Replace(old, old.replace("other()", "others()")), "a.py")
        assert judged(outcome) == ELIDED.replace("other()", "others()")
        return
    before, _, behind = new.partition("|")
    outcome = land(ELIDED, Replace(old, old.replace(before, behind)), "a.py")
    assert judged(outcome) == ELIDED.replace(was, becomes)
    assert isinstance(outcome, Landed)
    assert outcome.rung == "elision"


def test_changes_on_both_sides_of_dots_land_in_the_same_block() -> None:
    old = "def one():\n    start()\n    # ...\n    second()\n    third()\n    # ...\n    stop()\n"
    new = old.replace("start()", "start(1)").replace("stop()", "stop(1)")
    outcome = land(ELIDED, Replace(old, new), "a.py")
    first, second = ELIDED.split("\n\n\n")
    changed = first.replace("start()", "start(1)").replace("stop()", "stop(1)")
    assert judged(outcome) == f"{changed}\n\n\n{second}"


@pytest.mark.parametrize(
    ("old", "reason", "candidates"),
    [
        # Both blocks have these lines.
        ("    start()\n    # ...\n    stop()\n", "ambiguous", (2, 10)),
        # Between them the block ends.
        ("def one():\n    # ...\n    other()\n", "not_found", ()),
        ("    second()\n    # ...\n    other()\n", "not_found", ()),
        # In another order than in the file.
        ("    third()\n    # ...\n    first()\n", "not_found", ()),
    ],
)
def test_dots_between_lines_of_no_single_block_are_refused(
    old: str, reason: str, candidates: tuple[int, ...]
) -> None:
    first, rest = old.split("\n", 1)
    outcome = land(ELIDED, Replace(old, f"{first} + 1\n{rest}"), "a.py")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == (reason, candidates)


BLOCK = "def f():\n    p()\n    a()\n    b()\n    x()\n    b()\n    q()\n"


@pytest.mark.parametrize(
    ("old", "changes", "after"),
    [
        # What is below the dots is below all the lines above them, not one of these again.
        (
            "    p()\n    # ...\n    a()\n    b()\n    # ...\n    b()\n",
            {"p()": "p(1)", "    # ...\n    b()\n": "    # ...\n    b(2)\n"},
            "def f():\n    p(1)\n    a()\n    b()\n    x()\n    b(2)\n    q()\n",
        ),
        # Of several lines that stay, the nearest one is as good as any.
        ("    p()\n    # ...\n    b()\n", {"p()": "p(1)"}, BLOCK.replace("p()", "p(1)")),
        ("    b()\n    # ...\n    q()\n", {"q()": "q(1)"}, BLOCK.replace("q()", "q(1)")),
    ],
)
def test_lines_around_dots_are_in_order_and_as_near_as_possible(
    old: str, changes: dict[str, str], after: str
) -> None:
    new = old
    for was, becomes in changes.items():
        assert was in new
        new = new.replace(was, becomes)
    assert judged(land(BLOCK, Replace(old, new), "a.py")) == after


@pytest.mark.parametrize(
    ("old", "place"),
    [
        ("def one():\n    # ...\n    second()\n", (1, 4)),
        ("    first()\n    second()\n    # ...\n    stop()\n", (3, 6)),
        # Dots above all lines leave nothing out.
        ("    # ...\n    other()\n    stop()\n", (11, 12)),
        ("    start()\n    # ...\n    stop()\n", Ambiguous((2, 10))),
        (
            "def one():\n    # ...\n    other()\n",
            NotFound("1| def one():\n2|     start()\n3|     first()"),
        ),
    ],
)
def test_a_text_with_dots_is_located_from_its_first_line_to_its_last(
    old: str, place: tuple[int, int] | Ambiguous | NotFound
) -> None:
    match = locate(ELIDED, old)
    if isinstance(place, tuple):
        first, last = place
        lines = ELIDED.splitlines(keepends=True)
        start = len("".join(lines[: first - 1]))
        end = start + len("".join(lines[first - 1 : last]))
        assert match == Fuzzy(Span(start, end, first), "elision", 1.0)
    else:
        assert match == place


def test_a_line_that_is_there_twice_is_lost_once() -> None:
    old = "log()\nmid()\nlog()\nend()\n"
    outcome = land(old, Replace(old, "# and so on\nlog()\nend()\n"), "a.py")
    assert judged(outcome) == f"# and so on: {LOST}"
