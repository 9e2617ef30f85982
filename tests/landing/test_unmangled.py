"""Marks and wrappers around the old text, each with a twin in which they are content."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land
from holdfast.vocab.requests import Request

TEXT = "a = 1\nb = 2\n\nc = 3\n"
MORE = "a = 1\nb = 2\n\nd = 4\nc = 3\n"


@pytest.mark.parametrize(
    "request_",
    [
        Replace("```\nb = 2\n\n```\n", "b = 2\n\nd = 4\n"),
        Replace("<old>\nb = 2\n\n</old>\n", "<new>\nb = 2\n\nd = 4\n</new>\n"),
        Replace("2| b = 2\n3| \n", "2| b = 2\n3| \n4| d = 4\n"),
        Replace("2\tb = 2\n3\t\n", "b = 2\n\nd = 4\n"),
        Replace(" b = 2\n \n", " b = 2\n \n+d = 4\n"),
        LineEdits((LineEdit(2, 3, " b = 2\n \n+d = 4\n", " b = 2\n \n"),)),
    ],
)
def test_a_blank_line_at_the_end_of_the_old_text_counts(request_: Request) -> None:
    outcome = land(TEXT, request_, "a.toml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == MORE


@pytest.mark.parametrize("text", [TEXT.replace("2", "2 "), TEXT.replace("b", "\tb"), TEXT])
def test_marks_of_a_diff_are_read_although_white_space_differs(text: str) -> None:
    outcome = land(text, Replace(" b = 2\n \n c = 3\n", " b = 2\n \n+d = 4\n c = 3\n"), "a.toml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("c = 3\n", "d = 4\nc = 3\n")
    # Its twins: a file with such lines, and old lines that are in the file as they are.
    listed = "+ one\n two\n"
    kept = land(listed, Replace(" two\n", " two\n+ three\n"), "a.txt")
    assert isinstance(kept, Landed)
    assert kept.text == "+ one\n two\n+ three\n"
    block = land(" two\n", Replace(" two\n", " two\n+ three\n"), "a.txt")
    assert isinstance(block, Landed)
    assert block.text == " two\n+ three\n"


def test_a_quotation_is_read_without_its_marks_unless_the_file_has_such_lines() -> None:
    quoted = Replace("> b = 2\n>\n", "> b = 2\n>\n> d = 4\n")
    done = land(TEXT, quoted, "a.toml")
    assert isinstance(done, Landed)
    assert (done.text, done.rung) == (MORE, "unmangled")
    kept = land("> b = 2\n>\n", quoted, "a.md")
    assert isinstance(kept, Landed)
    assert (kept.text, kept.rung) == ("> b = 2\n>\n> d = 4\n", "exact")
    assert not isinstance(land(TEXT, Replace("> b = 2\n", "b = 3\n"), "a.toml"), Landed)


def test_escapes_of_markdown_are_undone_unless_the_file_has_them() -> None:
    old, new = r"say\_it(a\_b)", r"say\_it(a\_b, c\_d)"
    done = land("say_it(a_b)\n", Replace(old, new), "a.py")
    assert isinstance(done, Landed)
    assert (done.text, done.rung) == ("say_it(a_b, c_d)\n", "unmangled")
    text = r"say\_it" + "\nsay_it(a_b)\n"
    assert not isinstance(land(text, Replace(old, new), "a.md"), Landed)


def test_lines_of_a_diff_that_all_lost_a_blank_get_it_back() -> None:
    text = "copy {\n    from a\n    into b\n}\n"
    diff = "--- a/x\n+++ b/x\n@@ -2,2 +2,3 @@\n    from a\n+   // note\n    into b\n"
    outcome = land(text, Patch(diff), "a.gradle")
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("    into", "    // note\n    into")
    # Its twin: only the context lines lost their marker.
    plain = land(text, Patch(diff.replace("+   //", "+    //")), "a.gradle")
    assert isinstance(plain, Landed)
    assert plain.text == outcome.text


def test_full_width_punctuation_is_folded_and_the_file_keeps_its_own() -> None:
    text = "f(a, b)\ng(a)\n"
    done = land(text, Replace("f\uff08a\uff0c b)\ng(a)\n", "f\uff08a\uff0c b)\ng(c)\n"), "a.py")
    assert isinstance(done, Landed)
    assert (done.text, done.rung) == ("f(a, b)\ng(c)\n", "unicode")
    # Its twin: what is not seen to drift is meant.
    wide = land(text, Replace("g(a)", "g('\uff0c')"), "a.py")
    assert isinstance(wide, Landed)
    assert wide.text == "f(a, b)\ng('\uff0c')\n"


QUOTED = "a = 1\nb = '\\d'\n\nc = 3\n"
WITH_D = "a = 1\nb = '\\d'\n\nd = 4\nc = 3\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("<![CDATA[b = '\\d'\n\n]]>", "<![CDATA[b = '\\d'\n\nd = 4\n]]>", id="CDATA"),
        pytest.param("`b = '\\d'\n\n`", "`b = '\\d'\n\nd = 4\n`", id="backticks"),
        pytest.param('"""b = \'\\d\'\n\n"""', '"""b = \'\\d\'\n\nd = 4\n"""', id="triple quotes"),
        pytest.param(
            "\"b = '\\\\d'\\n\\n\"", "\"b = '\\\\d'\\n\\nd = 4\\n\"", id="a string of JSON"
        ),
        pytest.param("b = '\\\\d'\n\n", "b = '\\\\d'\n\nd = 4\n", id="doubled backslashes"),
        pytest.param("--b = '\\d'\n--\n", "++b = '\\d'\n++\n++d = 4\n", id="doubled marks"),
    ],
)
def test_quotes_around_both_texts_and_doubled_characters_are_undone(old: str, new: str) -> None:
    outcome = land(QUOTED, Replace(old, new), "a.toml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.rung == "unmangled"
    assert outcome.text == WITH_D


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        pytest.param("b\n", "`b`", "`c", id="only the old text is quoted"),
        pytest.param("b = 2\n", '"b = 2"', '"b = 3"', id="quotes without an escape"),
        pytest.param("b = '\\\\d'\n", "b = '\\\\\\\\d'\n", "b = '\\d'\n", id="a lone backslash"),
    ],
)
def test_quotes_around_one_text_and_quotes_that_may_be_meant_are_refused(
    text: str, old: str, new: str
) -> None:
    assert not isinstance(land(text, Replace(old, new), "a.toml"), Landed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`the word`", "`one word`"),
        ("<![CDATA[the word]]>", "<![CDATA[one word]]>"),
        ("the\u00a0word", "one\u00a0word"),
        ("the wo\u200brd", "one word"),
        (" the word  ", " one word  "),
        ("this &quot;the word&quot;", "this &quot;one word&quot;"),
    ],
)
def test_a_part_of_a_line_is_found_without_what_is_around_it(old: str, new: str) -> None:
    text = 'say(this "the word", that)\nsay(these words)\n'
    outcome = land(text, Replace(old, new), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("the word", "one word")
    assert outcome.rung == "unmangled"
    twice = land(text + text, Replace(old, new), "a.txt")
    assert not isinstance(twice, Landed)


def test_a_part_of_a_word_is_not_found_without_what_is_around_it() -> None:
    assert not isinstance(land("metadata = 1\n", Replace("`meta`", "`mega`"), "a.py"), Landed)


@pytest.mark.parametrize("bar", ["|", "| "])
def test_the_blank_behind_the_bar_of_a_listing_is_that_of_the_file_if_its_lines_say_so(
    bar: str,
) -> None:
    text = "p {\n  top: 0;\n  left: 0;\n}\n"
    old = f"2{bar}  top: 0;\n3{bar}  left: 0;\n"
    outcome = land(text, Replace(old, "  top: 1;\n  left: 0;\n"), "a.css")
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("top: 0", "top: 1")


@pytest.mark.parametrize("newline", ["\\n", "\\n\n"])
def test_a_literal_newline_at_the_end_of_a_line_ends_it(newline: str) -> None:
    old, new = "a:\n\tb\n", "a:\n\tb\n\nc:\n\td\n"
    written = Replace(old.replace("\n", newline), new.replace("\n", newline))
    done = land("a:\n\tb\n", written, "Makefile")
    assert isinstance(done, Landed)
    assert done.text == new


EDIT = "a = 1\nb = 2\n"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(" a = 1\n-b = 2\n+b = 3\n", id="a hunk"),
        pytest.param("@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n", id="a hunk with its header"),
        pytest.param("a = 1\nb = 2\n=======\na = 1\nb = 3\n", id="both sides of a block"),
        pytest.param("<<<<<<< SEARCH\na = 1\nb = 2\n=======\na = 1\nb = 3\n>>>>>>> REPLACE\n", id="a block"),
        pytest.param("a = 1\nb = 3\n=======\n", id="a mark of a block"),
    ],
)  # fmt: skip
def test_an_edit_in_the_place_of_the_new_text_is_refused(
    new: str,
) -> None:
    for request in (Replace(EDIT, new), LineEdits((LineEdit(1, 2, new, EDIT),))):
        outcome = land(TEXT, request, "a.toml")
        assert isinstance(outcome, Refused), outcome
        assert outcome.reason == "malformed"
        # In prose it may be meant.
        kept = land("one\na = 1\nb = 2\n", Replace("one\n", "one\n=======\ntwo\n"), "a.md")
        assert isinstance(kept, Landed)
        assert kept.text == "one\n=======\ntwo\na = 1\nb = 2\n"


@pytest.mark.parametrize("mark", ["-", "    ", "\t"])
def test_a_new_text_in_the_indentation_of_the_file_stays_so_although_the_old_lines_are_off(
    mark: str,
) -> None:
    text = "def f():\n    a()\n    b()\n    c()\n"
    new = "    a()\n    b(1)\n    c()\n"
    old = "".join(f"{mark}{line}\n" for line in ("    a()", "    b()", "    c()"))
    outcome = land(text, Replace(old, new), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("b()", "b(1)")
    # Its twin: a block that is wrapped, in the indentation of the old lines.
    wrapped = land(text, Replace("a()\nb()\nc()\n", "if x:\n    a()\n    b()\n    c()\n"), "a.py")
    assert isinstance(wrapped, Landed)
    assert wrapped.text == "def f():\n    if x:\n        a()\n        b()\n        c()\n"


@pytest.mark.parametrize("sentence", ["All done.", "Sure!", "This change fixes the bug."])
@pytest.mark.parametrize("form", ["{new}{sentence}\n", "{sentence}\n{new}"])
def test_a_sentence_beside_code_is_refused_where_the_code_parses_without_it(
    form: str, sentence: str
) -> None:
    new = form.format(new="b = 3\n", sentence=sentence)
    refused = land("a = 1\nb = 2\n", Replace("b = 2\n", new), "a.py")
    assert not isinstance(refused, Landed)
    assert refused.message == f"a.py: `{sentence}` is no code; send the content alone."
    # Its twins: a docstring, and a text for people.
    docs = '"""Say it.\n\nb = 2\n"""\n'
    for path in ("a.py", "a.md"):
        kept = land(docs, Replace("b = 2\n", new), path)
        assert isinstance(kept, Landed)
        assert kept.text == docs.replace("b = 2\n", new)


def test_numbers_that_count_up_prove_that_a_fence_is_around_a_listing() -> None:
    text = "# T\n\n```\nrun\n```\n\nalpha one\nbeta two\n"
    listed = Replace("```\n7| alpha one\n8| beta two\n```\n", "```\n7| alpha one\n8| beta 2\n```\n")
    outcome = land(text, listed, "a.md")
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("beta two", "beta 2")
    # Its twin: without numbers the fence is the file's.
    bare = land(text, Replace("```\nrun\n```\n", "run\n"), "a.md")
    assert isinstance(bare, Landed)
    assert bare.text == "# T\n\nrun\n\nalpha one\nbeta two\n"


def test_new_lines_without_numbers_show_which_blank_of_a_listing_is_its_own() -> None:
    text = "if a:\n    one = 1\n    two = 2\n    end()\n"
    old = "2|   one = 1\n3|   two = 2\n4|   end()\n"
    outcome = land(text, Replace(old, "  one = 1\n  end()\n  last()\n"), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "if a:\n    one = 1\n    end()\n    last()\n"


def test_the_first_line_of_a_docstring_is_no_sentence_beside_code() -> None:
    outcome = land("a = 1\nb = 2\n", Replace("b = 2\n", '"""Say what b is.\nb = 2\n'), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.warning == "the file no longer parses as python (edit at line 2)."


BYTES = "été".encode().decode("latin-1")
SOURCE = 'def f():\n    # Größe, été\n    a = 1\n    return "<b>"\n'


@pytest.mark.parametrize(
    "mangle",
    [
        pytest.param(lambda text: text.encode().decode("latin-1"), id="read as latin-1"),
        pytest.param(lambda text: text.replace("def", "\x1b[34mdef\x1b[0m"), id="colours"),
        pytest.param(
            lambda text: text.replace("<", "&amp;lt;").replace(">", "&amp;gt;"), id="entities twice"
        ),
    ],
)
def test_what_both_texts_suffered_is_undone_in_both(mangle: Callable[[str], str]) -> None:
    new = SOURCE.replace("a = 1", "a = 'é'")
    outcome = land(SOURCE, Replace(mangle(SOURCE), mangle(new)), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (new, "unmangled")


@pytest.mark.parametrize("odd", ["\x1b[0m", BYTES])
def test_colours_and_letters_that_the_file_has_are_content(odd: str) -> None:
    text = f"a = '{odd}'\nb = 1\n"
    new = text.replace("b = 1", f"b = '{odd} {odd}'")
    outcome = land(text, Replace(text, new), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


def test_new_lines_that_are_mangled_as_a_misremembered_old_line_are_refused() -> None:
    text = "function f(a)\n  -- Größe of the order in bytes.\n  local b = a or 1\n  return b\nend\n"
    old = text.replace("Größe", "gr\\u00f6\\u00dfe")
    request = Replace(old, old.replace("local b = a or 1", 'log("Z\\u00fcrich")'))
    outcome = land(text, request, "a.lua")
    assert not isinstance(outcome, Landed)
    assert outcome.reason == "not_found"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_literal_newline_becomes_the_newline_of_the_file_if_two_lines_come_back(
    newline: str,
) -> None:
    text = newline.join(["1,one,x", "2,two,y", "3,three,z", "4,four,z", ""])
    new = r"1,one,x\n22,two,y\n3,three,z\n4,four,z\n"
    outcome = land(text, WriteFile(new), "a.csv")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("2,two", "22,two")
    # Its twin: one line may be chance.
    one = Replace("1,one,x\n2,two,y\n", r"1,one,x\n22,two,y\n")
    refused = land(text, one, "a.csv")
    assert isinstance(refused, Refused), refused


def test_an_apostrophe_is_plain_where_the_quotes_of_the_request_should_have_been() -> None:
    text = 'say("one")\nsay("two")\n'
    old = "say(\u201cone\u201d)\nsay(\u201ctwo\u201d)\n"
    outcome = land(text, Replace(old, old.replace("two", "it\u2019s")), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("two", "it's")
    # Its twin: the file has such an apostrophe.
    text, old = f"{text}# it\u2019s\n", f"{old}# it\u2019s\n"
    kept = land(text, Replace(old, old.replace("two", "it\u2019s")), "a.py")
    assert isinstance(kept, Landed)
    assert kept.text == text.replace("two", "it\u2019s")


# ---------------------------------------------------------------------- before and behind each line

SHOWN = "def f(a):\n    b = a\n\n    return b\n"


@pytest.mark.parametrize(
    "shown",
    [
        lambda n, line: f"[{n}] {line}",
        lambda n, line: f"a.py-{n}-{line}",
        lambda n, line: f"Line {n}: {line}",
        lambda n, line: f"0a1b2c3d (Ana 2024-03-1{n} {n:>3}) {line}",
        lambda _, line: f"| {line}",
        lambda _, line: f"* {line}",
        lambda _, line: line.replace("    ", "\u00b7" * 4),
    ],
)
@pytest.mark.parametrize("both", [True, False])
def test_what_a_tool_shows_around_each_line_is_undone(
    shown: Callable[[int, str], str], *, both: bool
) -> None:
    new = SHOWN.replace("b = a", "b = a + 1\n    c = 2")
    old_lines, new_lines = SHOWN.split("\n")[:-1], new.split("\n")[:-1]
    old = "\n".join(map(shown, range(1, 9), old_lines))
    if both:
        new_lines = list(map(shown, range(1, 9), new_lines))
    outcome = land(f"import a\n\n{SHOWN}", Replace(old, "\n".join(new_lines)), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (f"import a\n\n{new}", "unmangled")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Commented out, negated, called in another way: other lines.
        ("# b = a\n# c = 2\n", "# b = a\n# c = 3\n"),
        ("!b = a\n!c = 2\n", "!b = a\n!c = 3\n"),
        ("await b = a\nawait c = 2\n", "await b = a\nawait c = 3\n"),
        # Numbers that do not count, a mark before one line, another mark in the new text.
        ("7: b = a\n3: c = 2\n", "7: b = a\n3: c = 3\n"),
        ("* b = a\n", "* b = 3\n"),
        ("| b = a\n| c = 2\n", "+ b = a\n+ c = 3\n"),
    ],
)
def test_what_is_before_a_line_and_may_be_a_part_of_it_is_not_undone(old: str, new: str) -> None:
    outcome = land("x = 0\nb = a\nc = 2\n", Replace(old, new))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"


def test_backticks_around_each_new_line_never_reach_the_file() -> None:
    text = 'USER a\nCMD ["b"]\n'
    outcome = land(text, Replace('`CMD ["b"]`\n', '`CMD ["b"]`\n`LABEL c="d"`\n'), "Dockerfile")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "not_found"


SHELL = "a() {\n  b\n  c\n}\n\nd() {\n  e\n}\n"


def test_a_blank_line_behind_each_line_of_both_texts_is_undone() -> None:
    old, new = "  c\n\n}\n\n\n\nd() {\n\n", "  c\n\n  f\n\n}\n\n\n\nd() {\n\n"
    outcome = land(SHELL, Replace(old, new), "a.sh")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (SHELL.replace("  c\n", "  c\n  f\n"), "unmangled")


def test_blank_lines_of_new_text_alone_stay() -> None:
    outcome = land(SHELL, Replace("  b\n  c\n", "  b\n\n  f\n\n"), "a.sh")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == SHELL.replace("  c\n", "\n  f\n\n")


@pytest.mark.parametrize("fence", ["", "```js\n"])
def test_marks_of_a_diff_are_read_although_a_line_is_misremembered_or_in_a_fence(
    fence: str,
) -> None:
    text = "function f(a) {\n  const total = a + 1;\n  send(total);\n  close(a);\n}\n"
    closing = "```\n" if fence else ""
    first = "   const total = a + 1;\n" if fence else "   const totals = a + 1;\n"
    old = f"{fence}{first}   send(total);\n   close(a);\n{closing}"
    new = f"{fence}{first}   send(total);\n+  flush(total);\n   close(a);\n{closing}"
    outcome = land(text, Replace(old, new), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("  close", "  flush(total);\n  close")
