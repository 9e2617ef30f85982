"""The plan of a change that another program made, from the difference of two trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap, directories_above, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.vocab.requests import Action

TreeOf: TypeAlias = "Mapping[str, tuple[bytes, int]]"
"""The bytes and the mode of every file, by its real path below the root.

A symlink has its target and the mode `LINK`.
"""


def plan_of_difference(before: TreeOf, after: TreeOf) -> ChangePlan:
    """Return the plan that turns the first tree into the second; an empty plan for equal trees.

    As for git, a directory is there only for its files: one that is empty afterwards goes too.
    """
    swaps: list[Swap] = []
    reports: list[FileLanded] = []
    makes: dict[str, None] = {}
    for path in sorted({*before, *after}):
        old = _content(before, path)
        new = _content(after, path)
        if old == new:
            continue
        swap, report = _swap_and_report(path, old, new)
        swaps.append(swap)
        reports.append(report)
        if old is None:
            makes.update(dict.fromkeys(directories_above(path)))

    existing = _directories_of(before)
    new_makes = tuple(make for make in makes if make not in existing)
    gone = {path: before[path] for path in before if path not in after}
    emptied = _directories_of(gone) - _directories_of(after)
    clears = tuple(sorted(emptied, reverse=True))
    return ChangePlan(tuple(reports), in_order(swaps), new_makes, clears)


def tree_of(contents: Iterable[tuple[str, Content | None]]) -> TreeOf:
    """Return the tree with these files; a path without content is left out."""
    return {path: (each.data, each.mode or 0o644) for path, each in contents if each is not None}


def _content(tree: TreeOf, path: str) -> Content | None:
    if path not in tree:
        return None
    data, mode = tree[path]
    return Content(data, mode)


def _swap_and_report(
    path: str, before: Content | None, after: Content | None
) -> tuple[Swap, FileLanded]:
    diff = diff_of(path, path, before, after)
    action: Action = "edit"
    modes = False
    if before is None:
        action = "create"
    elif after is None:
        action = "delete"
    elif before.mode != after.mode:
        modes = True
        diff = f"old mode {before.mode:o}\nnew mode {after.mode:o}\n{diff}"

    swap = Swap(path, before, after, modes)
    report = FileLanded(path, action, "exact", 1.0, diff)
    return swap, report


def _directories_of(tree: TreeOf) -> set[str]:
    directories: set[str] = set()
    for path in tree:
        directories.update(directories_above(path))
    return directories
