"""Swaps of recorded contents, rebased onto files that may have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.changes.ports import FileFound, Files, FileUnfit
from holdfast.changes.rebase.three_way import contains_edit, project_bytes
from holdfast.changes.swaps import LINK, Content, Swap, is_at_or_below, reshaped_paths
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ClashReason: TypeAlias = Literal["touched", "there", "gone", "changed", "mode", "unfit"]
"""Why a swap does not fit.

touched: later edits touch the same lines
there: there is a file where none was
gone: the file no longer exists
changed: the swap deletes the file, and the file has changed
mode: the swap changes the mode, and the file has changed
unfit: no file can be at the path
"""


@dataclass(frozen=True, slots=True)
class Clash:
    """A swap that does not fit the file as it is now."""

    path: str
    why: ClashReason


@dataclass(frozen=True, slots=True)
class RebasedSwaps:
    """The swaps that fit the files as they are now, and the clashes.

    Swaps that are done already are in neither. `makes` are the missing directories.
    """

    swaps: tuple[Swap, ...]
    makes: tuple[str, ...]
    clashes: tuple[Clash, ...]


def rebase_swaps(
    swaps: Iterable[Swap], files: Files, *, never_done: Collection[str] = ()
) -> RebasedSwaps:
    """Rebase each swap onto the file as it is now.

    A swap stays as it is if the file is what it was. Otherwise its edit is applied to the present
    text; a swap that creates or deletes the file clashes then. A swap whose result is there already
    is done, but not at the paths in `never_done`: there it is a coincidence. Where the swaps put a
    file in the place of a directory, or the reverse, the other one is no file that is in the way.
    """
    swaps = tuple(swaps)
    reshaped = reshaped_paths(swaps)
    fitting: list[Swap] = []
    clashes: list[Clash] = []
    makes: dict[str, None] = {}
    for swap in swaps:
        found = _present(swap, files)
        if found is None and is_at_or_below(swap.path, reshaped):
            found = (None, ())
        if found is None:
            clashes.append(Clash(swap.path, "unfit"))
            continue
        present, parents = found
        fitted: Swap | ClashReason = swap
        if not swap.matches(swap.before, present):
            fitted = _project(swap, present)
        if isinstance(fitted, Swap):
            fitting.append(fitted)
            makes.update(dict.fromkeys(parents))
            continue
        may_be_done = swap.path not in never_done
        if may_be_done and _is_done(swap, present):
            continue
        clashes.append(Clash(swap.path, fitted))

    return RebasedSwaps(tuple(fitting), tuple(makes), tuple(clashes))


def _present(swap: Swap, files: Files) -> tuple[Content | None, tuple[str, ...]] | None:
    """Return the present content and the missing directories; None if no file can be there."""
    if swap.has_link:
        target = files.link(swap.path)
        if target is not None:
            return Content(target, LINK), ()

    looked = files.look(swap.path)
    if isinstance(looked, FileUnfit):
        return None
    if looked.at != swap.path:
        return None
    if isinstance(looked, FileFound):
        return Content(looked.data, looked.mode), ()

    return None, looked.parents


def _is_done(swap: Swap, present: Content | None) -> bool:
    """Return whether the result is there already, alone or beside other edits."""
    if swap.matches(swap.after, present):
        return True
    if present is None:
        return False
    if swap.modes:
        return False
    if swap.edit is None:
        return False

    old, new = swap.edit
    return contains_edit(old, new, present.data)


def _project(swap: Swap, present: Content | None) -> Swap | ClashReason:
    """Return the swap from the present content to that content with the same edit."""
    if present is None:
        return "gone"
    if swap.before is None:
        return "there"
    if swap.modes or swap.has_link:
        return "mode"
    if swap.after is None:
        return "changed"

    projected = project_bytes(swap.before.data, swap.after.data, present.data)
    if projected is None or projected == present.data:
        return "touched"

    after = Content(projected, present.mode)
    return Swap(swap.path, present, after)
