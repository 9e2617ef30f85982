"""Added lines in another unit of indentation than the file's are refused."""

from __future__ import annotations

import pytest

from holdfast import LineEdit, LineEdits, Patch, Replace, WriteFile, land
from holdfast.vocab.outcomes import Landed, Refused

GO = "func a() {\n\tb()\n\tif c {\n\t\td()\n\t}\n}\n\nfunc e() {\n\tf()\n}\n"
TF = 'a "b" {\n  c = 1\n  d {\n    e = 2\n    f = 3\n  }\n}\n\na "g" {\n  h = 4\n}\n'


@pytest.mark.parametrize("blanks", [" " * 8, " " * 12])
def test_blanks_are_refused_in_a_file_of_tabs(blanks: str) -> None:
    outcome = land(GO, Replace("\t\td()\n\t}\n", f"{blanks}x()\n\t\td()\n\t}}\n"), "a.go")
    assert isinstance(outcome, Refused)
    assert "the file indents by a tab" in outcome.message


def test_tabs_are_refused_in_a_file_of_blanks() -> None:
    body = '@@\n a "b" {\n-  c = 1\n+\tc = 5\n   d {\n@@\n-    f = 3\n+\t\tf = 6\n   }\n'
    outcome = land(TF, Patch(f"--- a/a.tf\n+++ b/a.tf\n{body}"), "a.tf")
    assert isinstance(outcome, Refused)
    assert "the file indents by 2 blanks" in outcome.message


def test_a_whole_file_that_only_lost_the_tabs_of_the_file_is_refused_unless_that_is_the_edit() -> (
    None
):
    blanks = GO.replace("\t", "        ")
    refused = land(GO, WriteFile(blanks.replace("f()", "g()")), "a.go")
    assert isinstance(refused, Refused)
    assert refused.reason == "malformed"
    done = land(GO, WriteFile(blanks), "a.go")
    assert isinstance(done, Landed)
    assert done.text == blanks


@pytest.mark.parametrize(
    "new",
    ["e = 5\n", "  e = 5\n", "         e = 5\n         g = 6\n      h = 7\n"],
    ids=["flat", "one level less", "several widths"],
)
def test_a_line_at_no_level_of_the_place_is_refused_with_the_unit(new: str) -> None:
    outcome = land(
        TF, LineEdits((LineEdit(4, 5, f"{new}    f = 3\n", "    e = 2\n    f = 3\n"),)), "a.tf"
    )
    assert isinstance(outcome, Refused), outcome
    assert "the file indents by 2 blanks" in outcome.message


@pytest.mark.parametrize(
    "new",
    [
        "  c = f(1,\n        2)\n",
        "  c = 1 +\n      2\n",
        "  # a\n  c = 2\n",
        "  c = 2\n  x {\n    y = 1\n  }\n",
        '  c = """\n   a\n b\n  """\n',
    ],
)
def test_continuation_lines_strings_and_new_blocks_are_content(new: str) -> None:
    outcome = land(TF, Replace("  c = 1\n", new), "a.tf")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == TF.replace("  c = 1\n", new)


def test_a_line_that_ends_in_a_bracket_opens_nothing_by_that() -> None:
    text = "class A\n  def b(c, d)\n    e\n  end\n\n  def f(g, h)\n    i\n  end\nend\n"
    new = "    send_x(a, 2)\n    puts 'b'\n    e\n"
    outcome = land(text, Replace("    e\n", new), "a.rb")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("    e\n", new)


def test_a_line_that_moves_keeps_its_indentation_also_where_no_block_is_open() -> None:
    text = "<main>\n    <div>\n        <b>Loading</b>\n        <i>text</i>\n    </div>\n</main>\n"
    diff = "@@ -1,4 +1,4 @@\n <main>\n-    <div>\n         <b>Loading</b>\n+    <div>\n         <i>text</i>\n"
    outcome = land(text, Patch(diff), "a.html")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace(
        "    <div>\n        <b>Loading</b>\n", "        <b>Loading</b>\n    <div>\n"
    )
