"""The plan of a change that another program made, from the difference of two trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap, in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.requests import Action

TreeOf: TypeAlias = "Mapping[str, tuple[bytes, int]]"
"""The bytes and the mode of every regular file, by its real path below the root."""


def plan_of_difference(before: TreeOf, after: TreeOf) -> ChangePlan:
    """Return the plan that turns the first tree into the second; an empty plan for equal trees."""
    swaps: list[Swap] = []
    makes: dict[str, None] = {}
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        swaps.append(_swap(path, old, new))
        if old is None:
            makes.update(dict.fromkeys(_new_parents(path, before)))
    reports = tuple(_report(swap) for swap in swaps)
    return ChangePlan(reports, in_order(swaps), tuple(makes))


def _swap(path: str, before: tuple[bytes, int] | None, after: tuple[bytes, int] | None) -> Swap:
    old = Content(*before) if before else None
    new = Content(*after) if after else None
    modes = old is not None and new is not None and old.mode != new.mode
    return Swap(path, old, new, modes)


def _report(swap: Swap) -> FileLanded:
    before, after = swap.before, swap.after
    diff = diff_of(swap.path, swap.path, before, after)
    if swap.modes and before and after:
        diff = f"old mode {before.mode or 0:o}\nnew mode {after.mode or 0:o}\n{diff}"
    return FileLanded(swap.path, _action(swap), "exact", 1.0, diff)


def _action(swap: Swap) -> Action:
    if swap.before is None:
        return "create"
    if swap.after is None:
        return "delete"
    return "edit"


def _new_parents(path: str, tree: TreeOf) -> list[str]:
    """Return the directories above the path that have no file in the tree, outermost first."""
    parts = path.split("/")
    parents = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
    return [parent for parent in parents if not _has_files_below(parent, tree)]


def _has_files_below(directory: str, tree: TreeOf) -> bool:
    return any(path.startswith(f"{directory}/") for path in tree)
