"""Which checkpoints are removed, and whose trash nothing leads to any more."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.retention import outdated, over_limit, unreachable_trash


def checkpoint(seq: int, kind: Any = "turn") -> Checkpoint:
    return Checkpoint(CheckpointDraft(f"c{seq}", kind, "now"), WorktreeState("t"), seq, "", "")


def test_all_but_the_latest_are_outdated_in_whatever_order_they_come() -> None:
    there = [checkpoint(seq) for seq in (2, 3, 1)]
    assert outdated(there, 2) == ("c1",)
    assert outdated(there, 3) == ()
    assert outdated(there, 0) == ("c3", "c2", "c1")


def test_what_a_user_has_taken_stays_and_each_other_group_has_its_own_limit() -> None:
    kinds = ["manual", "manual", "turn", "turn", "undo", "undo"]
    there = [checkpoint(seq, kind) for seq, kind in enumerate(kinds, 1)]
    assert over_limit(there, 2) == ()
    removed = over_limit(there, 1)
    assert "c3" in removed
    assert not {"c1", "c2", "c4", "c6"} & set(removed)


@pytest.mark.parametrize(
    ("live", "trash", "expected"),
    [
        (["a"], {"a": ("b",)}, ()),
        ([], {"a": ("b",)}, ("a",)),
        (["a"], {"a": ("b",), "b": ("c",), "c": ("d",)}, ()),
        (["a"], {"b": ("a",)}, ("b",)),
        # What leads only to itself, or in a ring, is not reached.
        (["a"], {"x": ("y",), "y": ("x",)}, ("x", "y")),
        (["a"], {"a": ("b", "a"), "b": ("a",)}, ()),
    ],
)
def test_trash_is_reached_from_what_is_live(
    live: list[str], trash: dict[str, tuple[str, ...]], expected: tuple[str, ...]
) -> None:
    assert unreachable_trash(live, trash) == expected
