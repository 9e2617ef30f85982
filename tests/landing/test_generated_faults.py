"""Faults that a generator by somebody who had not seen the engine found, each with a small text that shows it."""

from __future__ import annotations

import pytest

from holdfast import (
    Ambiguous,
    Landed,
    LineEdit,
    LineEdits,
    Patch,
    Refused,
    Replace,
    WriteFile,
    land,
    locate,
)


def text_of(outcome: Landed | Refused) -> str:
    assert isinstance(outcome, Landed), outcome
    return outcome.text


def veto_of(outcome: Landed | Refused) -> str:
    assert isinstance(outcome, Refused), outcome
    return outcome.veto or outcome.reason


TWINS = "a = 1\nb = 2\na = 1"


def test_a_last_line_without_a_newline_is_one_place_more() -> None:
    outcome = land(TWINS, Replace("a = 1\n", "a = 3\n"))
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("ambiguous", (1, 3))
    assert locate(TWINS, "a = 1\n") == Ambiguous((1, 3))


def test_a_number_or_every_decides_between_twins_of_which_one_has_no_newline() -> None:
    request = Replace("a = 1\n", "a = 3\n", near_line=3)
    assert text_of(land(TWINS, request)) == "a = 1\nb = 2\na = 3"
    outcome = land(TWINS, Replace("a = 1\n", "a = 3\n", every=True))
    assert text_of(outcome) == "a = 3\nb = 2\na = 3"
    assert isinstance(outcome, Landed)
    assert outcome.similarity == 1.0


MAKE = "all:\n\tmkdir -p out\n\tcp a out\n"


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("mkdir -p out", "mkdir -p out\nmkdir -p tmp", "\tmkdir -p out\n\tmkdir -p tmp\n"),
        ("mkdir -p out", "\tmkdir -p tmp", "\tmkdir -p tmp\n"),
    ],
)
def test_lines_copied_without_their_indentation_get_it_back(old: str, new: str, after: str) -> None:
    assert text_of(land(MAKE, Replace(old, new), "Makefile")) == f"all:\n{after}\tcp a out\n"


def test_to_delete_a_line_copied_without_its_indentation_leaves_no_indentation_behind() -> None:
    # A second run could not tell that it was done, so the line has to be copied as it is.
    assert veto_of(land(MAKE, Replace("mkdir -p out\n", ""), "Makefile")) == "not_found"
    assert text_of(land(MAKE, Replace("\tmkdir -p out\n", ""), "Makefile")) == "all:\n\tcp a out\n"


def test_old_lines_that_begin_inside_an_indentation_are_lines() -> None:
    text = 'tags = [\n    "one",\n    "two",\n]\n'
    outcome = land(text, Replace('  "one",\n', '  "one",\n  "new",\n'), "a.toml")
    assert text_of(outcome) == 'tags = [\n    "one",\n    "new",\n    "two",\n]\n'


def test_letters_in_escapes_are_read_as_letters() -> None:
    text = "# caf\u00e9 first\nopen()\nclose()\n"
    old = "# caf\\u00e9 first\nopen()\n"
    outcome = land(text, Replace(old, old + "log('caf\\u00e9')\n"), "a.py")
    assert text_of(outcome) == "# caf\u00e9 first\nopen()\nlog('caf\u00e9')\nclose()\n"


GO = "type A struct {\n\tOne string\n\tTwo string\n\tThree string\n\tFour string\n}\n"


def test_a_placeholder_in_a_diff_is_judged_by_what_vanishes() -> None:
    lost = "@@\n type A struct {\n-\tOne string\n-\tTwo string\n-\tThree string\n-\tFour string\n+\tUno string\n+\t// (unchanged)\n }\n"
    assert veto_of(land(GO, Patch(lost), "a.go")) == "elision"
    honest = (
        "@@\n type A struct {\n-\tOne string\n+\tUno string\n+\t// (unchanged)\n \tTwo string\n"
    )
    assert "// (unchanged)" in text_of(land(GO, Patch(honest), "a.go"))


def test_a_comment_in_place_of_whole_blocks_is_refused_above_a_line_that_stays() -> None:
    text = "def f():\n  a()\n  with b():\n    c()\n  d()\n  e()\n"
    assert (
        veto_of(land(text, WriteFile("def f():\n  a()\n# as it was\n  e()\n"), "a.py")) == "elision"
    )
    honest = WriteFile("def f():\n  a()\n  with b():\n    c()\n  # d is gone\n  e()\n")
    assert land(text, honest, "a.py").landed


def test_a_line_that_stays_elsewhere_does_not_make_up_for_one_that_vanishes() -> None:
    text = "fn f() {\n    if a {\n        b();\n    }\n    for c in d {\n        e();\n    }\n    Ok(f)\n}\n"
    new = text.replace("        e();\n    }\n", "        e();\n    // ... rest of code ...\n")
    assert veto_of(land(text, Replace(text, new), "a.rs")) == "elision"


def test_a_name_above_a_bracket_of_its_own_names_the_block() -> None:
    text = "class A\n{\n\tbool Find()\n\t{\n\t\tvar one = Load(36);\n\t\tUse(one);\n\t}\n}\n"
    old = "\tbool Export()\n\t{\n\t\tvar one = Load(36);\n\t\tUse(one);\n"
    new = old.replace("Use(one)", "Use(two)")
    assert veto_of(land(text, Replace(old, new), "a.cs")) == "block_name"


CPP = "int f() {\n    one(1);\n    lock(2);\n    two_calls(3);\n    three_calls(4);\n}\nint g() {\n    four(5);\n    five_calls(6);\n    six_calls(7);\n}\n"


def test_new_lines_do_not_go_where_the_file_has_other_lines() -> None:
    diff = "@@\n int f() {\n     one(1);\n+    fresh(9);\n     two_calls(3);\n     three_calls(4);\n }\n"
    assert not land(CPP, Patch(diff), "a.cpp").landed


def test_code_left_out_without_a_marker_is_refused() -> None:
    old = "int f() {\n    two_calls(3);\n    three_calls(4);\n"
    outcome = land(CPP, Replace(old, old.replace("three_calls(4)", "three_calls(8)")), "a.cpp")
    assert isinstance(outcome, Refused), outcome
    assert outcome.veto == "code_skipped"
    marked = old.replace("{\n", "{\n    // ...\n")
    assert land(CPP, Replace(marked, marked.replace("(4)", "(8)")), "a.cpp").landed


def test_a_line_of_another_block_above_the_change_is_no_invented_line() -> None:
    text = "server {\n  resolver one.org;\n  timeout 91s;\n  location /a/ {\n    listen 80;\n    root /srv;\n  }\n}\n"
    old = text.replace("one.org", "two-more.org").replace("timeout 91s", "inner_theme 91s")
    outcome = land(text, Replace(old, old.replace("80", "81")), "a.conf")
    assert isinstance(outcome, Refused), outcome
    assert outcome.veto == "other_line"


def test_a_comment_with_the_name_of_another_function_belongs_to_that_function() -> None:
    text = "// ReadRange reads.\nfunc ReadRange(a string) {\n\tlog.Print(a)\n\treturn nil\n}\n"
    old = "// CloseRoute reads.\nfunc ReadRange(a string) {\n\tlog.Print(a)\n"
    outcome = land(text, Replace(old, old.replace("log", "fmt")), "a.go")
    assert isinstance(outcome, Refused), outcome
    assert outcome.veto == "other_line"
    # Its twin: a comment in other words.
    other = old.replace("CloseRoute reads", "It reads")
    assert land(text, Replace(other, other.replace("log", "fmt")), "a.go").landed


def test_code_left_out_does_not_reach_into_the_next_block() -> None:
    old = "int f() {\n    five_calls(6);\n    six_calls(7);\n"
    assert not land(CPP, Replace(old, old.replace("six_calls(7)", "six_calls(8)")), "a.cpp").landed


def test_two_lines_of_the_context_may_be_swapped() -> None:
    text = "open_door(a)\nwalk(inside)\nlight = lamp.on\nsit(down, chair)\nbook.read()\n"
    old = "open_door(a)\nwalk(inside)\nlight = lamp.on\nbook.read()\nsit(down, chair)\n"
    outcome = land(text, Replace(old, old.replace("open_door(a)", "open_door(z)")), "a.py")
    assert text_of(outcome) == text.replace("open_door(a)", "open_door(z)")


def test_a_line_of_the_context_may_be_cut_short_with_dots() -> None:
    text = "def f(limit):\n    painter = load(limit)\n    if painter < 3:\n        raise ValueError('market when')\n    return 1\n"
    old = text.replace("ValueError('market when')", "Valu...")
    outcome = land(text, Replace(old, old.replace("return 1", "return 2")), "a.py")
    assert text_of(outcome) == text.replace("return 1", "return 2")


def test_one_line_with_an_odd_indentation_moves_no_other_line() -> None:
    text = "def f():\n    a()\n    b()\n    return 1\n"
    old = "    a()\n     b()\n    return 1\n"
    new = "    a()\n     b()\n    for x in y:\n        c(x)\n    return 1\n"
    expected = text.replace("    return", "    for x in y:\n        c(x)\n    return")
    assert text_of(land(text, Replace(old, new), "a.py")) == expected


@pytest.mark.parametrize(("step", "deeper"), [(2, "        c()\n"), (3, "        c()\n")])
def test_levels_of_another_width_are_scaled(step: int, deeper: str) -> None:
    text = "if a:\n    if b:\n        d()\n"
    copied = text.replace("    ", " " * step)
    new = copied.replace(" " * 2 * step + "d", " " * 2 * step + "c()\n" + " " * 2 * step + "d")
    assert text_of(land(text, Replace(copied, new), "a.py")) == text.replace(
        "        d", f"{deeper}        d"
    )


def test_a_copy_shifted_and_scaled_is_scaled_from_its_lowest_line() -> None:
    text = "class A:\n    def f(self):\n        while x:\n            a()\n            b()\n        c()\n"
    old = "            while x:\n              a()\n              b()\n            c()\n"
    new = old.replace("              b()", "              if y:\n                b()")
    expected = text.replace("            b()", "            if y:\n                b()")
    assert text_of(land(text, Replace(old, new), "a.py")) == expected


def test_a_lone_line_one_level_too_deep_is_shifted() -> None:
    text = "fn f() {\n    for a in b {\n        push(c.portal());\n    }\n}\n"
    diff = "@@\n-            push(c.portal());\n+            if d {\n+                push(c.portal());\n+            }\n"
    after = "        if d {\n            push(c.portal());\n        }\n"
    assert text_of(land(text, Patch(diff), "a.rs")) == text.replace(
        "        push(c.portal());\n", after
    )


def test_context_with_narrower_levels_has_not_lost_its_markers() -> None:
    text = "if a\n    b(1)\nelse\n    c(2)\nend\nputs d\n"
    diff = "@@\n if a\n    b(1)\n else\n-   c(2)\n+   if e\n+      c(2)\n+   end\n end\n"
    after = "    if e\n        c(2)\n    end\n"
    assert text_of(land(text, Patch(diff), "a.rb")) == text.replace("    c(2)\n", after)


def test_a_blank_inside_a_rewritten_comment_stays() -> None:
    text = "a()\n// Rating from mirror only.\nb()\n"
    old = "a()  \n// Rating from mirror only. \nb()\n"
    outcome = land(text, Replace(old, "a()  \n// Writer from mirror only.\nb()\n"), "a.ts")
    assert text_of(outcome) == "a()\n// Writer from mirror only.\nb()\n"


def test_no_break_spaces_in_the_indentation_of_new_lines_become_blanks() -> None:
    text = "limit = false\nother = 1\n"
    new = "limit\u00a0=\u00a0false\nlist\u00a0=\u00a0[\n\u00a0\u00a0\u00a0\u00a01,\n]\n"
    edit = LineEdit(1, 1, new, old="limit\u00a0=\u00a0false\n")
    assert (
        text_of(land(text, LineEdits((edit,)), "a.toml"))
        == "limit = false\nlist = [\n    1,\n]\nother = 1\n"
    )


@pytest.mark.parametrize("blanks", ["", "  "])
def test_a_new_text_without_its_last_newline_above_a_blank_line_is_refused(blanks: str) -> None:
    text = '#include "a.h"\n\nstatic int b = 5;\n'
    old, new = f'#include "a.h"{blanks}\n', f'#include "a.h"{blanks}\n\nstatic int a = 4;'
    outcome = land(text, Replace(old, new), "a.c")
    assert isinstance(outcome, Refused), outcome
    assert "newline" in outcome.message
    assert land(text, Replace(old, f"{new}\n"), "a.c").landed


def test_a_blank_line_at_the_end_of_mangled_text_counts() -> None:
    text = "RUN a && b\n\nCMD [1]\n"
    old = "RUN a &amp;&amp; b\n\n"
    assert (
        text_of(land(text, Replace(old, old + "CMD [0]\n"), "Dockerfile"))
        == "RUN a && b\n\nCMD [0]\nCMD [1]\n"
    )


@pytest.mark.parametrize(
    ("seen", "file", "added"),
    [
        ("a\u00a0= 1", "a = 1", "# price \u2014 without tax"),
        ("# don\u2019t", "# don't", "# \u201cA queue\u201d, she said"),
        ("# don\u2019t", "# don't", "# wait\u2026"),
    ],
)
def test_only_a_class_of_characters_that_is_seen_to_drift_is_undone_in_added_lines(
    seen: str, file: str, added: str
) -> None:
    text = f"{file}\nb = 2\n"
    outcome = land(text, Replace(f"{seen}\nb = 2\n", f"{seen}\n{added}\nb = 2\n"), path="a.py")
    assert text_of(outcome) == f"{file}\n{added}\nb = 2\n"


def test_a_quote_that_drifts_in_the_old_text_is_undone_in_an_added_line() -> None:
    request = Replace("# don\u2019t\nb = 2\n", "# don\u2019t\n# can\u2019t\nb = 2\n")
    assert text_of(land("# don't\nb = 2\n", request)) == "# don't\n# can't\nb = 2\n"


LUA = "function f(a)\n\ta = 1\n\tb(a)\n\tc(a)\nend\n"


@pytest.mark.parametrize(
    "placeholder", ["\t-- rest of the block", "\t-- (unchanged)", "\t(unchanged)"]
)
def test_a_placeholder_before_the_end_of_a_block_with_tabs_loses_nothing(placeholder: str) -> None:
    outcome = land(LUA, Replace(LUA, f"function f(a)\n\ta = 2\n{placeholder}\nend\n"), path="a.lua")
    assert veto_of(outcome) == "elision"


def test_dots_in_place_of_a_heading_stand_for_it() -> None:
    text = "One.\n\n## Two\n\nThree.\nFour.\n"
    outcome = land(text, Replace(text, "One.\n# ...\nThree.\nFive.\n"), path="a.md")
    assert veto_of(outcome) == "elision"


def test_a_word_in_brackets_is_a_placeholder_too() -> None:
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n'
    outcome = land(text, Replace(text, '{\n  "a": 5,\n  [(unchanged)]\n}\n'), path="a.txt")
    assert veto_of(outcome) == "elision"


GO_FUNCTION = "func a() {\n\tone()\n\ttwo()\n\tthree()\n}\n"


@pytest.mark.parametrize("slip", ["\t\ttwo()", "\t\t\ttwo()"])
def test_a_line_that_slipped_says_nothing_about_the_levels_of_added_lines(slip: str) -> None:
    old = f"func a() {{\n\tone()\n{slip}\n\tthree()\n}}\n"
    added = "\nfunc b() {\n\tif c {\n\t\tfour()\n\t}\n}\n"
    outcome = land(GO_FUNCTION, Replace(old, old + added), path="a.go")
    assert text_of(outcome) == GO_FUNCTION + added


def test_a_blank_line_that_old_and_new_end_in_shows_that_the_end_of_a_range_is_miscounted() -> None:
    text = "head\nset x\n\n# keep me\nbody\n"
    edit = LineEdit(1, 4, "head\n\n", old="head\nset x\n\n")
    assert text_of(land(text, LineEdits((edit,)))) == "head\n\n# keep me\nbody\n"


RUBY = "def f(a)\n  w(a, 1)\n  x(a)\n  y(a)\n  z(a)\nend\n"


@pytest.mark.parametrize("placeholder", ["# as before", "  # as before"])
def test_a_placeholder_above_the_end_of_a_block_beside_one_changed_line_loses_nothing(
    placeholder: str,
) -> None:
    new = f"def f(a)\n  w(a, 2)\n{placeholder}\nend\n"
    assert veto_of(land(RUBY, Replace(RUBY, new), path="a.rb")) == "elision"


def test_a_comment_above_a_line_that_stays_may_come_with_a_rewritten_line() -> None:
    old, new = "  w(a, 1)\n  x(a)\n  y(a)\n", "  w(a, 2)\n  # Only once.\n  y(a)\n"
    assert text_of(land(RUBY, Replace(old, new), path="a.rb")) == RUBY.replace(old, new)


def test_a_placeholder_that_takes_the_closing_brace_with_it_loses_nothing() -> None:
    text = "function f(a) {\n  w(a, 1);\n  // note\n  x(a);\n}\n"
    outcome = land(
        text, Replace(text, "function f(a) {\n  w(a, 2);\n  // as before\n"), path="a.js"
    )
    assert veto_of(outcome) == "elision"


def test_a_wrap_on_a_loose_rung_is_not_done_twice() -> None:
    text = "if a {\n    one(1)\n} else {\n    two_calls(2)\n    three_calls(3)\n}\n"
    old = text[text.index("} else") :]
    new = "} else {\n    if ready {\n        two_calls(2)\n        three_calls(3)\n    }\n}\n"
    request = Replace(old, new)
    once = text_of(land(text, request, path="a.swift"))
    assert once == text.replace(old, new)
    assert veto_of(land(once, request, path="a.swift")) == "already_applied"


def test_levels_of_one_column_are_scaled_to_the_levels_of_the_file() -> None:
    text = "def f\n  if a\n    one(1)\n  end\nend\n"
    old = " if a\n  one(1)\n end\n"
    new = " if a\n  if b\n   one(1)\n  end\n end\n"
    expected = "def f\n  if a\n    if b\n      one(1)\n    end\n  end\nend\n"
    assert text_of(land(text, Replace(old, new), path="a.rb")) == expected


def test_what_is_left_of_an_indentation_is_not_put_before_another_line() -> None:
    text = "- one\n  - two\n- three\n  - four\n"
    outcome = land(text, Replace(" - two\n- three\n", "- three\n"), path="a.md")
    assert text_of(outcome) == "- one\n- three\n  - four\n"


def test_an_anchor_without_deeper_lines_is_a_heading() -> None:
    text = "# A\n\n## One\nalpha line\nbeta line\n\n## Two\nalpha line\nbeta line\n"
    patch = "@@ ## Two\n alpha line\n-beta line\n+gamma line\n"
    outcome = land(text, Patch(patch), path="a.md")
    assert text_of(outcome) == text[: text.index("## Two")] + "## Two\nalpha line\ngamma line\n"
    other = land(text.replace("## One\nalpha", "## One\nother"), Patch(patch.replace("Two", "One")))
    assert not other.landed


def test_a_deletion_needs_no_map_of_indentations() -> None:
    text = "a {\n    if b {\n        one(1);\n    }\n    two(2);\n}\n"
    old = "if b {\none(1);\n}\ntwo(2);\n}\n"
    outcome = land(text, Replace(old, old.replace("two(2);\n", "")), path="a.js")
    assert text_of(outcome) == text.replace("    two(2);\n", "")


def test_a_mark_left_out_at_the_end_of_a_line_that_stays_is_drift() -> None:
    text = 'const A = 1;\nconst B = "two";\nconst C = 3;\nconst D = 4;\n'
    old = 'const A = 1\nconst B = "two";\nconst C = 3;\n'
    outcome = land(text, Replace(old, old.replace("two", "six")), path="a.ts")
    assert text_of(outcome) == text.replace("two", "six")


def test_of_equal_lines_one_below_the_other_a_drifted_copy_does_not_pick_one() -> None:
    text = ".a {\n    color: #123;\n    z-index: 36;\n" + 3 * "    margin: 0 auto;\n" + "}\n"
    old = text.replace("    margin: 0 auto;\n", "", 1)
    new = old.replace("margin: 0", "margin: 5", 1)
    assert not land(text, Replace(old, new), path="a.css").landed


NUMBERED_FILE = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    y = 2\n    return y\n"
REWRITTEN = NUMBERED_FILE.replace("y = 2", "y = 3")


@pytest.mark.parametrize(
    "mangled",
    [
        "".join(f"{n}| {line}\n" for n, line in enumerate(REWRITTEN.split("\n")[:-1], 1)),
        "".join(f"{n}\t{line}\n" for n, line in enumerate(REWRITTEN.split("\n")[:-1], 1)),
        REWRITTEN.replace("\n", "\\n"),
    ],
)
def test_a_whole_file_with_line_numbers_or_escapes_is_written_without_them(mangled: str) -> None:
    outcome = land(NUMBERED_FILE, WriteFile(mangled), path="a.py")
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.rung) == (REWRITTEN, "unmangled")
    assert "undone" in (outcome.warning or "")
    # Text that only looks so, with no line of a file to prove it, is content.
    assert land("", WriteFile(mangled), path="a.txt").landed


def test_marks_of_a_diff_before_each_line_are_not_written() -> None:
    old = " def b():\n     y = 2\n     return y\n"
    new = " def b():\n     y = 2\n+    print(y)\n     return y\n"
    outcome = land(NUMBERED_FILE, Replace(old, new), path="a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == NUMBERED_FILE.replace("    return y\n", "    print(y)\n    return y\n")
    assert outcome.rung == "unmangled"
    removed = Replace(old.replace(" " * 5 + "y = 2", "-    y = 2"), " def b():\n     return y\n")
    outcome = land(NUMBERED_FILE, removed, path="a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == NUMBERED_FILE.replace("    y = 2\n", "")


def test_a_plus_that_is_content_stays() -> None:
    listed = "items\n+ one\n+ two\nend\n"
    outcome = land(listed, Replace(" + two\n end\n", " + two\n+ three\n end\n"), path="a.md")
    assert not isinstance(outcome, Landed) or "+ three\n" in outcome.text


@pytest.mark.parametrize("end", ["", "\n"])
def test_new_lines_that_have_the_indentation_of_the_file_keep_it_where_only_the_first_line_lost_it(
    end: str,
) -> None:
    text = "def f(x):\n    if x:\n        a = 1\n" + end + "    return a\n"
    request = Replace("a = 1\n" + end, "a = 1\n        b = 2\n" + end)
    expected = text.replace("a = 1\n", "a = 1\n        b = 2\n")
    assert text_of(land(text, request, "a.py")) == expected
    # The twin: without any indentation, all new lines follow the first.
    request = Replace("a = 1\n" + end, "a = 1\nb = 2\n" + end)
    assert text_of(land(text, request, "a.py")) == expected


def test_lines_below_one_that_opens_a_block_are_deeper_than_it() -> None:
    text = "def f(x):\n    if x:\n        a()\n"
    request = Replace("if x:", "if x:\n    b()")
    assert (
        text_of(land(text, request, "a.py")) == "def f(x):\n    if x:\n        b()\n        a()\n"
    )


@pytest.mark.parametrize(
    ("path", "heading", "other"),
    [
        ("a.rst", "Refresh reviewer\n----------------\n", "Refresh widget\n----------------\n"),
        ("a.md", "Refresh reviewer\n================\n", "Refresh widget\n================\n"),
        ("a.txt", "Chapter 64: Refresh the parcel\n", "Chapter 64: Refresh the cluster\n"),
        ("a.txt", "Q: How do I notify an invoice?\n", "Q: How do I inspect an invoice?\n"),
    ],
)
def test_a_heading_of_prose_names_its_section(path: str, heading: str, other: str) -> None:
    section = "\nThe budget defaults to 11.\nNobody asked\nfor the digest again.\n"
    text = f"Notes\n\n{heading}{section}\nThe end of the notes.\n"
    new = section.replace("Nobody asked", "Somebody asked")
    assert isinstance(land(text, Replace(other + section, other + new), path), Refused)
    # The twin: under its own heading the same edit lands, with a word misspelt elsewhere.
    old, new = (each.replace("defaults", "defualts") for each in (section, new))
    expected = text.replace("Nobody asked", "Somebody asked")
    assert text_of(land(text, Replace(heading + old, heading + new), path)) == expected


@pytest.mark.parametrize("comment", ["the function checks the rest", "orders end here"])
def test_a_comment_does_not_replace_more_lines_than_are_added_beside_it(comment: str) -> None:
    text = "def test():\n    order = make(4)\n    result = cancel(order)\n    assert result.volume == 4\n    check(result)\n    end()\n"
    new = f"def test():\n    order = make(4)\n    result = cancel(order, 2)\n    # {comment}\n    end()\n"
    outcome = land(text, Replace(text, new), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "elision"
    # The twin: one line less vanishes.
    new = new.replace("    # ", "    assert result.volume == 5\n    # ")
    assert text_of(land(text, Replace(text, new), "a.py")) == new


def test_a_line_that_new_lines_go_below_is_not_another_line() -> None:
    text = (
        "class A:\n    def get(self, key):\n        if key in self.cache:\n            return self.cache[key]\n"
        "        value = self.email.find(key) or self.default\n        self.cache[key] = value\n        return value\n"
    )
    line = "        value = self.email.find(key) or self.default\n"
    added = "        log.debug(value)\n"

    def request(context: str) -> Replace:
        old = text.replace(line, context)
        return Replace(old, old.replace(context, context + added))

    outcome = land(text, request(line.replace("email", "price")), "a.py")
    assert veto_of(outcome) == "beside"
    # The twin: a word that is only misspelt.
    outcome = land(text, request(line.replace("email", "emial")), "a.py")
    assert text_of(outcome) == text.replace(line, line + added)


def test_an_insertion_that_ends_as_its_context_begins_is_not_done_twice() -> None:
    text = '{\n  "x": {\n    "p": 1\n  },\n  "c": {\n    "d": 2\n  }\n}\n'
    patch = Patch('@@\n   },\n+  "r": {\n+    "h": 5\n+  },\n   "c": {\n')
    once = text_of(land(text, patch, "a.json"))
    assert once == text.replace('  "c"', '  "r": {\n    "h": 5\n  },\n  "c"')
    again = land(once, patch, "a.json")
    assert isinstance(again, Refused)
    assert again.reason == "already_applied"
    # The twin: another block above, with the same end.
    other = Patch(patch.diff.replace('"r"', '"s"'))
    assert text_of(land(once, other, "a.json")).count('"h": 5') == 2


def test_trailing_blanks_in_what_was_shown_do_not_pair_a_line_with_its_twin() -> None:
    block = "    val response = api.get(id)\n    log.info(id)\n    return response\n"
    text = f"{block}fun load(id) {{\n{block}    error()\n"
    shown = (
        text.replace("get(id)\n", "get(id) \n", 1).replace("{\n", "{ \n").replace("()\n", "() \n")
    )
    request = LineEdits((LineEdit(6, 6, "    log.warn(id)\n"),), shown=shown)
    expected = text[:100] + text[100:].replace("log.info", "log.warn")
    assert text_of(land(text, request, "a.kt")) == expected
    # The twin: a neighbour that changed in more than its blanks.
    stale = shown.replace("return response\n    error", "return other\n    error")
    outcome = land(text, LineEdits(request.edits, shown=stale), "a.kt")
    assert isinstance(outcome, Refused)


def test_context_that_lost_its_markers_is_read_right_where_another_line_is_misspelt() -> None:
    text = 'class Row:\n    """The row."""\n\n    depth: str\n    phone: int = 807\n    zone: str = "x"\n'
    diff = (
        "@@\n    '''The row.'''\n \n    depth: str\n+    margin: str\n    phone: int = 807\n"
        "    zone: str = 'x'\n"
    )
    expected = text.replace("    phone", "    margin: str\n    phone")
    assert text_of(land(text, Patch(diff), "a.py")) == expected


def test_a_bracket_beyond_other_blank_lines_and_at_another_depth_is_another_bracket() -> None:
    text = "class A {\n  f(a) {\n    return a + 1;\n  }\n\n}\n"
    added = "  g(b) {\n    return b;\n  }\n\n"
    request = Replace("    return a + 1;\n\n}\n", f"    return a + 1;\n\n{added}}}\n")
    assert isinstance(land(text, request, "a.js"), Refused)
    # The twin: the blank line alone does not matter.
    request = Replace("    return a + 1;\n\n  }\n", "    return a + 2;\n\n  }\n")
    assert text_of(land(text, request, "a.js")) == text.replace("+ 1", "+ 2")


@pytest.mark.parametrize("blanks", [" " * 8, " " * 4])
def test_added_lines_in_other_characters_than_the_file_has_are_refused(blanks: str) -> None:
    text = "all:\n\tmkdir build\n\n# cheap\nclean:\n\trm -rf build\n"
    edit = LineEdit(4, 4, f"digest:\n{blanks}./run\n\n# cheap\n", old="# cheap\n")
    refused = land(text, LineEdits((edit,)), "Makefile")
    assert isinstance(refused, Refused)
    assert "the file indents by a tab" in refused.message


def test_a_line_number_that_is_off_by_a_line_or_two_picks_the_place_that_is_clearly_nearest() -> (
    None
):
    text = "a {\n  limit = 1\n}\n\nb {\n  x = 2\n  y = 3\n}\n\nc {\n  limit = 1\n}\n"
    request = Replace("  limit = 1\n", "  limit = 2\n", near_line=10)
    once = text_of(land(text, request))
    assert once == text[:20] + text[20:].replace("limit = 1", "limit = 2")
    # The second run does not take the other place, and a number between two places picks none.
    assert isinstance(land(once, request), Refused)
    assert isinstance(land(text, Replace("  limit = 1\n", "  limit = 2\n", near_line=8)), Refused)
    near = "  limit = 1\n}\n\n  limit = 1\n"
    assert isinstance(land(near, Replace("  limit = 1\n", "  limit = 2\n", near_line=2)), Refused)


def test_tags_of_any_name_around_both_texts_are_no_part_of_the_edit() -> None:
    text = "fn a() {\n    x();\n    y();\n}\n"
    new = text.replace("x()", "z()")
    request = Replace(f"<code>\n{text}</code>\n", f"<code>\n{new}</code>\n")
    assert text_of(land(text, request, "a.rs")) == new
    # The twins: around one text only, a tag may be meant; in a file with tags, it names a block.
    assert isinstance(land(text, Replace(f"<code>\n{text}</code>\n", new), "a.rs"), Refused)
    page = f"<main>\n{text}</main>\n"
    assert isinstance(land(page, request, "a.html"), Refused)


OTHER_BLOCKS = [
    # The path, the file, the old text with the name of another block or of none, a changed line.
    (
        "a.ini",
        "[driver]\nname = x\n\n[profile:worker]\nprocesses = 822\nthreads = 256\n",
        "[driver]\nprocesses = 822\nthreads = 256\n",
        "822",
    ),
    (
        "a.toml",
        ('[[review.rules]]\nname = "a"\nweight = 3\n\n[schedule]\nsummary = "for reply"\nverified = 645\n'
        "avatar = [457, 61]\nnote = 'reply please'\n"),
        "[[review.rules]]\nsummary = \"for reply\"\nverified = 645\navatar = [457, 61]\nnote = 'reply please'\n",
        "457",
    ),
    (
        "a.sql",
        ("CREATE TABLE shelfs (\n    id    BIGSERIAL,\n    name    VARCHAR(60)\n);\n\n"
        "CREATE TABLE tokens (\n    id    BIGSERIAL,\n    origin    INTEGER DEFAULT 9,\n"
        "    row_limit    TIMESTAMP,\n    -- For the gateway\n    x    INTEGER\n);\n"),
        ("CREATE TABLE shelfs (\n    id    BIGSERIAL,\n    origin    INTEGER DEFAULT 9,\n"
        "    row_limit    TIMESTAMP,\n    -- For the gateway\n"),
        "DEFAULT 9",
    ),
    (
        "Makefile",
        "ifeq ($(FRAME_MODE),debug)\nFRAME_FLAGS += -O0 -g\nFRAME_FLAGS += -DLIMIT=2\nendif\n",
        "ifeq ($(LEMMA_MODE),debug)\nFRAME_FLAGS += -O0 -g\nFRAME_FLAGS += -DLIMIT=2\n",
        "LIMIT=2",
    ),
    (
        "a.xml",
        ("<a>\n  <b>\n    <groupId>com.acme.lobby</groupId>\n    <version>3.25.71</version>\n"
        "    <scope>theme</scope>\n  </b>\n</a>\n"),
        "    <groupId>com.acme.route</groupId>\n    <version>3.25.71</version>\n    <scope>theme</scope>\n",
        "theme",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "old", "word"), OTHER_BLOCKS)
def test_lines_of_one_block_below_the_name_of_another_are_refused(
    path: str, text: str, old: str, word: str
) -> None:
    outcome = land(text, Replace(old, old.replace(word, "7")), path)
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"


def test_lines_that_are_left_out_within_a_block_are_drift() -> None:
    # The twins: the name is that of the block, and no other block is named in between.
    text = "[driver]\nname = x\nplace = y\n\n[profile:worker]\nprocesses = 822\nthreads = 256\nlimit = 3\n"
    old = "[profile:worker]\nthreads = 256\nlimit = 3\n"
    new = old.replace("256", "7")
    assert text_of(land(text, Replace(old, new), "a.ini")) == text.replace("256", "7")


def test_new_lines_do_not_go_below_a_bracket_at_another_depth() -> None:
    text = "void f(void)\n{\n\twhile (cur) {\n\t\tfree(cur);\n\t\tfreed++;\n\t}\n}\n"
    old = "\t\tfree(cur);\n\t\tfreed++;\n}\n"
    request = Replace(old, old + "\nvoid g(void)\n{\n\tx();\n}\n")
    outcome = land(text, request, "a.c")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"
    # The twin: nothing goes below the bracket.
    changed = land(text, Replace(old, old.replace("freed++", "freed += 2")), "a.c")
    assert text_of(changed) == text.replace("freed++", "freed += 2")


def test_new_lines_below_a_line_that_was_copied_without_its_end_go_below_its_end() -> None:
    text = "void f() {\n    load(one);\n    save = two;\n}\n"
    old = "    load(one);\n    save = two"
    outcome = land(text, Replace(old, f"{old}\n    close(three);"), "a.java")
    assert text_of(outcome) == text.replace("two;\n", "two;\n    close(three);\n")
    # Without new lines below it is a part of a line.
    assert land(text, Replace(old, old.replace("two", "four")), "a.java").landed


def test_a_line_that_becomes_its_only_neighbour_is_refused() -> None:
    text = "create (\n    id serial,\n    narrow_page integer,\n    global_metric numeric\n);\n"
    outcome = land(text, Replace("narrow_page integer,\n", "global_metric numeric\n"), "a.sql")
    assert isinstance(outcome, Refused), outcome


def test_blank_lines_of_the_file_that_the_request_lost_stay_between_rewritten_or_moved_lines() -> (
    None
):
    text = "def f():\n    one(1)\n\n    two(2)\n    three(3)\n"
    old = text.replace("\n\n", "\n")
    rewritten = old.replace("one", "1_one").replace("two", "2_two")
    assert text_of(land(text, Replace(old, rewritten))) == text.replace("one", "1_one").replace(
        "two", "2_two"
    )
    moved = "def f():\n    one(1)\n    three(3)\n    two(2)\n"
    assert text_of(land(text, Replace(old, moved))) == moved.replace("(1)\n", "(1)\n\n")


def test_a_line_that_is_never_indented_in_the_file_is_not_indented_by_a_lost_indentation() -> None:
    text = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    edit = LineEdit(6, 6, "return 2\n\n\ndef c():\n    return 3\n", old="return 2\n")
    assert isinstance(land(text, LineEdits((edit,)), "a.py"), Refused)


def test_a_trailing_blank_that_only_the_old_text_has_is_removed() -> None:
    text = "a {\n  x = 1\n  tags = {\t\n    n = 2\n  }\n}\n"
    diff = "@@ -2,4 +2,4 @@\n-  x = 1\n-  tags = {\t\n-    n = 2\n+  y = 3\n+  tags = {\n+    n = 4\n   }\n"
    expected = "a {\n  y = 3\n  tags = {\n    n = 4\n  }\n}\n"
    assert text_of(land(text, Patch(diff), "a.tf")) == expected
