"""Worktrees: which one is at a place, and which a project has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from holdfast.adapters.store.queries.folders import FolderRows
from holdfast.adapters.store.queries.statements import record
from holdfast.adapters.store.rows import WorktreeRow
from holdfast.adapters.store.tables import worktrees

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from holdfast.vocab.place import Place

_ROWS = FolderRows(worktrees, worktrees.c.path)


def worktree_at(
    connection: Connection, place: Place, *, project_id: str, branch: str = "", base_sha: str = ""
) -> WorktreeRow:
    """Return the worktree at a place, made if need be.

    One that is there keeps its project, branch and base.
    """
    found = _ROWS.find_or_add(
        connection,
        place.worktree_id,
        place.worktree_root,
        project_id=project_id,
        branch=branch,
        base_sha=base_sha,
    )
    return WorktreeRow(**found)


def find_worktree(connection: Connection, place: Place) -> WorktreeRow | None:
    """Return the worktree at a place, if there is one."""
    found = _ROWS.find(connection, place.worktree_id, place.worktree_root)
    return None if found is None else WorktreeRow(**found)


def worktree_by_id(connection: Connection, worktree_id: str) -> WorktreeRow | None:
    """Return a worktree."""
    return record(connection, WorktreeRow, select(worktrees).where(worktrees.c.id == worktree_id))
