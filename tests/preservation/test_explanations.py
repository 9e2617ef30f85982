"""Why a name or a call may be gone: each reason with a twin that lacks one of its conditions."""

from __future__ import annotations

import pytest

from holdfast.preservation.edit_facts import EditFacts, FactComparison
from holdfast.preservation.explanations import is_explained
from holdfast.preservation.reports import reports_of
from holdfast.syntax.edits import edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(line: int, *names: str, tool: str = "tool", code: str = "X") -> Diagnostic:
    """Return an error at the first column after the indentation."""
    return Diagnostic(tool, "", code, "error", "bad", "bad", names, "", Area(line, 5, line, 5))


def _edit(language: Target, before: str, after: str, said: Diagnostic) -> EditFacts:
    """Return the facts of the only edit."""
    old, new = ParsedSource(before, language), ParsedSource(after, language)
    comparison = FactComparison(old, new, reports_of(before, "a", [said]))
    [edit] = edits_between(before, after, language)
    return comparison.of_edit(edit)


def _unexplained(language: Target, frame: str, old: str, new: str, said: Diagnostic) -> list[str]:
    """Return the names that are gone without a reason."""
    facts = _edit(language, frame.format(old), frame.format(new), said)
    return [fact.text for fact in facts.lost.of("name") if not is_explained(fact, facts)]


BROKEN = "def f(x):\n    {}\n    g(x)\n\ny = )\n"
PARSED = "def f(x):\n    {}\n    g(x)\n\ny = 1\n"


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("retrun", "return", []),
        ("breqq", "break", []),
        ("breqqq", "break", ["breqqq"]),
        ("end", "pass", ["end"]),
        ("null", "None", []),
        ("returnz", "return z", []),
        ("returny", "return z", ["returny"]),
        ("// note it", "pass", []),
        ("/ note it", "pass", ["note", "it"]),
    ],
)
def test_a_name_was_a_slip_if_the_text_did_not_parse_there(
    old: str, new: str, gone: list[str]
) -> None:
    assert _unexplained("python", BROKEN, old, new, _said(2)) == gone
    assert _unexplained("python", BROKEN, old, new, _said(5)) != []
    if "/" not in old:
        assert _unexplained("python", PARSED, old, new, _said(2)) == [old]


RETURN = "def f(x):\n    return {}\n"


@pytest.mark.parametrize(
    ("old", "new", "names", "gone"),
    [
        ("a.b", "cc.dd", "cc dd", []),
        ("a.b", "cc", "cc", ["a", "b"]),
        ("a", "cc.dd", "cc dd", []),
        ("a.b", "cc.dd", "cc", ["a", "b"]),
        ("a", "b", "a", []),
        ("a", "b", "x", ["a"]),
        ("a", "", "a", ["a"]),
        ("a", "1", "a", ["a"]),
        ("null", "None", "null", []),
        ("Null", "None", "Null", []),
        ("null(a)", "None", "null", ["null", "a"]),
        ("str(x)", "x", "x", []),
        ("strs(x)", "x", "x", ["strs"]),
    ],
)
def test_what_an_error_names_may_become_another_name_and_no_value(
    old: str, new: str, names: str, gone: list[str]
) -> None:
    assert _unexplained("python", RETURN, old, new, _said(2, *names.split())) == gone


@pytest.mark.parametrize(
    ("line", "new", "gone"),
    [(2, "count", []), (1, "count", ["coutn"]), (2, "other", ["coutn"])],
)
def test_a_name_that_an_error_points_at_may_be_misspelt(
    line: int, new: str, gone: list[str]
) -> None:
    frame = "int f(int x) {{\n    {}(x);\n    return x;\n}}\n"
    assert _unexplained("c", frame, "coutn", new, _said(line)) == gone


@pytest.mark.parametrize(
    ("code", "new", "gone"),
    [
        ("E0061", "split_at(1)", []),
        ("E0063", "split_at(1)", ["split"]),
        ("E0061", "chunks(1)", ["split"]),
    ],
)
def test_a_function_of_the_same_family_may_take_the_place_of_one_with_too_many_arguments(
    code: str, new: str, gone: list[str]
) -> None:
    frame = "fn f(x: &str) {{\n    x.{};\n}}\n"
    said = _said(2, tool="rustc", code=code)
    assert _unexplained("rust", frame, "split(y)", new, said) == [*gone, "y"]


@pytest.mark.parametrize(
    ("text", "new", "code", "line", "gone"),
    [
        ("b = load(c)\na = 1\n", "a = 1\n", "no-redef", 1, []),
        ("b = load(c)\na = 1\n", "a = 1\n", "attr-defined", 1, ["b", "load", "c"]),
        ("b = load(c)\na = 1\n", "a = 1\n", "call-arg", 1, ["b", "load", "c"]),
        ("b = load(c)\na = 1\n", "b = 0\na = 1\n", "no-redef", 1, ["load", "c"]),
        ("b = load(c, d)\na = 1\n", "b = load(c)\na = 1\n", "call-arg", 1, []),
        ("b = load(c, d)\na = 1\n", "b = load(c)\na = 1\n", "call-arg", 2, ["d"]),
    ],
)
def test_what_is_superfluous_may_go_and_of_a_call_only_an_argument(
    text: str, new: str, code: str, line: int, gone: list[str]
) -> None:
    said = _said(line, tool="mypy", code=code)
    assert _unexplained("python", "{}", text, new, said) == gone
