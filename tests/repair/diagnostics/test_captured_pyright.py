"""What pyright 1.1.414 printed about real files (captured/)."""

from __future__ import annotations

from holdfast.repair.diagnostics import pyright
from holdfast.vocab.diagnostics import Area
from tests.repair.diagnostics.test_captured_outputs import output, source, summaries


def test_pyright_counts_halves_of_characters_from_zero_and_tells_the_end() -> None:
    sources = source("pyright", "py", "/project/a.py")
    found = pyright.parse(output("pyright"), version="1.1.414", sources=sources)
    assert summaries(found, sources)[:7] == [
        (
            "reportMissingImports",
            "Import {0} could not be resolved",
            ("no_such_package",),
            "no_such_package",
        ),
        (
            "reportAssignmentType",
            "Type {0} is not assignable to declared type {1}",
            ("Literal['𝒴']", "int"),
            '"𝒴"',
        ),
        ("reportUndefinedVariable", "{0} is not defined", ("undefinedñ",), "undefinedñ"),
        (
            "reportAssignmentType",
            "Type {0} is not assignable to declared type {1}",
            ("Literal[1]", "str"),
            "one",
        ),
        (
            "reportArgumentType",
            "Argument of type {0} cannot be assigned to parameter {1} of type {2} in function {3}",
            ("Literal['a']", "item", "int", "put"),
            '"a"',
        ),
        (
            "reportAttributeAccessIssue",
            "Cannot access attribute {0} for class {1}",
            ("putt", "Box"),
            "putt",
        ),
        ("reportCallIssue", "Expected {0} positional argument(s)", ("1",), "2"),
    ]
    assert found[2].area == Area(6, 35, 6, 45)


def test_pyright_explains_below_its_first_line_and_information_is_a_note() -> None:
    found = pyright.parse(output("pyright"), version="1.1.414")
    override = next(each for each in found if each.code == "reportIncompatibleMethodOverride")
    assert override.template == "Method {0} overrides class {1} in an incompatible manner"
    assert [related.message for related in override.related] == [
        'Parameter 2 type mismatch: base parameter is type "int", override parameter is type "str"',
        '"int" is not assignable to "str"',
    ]
    assert [each.message for each in found if each.severity == "note"] == ['Type of "box" is "Box"']
    assert {each.severity for each in found} == {"error", "note"}
    assert len(found) == 17


def test_what_does_not_parse_has_no_rule_of_pyright() -> None:
    sources = source("pyright_syntax", "py", "/project/s.py")
    found = pyright.parse(output("pyright_syntax"), version="1.1.414", sources=sources)
    assert [(each.code, each.template, each.area) for each in found] == [
        ("", '"(" was not closed', Area(1, 5, 1, 6)),
        ("", "Expected expression", Area(2, 1, 2, 4)),
        ("", "Statements must be separated by newlines or semicolons", Area(4, 1, 4, 1)),
    ]


def test_words_before_the_object_are_somebody_elses() -> None:
    words = 'Config "strict" entry must contain an array.\n'
    assert pyright.parse(words + output("pyright"), version="") == pyright.parse(
        output("pyright"), version=""
    )
