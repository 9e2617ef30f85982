"""A sentence of the model among the new lines is refused in every file but a text for people."""

from __future__ import annotations

import pytest

from holdfast import LineEdit, LineEdits, Replace, WriteFile, land, land_reply
from holdfast.landing.formats.sentences import mark_of
from holdfast.vocab.outcomes import Landed, Refused

FILES = {
    "a.sql": ("CREATE TABLE a (\n  b INT\n);\n", "  b INT\n", "  b TEXT\n"),
    "a.xml": ("<a>\n  <b>1</b>\n</a>\n", "  <b>1</b>\n", "  <b>2</b>\n"),
    "a.tf": ('resource "a" "b" {\n  c = 1\n}\n', "  c = 1\n", "  c = 2\n"),
    "Dockerfile": ("FROM a\nRUN make\n", "RUN make\n", "RUN make all\n"),
    "a.ini": ("[a]\nb = 1\n", "b = 1\n", "b = 2\n"),
    "a.csv": ("id,name\n1,one\n", "1,one\n", "1,two\n"),
    "a.unknown": ("set a 1\nset b 2\n", "set b 2\n", "set b 3\n"),
    "Jenkinsfile": ("node {\n  sh 'a'\n}\n", "  sh 'a'\n", "  sh 'b'\n"),
    "a.sh": ("set -e\necho a\n", "echo a\n", "echo b\n"),
}
FORMS = (
    "Sure! Here is the change you asked for:\n\n{new}",
    "I'll update the file now.\n{new}",
    "**Here's the edit:**\n\n{new}",
    "Here is the updated version of it\n\n{new}",
    "{new}\nThis changes the value, so that it is right.\n",
    "{new}\nI changed the value.\nLet me know if you need more!\n",
    "{new}\nNow the second one:\n\n{new}",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", FILES)
def test_a_sentence_beside_the_new_lines_is_refused(path: str, form: str) -> None:
    text, old, new = FILES[path]
    spoken = form.format(new=new)
    line = text[: text.index(old)].count("\n") + 1
    requests = (
        Replace(old, spoken),
        LineEdits((LineEdit(line, line, spoken, old),)),
        LineEdits((LineEdit(line, line, spoken),), shown=text),
        WriteFile(text.replace(old, spoken)),
    )
    for request in requests:
        outcome = land(text, request, path)
        assert isinstance(outcome, Refused), outcome
        assert "is no code; send the content alone" in outcome.message


def test_a_sentence_in_a_block_is_refused() -> None:
    reply = (
        "a.sql\n<<<<<<< SEARCH\n  b INT\n=======\nHere's the edit:\n\n  b TEXT\n>>>>>>> REPLACE\n"
    )
    assert not land_reply(reply, {"a.sql": FILES["a.sql"][0]}).landed


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.html", "<p>\n</p>\n", "<p>\n", "<p>\n  Welcome to our shop.\n"),
        ("a.html", "<p>\nSome text here.\n</p>\n", "Some text here.\n", "Some other text here.\n"),
        ("a.yaml", "a: 1\n", "a: 1\n", "a: 2\nb: |\n  This is a long text.\n"),
        ("a.sh", "echo a\n", "echo a\n", "cat <<EOF\nWelcome to our shop.\nEOF\necho b\n"),
        ("a.c", "int a;\n", "int a;\n", "/*\nThe value of all things.\n*/\nint b;\n"),
        ("a.py", "a = 1\n", "a = 1\n", 'a = """\nThe value of all things.\n"""\n'),
        ("a.rb", "x = 1\n", "x = 1\n", "return rows if rows.empty?\nx = 2\n"),
        ("a.go", "f(a)\n", "f(a)\n", 'f(\n\t"The name is not known.")\n'),
        ("a.cob", "MOVE A TO B.\n", "MOVE A TO B.\n", "MOVE C TO D.\nADD A TO B.\n"),
        ("a.yml", "Build the image:\n  a: 1\n", "  a: 1\n", "  a: 2\n\nRun all tests:\n  b: 1\n"),
        ("LICENSE", "You may copy it.\n", "You may copy it.\n", "You may not copy it. Ask us.\n"),
        ("a.sql", "SELECT a;\n", "SELECT a;\n", "SELECT a;\nSelect this.\n"),
    ],
)
def test_a_sentence_is_content_in_a_text_a_string_or_a_comment(
    path: str, text: str, old: str, new: str
) -> None:
    outcome = land(text, Replace(old, new), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace(old, new)


@pytest.mark.parametrize(
    "line",
    ["return f(a...)", '"A text that ends."', "for a in b:", "Resources:", "x.", "// A text."],
)
def test_code_is_no_sentence(line: str) -> None:
    assert not mark_of(line)


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.rb", "def a\n  b = 1\nend\n"), ("Makefile", "a: b\n\tb = 1\n"), ("a.sql", "b = 1\n")],
)
def test_a_note_in_brackets_above_the_new_lines_is_refused(path: str, text: str) -> None:
    new = text.replace("1", "2")
    outcome = land(text, Replace(text, f"[edited]\n{new}"), path)
    assert isinstance(outcome, Refused), outcome
    assert "[edited]" in outcome.message
    assert land(text, Replace(text, new), path).landed


def test_a_section_in_brackets_is_a_line_like_any_other() -> None:
    text = "[a]\nb = 1\n"
    outcome = land(text, Replace("b = 1\n", "[edited]\nb = 2\n"), "a.toml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "[a]\n[edited]\nb = 2\n"


@pytest.mark.parametrize("text", ["", "[old]\na = 1\n"])
def test_a_section_at_the_top_of_a_file_of_settings_is_no_note(text: str) -> None:
    outcome = land(text, WriteFile("[new]\nkey = 2\n"), "conf.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "[new]\nkey = 2\n"
