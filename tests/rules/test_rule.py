"""What a rule is: whether it is in force and reviewed, and what its names and types stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.rules.learn_rule import id_of
from holdfast.rules.rule import (
    Example,
    Provenance,
    Rule,
    Status,
    argument_texts,
    fill,
    plain_type,
    value_in,
)

RULE = Rule("r", "python", "ruff", "F821", "Undefined name {0}")


@pytest.mark.parametrize(
    ("status", "helped", "failed", "in_force"),
    [
        ("active", 0, 0, True),
        ("active", 0, 1, True),
        ("active", 0, 2, False),
        ("active", 2, 2, True),
        ("active", 2, 3, False),
        ("pinned", 0, 9, True),
        ("proposed", 9, 0, False),
        ("demoted", 9, 0, False),
        ("rejected", 9, 0, False),
    ],
)
def test_a_rule_is_in_force_until_it_fails_more_often_than_it_helps(
    status: Status, helped: int, failed: int, in_force: bool
) -> None:
    assert replace(RULE, status=status, helped=helped, failed=failed).in_force is in_force


@pytest.mark.parametrize(
    ("provenance", "status", "approved", "reviewed"),
    [
        ("extracted", "active", False, False),
        ("extracted", "active", True, True),
        ("extracted", "pinned", False, True),
        ("extracted", "rejected", False, True),
        ("extracted", "demoted", False, False),
        ("model", "proposed", False, False),
        ("builtin", "active", False, True),
        ("manual", "proposed", False, True),
    ],
)
def test_a_rule_is_reviewed_once_a_person_has_judged_or_written_it(
    provenance: Provenance, status: Status, approved: bool, reviewed: bool
) -> None:
    rule = replace(RULE, provenance=provenance, status=status, approved=approved)
    assert rule.reviewed is reviewed


def test_a_hole_without_a_text_stays_as_it_is() -> None:
    texts = {**argument_texts(("a", "b")), "A": "x"}
    assert texts == {"ARG0": "a", "ARG1": "b", "A": "x"}
    assert fill("$A($ARG1, $$$B, $C, $ARG0) $a $", texts) == "x(b, $$$B, $C, a) $a $"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("const struct item &", "item"),
        ("class Row", "Row"),
        ("volatile int", "int"),
        ("constant", "constant"),
        ("std::string&", "std::string"),
        ("char *", "char *"),
    ],
)
def test_a_type_has_no_qualifiers(text: str, plain: str) -> None:
    assert plain_type(text) == plain


@pytest.mark.parametrize(
    ("text", "program", "line", "value"),
    [
        ("Row", "class Row:\n    pass\n", "", "<class>"),
        ("Row", "class Rows:\n    pass\n", "", "Row"),
        ("row", "typedef struct { int a; } row;\n", "", "<struct>"),
        ("row", "typedef struct tag { int a; } row;\n", "", "<struct>"),
        ("list[Row]", "class Row: pass\n", "", "list[<class>]"),
        ("load", "def load(a):\n    pass\n", "", "<function>"),
        ("load", "int load(int a) {\n}\n", "", "<function>"),
        ("load", "int load(int a);\n", "", "load"),
        ("load", "x = load(a)\n", "", "load"),
        ("load", "func load(a int) { }\n", "", "<function>"),
        ("12", "", "12", "12"),
        ("char [12]", "", "", "char [0]"),
        ("row", "", "row = 1", "row"),
        ("vec<row>", "", "row = 1", "vec<_>"),
        ("vec<row>", "", "rows = 1", "vec<row>"),
        ("vec<int>", "", "int a", "vec<int>"),
        ("row::size(int)", "", "row = 1", "row::size(int)"),
        ("row<int>", "", "row = 1", "row<int>"),
        ("row(int)", "", "row = 1", "_(int)"),
    ],
)
def test_a_type_is_known_by_what_the_program_declares_and_by_its_names(
    text: str, program: str, line: str, value: str
) -> None:
    assert value_in(text, program, line) == value


def test_the_id_of_a_learned_rule_depends_on_its_program_and_of_a_written_one_does_not() -> None:
    one, other = (Example(f"{name}(x)\n", "m(x)\n", "no f", ("f",), None) for name in "fg")
    learned = [id_of(replace(RULE, examples=(each,))) for each in (one, other)]
    written = [id_of(replace(RULE, examples=(each,), provenance="manual")) for each in (one, other)]
    assert len({*learned, *written}) == 3
    assert written[0] == written[1]
    assert id_of(replace(RULE, examples=(one, other))) == learned[0]
    assert id_of(replace(RULE, imports=("import f",), examples=(one,))) != learned[0]
    assert {len(each) for each in (*learned, *written)} == {16}
