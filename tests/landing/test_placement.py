"""Where blank lines of the old text are, and what shows that a request is applied."""

from __future__ import annotations

from holdfast import Refused, Replace, land
from holdfast.landing.placement import with_blanks
from holdfast.landing.text.lines import Doc


def test_blank_lines_are_paired_downwards_from_the_line_above() -> None:
    doc = Doc("a\n\n\nb\n")
    assert with_blanks(doc, ["a", "", "", "b"], {0: 0, 3: 3}) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert with_blanks(doc, ["a", "", "", "", "b"], {0: 0, 4: 3}) == {0: 0, 1: 1, 2: 2, 4: 3}


def test_blank_lines_above_the_first_line_are_paired_upwards() -> None:
    doc = Doc("x\n\n\na\n")
    assert with_blanks(doc, ["", "", "a"], {2: 3}) == {0: 1, 1: 2, 2: 3}
    assert with_blanks(doc, ["", "", "", "a"], {3: 3}) == {1: 1, 2: 2, 3: 3}


def test_blank_lines_at_both_ends_of_the_file_have_no_line_beyond() -> None:
    assert with_blanks(Doc("a\n"), ["", "a", ""], {1: 0}) == {1: 0}
    assert with_blanks(Doc("a\n"), ["", ""], {}) == {}


def test_the_removed_line_elsewhere_with_another_line_below_does_not_keep_it_unapplied() -> None:
    text = "x_line\nw_line\nz_line\nx_line\ny_line\nq_line\n"
    request = Replace("x_line\ny_line\nz_line\n", "x_line\nw_line\nz_line\n")
    outcome = land(text, request)
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("already_applied", (1,))


def test_new_lines_above_blank_lines_stay_above_them() -> None:
    text = "one_line\n\n\ntwo_line\n"
    old = "one_line \n\ntwo_line\n"
    assert land(text, Replace(old, "one_line \nnew_line\n\ntwo_line\n")).text == (  # type: ignore[union-attr]
        "one_line\nnew_line\n\n\ntwo_line\n"
    )
    assert land(text, Replace(old, "one_line \n\nnew_line\ntwo_line\n")).text == (  # type: ignore[union-attr]
        "one_line\n\n\nnew_line\ntwo_line\n"
    )


def test_new_lines_at_a_gap_in_the_old_text_are_refused() -> None:
    text = "int a()\n{\n\tb = c;\n\treturn falcon;\n}\n\nint main(void)\n{\n\treturn f(9383);\n}\n"
    old = "\tb = c;\n\treturn falcon;\n\nint main(void)\n{\n\treturn f(9383);\n}"
    new = old.replace("int main", "int d()\n{\n\treturn 1;\n}\n\nint main")
    assert not land(text, Replace(old, new), "a.c").landed
    # A fence that old lacks below its last line.
    shell = "# A\n\n```sh\nrun --it\n```\n\n## B\n"
    assert not land(
        shell, Replace("run --it\n\n\n", "run --it\n\n\n## C\n\nText.\n\n"), "a.md"
    ).landed
