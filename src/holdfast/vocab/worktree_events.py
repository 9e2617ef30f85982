"""The event of a session's worktree."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

WorktreeAction: TypeAlias = Literal["made", "made_anew", "updated", "merged", "removed"]


@dataclass(frozen=True, slots=True)
class WorktreeChanged:
    """A session's worktree was made, made anew, updated, merged or removed.

    `base` is the commit that its difference begins at. `checkpoint_id` was taken before a removal,
    or is what the worktree was made anew from. A merge has proposed `change_id`, or has left its
    commits on `branch`.
    """

    action: WorktreeAction
    session_id: str
    path: str
    branch: str
    base: str
    checkpoint_id: str | None = None
    change_id: str | None = None
    kind: Literal["worktree"] = "worktree"
