"""Whether new lines are indented as the old ones of the request or as the lines of the file."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, land

TABS = "class A\n{\n\t\tint depth = 53;\n\t\tint size = 7;\n}\n"


def _line(old: str, new: str) -> LineEdits:
    return LineEdits((LineEdit(3, 3, new, old=old),))


@pytest.mark.parametrize("off", ["", "  \t\t", "\t", "        ", "\t\t\t"])
def test_a_new_line_in_the_indentation_of_the_file_stays_where_only_the_old_one_is_off(
    off: str,
) -> None:
    _check(f"{off}int depth = 53;", "\t\tint depth = 530;")
    _check(f"{off}int depth = 53;", "\t\tstring name;")
    _check(f"{off}int depth = 53;", "\t\tif (a) {\n\t\t\tint depth = 53;\n\t\t}")


def _check(old: str, new: str) -> None:
    """Check that the new lines land as they are, in each kind of request."""
    expected = TABS.replace("\t\tint depth = 53;", new)
    added = new.replace("\n", "\n+")
    for request in (
        _line(old, new),
        Replace(f"{old}\n", f"{new}\n"),
        Patch(f"@@ -3 +3 @@\n-{old}\n+{added}\n"),
    ):
        outcome = land(TABS, request)
        assert isinstance(outcome, Landed), outcome
        assert outcome.text == expected


def test_a_new_line_that_is_indented_as_the_old_one_follows_it() -> None:
    outcome = land(TABS, _line("\tint depth = 53;", "\tint depth = 530;"))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == TABS.replace("53", "530")


def test_a_line_that_is_wrapped_is_one_level_deeper_than_the_line_around_it() -> None:
    # The twin: the new line has the indentation of the file by chance.
    text = "def f():\n    go(1)\n"
    outcome = land(text, LineEdits((LineEdit(2, 2, "if a:\n    go(2)", old="go(1)"),)), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "def f():\n    if a:\n        go(2)\n"


def test_one_line_that_is_off_by_a_blank_says_nothing_about_the_levels_of_new_lines() -> None:
    text = "struct a {\n\tint x;\n};\n\nstruct b {\n\tint y;\n};\n"
    new = " };\n\nint f(void)\n{\n\tif (x) {\n\t\treturn 1;\n\t}\n}\n\nstruct b {\n"
    outcome = land(text, Replace(" };\n\nstruct b {\n", new), "a.c")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("};\n\nstruct b {\n", new[1:])


def test_a_new_block_without_any_indentation_is_not_guessed() -> None:
    text = "class A:\n    def one(self):\n        return 1\n"
    old = "def one(self):\nreturn 1\n"
    outcome = land(
        text, Replace(old, f"{old}def two(self):\nif self:\nreturn 2\nreturn 3\n"), "a.py"
    )
    assert isinstance(outcome, Refused), outcome


def test_a_new_line_without_indentation_beside_others_without_is_indented() -> None:
    text = "class A:\n    def one(self):\n        a()\n        return 1\n"
    outcome = land(text, Replace("a()\nreturn 1\n", "a()\nb()\nreturn 1\n"), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("a()\n", "a()\n        b()\n")


def test_new_lines_in_the_indentation_of_the_file_stay_although_one_is_an_old_line_too() -> None:
    text = "f(() => {\n    for (;;) {\n        a()\n    }\n    b()\n    c()\n})\n"
    old = "    a()\n}\nb()\nc()\n"
    new = "        a()\n    }\n    b()\n    d()\n    c()\n"
    outcome = land(text, Replace(old, new), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("    b()\n", "    b()\n    d()\n")


def test_a_new_block_in_blanks_is_refused_in_a_file_of_tabs() -> None:
    text = "int f()\n{\n\ta();\n\tb();\n}\n\nint g()\n{\n\tc();\n}\n"
    new = "}\n\nint h()\n{\n    d();\n}\n\nint g()\n"
    for request in (
        Replace("}\n\nint g() \n", new.replace("g()", "g() ")),
        _at(5, 7, "}\n\nint g()\n", new),
    ):
        outcome = land(text, request, "a.c")
        assert isinstance(outcome, Refused), outcome


def _at(start: int, end: int, old: str, new: str) -> LineEdits:
    return LineEdits((LineEdit(start, end, new, old=old),))


def test_lines_below_a_first_line_that_lost_its_indentation_stay_where_the_file_is() -> None:
    text = "func f() {\n\ta()\n\tdefer b()\n\tc()\n}\n"
    new = "if err != nil {\n\t\treturn\n\t}\n\tdefer b()"
    outcome = land(text, _at(3, 3, "defer b()", new), "a.go")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("\tdefer b()", f"\t{new}")


def test_a_wrapped_line_without_its_indentation_is_not_the_files_line_by_chance() -> None:
    text = "int f()\n{\n    a = 1;\n\n    b();\n}\n"
    wrapped = "if (x) {\n    a = 1;\n}\n"
    outcome = land(text, Replace("a = 1;\n", wrapped), "a.c")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("    a = 1;\n", "    if (x) {\n        a = 1;\n    }\n")


def test_lines_around_a_change_that_keep_the_indentation_of_the_old_text_are_not_changed() -> None:
    text = "# On load.\nfunction load {\n  export A=1\n  mkdir b\n  rm -f c.log\n}\n"
    old = "  # On load.\n    export A=1\n    mkdir b\n    rm -f c.log\n"
    new = old.replace("    mkdir b\n", "    if d; then\n      mkdir b\n    fi\n")
    outcome = land(text, Replace(old, new), "a.sh")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("  mkdir b\n", "  if d; then\n    mkdir b\n  fi\n")


def test_lines_above_a_change_that_have_the_indentation_of_the_file_show_that_the_new_lines_have_it() -> (
    None
):
    text = "a:\n  b:\n    - c\n    - d\n  e: 1\n"
    new = "    - c\n    - d\n  f:\n    g: 2\n"
    outcome = land(text, Replace("  - c\n  - d\n", new), "a.yaml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("    - c\n    - d\n", new)


NGINX = (
    "server {\n    listen 53;\n    root /a;\n\n    location /b {\n        proxy_pass c;\n    }\n}\n"
)


def test_a_diff_that_is_dedented_and_lost_the_blank_before_its_context_lands() -> None:
    diff = "@@ -3,2 +3,5 @@\nroot /a;\n\n+location /d {\n+    proxy_pass e;\n+}\n+\nlocation /b {\n    proxy_pass c;\n"
    outcome = land(NGINX, Patch(diff), "a.conf")
    assert isinstance(outcome, Landed), outcome
    added = "    location /d {\n        proxy_pass e;\n    }\n\n"
    assert outcome.text == NGINX.replace("    location /b", f"{added}    location /b")


@pytest.mark.parametrize("indent", ["     ", "        ", "\t"])
def test_a_new_line_that_the_file_would_not_indent_so_is_refused_in_a_drifted_request(
    indent: str,
) -> None:
    old, new = "    listen 53;  \n", f"    listen 53;  \n{indent}listen 80;\n"
    outcome = land(NGINX, Replace(old, new), "a.conf")
    assert isinstance(outcome, Refused), outcome
    exact = land(NGINX, Replace(old.replace("  \n", "\n"), new.replace("  \n", "\n")), "a.conf")
    assert isinstance(exact, Refused), exact


@pytest.mark.parametrize("step", ["  ", "\t", "        "])
def test_new_lines_in_levels_of_another_width_are_refused_with_the_unit_of_the_file(
    step: str,
) -> None:
    new = f"location /d {{\n{step}if (e) {{\n{step}{step}return 1;\n{step}}}\n}}\n\nserver {{\n"
    outcome = land(NGINX, Replace("server {\n", new), "a.js")
    assert isinstance(outcome, Refused), outcome
    assert "the file indents by 4 blanks" in outcome.message
    # The twin: a file that has both widths shows nothing.
    mixed = f"map {{\n{step}a b;\n}}\n{NGINX}"
    both = land(mixed, Replace("server {\n", new), "a.js")
    assert isinstance(both, Landed), both
    assert both.text == mixed.replace("server {\n", new)


def test_new_lines_without_any_level_are_refused_where_the_file_always_has_one() -> None:
    css = "a {\n  color: red;\n}\n\nb {\n  color: blue;\n}\n"
    new = "b {\nmargin: 0;\n}\n"
    outcome = land(css, Replace("b {\n", "c {\nmargin: 0;\n}\n\nb {\n"), "a.css")
    assert isinstance(outcome, Refused), outcome
    assert "indentation" in outcome.message
    assert land(css.replace("  ", ""), Replace("b {\n", f"{new}\nb {{\n"), "a.css").landed


def test_levels_of_data_have_the_widths_that_the_file_has() -> None:
    text = "jobs:\n    build:\n        runs-on: linux\n        steps:\n            - run: a\n"
    new = "        runs-on: linux\n        defaults:\n          run: b\n"
    request = Replace("        runs-on: linux\n", new)
    assert isinstance(land(text, request, "a.yml"), Refused)
    mixed = f"{text}on:\n  push:\n"
    outcome = land(mixed, request, "a.yml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == mixed.replace("        runs-on: linux\n", new)


@pytest.mark.parametrize("path", ["a.rb", "a.py", "a.txt", None])
def test_an_edit_that_only_moves_a_line_to_another_level_is_that_edit(path: str | None) -> None:
    text = "class A:\n    def f(self):\n        x = 1\n\n        y = 2\n        z = 3\n"
    new = text.replace("        x = 1", "            x = 1")
    outcome = land(text, Replace(text, new), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


@pytest.mark.parametrize(("unit", "other"), [("  ", "\t"), ("\t", "    ")])
def test_a_new_line_in_the_characters_of_the_file_is_as_deep_as_it_is_written(
    unit: str, other: str
) -> None:
    """All old lines are in the other characters, and so are the new lines that stay."""
    text = f"def a\n{unit}b do\n{unit * 2}c = 1\n{unit * 2}d = 2\n{unit}end\nend\n"
    old = f"{other}b do\n{other * 2}c = 1\n{other * 2}d = 2\n{other}end\n"
    new = f"{other}b do\n{other * 2}c = 1\n{unit * 2}d = 3\n{other}end\n"
    outcome = land(text, Replace(old, new), "a.rb")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("d = 2", "d = 3")
