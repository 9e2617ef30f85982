"""What the file has already, in which characters and at which levels: new lines respect it."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land


def told(outcome: Landed | Refused) -> str | tuple[str, tuple[int, ...]]:
    """Return the new text, or the reason of the refusal and the lines it names."""
    if isinstance(outcome, Landed):
        return outcome.text
    return outcome.reason, outcome.candidates


@pytest.mark.parametrize("above", [0, 1, 40])
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        # The new text is around the old one, or beside it.
        ("x = g(f(a))\n", "f(a)", "g(f(a))"),
        ("first = 1\nsecond = 2\n", "first = 1\n", "first = 1\nsecond = 2\n"),
        ("first = 1\nsecond = 2\n", "second = 2\n", "first = 1\nsecond = 2\n"),
        # The old lines are gone and the new ones are there.
        ("first = 1\nthird = 3\n", "first = 1\nsecond = 2\n", "first = 1\nthird = 3\n"),
    ],
)
def test_an_edit_that_was_made_is_told_by_the_line_where_it_is(
    above: int, text: str, old: str, new: str
) -> None:
    other = "".join(f"other_{n} = {n}\n" for n in range(above))
    assert told(land(other + text, Replace(old, new))) == ("already_applied", (above + 1,))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # Decomposed letters stay decomposed, composed ones composed.
        ("cafe\u0301 = 1\nx = 2\n", "caf\u00e9 = 1\n", "caf\u00e9 = 3\n", "cafe\u0301 = 3\nx = 2\n"),
        ("caf\u00e9 = 1\nx = 2\n", "cafe\u0301 = 1\n", "cafe\u0301 = 3\n", "caf\u00e9 = 3\nx = 2\n"),
        # The file's quotes and dashes, also where the line changes beside them.
        ("say \u201chi\u201d \u2013 now\n", 'say "hi" - now\n', 'say "hi" - then\n', "say \u201chi\u201d \u2013 then\n"),
        ("a\u00a0b = 1\n", "a b = 1\n", "a b = 2\n", "a\u00a0b = 2\n"),
    ],
)  # fmt: skip
def test_a_changed_line_keeps_the_characters_of_the_file(
    text: str, old: str, new: str, after: str
) -> None:
    assert told(land(text, Replace(old, new))) == after


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "lands"),
    [
        # A level of a block that ended above is not open any more.
        ("a.py", "if a:\n  if b:\n    c()\nif d:\n      e()\n", "      e()\n", "      e()\n    f()\n", False),
        ("a.py", "if a:\n  if b:\n    c()\nif d:\n    e()\n", "    e()\n", "    e()\nf()\n", True),
        ("a.py", "if a:\n    if b:\n        c()\n", "        c()\n", "        c()\n    f()\n", True),
        ("a.py", "if a:\n    if b:\n        c()\n", "        c()\n", "        c()\n      f()\n", False),
        # Below a line that opens a block, a line is deeper.
        ("a.js", "if (a) {\n  c();\n}\n", "  c();\n", "  if (b) {\n    c();\n  }\n", True),
        # In brackets and strings, and in text for people, there is any indentation.
        ("a.py", "if a:\n    c()\n", "    c()\n", "    c(1,\n      2)\n", True),
        ("a.py", "if a:\n    c()\n", "    c()\n", "    c('''\n  text\n''')\n", True),
        ("a.md", "- a\n  - b\n", "  - b\n", "  - b\n      more of b\n", True),
        ("a.md", "# A\n\n1. one\n", "1. one\n", "1. one\n       code\n", True),
        (None, "if a:\n    c()\n", "    c()\n", "    c()\n      f()\n", True),
    ],
)  # fmt: skip
def test_new_code_is_at_a_level_that_is_open_there(
    path: str | None, text: str, old: str, new: str, *, lands: bool
) -> None:
    outcome = told(land(text, Replace(old, new), path))
    assert outcome == (text.replace(old, new) if lands else ("malformed", ()))


@pytest.mark.parametrize(
    ("new", "lands"),
    [
        # One column deeper than the line below, as in a `/** */` comment, it is about that line.
        ("int e();\n// note\nint g();\n", True),
        ("int e();\n // note\nint g();\n", True),
        ("int e();\n  // note\nint g();\n", False),
    ],
)
def test_a_comment_deeper_than_the_line_below_is_not_about_it(new: str, *, lands: bool) -> None:
    outcome = told(land("int e();\nint f();\nint g();\n", WriteFile(new), "a.c"))
    assert outcome == (new if lands else ("elision", ()))


def test_a_bracket_below_a_comment_is_nothing_that_it_is_about() -> None:
    text = "void f() {\nwork();\n}\n"
    assert told(land(text, WriteFile("void f() {\n// note\n}\n"), "a.c")) == ("elision", ())


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (3, "one\ntwo\nnew\nfour\n"),
        (2, ("stale", ())),
        (4, ("stale", ())),
    ],
)
def test_an_old_text_of_blank_lines_has_to_be_in_the_range(
    line: int, after: str | tuple[str, tuple[int, ...]]
) -> None:
    text = "one\ntwo\n\nfour\n"
    edit = LineEdit(line, line, "new\n", old="\n")
    assert told(land(text, LineEdits((edit,), shown=text))) == after


WORDS = "call_alpha(first_one, second_two, third_three, fourth_four)\n"


@pytest.mark.parametrize(
    ("misspelt", "lands"),
    [
        (("alpha",), True),
        (("alpha", "first"), True),
        (("alpha", "first", "second"), True),
        # With more words that differ it is another line.
        (("alpha", "first", "second", "third"), False),
    ],
)
def test_up_to_three_words_of_a_line_may_be_misspelt(
    misspelt: tuple[str, ...], *, lands: bool
) -> None:
    text = f"before_this(1)\n{WORDS}after_this(2)\nand_after_that(4)\n"
    old = text
    for word in misspelt:
        old = old.replace(word, word[0] + word[2] + word[1] + word[3:])
    outcome = land(text, Replace(old, old.replace("(2)", "(3)")), "a.txt")
    assert told(outcome) == (text.replace("(2)", "(3)") if lands else ("not_found", ()))


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        # Lines beside the place are what would be written there, above it or below it.
        ("first = 1\nsecond = 2\n", "@@\n second = 2\n", "@@\n+first = 1\n second = 2\n", 1),
        ("first = 1\nsecond = 2\n", "@@\n first = 1\n", "@@\n first = 1\n+second = 2\n", 2),
        ("first = 1\nsecond = 2\nthird = 3\n", "", "@@\n first = 1\n+second = 2\n third = 3\n", 1),
        # Also where the old text is a part of a line.
        ("log(x)\nf(a, b)\n", "f(", "log(x)\nf(", 1),
        ("f(a, b)\nlog(x)\n", "b)", "b)\nlog(x)", 1),
        ("f(a, b)\nlog(x)\nend\n", "f(a, b)", "f(a, b)\nlog(x)", 1),
        ("f(a, b)\n}\nend\n", "f(a, b)\n", "f(a, b)\n}\n", 1),
        # Blank lines between them are no difference.
        ("f(a, b)\n\nlog(x)\nend\n", "f(a, b)\n", "f(a, b)\nlog(x)\n", 1),
    ],
)
def test_lines_that_are_beside_their_place_already_are_not_written_again(
    text: str, old: str, new: str, line: int
) -> None:
    request: Patch | Replace = Replace(old, new)
    if new.startswith("@@"):
        request = Patch(new)
    assert told(land(text, request)) == ("already_applied", (line,))


def test_lines_that_are_on_the_other_side_of_the_place_are_written() -> None:
    outcome = land("log(x)\nf(a, b)\n", Replace("(a, b)\n", "(a, b)\nlog(x)\n"))
    assert told(outcome) == "log(x)\nf(a, b)\nlog(x)\n"


def test_a_place_in_another_spelling_may_be_the_twin_of_one_that_was_edited() -> None:
    text = "a = 1\nb = 2\nc = 3\n\na  = 1\nb = 9\nc = 3\n"
    outcome = land(text, Replace("a = 1 \nb = 2\nc = 3\n", "a = 1 \nb = 9\nc = 3\n"))
    assert told(outcome) == ("ambiguous", (1, 5))
    # Exactly the old text is where it was meant.
    exact = land(text, Replace("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 9\nc = 3\n"))
    assert told(exact) == text.replace("b = 2", "b = 9")


CODE = "import os\nx = 5\ny = 6\n"


@pytest.mark.parametrize(
    ("line", "lands"),
    [
        ("Here is the new code:", False),
        ("This makes it work as expected.", False),
        ("Done!", False),
        ("Use `load` with a name.", False),
        ("Note that a = b now.", False),
        # Code, data, a comment.
        ("x = 1", True),
        ("Total: 5", True),
        ("class Foo:", True),
        ("# Here is the new code:", True),
    ],
)
def test_a_sentence_about_the_edit_is_no_line_of_code(line: str, *, lands: bool) -> None:
    new = f"{line}\nx = 6\n"
    outcome = told(land(CODE, Replace("x = 5\n", new), "a.py"))
    assert outcome == (CODE.replace("x = 5\n", new) if lands else ("malformed", ()))


@pytest.mark.parametrize("line", ["Here is the new code:", "I have updated the file for you"])
@pytest.mark.parametrize("new", ["{line}\n\nimport os\nx = 6\ny = 6\n", CODE + "\n{line}\n"])
def test_a_sentence_above_or_below_a_whole_file_is_no_line_of_it(line: str, new: str) -> None:
    assert told(land(CODE, WriteFile(new.format(line=line)), "a.py")) == ("malformed", ())


def test_a_sentence_in_a_text_for_people_is_content() -> None:
    text = "# Title\n\nText here.\n"
    after = text.replace("Text", "Here is the new code:\nText")
    assert (
        told(land(text, Replace("Text here.\n", "Here is the new code:\nText here.\n"), "a.md"))
        == after
    )


SCRIPT = "import json\nimport sys\n\nconfigure(sys.argv)\nrun_everything(json)\n"


@pytest.mark.parametrize(
    ("misspelt", "body", "after"),
    [
        # New lines go above the first line, or below the last one; the drift is at the other end.
        (("everything", "everythng"), "+import os\n{old}", f"import os\n{SCRIPT}"),
        (("json\n", "jsn\n"), "{old}+done(sys)\n", f"{SCRIPT}done(sys)\n"),
        # Beside the drift, the line without a mark may be a new one that lost it.
        (("json\n", "jsn\n"), "+import os\n{old}", ("malformed", ())),
        (("everything", "everythng"), "{old}+done(sys)\n", ("malformed", ())),
    ],
)
def test_an_insertion_at_an_end_of_a_drifted_hunk_has_its_neighbour_in_the_file(
    misspelt: tuple[str, str], body: str, after: str | tuple[str, tuple[int, ...]]
) -> None:
    lines = SCRIPT.replace(*misspelt).splitlines(keepends=True)
    old = "".join(f" {line}" for line in lines)
    assert told(land(SCRIPT, Patch(f"@@\n{body.format(old=old)}"), "a.py")) == after


@pytest.mark.parametrize(
    ("path", "comment"),
    [("a.py", "# a ` mark\n"), ("a.js", "// a ` mark\n"), ("a.c", "/* a ` */\n")],
)
def test_a_quote_in_a_comment_opens_no_string(path: str, comment: str) -> None:
    # In a string there would be any indentation.
    text = f"{comment}a {{\n    b {{\n        c();\n    }}\n}}\n"
    request = Replace("        c();\n", "        c();\n      f();\n")
    assert told(land(text, request, path)) == ("malformed", ())
