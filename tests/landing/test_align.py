"""Old lines aligned with a file: the pairs, how sure each is, and how much is covered."""

from __future__ import annotations

import pytest

from holdfast.landing.text.align import Likeness, align, is_telling
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc

TEXT = (
    "import os\n\n# load the users\ndef load_users(key):\n    found = read(key)\n\n    for user in found:\n"
    "        check(user, 'all of the names')\n    return found\n\n\n"
    "def load_groups(key):\n    found = read(key)\n    return found\n"
)
USERS, READ, FOR = "def load_users(key):", "    found = read(key)", "    for user in found:"
CHECK, RETURN = "        check(user, 'all of the names')", "    return found"
DOC = Doc(TEXT, language_of("a.py"))


@pytest.mark.parametrize(
    ("old", "found"),
    [
        (
            [USERS, READ, RETURN],
            [
                (0.5962, [(1, 8, "equal", 1.0), (2, 9, "equal", 1.0)]),
                (0.5049, [(0, 2, "equal", 1.0), (1, 3, "equal", 1.0), (2, 6, "equal", 1.0)]),
            ],
        ),
        (
            ["def load_usres(key):", READ],
            [
                (0.9462, [(0, 2, "typo", 0.9), (1, 3, "equal", 1.0)]),
                (0.85, [(0, 7, "typo", 0.7619), (1, 8, "equal", 1.0)]),
            ],
        ),
        (
            ["# load all users", USERS],
            [(0.9161, [(0, 1, "comment", 0.8125), (1, 2, "equal", 1.0)])],
        ),
        (["# load the ...", USERS], [(0.9079, [(0, 1, "comment", 0.9), (1, 2, "equal", 1.0)])]),
        (
            [FOR, CHECK.replace(", ", ",")],
            [(0.9743, [(0, 4, "equal", 1.0), (1, 5, "loose", 0.99)])],
        ),
        (
            [READ, RETURN],
            [
                (1.0, [(0, 8, "equal", 1.0), (1, 9, "equal", 1.0)]),
                (0.378, [(0, 3, "equal", 1.0), (1, 6, "equal", 1.0)]),
            ],
        ),
        (
            [RETURN, READ],
            [
                (0.5849, [(0, 6, "equal", 1.0), (1, 8, "equal", 1.0)]),
                (0.5806, [(1, 3, "equal", 1.0)]),
                (0.4194, [(0, 9, "equal", 1.0)]),
            ],
        ),
        (
            [USERS, "    other(key)", FOR, CHECK],
            [(0.8, [(0, 2, "equal", 1.0), (2, 4, "equal", 1.0), (3, 5, "equal", 1.0)])],
        ),
        (["nowhere"], []),
    ],
)
def test_places_are_found_best_first_each_with_lines_of_its_own(
    old: list[str], found: list[tuple[float, list[tuple[int, int, Likeness, float]]]]
) -> None:
    aligned = [
        (
            round(alignment.similarity, 4),
            [
                (pair.j, pair.i, pair.likeness, round(pair.similarity, 4))
                for pair in alignment.pairs
            ],
        )
        for alignment in align(DOC, old)
    ]
    assert aligned == found


def test_the_shared_lines_tell_if_they_are_half_as_long_as_the_longest_old_line() -> None:
    old = ["        check(user, 'all of the name')", RETURN]
    assert [is_telling(DOC, old, alignment) for alignment in align(DOC, old)] == [False, False]
    shorter = ["        check(user, 'all')", RETURN]
    assert [is_telling(DOC, shorter, alignment) for alignment in align(DOC, shorter)] == [True] * 2
