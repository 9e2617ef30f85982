"""A language for each file: what is a comment there, and which lines name a block."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, Replace, land
from holdfast.landing.text.languages import language_of


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("a.py", "# note", True),
        ("a.css", "#sidebar {", False),
        ("a.js", "  #private() {", False),
        ("a.md", "# Title", False),
        ("a.md", "* item", False),
        ("a.c", " * inside a comment", True),
        ("a.css", "* {", False),
        ("a.c", "#define SIZE 4", False),
        ("a.sql", "-- note", True),
        ("a.rs", "#[test]", False),
        ("run.sh", "#!/bin/sh", False),
        ("Makefile", "# note", True),
        ("unknown.xyz", "# note", False),
        (None, "// note", False),
    ],
)
def test_the_path_says_what_a_comment_is(path: str | None, line: str, expected: bool) -> None:
    assert language_of(path).is_comment(line) is expected


BLOCKS = [
    ("a.css", "#{} {{", ["  color: #333;", "  padding: 4px;", "}"]),
    ("a.css", ".{} {{", ["  color: #333;", "  padding: 4px;", "}"]),
    ("a.md", "# {}", ["Run this command in a shell:", "", "    pip install foo"]),
    ("a.md", "* {} comes first", ["  and then some more text", "  and its end"]),
    ("a.md", "1. {} comes first", ["   and then some more text", "   and its end"]),
    ("a.py", 'if kind == "{}":', ["    total = price * count", "    send(total)"]),
    ("a.js", 'if (kind === "{}") {{', ["  total = price * count;", "  send(total);", "}"]),
    ("a.js", "  #{}() {{", ["    total = price * count;", "    send(total);", "  }"]),
    ("a.rs", "    Kind::{} => {{", ["        let total = price * count;", "        send(total);"]),
    ("a.sql", "create function {}(x int)", ["returns int", "language sql as $$ select 1 + 1 $$;"]),
    ("a.html", '<div id="{}">', ["  <p>Some text to be read</p>", "</div>"]),
    ("a.yaml", "- name: {}", ["  run: make all of it", "  shell: bash"]),
    ("a.json", '"{}": {{', ['  "port": 80,', '  "host": "localhost"']),
    ("Makefile", "{}: build", ["\tcp build/app /usr/local/bin", "\tchmod +x /usr/local/bin/app"]),
    ("a.c", "#define {}(x) \\", ["  total_of_all(price, x); \\", "  send_it(x)"]),
    ("a.toml", "[{}]", ['path = "src/main"', "edition = 2021"]),
    ("a.conf", "  server_name {}.org;", ["  listen 443 ssl;", "  root /srv/www/app;"]),
    ("a.po", 'msgid "{}"', ['msgstr "Die Rechnung ist da"', ""]),
]


@pytest.mark.parametrize(("path", "opener", "body"), BLOCKS)
def test_a_block_that_the_file_does_not_name_is_refused(
    path: str, opener: str, body: list[str]
) -> None:
    block, other = (
        "\n".join([opener.format(name), *body, ""]) for name in ("invoice", "refunding")
    )
    changed = other.replace(body[0], body[0] + " more")
    outcome = land(block, Replace(other, changed), path=path)
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, outcome.veto) == ("not_found", "block_name")
    assert "invoice" in outcome.closest


@pytest.mark.parametrize(("path", "opener", "body"), BLOCKS)
def test_the_block_that_it_names_is_edited_beside_its_twin(
    path: str, opener: str, body: list[str]
) -> None:
    one, two = ("\n".join([opener.format(name), *body, ""]) for name in ("invoice", "refunding"))
    changed = two.replace(body[0], body[0] + " more")
    outcome = land(one + two, Replace(two, changed), path=path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == one + changed


def test_a_misspelt_name_below_the_change_is_drift() -> None:
    text = "Some words to read here.\nMore of these words.\n\n## Comprehensions\n\nThe end.\n"
    old = "Some words to read here.\nMore of these words.\n\n## Comprehensoins\n"
    outcome = land(text, Replace(old, old.replace("More of", "All of")), path="a.md")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("More of", "All of")


def test_the_inside_of_a_string_is_content() -> None:
    old = "x = 'foo bar'\ny = compute(x)\n"
    outcome = land(
        "x = 'foobar'\ny = compute(x)\n", Replace(old, old.replace("foo bar", "new")), path="a.py"
    )
    assert isinstance(outcome, Refused)
    assert outcome.veto == "line_missing"


def test_a_line_whose_words_are_together_elsewhere_was_not_invented() -> None:
    short = "def short(row):\n    out.write(row.name)\n    out.write(row.mail)\n    out.close()\n\n"
    full = (
        'def full(row):\n    out.write(row.name)\n    out.write(row.mail, end=" ")\n'
        "    if on_done is None:\n        out.flush()\n"
    )
    old = "    out.write(row.name)\n    out.write(row.mail)\n    if on_done == None\n"
    outcome = land(short + full, Replace(old, old.replace("mail", "phone")), path="a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.veto == "known_line"


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u3000", "\u202f"])
def test_indentation_copied_as_another_space_is_the_files_indentation(space: str) -> None:
    text = "def f():\n    if x:\n        return 1\n"
    old = f"{space * 4}if x:\n{space * 8}return 1\n"
    new = f"{space * 4}if x:\n{space * 8}return 3\n{space * 12}more()\n"
    outcome = land(text, Replace(old, new))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "def f():\n    if x:\n        return 3\n            more()\n"
