"""Worktrees: which one is at a folder, and which a project has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sqlalchemy import select

from holdfast.adapters.store.queries.statements import add_unless_there, record
from holdfast.adapters.store.records import WorktreeRow
from holdfast.adapters.store.tables import worktrees

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection


def worktree_at(
    connection: Connection, path: Path, *, project_id: str, branch: str = "", base_sha: str = ""
) -> WorktreeRow:
    """Return the worktree at a folder, made if need be.

    One that is there keeps its project, branch and base.
    """
    found = find_worktree(connection, path)
    if found is None:
        values = {
            "project_id": project_id,
            "path": _real(path),
            "branch": branch,
            "base_sha": base_sha,
        }
        add_unless_there(connection, worktrees, **values)
        found = find_worktree(connection, path)
    assert found is not None  # noqa: S101 - it has just been put there
    return found


def find_worktree(connection: Connection, path: Path) -> WorktreeRow | None:
    """Return the worktree at a folder, if there is one."""
    return record(connection, WorktreeRow, select(worktrees).where(worktrees.c.path == _real(path)))


def _real(path: Path) -> str:
    return os.path.realpath(path)
