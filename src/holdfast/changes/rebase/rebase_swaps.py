"""Swaps of recorded bytes, carried over to files that may have moved on since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.changes.rebase.three_way import holds_already, project_bytes
from holdfast.changes.swaps import Content, Swap

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ClashReason: TypeAlias = Literal["touched", "there", "gone", "changed", "mode", "unfit"]
"""Later edits touch the same lines; a file stands where none was; it is gone; it would go, and is not what it was; its
mode would change, and it is not what it was; no file can be there."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A swap that does not fit the file of now."""

    path: str
    why: ClashReason


@dataclass(frozen=True, slots=True)
class Projected:
    """The swaps as they fit the files of now; those that are done already are left out. `clashes` fit in no way."""

    swaps: tuple[Swap, ...]
    makes: tuple[str, ...]
    clashes: tuple[Clash, ...]


def project(swaps: Iterable[Swap], files: Files, *, never_done: Collection[str] = ()) -> Projected:
    """Carry each swap over: as it is where the file is what it was, else what it changes onto the text of now.

    A file that is made or goes must be exactly what it was. What is as the swap would leave it, or was edited so by
    somebody, is done already, but at the paths in `never_done` that is chance.
    """
    fitting: list[Swap] = []
    clashes: list[Clash] = []
    makes: dict[str, None] = {}
    for swap in swaps:
        looked = files.look(swap.path)
        if isinstance(looked, FileUnfit) or looked.at != swap.path:
            clashes.append(Clash(swap.path, "unfit"))
            continue
        present = Content(looked.data, looked.mode) if isinstance(looked, FileFound) else None
        if (
            holds(swap, swap.after, present)
            and not holds(swap, swap.before, present)
            and swap.path not in never_done
        ):
            continue
        fitted = _fit(swap, present)
        if isinstance(fitted, Clash):
            if swap.path in never_done or not _done_by_hand(swap, present):
                clashes.append(fitted)
            continue
        fitting.append(fitted)
        if isinstance(looked, FileMissing):
            makes.update(dict.fromkeys(looked.parents))
    return Projected(tuple(fitting), tuple(makes), tuple(clashes))


def holds(swap: Swap, content: Content | None, present: Content | None) -> bool:
    """Whether the file of now is this content, as far as the swap looks."""
    if content is None or present is None:
        return content is present
    return content.data == present.data and (not swap.modes or content.mode == present.mode)


def _done_by_hand(swap: Swap, present: Content | None) -> bool:
    if swap.modes or swap.before is None or swap.after is None or present is None:
        return False
    return holds_already(swap.before.data, swap.after.data, present.data)


def _fit(swap: Swap, present: Content | None) -> Swap | Clash:
    if holds(swap, swap.before, present):
        return swap
    if present is None:
        return Clash(swap.path, "gone")
    if swap.before is None:
        return Clash(swap.path, "there")
    if swap.after is None or swap.modes:
        return Clash(swap.path, "mode" if swap.modes else "changed")
    projected = project_bytes(swap.before.data, swap.after.data, present.data)
    if projected is None or projected == present.data:
        return Clash(swap.path, "touched")
    return Swap(swap.path, present, Content(projected, present.mode))
