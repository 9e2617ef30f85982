"""Placeholders for lines that were not written out: what vanishes counts, not what the placeholder says."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, Replace, WriteFile, land

PYTHON = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"
HEAD = "import os\n\n\ndef one():\n    return 11\n\n\n"

WORDS = [
    "rest of file",
    "rest of the code",
    "the rest of the file is unchanged",
    "unchanged",
    "no changes",
    "(no changes)",
    "no change below",
    "Keep existing code",
    "keep the rest",
    "existing functions",
    "existing code",
    "other functions",
    "other methods as they were",
    "remaining code",
    "remaining functions here",
    "as before",
    "same as before",
    "same as above",
    "and so on",
    "etc.",
    "etc",
    "truncated",
    "omitted for brevity",
    "snip",
    "skipped",
    "continues",
    "continued below",
    "TODO: the other functions",
    "see the original",
    "original code",
    "previous code",
    "your code here",
    "two and three stay",
    "def two() and def three() stay as they are",
    "... unchanged ...",
    "...",
    "der Rest bleibt gleich",
    "le reste est inchangé",
    "其余代码不变",
]


def reason_of(outcome: Landed | Refused) -> str:
    return outcome.reason if isinstance(outcome, Refused) else "landed"


@pytest.mark.parametrize("words", WORDS)
def test_a_file_that_ends_in_a_placeholder_for_its_tail_is_refused(words: str) -> None:
    outcome = land(PYTHON, WriteFile(f"{HEAD}# {words}\n"), path="a.py")
    assert reason_of(outcome) == "elision"
    assert isinstance(outcome, Refused)
    assert f"# {words}" in outcome.message
    assert "rite the whole file out" in outcome.message


@pytest.mark.parametrize("words", WORDS)
def test_a_replacement_that_ends_in_a_placeholder_for_its_tail_is_refused(words: str) -> None:
    new = f"{HEAD}# {words}\n"
    assert reason_of(land(PYTHON, Replace(PYTHON, new), path="a.py")) == "elision"
    assert (
        reason_of(land(PYTHON, LineEdits((LineEdit(1, 13, new, old=PYTHON),)), path="a.py"))
        == "elision"
    )
    assert (
        reason_of(land(PYTHON, LineEdits((LineEdit(1, 13, new),), shown=PYTHON), path="a.py"))
        == "elision"
    )
    assert (
        reason_of(land(PYTHON, LineEdits((LineEdit(1, 13, new, old="import os"),)), path="a.py"))
        == "elision"
    )


@pytest.mark.parametrize("words", WORDS)
def test_the_same_words_land_where_nothing_vanishes(words: str) -> None:
    assert reason_of(land(PYTHON, WriteFile(f"{PYTHON}# {words}\n"), path="a.py")) == "landed"
    assert (
        reason_of(
            land("def f():\n    run()\n", Replace("    run()\n", f"    # {words}\n    run()\n"))
        )
        == "landed"
    )
    assert (
        reason_of(
            land("def f():\n    run()\n", Replace("    run()\n", f"    run()\n    # {words}\n"))
        )
        == "landed"
    )


JS = "import a from 'a';\n\nexport function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n"
C = "#include <stdio.h>\n\nint one(void) {\n    return 1;\n}\n\nint two(void) {\n    return 2;\n}\n"
HTML = "<html>\n<body>\n<h1>One</h1>\n<p>First.</p>\n<p>Second.</p>\n</body>\n</html>\n"
SQL = "CREATE TABLE one (id INT);\nCREATE TABLE two (id INT);\nINSERT INTO two VALUES (1);\n"
CLASS = "class A {\n  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }\n}\n"
INI = "[one]\nhost = a\nport = 1\n\n[two]\nhost = b\nport = 2\n"
TEXT = "Alpha comes first.\nBeta follows it.\nGamma is the last.\n"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (JS, "import a from 'a';\n\nexport function one() {\n  return 11;\n}\n\n// unchanged\n"),
        (
            JS,
            "import a from 'a';\n\nexport function one() {\n  return 11;\n}\n\n/* remaining functions */\n",
        ),
        (JS, "import a from 'a';\n\nexport function one() {\n  return 11;\n}\n\n{/* rest */}\n"),
        (
            JS,
            "import a from 'a';\n\nexport function one() {\n  return 11;\n}\n\n/*\n * rest of file\n */\n",
        ),
        (C, "#include <stdio.h>\n\nint one(void) {\n    return 11;\n}\n\n/* no changes */\n"),
        (HTML, "<html>\n<body>\n<h1>Two</h1>\n<!-- same as before -->\n</body>\n</html>\n"),
        (HTML, "<html>\n<body>\n<h1>Two</h1>\n<!-- same as before -->\n"),
        (SQL, "CREATE TABLE one (id BIGINT);\n-- the other statements\n"),
        (CLASS, "class A {\n  one() {\n    return 11;\n  }\n\n  // other methods\n}\n"),
        (INI, "[one]\nhost = z\nport = 1\n\n; other sections\n"),
        (INI, "[one]\nhost = z\nport = 1\n\n...\n"),
        (INI, "[one]\nhost = z\nport = 1\n\n\u2026\n"),
        (INI, "[one]\nhost = z\nport = 1\n\n... and so on\n"),
        (TEXT, "Alpha comes second.\n[... unchanged ...]\n"),
        (TEXT, "Alpha comes second.\n[\u2026]\n"),
        (TEXT, "Alpha comes second.\n(rest of the text)\n"),
        (TEXT, "Alpha comes second.\n<rest of the text>\n"),
        # New lines before the placeholder are as many as those that vanish.
        (
            PYTHON,
            "import os\n\n\ndef four():\n    x = 4\n    y = x\n    z = y\n    return z\n\n\n# the others\n",
        ),
    ],
)
def test_placeholders_of_other_languages_are_refused(text: str, new: str) -> None:
    assert reason_of(land(text, WriteFile(new))) == "elision"
    assert reason_of(land(text, Replace(text, new))) == "elision"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        # A rewritten file in which everything is still there, below a comment at the end.
        (PYTHON, PYTHON.replace("1\n", "11\n").replace("3\n", "33\n") + "\n# vim: set tabstop=4\n"),
        (PYTHON, PYTHON.replace("    return 3\n", "    return 4\n    # The caller adds one.\n")),
        (PYTHON, "# All of it, sorted by name.\nimport os\n" + PYTHON.removeprefix("import os\n")),
        # The lines moved, and a comment is the last line now.
        (SQL, "".join(reversed(SQL.splitlines(keepends=True))) + "-- done\n"),
        # The code is still there, in the comment.
        (TEXT + "run()\nstop()\n", TEXT + "# run()\n# stop()\n"),
        # A comment became another one.
        (PYTHON + "# the end\n# of it\n", PYTHON + "# Nothing more.\n"),
        # A comment on the line that follows.
        ("a = 1\nb = 2\nc = 3\nd = 4\n", "a = 1\n# c does both\nc = 3\nd = 4\n"),
        # A deletion without any comment, and one beside a comment that the file has.
        (PYTHON, HEAD),
        (PYTHON + "# eof\n", HEAD + "# eof\n"),
        # Code that begins like a comment in another language.
        (C, "#include <stdio.h>\n#include <stdlib.h>\n"),
        (INI, "[one]\nhost = a\n"),
        # The last line is a docstring.
        (PYTHON, HEAD + 'def two():\n    """Return nothing."""\n'),
    ],
)
def test_honest_rewrites_land(text: str, new: str) -> None:
    assert reason_of(land(text, WriteFile(new))) == "landed"
    assert reason_of(land(text, Replace(text, new))) == "landed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/**\n * Flush it.\n */\nint f() {\n", "/**\n // ... rest of code ...\nint f() {\n"),
        ("    return 0\n}\n\nfor x {\n", "    return 0\n// ... existing code ...\nfor x {\n"),
    ],
)
def test_a_line_of_dots_in_place_of_a_comment_or_a_bracket_is_refused(old: str, new: str) -> None:
    assert reason_of(land(old + "}\n", Replace(old, new))) == "elision"


def test_one_line_may_become_a_comment() -> None:
    assert (
        reason_of(land("a = 1\nlog(a)\nb = 2\n", Replace("log(a)\n", "# Silent on purpose.\n")))
        == "landed"
    )


def test_the_cure_lands() -> None:
    outcome = land(PYTHON, WriteFile(f"{HEAD}# gone for good\n"))
    assert isinstance(outcome, Refused)
    assert outcome.message == (
        "the new text has `# gone for good`, and lines of the old text would be lost there. Write the whole file "
        "out, or send an edit of the lines that change; if they are to be deleted, leave that line out."
    )
    assert isinstance(land(PYTHON, WriteFile(HEAD)), Landed)


def test_a_comment_alone_in_the_place_of_several_lines_of_a_whole_file_is_refused() -> None:
    """Its twins: one line gives way, or a comment does; or the comment is a new line among others."""
    text = "a = 1\nb = 2\n\nc = 3\nd = 4\n"
    lost = "a = 9\n# the same as before\nd = 4\n"
    assert reason_of(land(text, WriteFile(lost), "a.py")) == "elision"
    one = "a = 1\n# no b\nc = 3\n"
    assert reason_of(land("a = 1\nb = 2\nc = 3\n", WriteFile(one), "a.py")) == "landed"
    comment = "a = 1\n# one\n# two\n# three\nd = 4\n"
    assert reason_of(land(comment, WriteFile("a = 1\n# all\nd = 4\n"), "a.py")) == "landed"
    vim = 'set a\nset b\nset c\n" more\nset d\n'
    assert reason_of(land(vim, WriteFile('set z\n" ...\nset d\n'), "a.vim")) == "elision"


def test_a_line_of_dots_in_the_place_of_blank_lines_is_refused() -> None:
    """Its twin beside them lands: nothing vanishes."""
    text = "a = 1\n\n\ndef f():\n    return a\n"
    gone = text.replace("\n\n\n", "\n# ... (unchanged) ...\n").replace("return a", "return b")
    assert reason_of(land(text, Replace(text, gone), "a.py")) == "elision"
    kept = text.replace("\n\n\n", "\n\n\n# wait for it ...\n")
    assert reason_of(land(text, Replace(text, kept), "a.py")) == "landed"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.yml",
            "- run: a\n- run: b\n- run: c\n- run: d\n",
            "# (rest unchanged)\n- run: e\n",
        ),
        ("a.tex", "\\item a\n\\item b\n\\item c\n", "\\item c\n% \u2026\n"),
        ("a.txt", "One.\nTwo.\nThree.\n", "One.\nrest of file stays the same\n"),
    ],
    ids=["above a new line", "beside a line that stays", "no comment"],
)
def test_words_about_text_stand_for_lines_wherever_they_are(path: str, old: str, new: str) -> None:
    for request in (Replace(old, new), WriteFile(new)):
        outcome = land(old, request, path)
        assert isinstance(outcome, Refused), outcome
        assert outcome.reason == "elision"


def test_a_comment_with_other_words_above_fewer_lines_is_a_comment() -> None:
    old = "- run: a\n- run: b\n- run: c\n- run: d\n"
    outcome = land(old, Replace(old, "# all in one\n- run: abcd\n"), "a.yml")
    assert isinstance(outcome, Landed), outcome


def test_a_loop_whose_words_are_about_text_is_code() -> None:
    old = "for a in b:\n    one()\n    two()\n    three()\n"
    outcome = land(old, Replace(old, "for other in others:\n    all(other)\n"), "a.py")
    assert isinstance(outcome, Landed), outcome


def test_the_first_of_several_placeholders_is_named() -> None:
    old = "".join(f"- run: {name}\n" for name in "abcdef")
    new = "- run: d\n# rest unchanged\n- run: e\n# same as before\n- run: f\n# keep the others\n"
    outcome = land(old, Replace(old, new), "a.yml")
    assert isinstance(outcome, Refused)
    assert "`# rest unchanged`" in outcome.message


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.toml",
            '[a]\none = 1\ntwo = 2\nthree = 3\nlist = [\n    "x",\n]\n',
            '[a]\nother = [\n    "y",\n]\n# (other fields omitted)\n',
        ),
        (
            "a.lua",
            "function f()\n  error(a)\n  known = 2\n  for b in c do\n    d(b)\n  end\n  error(e)\nend\n",
            "function f()\n  for g in h do\n    i(g)\n  end\n  -- TODO: rest as needed\nend\n",
        ),
        (
            "a.kt",
            "fun f() {\n    log(a)\n    b[1] = 2\n    return c\n}\n",
            "fun f() {\n    // TODO: rest as needed\n    return c\n}\n",
        ),
    ],
)
def test_lines_that_vanish_around_a_bracket_count(path: str, old: str, new: str) -> None:
    outcome = land(old, Replace(old, new), path)
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "elision"


BLOCKS = 'a "b" {\n  c = 1\n  d = 2\n}\n'


@pytest.mark.parametrize("line", ["# ... rest of the code ...", "# ... (unchanged) ...", "# ..."])
def test_a_placeholder_loses_lines_also_beside_a_new_block_that_begins_its_lines_so(
    line: str,
) -> None:
    block = 'a "x" {\n  c = 3\n  d = 4\n}\n'
    for new in (f"  {line}\n\n{block}", f'  c = 5\n}}\n\na "y" {{\n  c = 6\n  {line}\n}}\n'):
        outcome = land(BLOCKS, Replace("  c = 1\n  d = 2\n}\n", new), "a.tf")
        assert isinstance(outcome, Refused), outcome
        assert outcome.reason == "elision"


@pytest.mark.parametrize("form", ["{n}: {line}", "> {line}", "{n}|{line}"])
def test_a_placeholder_loses_lines_also_in_a_listing(form: str) -> None:
    text = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
    new = ["def g():", "    # ... existing code ...", "    return a"]

    def listed(lines: list[str]) -> str:
        return "\n".join(form.format(n=n, line=line) for n, line in enumerate(lines, 1))

    outcome = land(text, Replace(listed(text.splitlines()), listed(new)), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "elision"


@pytest.mark.parametrize("line", ["# ... (rest unchanged)", "## ... rest of the file ..."])
def test_dots_with_words_about_text_are_no_heading_of_markdown(line: str) -> None:
    text = "# One\n\nfirst text\n\n## Two\n\nsecond text\n\nthird text\n"
    outcome = land(text, WriteFile(f"# One\n\nnew text\n\n{line}\n"), "a.md")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "elision"
    honest = land(text, WriteFile("# One\n\nfirst text\n\n## The rest\n\nsecond text\n"), "a.md")
    assert isinstance(honest, Landed), honest


def test_a_deletion_that_joins_lines_writes_no_placeholder() -> None:
    text = "a = 1\n# ...\nb = 2\nc = 3\n"
    outcome = land(text, Replace("..\nb = 2\nc", ""))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a = 1\n# . = 3\n"


@pytest.mark.parametrize("comment", ["// rest unchanged", "// ... rest of the code ..."])
def test_words_about_text_are_refused_beside_any_line_that_changes(comment: str) -> None:
    text = "class A {\n  private int a = 1;\n\n  /** Falls back. */\n  void b() {}\n}\n"
    old = "  private int a = 1;\n\n  /** Falls back. */\n"
    for new in (f"  private int c = 2;\n  {comment}\n", f"{old.replace('1', '2')}  {comment}\n"):
        assert reason_of(land(text, Replace(old, new), "A.java")) == "elision"
    assert reason_of(land(text, Replace(old, f"{old}  {comment}\n"), "A.java")) == "landed"
