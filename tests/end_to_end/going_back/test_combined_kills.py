"""Two processes at once, killed anywhere: the tree is one that somebody asked for, and log, tables and tree agree.

`make soak` does the same with 2,000 kills, and prints how many there were of each operation.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.end_to_end.going_back.combined_kills import kill_many, table_of


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3])
def test_commands_that_die_leave_a_tree_that_somebody_asked_for(seed: int) -> None:
    """The second seed is for a folder without git."""
    kills, failures = kill_many(8, seed, workers=1, steps=10)
    assert failures == []
    assert kills.total() >= 8


def test_the_table_has_kills_and_failures_of_each_operation() -> None:
    kills = Counter({"undo": 2, "apply": 3})
    assert table_of(kills, [(["undo", "undo"], "why")]).splitlines() == [
        "| operation | kills | failures |",
        "|---|---|---|",
        "| apply | 3 | 0 |",
        "| undo | 2 | 1 |",
        "| all | 5 | 1 |",
    ]
