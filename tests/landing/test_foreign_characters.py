"""Characters in new lines that the file, by its own lines, cannot have: undone where that is certain, else refused."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, Replace, WriteFile, land

CODE = '// Über alles, naïve\nfn a() {\n    log("a & b < c");\n    b();\n}\n'


def test_colour_codes_are_undone_also_where_no_line_comes_back() -> None:
    new = "    c();\n    d();\x1b[0m\n"
    outcome = land(CODE, Replace("    b();\n", new), "a.rs")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == CODE.replace("    b();\n", "    c();\n    d();\n")


def test_escaped_letters_in_a_new_comment_are_undone() -> None:
    outcome = land(CODE, Replace("    b();\n", "    // na\\u00efve\n    c();\n"), "a.rs")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == CODE.replace("    b();\n", "    // naïve\n    c();\n")


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
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a\tb\n1\t2\n3\t5\n"


def test_tags_that_no_text_for_people_has_are_not_written() -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    new = "<new_text>\nOne line.\nAnother word.\n</new_text>\n"
    outcome = land(text, Replace("One line.\nAnother line.\n", new), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "One line.\nAnother word.\nA third line.\n"


def test_a_cdata_section_around_a_text_for_people_is_not_written() -> None:
    text = "One line.\nAnother line.\nA third line.\n"
    new = text.replace("third", "fourth")
    outcome = land(text, WriteFile(f"<![CDATA[\n{new}]]>\n"), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


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
