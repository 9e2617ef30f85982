"""What the errors of a text are about: their names, their lines, and the words they point at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.preservation.reports import Reports, errors_among, names_in, reports_of
from holdfast.vocab.diagnostics import Area, Diagnostic, Related

TEXT = "a = load(b)\nif a:\n    save(c, d)\n"
SAID = Diagnostic(
    "ruff", "", "F821", "error", "Undefined name", "Undefined name", ("c",), "a.py", Area(3, 10, 3, 11)
)  # fmt: skip
ABOUT_C = Reports(
    names=frozenset({"c"}),
    by_tools=frozenset({"c"}),
    superfluous=frozenset(),
    parts=frozenset(),
    superfluous_names=frozenset(),
    lines=frozenset({3}),
    about_visibility=False,
    pointed=frozenset({"save", "c"}),
    called=frozenset({"save"}),
    near=frozenset({"save", "c", "d"}),
    miscalled=frozenset(),
)
NOWHERE = replace(ABOUT_C, lines=frozenset(), pointed=frozenset(), called=frozenset(), near=frozenset())  # fmt: skip


def test_an_error_is_about_its_names_its_lines_and_the_words_there() -> None:
    assert reports_of(TEXT, "a.py", [SAID]) == ABOUT_C


def test_of_an_error_in_another_file_only_the_names_count() -> None:
    assert reports_of(TEXT, "b.py", [SAID]) == NOWHERE
    assert reports_of(TEXT, "b.py", [replace(SAID, path="")]) == ABOUT_C


def test_the_project_s_own_command_reports_no_missing_name() -> None:
    own = reports_of(TEXT, "a.py", [replace(SAID, tool="command")])
    assert own == replace(ABOUT_C, by_tools=frozenset())


@pytest.mark.parametrize("area", [None, Area(5, 1, 5, 2), Area(9, 1, 9, 1)])
def test_a_place_that_the_text_does_not_have_points_at_nothing(area: Area | None) -> None:
    lines = frozenset({area.line} if area is not None else ())
    assert reports_of(TEXT, "a.py", [replace(SAID, area=area)]) == replace(NOWHERE, lines=lines)


@pytest.mark.parametrize(
    ("area", "pointed"),
    [
        (Area(1, 1, 1, 2), {"a"}),
        (Area(1, 5, 1, 9), {"a", "load"}),
        (Area(1, 9, 1, 9), {"load"}),
        (Area(1, 11, 1, 12), {"b"}),
        (Area(4, 1, 4, 1), set()),
    ],
)
def test_an_error_points_at_a_word_and_at_the_one_before(area: Area, pointed: set[str]) -> None:
    assert reports_of(TEXT, "a.py", [replace(SAID, area=area)]).pointed == pointed


@pytest.mark.parametrize(
    ("area", "lines"),
    [
        (Area(2, 1, 2, 3), {2}),
        (Area(1, 1, 3, 2), {1, 2, 3}),
        (Area(2, 4, 1, 1), {2}),
    ],
)
def test_an_error_is_in_all_lines_of_its_area_and_of_its_notes_in_that_file(
    area: Area, lines: set[int]
) -> None:
    said = replace(SAID, area=area)
    assert reports_of(TEXT, "a.py", [said]).lines == lines
    here, there = Related("see", "a.py", Area(7, 1, 8, 1)), Related("see", "b.py", Area(9, 1, 9, 1))
    noted = replace(said, related=(here, there, Related("see", "a.py")))
    assert reports_of(TEXT, "a.py", [noted]).lines == lines | {7, 8}


def test_the_lines_of_all_errors_are_collected() -> None:
    first = replace(SAID, area=Area(1, 5, 1, 9), args=("load",))
    assert reports_of(TEXT, "a.py", [first, SAID]) == replace(
        ABOUT_C,
        names=frozenset({"load", "c"}),
        by_tools=frozenset({"load", "c"}),
        lines=frozenset({1, 3}),
        pointed=frozenset({"a", "load", "save", "c"}),
        called=frozenset({"load", "save"}),
        near=frozenset({"a", "load", "b", "save", "c", "d"}),
    )


def test_warnings_count_only_if_there_is_no_error() -> None:
    warned = replace(SAID, severity="warning")
    assert errors_among([warned, SAID]) == [SAID]
    assert errors_among([warned]) == [warned]
    assert errors_among([]) == []


def test_the_names_of_an_error_are_its_arguments_and_what_is_in_quotes() -> None:
    said = replace(
        SAID,
        message="no `x.y` for “z” in 'k'",
        args=("!=", "list[int]"),
        related=(Related('declared as "m"', "a.py"),),
    )  # fmt: skip
    assert names_in(said) == {"!=", "list[int]", "list", "int", "x.y", "x", "y", "z", "k", "m"}


def test_an_error_at_an_annotation_names_the_method_that_has_it() -> None:
    text = "class A {\n  @Override\n  List<B> onFinish(int n) {}\n}\n"
    at_override = replace(SAID, area=Area(2, 3, 2, 3))
    assert reports_of(text, "a.py", [at_override]).names == {"c", "onFinish"}
    at_type = replace(SAID, area=Area(3, 3, 3, 3))
    assert reports_of(text, "a.py", [at_type]).names == {"c"}


@pytest.mark.parametrize(
    ("tool", "code", "template", "miscalled"),
    [
        ("gcc", "", "too few arguments to function {0}", {"save", "c"}),
        ("go", "", "not enough arguments in call to {0}", {"save", "c"}),
        ("rustc", "E0061", "", {"save", "c"}),
        ("gcc", "", "incompatible type for argument 1 of {0}", set()),
    ],
)
def test_the_function_of_a_wrong_number_of_arguments_is_known(
    tool: str, code: str, template: str, miscalled: set[str]
) -> None:
    said = replace(SAID, tool=tool, code=code, template=template)
    assert reports_of(TEXT, "a.py", [said]).miscalled == miscalled


@pytest.mark.parametrize("missing", ["missing Area method", "missing method Area"])
def test_a_message_of_go_names_the_missing_method_without_quotes(missing: str) -> None:
    message = f"Square does not implement Shape ({missing})"
    assert names_in(replace(SAID, message=message, args=())) == {"Area"}


@pytest.mark.parametrize(
    ("tool", "code", "template", "kind"),
    [
        ("ruff", "F841", "", "superfluous"),
        ("ruff", "F821", "unused {0}", ""),
        ("ruff", "F8411", "", ""),
        ("mypy", "unreachable", "", "superfluous"),
        ("mypy", "call-arg", "", "part"),
        ("mypy", "attr-defined", "", ""),
        ("pyright", "reportUnusedVariable", "", "superfluous"),
        ("pyright", "reportCallIssue", "", "part"),
        ("tsc", "TS6133", "", "superfluous"),
        ("tsc", "TS2554", "", "part"),
        ("tsc", "TS2341", "", "visibility"),
        ("rustc", "dead_code", "", "superfluous"),
        ("rustc", "E0061", "", "part"),
        ("rustc", "E0603", "", "visibility"),
        ("javac", "compiler.err.already.defined", "", "superfluous"),
        ("javac", "compiler.err.cant.apply.symbol", "", "part"),
        ("javac", "compiler.err.report.access", "", "visibility"),
        ("go", "", "declared and not used: {0}", "superfluous"),
        ("go", "", "too many arguments in call to {0}", "part"),
        ("go", "declared and not used", "undefined: {0}", ""),
        ("gcc", "", "redefinition of {0}", "superfluous"),
        ("gcc", "", "too many arguments to function {0}", "part"),
        ("gcc", "", "static declaration of {0} follows non-static declaration", "visibility"),
        ("g++", "", "{0} is private within this context", "visibility"),
        ("node", "", "Identifier {0} has already been declared", "superfluous"),
        ("other", "F841", "unused {0}", ""),
    ],
)  # fmt: skip
def test_the_kind_of_an_error_is_known_by_its_code_or_else_by_its_template(
    tool: str, code: str, template: str, kind: str
) -> None:
    found = reports_of(TEXT, "a.py", [replace(SAID, tool=tool, code=code, template=template)])
    here, words = frozenset({3}), frozenset({"save", "c"})
    expected = {
        "superfluous": replace(ABOUT_C, superfluous=here, superfluous_names=words),
        "part": replace(ABOUT_C, parts=here, miscalled=words),
        "visibility": replace(ABOUT_C, about_visibility=True),
        "": ABOUT_C,
    }
    assert found == expected[kind]
