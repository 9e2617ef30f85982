"""Which part of a fix answers which diagnostic, and with which imports."""

from __future__ import annotations

import pytest

from holdfast.rules.fix_shares import split_fix
from holdfast.vocab.diagnostics import Area, Diagnostic

CALLS = "a = f(x)\nb = g(y)\nc = h(z)\nd = k(w)\n"
BOTH = CALLS.replace("f(", "ff(").replace("h(", "hh(")
ONE, OTHER = CALLS.replace("f(", "ff("), CALLS.replace("h(", "hh(")


def _said(line: int | None, *args: str, column: int = 1, end: int | None = None) -> Diagnostic:
    area = None if line is None else Area(line, column, end or line, column)
    return Diagnostic("tool", "", "X", "error", "bad", "bad", args, "a.py", area)


def _shares(before: str, after: str, *said: Diagnostic) -> list[tuple[str, str]]:
    """Return the text of each share, and the first names of its diagnostics in their order."""
    shares = split_fix(before, after, said, "python")
    return [(share.after, " ".join(each.args[0] for each in share.diagnostics)) for share in shares]


@pytest.mark.parametrize(
    ("said", "shares"),
    [
        ((_said(1, "f"), _said(3, "h")), [(ONE, "f h"), (OTHER, "h f")]),
        ((_said(1, "f"), _said(2, "h")), [(BOTH, "f h")]),
        ((_said(1, "f"),), [(BOTH, "f")]),
        ((_said(None, "f"),), [(BOTH, "f")]),
        ((), [(BOTH, "")]),
    ],
)
def test_a_fix_has_parts_if_each_part_is_at_a_diagnostic(
    said: tuple[Diagnostic, ...], shares: list[tuple[str, str]]
) -> None:
    assert _shares(CALLS, BOTH, *said) == shares


def test_an_import_goes_with_the_part_that_uses_its_name_or_alone() -> None:
    said = _said(1, "f"), _said(3, "h")
    used = "import ff\n"
    assert _shares(CALLS, used + BOTH, *said) == [(used + ONE, "f h"), (OTHER, "h f")]
    other = "import os\n"
    assert _shares(CALLS, other + BOTH, *said) == [
        (ONE, "f h"),
        (OTHER, "h f"),
        (other + CALLS, "f h"),
    ]


def test_an_import_goes_with_the_only_part_unless_a_diagnostic_names_it() -> None:
    imported = "import os\n"
    assert _shares(CALLS, imported + ONE, _said(1, "f")) == [(imported + ONE, "f")]
    assert _shares(CALLS, imported + ONE, _said(1, "os")) == [
        (ONE, "os"),
        (imported + CALLS, "os"),
    ]


def test_a_fix_that_only_imports_is_one_share() -> None:
    imported = "import os\n" + CALLS
    assert _shares(CALLS, imported, _said(1, "os"), _said(2, "y")) == [(imported, "os y")]


SUM = "a = f(x) + g(y)\nb = 1\n"


@pytest.mark.parametrize(
    ("columns", "shares"),
    [
        ((5, 12), [("ff(x) + g(y)", "f g"), ("f(x) + gg(y)", "g f")]),
        ((5, 1), [("ff(x) + gg(y)", "f g")]),
        ((5, 13), [("ff(x) + g(y)", "f g"), ("f(x) + gg(y)", "g f")]),
        ((5, 14), [("ff(x) + gg(y)", "f g")]),
    ],
)
def test_the_edits_of_a_line_are_one_part_unless_each_has_its_diagnostic(
    columns: tuple[int, int], shares: list[tuple[str, str]]
) -> None:
    said = (_said(1, "f", column=columns[0]), _said(1, "g", column=columns[1]))
    after = "a = ff(x) + gg(y)\nb = 1\n"
    assert _shares(SUM, after, *said) == [(f"a = {text}\nb = 1\n", names) for text, names in shares]


def test_the_nearest_diagnostic_is_first_and_of_these_the_one_that_names_what_changes() -> None:
    after = CALLS.replace("g(", "gg(")
    said = (
        _said(None, "nowhere"),
        _said(4, "far"),
        _said(3, "z"),
        _said(3, "g"),
        _said(1, "x"),
        _said(1, "at", end=2),
    )
    assert _shares(CALLS, after, *said) == [(after, "at g z x far nowhere")]


@pytest.mark.parametrize(("first", "third", "order"), [("x", "h", "h x"), ("f", "z", "f z")])
def test_edits_that_stay_together_are_as_near_as_all_lines_between_them(
    first: str, third: str, order: str
) -> None:
    after = BOTH.replace("k(", "kk(")
    assert _shares(CALLS, after, _said(1, first), _said(3, third)) == [(after, order)]
