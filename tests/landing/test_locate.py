"""Where a text stands."""

from __future__ import annotations

from holdfast import Ambiguous, Exact, Fuzzy, NotFound, locate
from holdfast.vocab.outcomes import Span

FILE = "def load(path):\n    # read it all\n    data = read(path)\n    return parse(data)\n"


def test_text_that_stands_once_is_exact() -> None:
    assert locate("a\nbb\n", "bb") == Exact(Span(2, 4, 2))


def test_text_that_cuts_a_number_or_a_name_is_not_there() -> None:
    assert locate("timeout = 100\n", "timeout = 10") == NotFound("1| timeout = 100")
    assert locate("reload()\n", "load()") == NotFound("1| reload()")


def test_several_places_are_ambiguous_unless_a_line_number_is_exact() -> None:
    assert locate("a\nb\na\n", "a") == Ambiguous((1, 3))
    assert locate("a\nb\na\n", "a", near_line=3) == Exact(Span(4, 5, 3))
    assert locate("a\nb\na\n", "a", near_line=2) == Ambiguous((1, 3))


def test_looser_rungs_say_which() -> None:
    assert locate("\ta()\n\tb()\n", "  a()\n  b()\n") == Fuzzy(Span(0, 10, 1), "whitespace", 1.0)
    assert locate("f(“a”)\ng()\n", 'f("a")\ng()') == Fuzzy(Span(0, 10, 1), "unicode", 1.0)
    assert locate("a()\nb()\n", r"a()\nb()") == Fuzzy(Span(0, 7, 1), "unmangled", 1.0)
    elided = locate(FILE, "def load(path):\n    # ...\n    return parse(data)\n")
    assert elided == Fuzzy(Span(0, len(FILE), 1), "elision", 1.0)


def test_drift_is_found_by_similarity() -> None:
    found = locate(
        FILE,
        "def load(path):\n    # read everything\n    data = read(path)\n    return parse(data)\n",
        path="a.py",
    )
    assert isinstance(found, Fuzzy)
    assert (found.span, found.rung) == (Span(0, len(FILE), 1), "similar")
    assert 0.66 < found.similarity < 1


def test_what_is_not_there_shows_the_closest_lines() -> None:
    missing = locate(FILE, "def load(path):\n    rows = fetch(path, 3)\n")
    assert isinstance(missing, NotFound)
    assert "1| def load(path):" in missing.closest


def test_nothing_is_found_in_nothing() -> None:
    assert locate("", "a") == NotFound("")
    assert locate("a\n", "") == NotFound("")
    assert locate("a\n", "  \n") == NotFound("")
