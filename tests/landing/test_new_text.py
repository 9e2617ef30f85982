"""Manglings that show only in the new text, each with a twin in which they are content."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land
from holdfast.vocab.requests import Request

GO = 'func A(a int) int {\n\treturn min(a, 1) // a < 1\n}\n\nfunc C() string {\n\treturn "c"\n}\n'
PY = 'import os\n\n\ndef f(x):\n    """Return the name."""\n    return os.name or "none"\n'
CONF = "http {\n    server {\n        listen 1;\n    }\n}\n"
YAML = 'title: "Shop"\nnote: plain words\nport: 80\n'


def text_of(text: str, request: Request, path: str) -> str:
    """Return the text after the request, which must land and tell what it undid."""
    outcome = land(text, request, path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.rung == "unmangled"
    assert "undone" in (outcome.warning or "")
    return outcome.text


def is_refused(text: str, request: Request, path: str) -> bool:
    """Return whether the request is refused for what happened to its new text."""
    outcome = land(text, request, path)
    assert isinstance(outcome, Refused), outcome
    return outcome.reason == "malformed" and "plain characters" in outcome.message


def is_content(text: str, old: str, new: str, path: str) -> bool:
    """Return whether the new text lands as it is, without a word about it."""
    outcome = land(text, Replace(old, new), path)
    assert isinstance(outcome, Landed), outcome
    return outcome.text == text.replace(old, new) and outcome.warning is None


# ------------------------------------------------------------------------------ in an added block

ADDED = "func B(x int) bool {\n\treturn x < 3 && x > 1\n}\n\n"
ESCAPED = ADDED.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    "request_",
    [
        Replace("func C() string {\n", ESCAPED + "func C() string {\n"),
        LineEdits((LineEdit(5, 5, ESCAPED + "func C() string {\n", old="func C() string {\n"),)),
        Patch(
            "--- a/a.go\n+++ b/a.go\n@@ -4,2 +4,6 @@\n \n"
            + "".join(f"+{line}\n" for line in ESCAPED.split("\n")[:-1])
            + " func C() string {\n"
        ),
    ],
)
def test_entities_in_added_code_are_refused_in_every_kind_of_request(request_: Request) -> None:
    assert is_refused(GO, request_, "a.go")


def test_entities_in_a_string_a_comment_or_a_docstring_are_content() -> None:
    assert is_content(GO, '"c"', '"a &lt; b"', "a.go")
    assert is_content(GO, "// a < 1", "// written as a &lt; 1", "a.go")
    assert is_content(PY, "the name.", "the name.\n\n    Escape & as &amp;.\n    ", "a.py")


def test_entities_beside_plain_characters_are_refused_in_code() -> None:
    assert is_refused("a\nb\n", Replace("b", "x &lt;b> y"), "a.sh")


def test_entities_are_content_where_there_is_markup() -> None:
    jsx = "const a = () => <p>One</p>;\n"
    assert is_content(jsx, "One", "Say &quot;one&quot;", "a.jsx")
    assert is_content("<p>One</p>\n", "One", "a &lt; b", "a.html")
    assert is_content("# One\n\ntext\n", "text", "`a &lt; b`", "a.md")


def test_curly_quotes_that_no_line_proves_are_refused_in_code_and_around_values() -> None:
    new = "    name = os.environ.get(\u201cNAME\u201d) or \u201cnobody\u201d\n    return"
    assert is_refused(PY, Replace("    return", new), "a.py")
    assert is_refused(YAML, Replace("port: 80", "host: \u201cx\u201d"), "a.yaml")


def test_curly_quotes_in_strings_comments_and_text_are_content() -> None:
    assert is_content(PY, '"none"', '"\u201cnone\u201d it\u2019s"', "a.py")
    assert is_content(PY, "the name.", "the \u201cname\u201d of it.", "a.py")
    assert is_content(YAML, "plain words", "a \u201csoft\u201d limit", "a.yaml")
    assert is_content("He said it.\n", "it", "\u201cit\u201d", "a.md")
    assert is_content(YAML, "port: 80", "gruss: \u201eHallo\u201c", "a.yaml")


def test_spaces_of_another_kind_in_code_are_refused() -> None:
    old = "        listen 1;\n"
    new = old + "        listen\u00a02;\n        root\u00a0/srv;\n"
    assert is_refused(CONF, Replace(old, new), "a.conf")


def test_spaces_of_another_kind_in_strings_and_values_are_content() -> None:
    assert is_content(PY, '"none"', '"10\u00a0000"', "a.py")
    assert is_content(YAML, "plain words", "10\u00a0000 words", "a.yaml")
    assert is_content("10 000\n", "10 000", "10\u00a0000", "a.txt")


def test_lines_run_into_one_by_a_literal_newline_are_refused() -> None:
    ini = "[a]\nhost = x\n\n[b]\nhost = y\n"
    assert is_refused(ini, Replace("[b]", r"[b]\nport = 1"), "a.ini")
    new = r"def g():\n    return \"g\"\n\n\ndef f(x):"
    assert is_refused(PY, Replace("def f(x):", new), "a.py")


def test_a_literal_newline_at_the_end_of_a_line_parts_nothing_and_is_content() -> None:
    """Its twin, with a line behind it, is refused."""
    text = "def f(x):\n    y = x + 1\n    return y\n"
    kept = land(text, Replace("y = x + 1", r"y = x + 2 \n"), "a.py")
    assert isinstance(kept, Landed)
    assert (kept.text, kept.rung) == (text.replace("y = x + 1", r"y = x + 2 \n"), "exact")

    assert is_refused(text, Replace("    y = x + 1\n", "    y = x + 1\\n    y *= 2\n"), "a.py")


def test_a_literal_newline_in_a_string_or_a_value_is_content() -> None:
    assert is_content(PY, '"none"', r'"none\n"', "a.py")
    assert is_content("text = one\n", "text = one", r"text = one\ntwo", "a.properties")
    assert is_content("echo one\n", "echo one", r"echo one\ntwo", "a.md")
    assert is_content("cd C:\n", "cd C:", r"cd C:\new", "a.bat")


def test_an_accident_that_the_file_has_too_is_content() -> None:
    text = "a = x &lt; y\nb = 1\n"
    assert is_content(text, "b = 1", "b = x &lt; z", "a.sh")


# --------------------------------------------------------------------------------- in a whole file

SHOP = (
    'import os\n\n\ndef f(x):\n    if x < 1 and "a" in x:\n        return "b"\n'
    '    return x > 2 and "c"\n\n\ndef g():\n    return os.name\n'
)
CHANGED = SHOP.replace("os.name", "os.sep")


def escaped(text: str) -> str:
    """Return the text with entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    "mangled",
    [
        escaped(CHANGED),
        escaped(CHANGED).replace('"', "&quot;"),
        CHANGED.replace('"a"', "\u201ca\u201d")
        .replace('"b"', "\u201cb\u201d")
        .replace('"c"', "\u201cc\u201d"),
        f"```\n{CHANGED}```\n",
        "".join(f"{n}| {line}\n" for n, line in enumerate(CHANGED.split("\n")[:-1], 1)),
        CHANGED.replace('"', '\\"').replace("\n", "\\n"),
    ],
)
def test_a_whole_file_is_read_without_what_happened_to_it(mangled: str) -> None:
    assert text_of(SHOP, WriteFile(mangled), "a.py") == CHANGED


def test_what_is_the_only_change_of_a_whole_file_is_the_edit() -> None:
    once = 'a = "<b>"\nc = 1\n'
    for text, new in [
        (once, once.replace("<b>", "&lt;b&gt;")),
        ("a\nb\n", "a\r\nb\r\n"),
        ("a\nb\n", "\ufeffa\nb\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
    ]:
        outcome = land(text, WriteFile(new), "a.py")
        assert isinstance(outcome, Landed), outcome
        assert outcome.text == new


def test_one_line_that_may_be_meant_is_refused_with_its_cure() -> None:
    text = 'a = "<b>"\nc = 1\n'
    outcome = land(text, WriteFile('a = "&lt;b&gt;"\nc = 2\n'), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert "send an edit of that line alone" in outcome.message
    assert is_content(text, '"<b>"', '"&lt;b&gt;"', "a.py")


def test_entities_that_a_program_is_about_are_content() -> None:
    new = CHANGED.replace('"b"', '"&lt;b&gt;"')
    outcome = land(SHOP, WriteFile(new), "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == new


def test_curly_quotes_in_a_whole_text_for_people_are_content() -> None:
    text = 'He said "a".\n\nShe said "b".\n\nThe end.\n'
    new = "He said \u201ca\u201d.\n\nShe said \u201cb\u201d.\n\nThe very end.\n"
    outcome = land(text, WriteFile(new), "a.md")
    assert isinstance(outcome, Landed)
    assert outcome.text == new


def test_a_fence_in_markdown_is_content_unless_the_file_is_inside() -> None:
    text = "# Shop\n\nRun this:\n\n    make\n\nThen wait.\n"
    new = "Do this:\n\n```\nmake\n```\n"
    outcome = land(text, WriteFile(new), "a.md")
    assert isinstance(outcome, Landed)
    assert outcome.text == new
    fenced = "```markdown\n" + text.replace("wait", "rest") + "```\n"
    assert text_of(text, WriteFile(fenced), "a.md") == text.replace("wait", "rest")


def test_escapes_in_some_lines_of_a_whole_file_are_refused() -> None:
    half = CHANGED.replace("\n", "\\n", 9).replace('"', '\\"')
    outcome = land(SHOP, WriteFile(half), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert len(outcome.message) < 400


def test_a_whole_file_in_the_only_fence_of_an_answer_is_the_file() -> None:
    answer = f"Sure! I have changed it.\n\n```python\n{CHANGED}```\n\nTell me if it works.\n"
    assert text_of(SHOP, WriteFile(answer), "a.py") == CHANGED
    # Its twins: a line of the file is outside, and most of the file is missing.
    for other in (f"import os\n\n{answer}", "Sure!\n\n```python\nimport os\n```\n"):
        outcome = land(SHOP, WriteFile(other), "a.py")
        assert isinstance(outcome, Refused)
        assert outcome.reason == "malformed"


def test_a_text_that_does_not_parse_without_its_mangling_either_is_refused() -> None:
    broken = escaped(CHANGED.replace("def g():", "def g(:"))
    outcome = land(SHOP, WriteFile(broken), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "syntax"
    assert "HTML entities" in outcome.message


# ---------------------------------------------------------------------------------------- quotes


def test_a_whole_file_with_escaped_quotes_is_refused() -> None:
    """Its twins: a file that has such quotes, and an edit that escapes one line."""
    text = 'name = "a"\nkind = "b"\nsize = 1\n'
    new = text.replace("1", "2")
    for path in ("a.toml", "Vagrantfile", "a.md"):
        assert is_refused(text, WriteFile(new.replace('"', r"\"")), path)

    quoted = 'run = "say \\"a\\""\nstop = "say \\"b\\""\nsize = 1\n'
    kept = land(quoted, WriteFile(quoted.replace("1", "2")), "a.toml")
    assert isinstance(kept, Landed)
    assert (kept.text, kept.rung) == (quoted.replace("1", "2"), "exact")
    assert is_content('echo "a"\n', 'echo "a"', r"echo \"a\"", "a.sh")


def test_a_curly_quote_that_is_alone_is_undone_with_the_others() -> None:
    """Its twin, the only change of its kind, is refused: it may be meant."""
    text = "x = 1\nsay('a')\nsay('b')\n# it's done\n# isn't it\n"
    new = text.replace("1", "2")
    curly = new.replace("('", "(\u2018").replace("')", "\u2019)").replace("'", "\u2019")
    assert text_of(text, WriteFile(curly), "a.py") == new

    vim = '" one\n" two\nlet x = 1\n'
    odd = vim.replace("1", "2").replace('"', "\u201c")
    assert text_of(vim, WriteFile(odd), "a.vim") == vim.replace("1", "2")
    assert isinstance(land(vim, WriteFile(odd.replace("\u201c two", '" two')), "a.vim"), Refused)


# ------------------------------------------------------------------- around the new text of an edit

OLD = "def f(x):\n    y = x + 1\n    return y\n"
NEW = "def f(x):\n    y = x + 2\n    return y\n"


@pytest.mark.parametrize(
    "new",
    [
        f"```python\n{NEW}```\n",
        f"<new_string>\n{NEW}</new_string>\n",
        f"{NEW}<|im_end|>\n",
        "".join(f"+{line}\n" for line in NEW.split("\n")[:-1]),
        "".join(f"{n}| {line}\n" for n, line in enumerate(NEW.split("\n")[:-1], 1)),
    ],
)
def test_what_is_around_the_new_text_alone_is_undone(new: str) -> None:
    text = f"import os\n\n\n{OLD}"
    assert text_of(text, Replace(OLD, new), "a.py") == f"import os\n\n\n{NEW}"


@pytest.mark.parametrize(
    "below", ["```", "\n```\n", ">>>>>>> REPLACE\n", "=======\n", "</s>\n# </s>\n"]
)
def test_half_of_what_is_around_the_new_text_is_refused(below: str) -> None:
    outcome = land(OLD, Replace(OLD, NEW + below), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_marks_in_the_new_text_that_may_be_content_stay() -> None:
    assert is_content("a\n", "a\n", "```\na\n```\n", "a.md")
    assert is_content("x = 1\n```\ny = 2\n", "y = 2\n", "y = 3\n```\n", "a.py")
    assert is_content("# one\n# two\n", "# one\n", "# ```\n# one\n# ```\n", "a.py")
    assert is_content("a\nb\nc\n", "a\nb\nc\n", "> a\n> b\n> c\n", "a.md")


def test_entities_are_the_edit_where_only_they_differ() -> None:
    assert is_content("<li>one</li>\n", "<li>one</li>", "&lt;li&gt;one&lt;/li&gt;", "a.html")


def test_numbers_that_count_up_before_new_lines_alone_are_undone_if_a_line_comes_back() -> None:
    request = Replace("a = 1\nb = 2", "11|a = 1\n12|b = 3")

    assert text_of("a = 1\nb = 2\n", request, "a.py") == "a = 1\nb = 3\n"


def test_a_list_in_prose_may_get_numbers() -> None:
    assert is_content("first\nsecond\n", "first\nsecond", "1. first\n2. third", "a.md")


# ------------------------------------------------------------------------- beside a twin of the lines

HTML = '<ul id="a">\n  <li class="b">c</li>\n</ul>\n<ul id="d">\n  <li class="b">c</li>\n</ul>\n'


def test_lines_that_would_come_back_are_refused_though_the_file_has_them_twice() -> None:
    old = '<ul id="d">\n  <li class="b">c</li>\n'
    new = (
        old.replace("</li>", "</li><li>e</li>").replace('"', '\\"') + '  <li class=\\"b\\">c</li>\n'
    )
    assert is_refused(HTML, Replace(old, new), "a.html")


def test_escaped_quotes_around_the_value_of_an_attribute_are_refused() -> None:
    new = '  <li class=\\"e\\">c</li>\n</ul>\n<ul id="d">'
    old = new.replace('\\"e\\"', '"b"')
    assert is_refused(HTML, Replace(old, new), "a.html")
    # Its twin: in a text for people they may be meant.
    assert is_content("Say it.\n", "Say it", 'Write \\"it\\"', "a.md")


@pytest.mark.parametrize("path", ["a.go", "a.html", "a.toml"])
def test_trailing_blanks_are_undone_where_the_file_has_none(path: str) -> None:
    assert (
        text_of("a = 1\nb = 2\n", Replace("b = 2\n", "b = 3  \nc = 4\t\n"), path)
        == "a = 1\nb = 3\nc = 4\n"
    )
    # Its twins: the file has some, or they are the edit, or two blanks end a line.
    assert is_content("a = 1 \nb = 2\n", "b = 2\n", "b = 3  \n", path)
    assert is_content("a = 1\nb = 2\n", "b = 2\n", "b = 2  \n", path)
    assert is_content("a = 1\nb = 2\n", "b = 2\n", "b = 3  \n", "a.md")


# ----------------------------------------------------------------------------- around the new text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "run a\nif b; then\n  run c\nfi\n"),
        ("a.csv", "1,a\r\n2,b\r\n3,c\r\n"),
        ("a.php", "<?php\r\nf(1);\r\ng(2);\r\n"),
        ("a.yaml", "a: 1\nb: 2\nc: 3\n"),
    ],
)
def test_tags_around_new_text_in_a_file_without_tags_are_dropped(path: str, text: str) -> None:
    old = text.replace("\r\n", "\n").split("\n")[1:3]
    new = f"<code>\n{old[0]}\n{old[1]} # x\n</code>\n"
    assert text_of(text, Replace("\n".join(old) + "\n", new), path) == text.replace(
        old[1], f"{old[1]} # x"
    )


def test_new_text_as_a_string_of_json_is_read_by_the_lines_inside_its_quotes() -> None:
    text = ".. option:: --a\n\n    The first.\n    Default: 5.\n"
    new = '".. option:: --a\\n\\n    The first.\\n    Default: 6.\\n"'
    assert text_of(text, Replace(text, new), "a.rst") == text.replace("5", "6")
    # Its twin: no line of the old text comes back.
    assert is_content("a = 1\n", "a = 1", 'a = "x\\ny\\n"', "a.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("make\nmake test\n", "make\nmake all\n"),
        ("## Two\n\nThree.\n", "## Two\n\nFour.\n"),
        ("- two\n- three\n", "- two\n- three\n- four\n"),
    ],
)
def test_a_fence_around_lines_that_change_too_is_refused_in_a_text_for_people(
    old: str, new: str
) -> None:
    outcome = land(f"# One\n\n{old}", Replace(old, f"```\n{new}```\n"), "a.md")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_a_fence_around_lines_that_stay_is_content() -> None:
    assert is_content("# One\n\n- a\n", "- a\n", "```\n- a\n```\n", "a.md")


def test_an_escaped_letter_is_content_in_code_and_none_in_a_text_for_people() -> None:
    text, new = "one\ntwo = 1\n", "two = 'S\\u00e3o'\n"
    assert is_content(text, "two = 1\n", new, "a.py")
    assert is_refused(text, Replace("two = 1\n", new), "a.md")


def test_trailing_blanks_of_an_added_comment_are_undone_in_a_file_without_any() -> None:
    outcome = land("a();\nb();\n", Replace("b();\n", "// Why.  \nc();\t\n"), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a();\n// Why.\nc();\n"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("Dockerfile", 'LABEL a=\\"b c\\"'),
        ("a.rst", "   f(89, &quot;g&quot;)"),
        ("a.ini", "a = &lt;b"),
    ],
)
def test_characters_in_doubt_among_several_new_lines_are_refused(path: str, line: str) -> None:
    outcome = land("one\ntwo\n", Replace("two\n", f"two\nthree\n{line}\n"), path)
    assert isinstance(outcome, Refused), outcome
    assert "where the file has plain characters" in outcome.message
    # As an edit of its own it is what is meant.
    alone = land("one\ntwo\n", Replace("two\n", f"two\n{line}\n"), path)
    assert isinstance(alone, Landed), alone
    assert alone.text == f"one\ntwo\n{line}\n"


def test_an_insertion_whose_mangling_was_undone_does_not_land_twice() -> None:
    text = "class A {\n    }\n\n    /// <summary>\n    /// One.\n    /// </summary>\n    void F() {}\n}\n"
    old = "    }\n\n    /// <summary>\n    /// One."
    block = "    /// <summary>\n    /// Two.\n    /// </summary>\n    void G()\n    {\n    }\n\n"
    new = f"    }}\n\n{block}    /// <summary>\n    /// One."
    request = Replace(old, new.replace("<", "&lt;").replace(">", "&gt;"))
    once = text_of(text, request, "a.cs")
    assert once == text.replace(old, new)
    again = land(once, request, "a.cs")
    assert isinstance(again, Refused)
    assert again.reason == "already_applied"
