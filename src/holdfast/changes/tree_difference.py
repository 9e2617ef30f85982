"""What somebody else did to the files, from the difference of two trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap, in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.requests import Action

TreeOf: TypeAlias = "Mapping[str, tuple[bytes, int]]"
"""Every regular file's real path below the root, to its bytes and its mode."""


def plan_of_difference(before: TreeOf, after: TreeOf) -> ChangePlan:
    """Give the plan that turns the first tree into the second; nothing in it if they are the same."""
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    swaps = [_swap(path, before.get(path), after.get(path)) for path in paths]
    made = dict.fromkeys(
        parent
        for path in paths
        if path not in before
        for parent in _parents(path)
        if not _had(parent, before)
    )
    return ChangePlan(tuple(_report(swap) for swap in swaps), in_order(swaps), tuple(made))


def _swap(path: str, before: tuple[bytes, int] | None, after: tuple[bytes, int] | None) -> Swap:
    modes = before is not None and after is not None and before[1] != after[1]
    return Swap(path, before and Content(*before), after and Content(*after), modes)


def _report(swap: Swap) -> FileLanded:
    before, after = swap.before, swap.after
    action: Action = "create" if before is None else "delete" if after is None else "edit"
    diff = diff_of(swap.path, swap.path, before, after)
    if swap.modes and before and after:
        diff = f"old mode {before.mode or 0:o}\nnew mode {after.mode or 0:o}\n{diff}"
    return FileLanded(swap.path, action, "exact", 1.0, diff)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _had(directory: str, tree: TreeOf) -> bool:
    return any(path.startswith(f"{directory}/") for path in tree)
