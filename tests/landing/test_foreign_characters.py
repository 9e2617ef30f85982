"""Characters in new lines that the file, by its own lines, cannot have: undone where that is certain, else refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, Replace, WriteFile, land

if TYPE_CHECKING:
    pass

CODE = '// Über alles, naïve\nfn a() {\n    log("a & b < c");\n    b();\n}\n'


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("a.rs", "    c();\n    d();\x1b[0m\n"),
        ("a.rs", "    // na\\u00efve\n    c();\n"),
        ("a.rs", "    c()\uff1b\n    d()\uff1b\n"),
        ("a.rs", "    c();\u200b\n"),
        ("a.rs", "    c()\u2060;\n"),
        ("a.rs", '    c("Ã©");\n'),
        ("a.graphql", "    c: Int = 3\\n    b();\n"),
        ("a.scss", "    c {\\n      d: e;\n"),
        ("a.txt", "    One is 3.\\nTwo is 4.\n"),
        ("a.md", "    Sa\\u0303o\n"),
        ("Dockerfile", "    ARG LOCAL\\_TOKEN\n"),
        ("a.html", "    <p class=\u201cx\u201d>\n"),
        ("a.html", '    <p class=\\"x\\">\n'),
        ("a.html", "\u00a0\u00a0\u00a0\u00a0<p>\n"),
        ("a.php", "    c(1 &amp;&amp; 2);\n    d();\n"),
    ],
)
def test_a_mark_that_no_line_of_the_file_has_and_no_such_code_can_have_is_refused(
    path: str, new: str
) -> None:
    file = CODE
    if path == "a.php":
        file = "<?php\nfunction a() {\n    b();\n}\n"
    refused = land(file, Replace("    b();\n", new), path)
    assert isinstance(refused, Refused), refused
    assert refused.reason == "malformed"
    assert "where the file has plain characters" in refused.message


@pytest.mark.parametrize("text", ["x &amp; y", "x &#60; y", "x &#x26; y", "\\u00fcber"])
def test_what_the_strings_of_the_file_write_plainly_is_refused_in_several_new_lines(
    text: str,
) -> None:
    file = CODE.replace("b < c", "b < c ü")
    lines = f'    c();\n    log("{text}");\n'
    refused = land(file, Replace("    b();\n", lines), "a.rs")
    assert isinstance(refused, Refused), refused
    assert refused.reason == "malformed"
    plain = file.replace("a & b < c ü", "a")
    if "u00" in text:
        plain = plain.replace("Über alles, naïve", "a")
    assert land(plain, Replace("    b();\n", lines), "a.rs").landed


def test_an_escape_alone_is_the_edit() -> None:
    assert land(CODE, Replace("a & b", "a &amp; b"), "a.rs").landed


def test_a_number_that_is_no_printable_character_stays() -> None:
    outcome = land("a\nb\n", Replace("b\n", "b &#10; &#7;\n"), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a\nb &#10; &#7;\n"


def test_the_line_below_a_range_is_not_written_twice_although_the_file_has_it_elsewhere() -> None:
    text = "a(first)\nreturn_value(a)\nb(second)\nreturn_value(a)\n"
    edit = LineEdit(1, 1, "a(third)\nreturn_value(a)\n", old="a(first)\n")
    refused = land(text, LineEdits((edit,)), "a.py")
    assert isinstance(refused, Refused), refused
    assert "return_value(a)" in refused.message


@pytest.mark.parametrize(
    ("path", "tag"), [("Makefile", "make"), ("a.tsv", "tsv"), ("a.csv", "csv")]
)
def test_the_tag_of_a_lost_fence_is_no_line_of_the_file(path: str, tag: str) -> None:
    text = "a\tb\n1\t2\n3\t4\n"
    outcome = land(text, WriteFile(f"{tag}\na\tb\n1\t2\n3\t5\n"), path)
    assert isinstance(outcome, Refused), outcome
    assert f"`{tag}` is no line of such a file" in outcome.message


def test_tags_that_no_text_for_people_has_are_not_written() -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    new = "<new_text>\nOne line.\nAnother word.\n</new_text>\n"
    outcome = land(text, Replace("One line.\nAnother line.\n", new), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "One line.\nAnother word.\nA third line.\n"


def test_a_cdata_section_around_a_text_for_people_is_refused() -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    new = text.replace("third", "fourth")
    outcome = land(text, WriteFile(f"<![CDATA[\n{new}]]>\n"), "a.txt")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_new_lines_between_two_lines_that_are_apart_in_the_file_are_refused() -> None:
    text = "[Service]\nRestart=always\nEnvironment=LEVEL=2\nWorkingDirectory=/srv/a\n\n[Install]\nWantedBy=multi-user.target\n"
    old = "Restart=alwys\nEnvironment=LEVEL=2\n\n[Install]\n"
    new = "Restart=alwys\nEnvironment=LEVEL=2\n\n[Other]\nName=x\n\n[Install]\n"
    assert isinstance(land(text, Replace(old, new), "a.service"), Refused)


def test_a_definition_directly_below_the_change_must_be_in_the_file_as_it_is() -> None:
    text = "count\n\n\n# Fetch the ember.\ndef fetch_ember(path):\n    start = time()\n    return start\n"
    old = "# Fetch the ember.\ndef fetch_timber(path):\n    start = time()\n    return start\n"
    new = old.replace("# Fetch the ember.", "# See the notes.")
    refused = land(text, Replace(old, new), "a.py")
    assert isinstance(refused, Refused), refused
    assert refused.veto == "block_name"


LINES = "alpha = first\nbeta = second\ngamma = third\ndelta = fourth\n"


def test_a_whole_file_that_is_there_twice_is_refused() -> None:
    new = LINES.replace("second", "other")
    outcome = land(LINES, WriteFile(new + new), "a.ini")
    assert isinstance(outcome, Refused), outcome
    assert "twice" in outcome.message
    assert land(LINES, WriteFile(new + "alpha = first\n"), "a.ini").landed


def test_a_sentence_in_the_place_of_a_whole_file_is_refused() -> None:
    for path in ("a.txt", "a.po"):
        outcome = land(LINES, WriteFile("I have updated the file as you asked.\n"), path)
        assert isinstance(outcome, Refused), outcome
    assert land(LINES, WriteFile("alpha = first\n"), "a.ini").landed


@pytest.mark.parametrize("new", ["```\n{}", "{}```\n"])
def test_half_a_fence_around_a_text_for_people_is_refused(new: str) -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    changed = text.replace("third", "fourth")
    outcome = land(text, WriteFile(new.format(changed)), "a.rst")
    assert isinstance(outcome, Refused), outcome
    assert outcome.message == "a.rst: ````` is no line of such a file; send the content alone."
    assert land(text, WriteFile(f"{changed}\n```\ncode\n```\n"), "a.md").landed


def test_carriage_returns_alone_are_the_line_ends_of_a_whole_file() -> None:
    new = LINES.replace("second", "other")
    outcome = land(LINES, WriteFile(new.replace("\n", "\r")), "a.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


def test_a_token_of_a_chat_on_a_line_of_its_own_leaves_no_blank_line() -> None:
    edit = LineEdit(2, 2, "beta = other\n [/INST]", old="beta = second\n")
    outcome = land(LINES, LineEdits((edit,)), "a.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == LINES.replace("second", "other")


def test_a_blank_line_of_both_texts_is_not_lost_with_a_thought_above_it() -> None:
    text = "alpha = first\n\nbeta = second\n"
    new = "<think>Hm.</think>\n\nbeta = other\n"
    outcome = land(text, Replace("\nbeta = second\n", new), "a.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("second", "other")


def test_two_ways_to_write_the_dash_of_the_file_are_no_change_of_it() -> None:
    text = "-- first \u2014 then\nSELECT a;\n"
    old, new = "-- first - then\nSELECT a;\n", "-- first -- then\nSELECT b;\n"
    outcome = land(text, Replace(old, new), "a.sql")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("a;", "b;")


@pytest.mark.parametrize("path", ["CMakeLists.txt", ".env.local", "Dockerfile.dev", "a.po"])
def test_a_sentence_above_a_new_comment_is_refused(path: str) -> None:
    text = "# A comment.\nalpha first\n# Another one.\nbeta second\n"
    new = "Here is the updated code:\n# Needed since version 25\nbeta second\n"
    outcome = land(text, Replace("beta second\n", new), path)
    assert isinstance(outcome, Refused), outcome
    assert "Here is the updated code:" in outcome.message


def test_curly_quotes_in_a_comment_of_a_file_with_a_known_part_in_its_name_stay() -> None:
    text = "# Don't cache it.\nHOST='price'\nURL=\"a\"\n"
    new = "# It belongs to the \u201cdepth\u201d team\nHOST='price'\nURL=\"b\"\n"
    outcome = land(text, Replace(text, new), ".env.tenant")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


@pytest.mark.parametrize("path", ["a.scss", "a.rst", "a.txt", "a.py"])
def test_one_line_in_the_place_of_several_that_has_one_of_them_in_it_is_several(path: str) -> None:
    text = "first(one)\nsecond(two)\nthird(three)\nfourth(four)\n"
    old = "second(two)\nthird(three)\n"
    outcome = land(text, Replace(old, "second(2)\\nthird(three)\\n"), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("two", "2")


def test_an_escape_in_the_value_of_one_line_stays() -> None:
    text = "greeting=Hello\nname=a\n"
    outcome = land(text, Replace("greeting=Hello\n", "greeting=Hello\\nWorld\n"), "a.properties")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "greeting=Hello\\nWorld\nname=a\n"


def test_a_query_of_another_table_is_another_query() -> None:
    text = "SELECT a\nFROM weather AS u\nLEFT JOIN b ON b.weather = u.id\nWHERE u.c > 50\nORDER BY a\nLIMIT 90;\n"
    old = text.replace("weather", "kitchen")
    refused = land(text, Replace(old, old.replace("90", "93")), "a.sql")
    assert isinstance(refused, Refused), refused
    assert refused.veto == "block_name"


def test_a_text_for_people_that_stops_inside_a_fence_is_refused() -> None:
    text = "# A\n\nOne line.\n\n## License\n\nMIT\n"
    new = "# A\n\nOne line.\n\n```sh\npip install meeti"
    refused = land(text, WriteFile(new), "a.md")
    assert isinstance(refused, Refused), refused
    assert refused.reason == "malformed"


@pytest.mark.parametrize("odd", ["\uff1b", ";\u200b", "\u2060;"])
def test_marks_that_no_code_has_are_content_in_a_string(odd: str) -> None:
    text = f'    c("{odd}");\n    d();\n'
    in_string = land(CODE, Replace("    b();\n", text), "a.rs")
    assert isinstance(in_string, Landed), in_string
    assert in_string.text == CODE.replace("    b();\n", text)


@pytest.mark.parametrize(
    ("path", "is_content"), [("a.txt", False), ("a.rst", False), ("a.md", True)]
)
def test_a_pair_of_tags_is_content_only_where_the_kind_of_file_has_tags(
    path: str, *, is_content: bool
) -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    new = "<details>\nOne line.\nAnother word.\n</details>\n"
    outcome = land(text, Replace("One line.\nAnother line.\n", new), path)
    assert isinstance(outcome, Landed), outcome
    assert ("<details>" in outcome.text) is is_content


def test_the_number_of_an_item_that_the_file_has_is_no_line_number() -> None:
    text = "A list\n  1. The weight.\n  2. Nobody.\n  3. We meet at noon.\n\nOn the other\n"
    outcome = land(text, Replace("    3. We meet at noon.\n", ""), "a.txt")
    assert not isinstance(outcome, Landed) or outcome.text == text.replace(
        "  3. We meet at noon.\n", ""
    )


def test_what_shows_around_a_whole_file_only_behind_an_accident_is_undone_too() -> None:
    file = "create table a (\n  b int\n);\n\nselect b from a where b < 3;\n\nselect 1 < 2;\n"
    meant = file.replace("b int", "b bigint")
    answer = f"<think>\nOne change.\n</think>\n\n{meant}"
    outcome = land(file, WriteFile(answer.replace("<", "&lt;").replace(">", "&gt;")), "a.sql")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == meant


@pytest.mark.parametrize(("path", "lands"), [("a.tf", True), ("a.txt", True), ("a.jsx", False)])
def test_tags_around_the_only_line_that_changes_are_undone_where_the_file_can_have_none(
    path: str, lands: bool
) -> None:
    file = "one = 1\ntwo = 2\nthree = 3\n"
    outcome = land(file, Replace("two = 2\n", "<code>\ntwo = 22\n</code>\n"), path)
    plain = file.replace("two = 2", "two = 22")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text == plain) is lands


def test_half_a_line_ending_is_one_and_a_doubled_one_is_refused() -> None:
    file = "one\r\ntwo\r\nthree\r\n"
    outcome = land(file, Replace("two\r\nthree", "2\r\n3\r"), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "one\r\n2\r\n3\r\n"
    # In a file without such endings it is content.
    alone = land("one", Replace("one", "1\r"))
    assert isinstance(alone, Landed)
    assert alone.text == "1\r"
    doubled = land(file, Replace("two\r\nthree", "2\r\r\n3"), "a.txt")
    assert isinstance(doubled, Refused)
    assert doubled.reason == "malformed"


def test_a_whole_file_that_stops_in_a_word_of_the_file_was_cut() -> None:
    file = "a:\n  image: x\n  environment:\n    b: 1\nvolumes:\n  data: {}\n"
    new = "a:\n  image: x\n  environment:\n    b: 1\nc:\n  image: y\n  restart: no\n  enviro"
    refused = land(file, WriteFile(new), "a.yml")
    assert isinstance(refused, Refused), refused
    assert refused.reason == "malformed"


def test_marks_of_a_diff_before_new_lines_are_refused_beside_a_context_that_drifted() -> None:
    file = 'f()\n-- a note\nlocal bucket = io.open(path, "r")\nif not bucket then\n  g()\nend\n'
    old = "-- a note\nlocal bucket = io.open(path, 'r')\nif not bucket then\n"
    new = old.replace("if not", "+h()\n+print(1)\nif not")
    outcome = land(file, Replace(old, new), "a.lua")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_curly_quotes_behind_backslashes_are_plain_quotes() -> None:
    file = 'set(a "b")\nmessage(STATUS "c")\ninclude("d")\n'
    mangled = "set(a \\“b\\”)\nmessage(STATUS \\“c\\”)\ninclude(\\“e\\”)\n"
    outcome = land(file, WriteFile(mangled), "a.cmake")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == file.replace('"d"', '"e"')


def test_line_numbers_behind_line_numbers_are_undone() -> None:
    file = "package a\n\nimport b\n\nval c = 1\n"
    meant = file.replace("1", "2")
    lines = meant.splitlines()
    numbered = "".join(f"{n}|      {n}→{line}\n" for n, line in enumerate(lines, 1))
    outcome = land(file, WriteFile(numbered), "a.kt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == meant


@pytest.mark.parametrize(
    "opening", ["cat > src/a.go <<'EOF'", "cat <<EOF > src/a.go", "tee src/a.go <<-EOF"]
)
def test_the_command_that_writes_the_file_is_refused(opening: str) -> None:
    file = "package a\n\nfunc b() int {\n\treturn 1\n}\n"
    meant = file.replace("1", "2")
    outcome = land(file, WriteFile(f"{opening}\n{meant}EOF\n"), "src/a.go")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"
    # Of a script that writes another file it is a part.
    script = f"set -e\n{opening}\n{file}EOF\n"
    kept = land(script, WriteFile(script.replace("1", "2").removeprefix("set -e\n")), "b.sh")
    assert isinstance(kept, Landed), kept
    assert kept.text == f"{opening}\n{meant}EOF\n"


def test_a_pair_of_marks_inside_another_is_refused() -> None:
    file = "const a = 1;\n\nfunction b() {\n  return a;\n}\n"
    meant = file.replace("1", "2")
    outcome = land(file, WriteFile(f"<file>\n<![CDATA[\n{meant}]]>\n</file>\n"), "a.js")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_a_range_keeps_the_typography_of_a_line_beside_the_one_that_changes() -> None:
    file = '| `a` | "b" |\n| `c` | 1 |\n| `d` | 2 |\n'
    new = "| `a` | “b” |\n| `c` | 3 |\n"
    outcome = land(file, LineEdits((LineEdit(1, 2, new),), shown=file), "a.md")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == file.replace("1", "3")
    # Alone it is the edit.
    alone = land(file, LineEdits((LineEdit(1, 1, "| `a` | “b” |\n"),), shown=file), "a.md")
    assert isinstance(alone, Landed), alone
    assert alone.text == file.replace('"b"', "“b”")


def test_a_fence_below_a_sentence_around_nearly_the_old_text_is_refused() -> None:
    file = "The first thing takes 12 bytes.\n\nThe second thing takes 13 bytes.\n"
    new = "Here is the updated version:\n\n```\nThe first thing takes 14 bytes.\n```\n"
    outcome = land(file, Replace("The first thing takes 12 bytes.\n", new), "a.txt")
    assert isinstance(outcome, Refused), outcome
    example = "The first thing is this:\n\n```\nmake install\n```\n"
    kept = land(file, Replace("The first thing takes 12 bytes.\n", example), "a.md")
    assert isinstance(kept, Landed), kept
    assert kept.text.startswith(example)


def test_an_honest_comment_excuses_no_more_lines_than_are_added_beside_it() -> None:
    body = "def f():\n    a = 1\n    log.info(a)\n    return a\n\nif b:\n    print(1)\n"
    new = "def f():\n    a = 2\n    log.debug(a)\n    # (unchanged)\n"
    old = body.removesuffix("    print(1)\n")
    refused = land(body, Replace(old, new), "a.py")
    assert isinstance(refused, Refused), refused
    assert refused.reason == "elision"


def test_a_sentence_at_the_end_of_new_lines_is_not_among_code() -> None:
    second = "// The balance of it.\nmessage {} {{\n  int64 id = 1;\n  bool is_query = 4; // never twice\n}}\n"
    file = second.format("A") + "\n" + second.format("B")
    old = "  bool is_query = 4; // never twice\n}\n\n// The balance of it.\nmessage B"
    new = f"  bool is_query = 4; // never twice\n}}\n\n{second.format('C')}I kept everything else the same.\n"
    refused = land(file, Replace(old, f"{new}\n// The balance of it.\nmessage B"), "a.proto")
    assert isinstance(refused, Refused), refused


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2\tb = 1\n", "2\t<think>\n3\tb = 2\n"),
        ("```\nb = 1\n```\n", "```\n12| b = 2\n```\n"),
        ("`b = 1`\n", "`b = 2\u200b`\n"),
    ],
)
def test_a_request_that_was_mangled_leaves_no_other_mark_in_the_file(old: str, new: str) -> None:
    file = "a = 0\nb = 1\nc = 2\n"
    refused = land(file, Replace(old, new), "a.md")
    assert isinstance(refused, Refused), refused
    assert refused.reason == "malformed"


@pytest.mark.parametrize(
    ("path", "text", "is_content"),
    [
        ("A.java", "class A {\n  void f() {\n    a();\n  }\n}\n", False),
        ("a.properties", "# A\na.b=1\na.c=2\n# C\nc.d=2\n", False),
        ("a.txt", "One line.\nAnother line.\nA third.\n", False),
        ("a.html", "<div>\n  <b>a</b>\n  <i>b</i>\n</div>\n", True),
        ("a.tsx", "f(\n  <p>a</p>,\n  <i>b</i>,\n);\n", True),
    ],
)
@pytest.mark.parametrize("count", [1, 2], ids=["one line", "two lines"])
def test_a_tag_of_a_tool_that_closes_the_last_new_line_is_refused_but_in_markup(
    path: str, text: str, is_content: bool, count: int
) -> None:
    lines = text.split("\n")[: count + 1]
    old = "\n".join(lines)
    new = "\n".join([f"{lines[0]}9", *lines[1:]]) + "</content>"
    outcome = land(text, Replace(old, new), path)
    assert outcome.landed is is_content
    if isinstance(outcome, Refused):
        assert outcome.reason == "malformed"
        assert "</content>" in outcome.message


def test_a_number_and_an_arrow_before_both_lines_have_no_blank_behind_them() -> None:
    text = "def a():\n    # One.\n    b()\n"
    edit = LineEdit(2, 2, "   2→    # Two.\n", old="   2→    # One.\n")
    outcome = land(text, LineEdits((edit,)), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("One", "Two")


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "is_landed"),
    [
        ("a.py", "x = 1 + y\n", "x = 1", "1| x = 2", False),
        ("a.py", "x = 1 + y\n", "x = 1 + y\n", "12 | x = 2\n", False),
        ("a.rs", "match a {\n    3 => b(),\n}\n", "    3 => b(),\n", "    1 | 2 => b(),\n    4 | 5 => c(),\n", True),
        ("a.txt", "One.\nTwo.\n", "One.\n", "1| One and a half.\n", True),
    ],
)  # fmt: skip
def test_the_number_of_a_line_is_foreign_to_code_and_two_patterns_are_not(
    path: str, text: str, old: str, new: str, is_landed: bool
) -> None:
    outcome = land(text, Replace(old, new), path)
    assert outcome.landed is is_landed, outcome
