"""Record what another program did to the files, so that it can be seen and undone."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from holdfast.changes.change import NO_OWNER, OBSERVED, Change, ChangeOwner, RequestedEdits
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.ports import FileMissing
from holdfast.changes.swaps import directories_above
from holdfast.changes.tree_difference import TreeOf, plan_of_difference
from holdfast.guards.secrets import is_secret
from holdfast.usecases.events.change_events import edits_observed
from holdfast.usecases.locked_workspace import locked
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from holdfast.changes.ports import Files
    from holdfast.tools.ports import Author
    from holdfast.usecases.workspace import NothingDone, Workspace
    from holdfast.vocab.events import Event

NO_MODES: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangeObserved:
    """The recorded change, its published events, and the number of the last one."""

    change: Change
    events: tuple[Event, ...]
    seq: int | None


def observe_difference(
    before: TreeOf,
    after: TreeOf,
    workspace: Workspace,
    *,
    owner: ChangeOwner = NO_OWNER,
    by: Author = "command",
    is_secret: Callable[[str], bool] = is_secret,
    modes_before: Mapping[str, int] = NO_MODES,
    modes_after: Mapping[str, int] = NO_MODES,
) -> ChangeObserved | NothingDone | None:
    """Record the difference of two trees as an applied change of `owner`, made by `by`.

    Return None if there is none. `modes_before` and `modes_after` are the permissions of
    directories that are not the usual ones. The events have no contents of files that `is_secret`.
    """
    plan = plan_of_difference(before, after)
    if not plan.swaps:
        return None
    clears = _removed_directories(plan, workspace.files)
    modes = {path: modes_before[path] for path in _left_directories(plan) if path in modes_before}
    modes.update((path, modes_after[path]) for path in plan.makes if path in modes_after)
    plan = replace(plan, clears=clears, modes=tuple(modes.items()))
    hidden = {
        file.path for file in plan.files if is_secret(file.path) or is_secret(file.to or file.path)
    }
    return _record(plan, workspace, owner, by, hidden)


def observe_unkept(
    files: Sequence[FileLanded], workspace: Workspace, *, owner: ChangeOwner = NO_OWNER, by: Author
) -> ChangeObserved | NothingDone:
    """Record files that changed and whose contents are not kept, as an applied change of `owner`.

    The diff of each file is the reason. The change cannot be rewound.
    """
    return _record(ChangePlan(tuple(files), (), ()), workspace, owner, by)


def _left_directories(plan: ChangePlan) -> set[str]:
    """Return the directories that removed files were in: gone, replaced, or still there."""
    left: set[str] = set()
    for swap in plan.swaps:
        if swap.after is None:
            left.update(directories_above(swap.path))
    return left


def _removed_directories(plan: ChangePlan, files: Files) -> tuple[str, ...]:
    """Return the directories that are gone with the files of a plan, innermost first.

    The trees have no directories: one that is empty now is only on the disk.
    """
    removed: set[str] = set()
    for swap in plan.swaps:
        if swap.after is not None:
            continue
        looked = files.look(swap.path)
        if isinstance(looked, FileMissing):
            removed.update(looked.parents)

    return tuple(sorted(removed, reverse=True))


def _record(
    plan: ChangePlan,
    workspace: Workspace,
    owner: ChangeOwner,
    by: Author,
    hidden: Collection[str] = (),
) -> ChangeObserved | NothingDone:
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        seen = Change(
            workspace.new_id(),
            "applied",
            OBSERVED,
            RequestedEdits(),
            plan,
            session=owner.session,
            turn=owner.turn,
        )
        added, published = root.add(seen, edits_observed(seen, workspace.secrets, by, hidden))
        return ChangeObserved(added.change, published.events, published.seq)
