"""What one edit of a fix removes and adds, and what the errors say of its place."""

from __future__ import annotations

import pytest

from holdfast.preservation.edit_facts import EditFacts, FactComparison, most_similar
from holdfast.preservation.reports import reports_of
from holdfast.syntax.edits import edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.diagnostics import Area, Diagnostic


def _said(
    line: int, *names: str, end: int | None = None, tool: str = "ruff", code: str = "F821"
) -> Diagnostic:
    area = Area(line, 1, end or line, 1)
    return Diagnostic(tool, "", code, "error", "bad", "bad", names, "", area)


def _edits(before: str, after: str, *said: Diagnostic) -> list[EditFacts]:
    old, new = ParsedSource(before, "python"), ParsedSource(after, "python")
    comparison = FactComparison(old, new, reports_of(before, "a.py", said))
    return [comparison.of_edit(edit) for edit in edits_between(before, after, "python")]


def _lost_and_gained(facts: EditFacts) -> tuple[list[str], list[str]]:
    """Return the calls, names and constants that are gone and new."""
    kinds = ("call", "name", "literal")
    lost, gained = (
        [f"{fact.kind} {fact.text}" for fact in each if fact.kind in kinds]
        for each in (facts.lost, facts.gained)
    )
    return lost, gained


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "f(1)\n",
            "g(2)\n",
            [(["call f", "name f", "literal 1"], ["call g", "name g", "literal 2"])],
        ),
        ("f(1)\ng(2)\nh(3)\n", "g(2)\nh(3)\nf(1)\n", [([], []), ([], [])]),
        ("f(1)\ng(2)\n", "g(2)\n", [(["call f", "name f", "literal 1"], [])]),
        ("f(1)\nf(1)\ng(2)\n", "f(1)\ng(2)\n", [(["call f", "name f", "literal 1"], [])]),
        ("f(1)\ng(2)\n", "f(1)\nf(1)\ng(2)\n", [([], ["call f", "name f", "literal 1"])]),
        ("x = a\ny = b\n", "x = b\ny = a\n", [([], []), ([], [])]),
        ("x = a\ny = b\n", "x = b\ny = b\n", [(["name a"], ["name b"])]),
    ],
)
def test_a_fact_that_is_only_moved_is_neither_lost_nor_gained(
    before: str, after: str, expected: list[tuple[list[str], list[str]]]
) -> None:
    assert list(map(_lost_and_gained, _edits(before, after))) == expected


TEXT = "a = 1\nb = load(\n    c,\n    d)\ne = 2\n"


@pytest.mark.parametrize(
    ("line", "end", "is_at_error"),
    [(1, 1, False), (2, 2, False), (3, 3, True), (4, 4, False), (1, 3, True), (3, 5, True), (4, 9, False)],
)  # fmt: skip
def test_an_edit_is_at_an_error_in_its_lines(line: int, end: int, is_at_error: bool) -> None:
    [facts] = _edits(TEXT, TEXT.replace("c,", "k,"), _said(line, end=end))
    assert (facts.is_at_error, facts.is_syntax) == (is_at_error, False)


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_text_that_does_not_parse_does_not_parse_at_its_errors(line: int) -> None:
    [facts] = _edits("a = 1\nb = )\nc = 3\n", "a = 1\nb = 2\nc = 3\n", _said(line))
    assert (facts.is_at_error, facts.is_syntax) == (line == 2, line == 2)


@pytest.mark.parametrize(
    ("line", "names", "code", "superfluous", "part"),
    [
        (1, ("a",), "F841", True, False),
        (1, ("a",), "F821", False, False),
        (3, ("b",), "F841", False, False),
        (3, ("a",), "F841", True, False),
        (3, ("load",), "F841", True, False),
        (3, ("k",), "F841", False, False),
    ],
)
def test_what_goes_is_superfluous_by_its_place_or_by_a_name_in_its_first_line(
    line: int, names: tuple[str, ...], code: str, superfluous: bool, part: bool
) -> None:
    before = "a = load(\n    k)\nb = 2\n"
    [facts] = _edits(before, "b = 2\n", _said(line, *names, code=code))
    found = facts.is_superfluous, facts.may_drop_part, facts.may_delete
    assert found == (superfluous, part, superfluous)


@pytest.mark.parametrize(
    ("new", "may_delete"),
    [
        ("a = load(b)\n", True),
        ("a = load(0)\n", False),
        ("a = load(c)\n", True),
        ("a = eval(b)\n", False),
        ("", False),
    ],
)
def test_an_argument_that_is_too_much_may_go_if_no_value_takes_its_place(
    new: str, may_delete: bool
) -> None:
    before = "a = load(b, d)\nx = 1\n"
    edits = _edits(before, f"{new}x = 1\n", _said(1, tool="mypy", code="call-arg"))
    assert {facts.may_drop_part for facts in edits} == {True}
    assert all(facts.may_delete for facts in edits) is may_delete


@pytest.mark.parametrize(
    ("before", "after", "covers"),
    [
        ("a\nb\nc\n", "a\nc\n", [True]),
        ("a\nb\nc", "a\nb\n", [True]),
        ("a\n  b(1)\nc\n", "a\nc\n", [True]),
        ("a\nb(1)\nc\n", "a\nb()\nc\n", [False]),
        ("a\nb = 1\nc\n", "a\nb\nc\n", [False]),
        ("a\nb = 1\nc\n", "a\n1\nc\n", [False]),
        ("b = 1\n", "b = 2\n", [False]),
        ("b\n", "c\n", [True]),
    ],
)
def test_an_edit_covers_lines_if_nothing_of_them_is_beside_it(
    before: str, after: str, covers: list[bool]
) -> None:
    assert [facts.covers_lines for facts in _edits(before, after)] == covers


@pytest.mark.parametrize(
    ("old", "new", "is_similar"),
    [
        ("retrun", "return", True),
        ("breqq", "break", True),
        ("brqqq", "break", False),
        ("abc", "xyz", False),
    ],
)
def test_two_texts_are_similar_if_most_of_their_characters_are_the_same(
    old: str, new: str, is_similar: bool
) -> None:
    [facts] = _edits(f"{old}\n", f"{new}\n")
    assert (facts.removed, facts.added, facts.is_similar) == (old, new, is_similar)


@pytest.mark.parametrize(
    ("old", "new", "names", "changed"),
    [
        ("f(1, 2)", "f(1, 3)", "", ("2", "3")),
        ("f(1, 1)", "f(1)", "", ("1", "")),
        ("f(1)", "f(1, 1)", "", ("", "1")),
        ("f(1)", "f(1, 3)", "3", ("", "")),
        ("f(1)", "f('a b')", "a", ("1", "'a b'")),
        ("f(1)", "f('a b')", "a b", ("1", "")),
    ],
)
def test_a_token_is_new_unless_its_words_were_there_or_an_error_names_them(
    old: str, new: str, names: str, changed: tuple[str, str]
) -> None:
    edits = _edits(f"{old}\n", f"{new}\n", _said(1, *names.split()))
    tokens = [facts.changed_tokens("number", "string") for facts in edits]
    assert [each for each in tokens if each != ("", "")] == (
        [changed] if changed != ("", "") else []
    )


@pytest.mark.parametrize(
    ("name", "others", "similar"),
    [
        ("count", ("counts", "amount"), "counts"),
        ("count", ("amount", "cout"), "cout"),
        ("count", ("counts", "counted"), "counts"),
        ("count", ("total",), ""),
        ("abcd", ("abcx",), ""),
        ("abcde", ("abcdx",), "abcdx"),
        ("count", (), ""),
    ],
)
def test_a_similar_name_has_four_of_five_characters(
    name: str, others: tuple[str, ...], similar: str
) -> None:
    assert most_similar(name, others) == similar
