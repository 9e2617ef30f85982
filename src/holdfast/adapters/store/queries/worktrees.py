"""Worktrees: which one is at a folder, and which a project has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from holdfast.adapters.store.queries.statements import add_unless_there, record, records
from holdfast.adapters.store.records import WorktreeRow
from holdfast.adapters.store.tables import worktrees

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def worktree_at(
    connection: AsyncConnection,
    path: Path,
    *,
    project_id: str,
    branch: str = "",
    base_sha: str = "",
) -> WorktreeRow:
    """Give the worktree at a folder, made if need be; one that is there keeps its project, branch and base."""
    found = await find_worktree(connection, path)
    if found is None:
        values = {
            "project_id": project_id,
            "path": _real(path),
            "branch": branch,
            "base_sha": base_sha,
        }
        await add_unless_there(connection, worktrees, **values)
        found = await find_worktree(connection, path)
    assert found is not None  # noqa: S101 - it has just been put there
    return found


async def find_worktree(connection: AsyncConnection, path: Path) -> WorktreeRow | None:
    """Give the worktree at a folder, if there is one."""
    return await record(
        connection, WorktreeRow, select(worktrees).where(worktrees.c.path == _real(path))
    )


async def worktrees_of(connection: AsyncConnection, project_id: str) -> tuple[WorktreeRow, ...]:
    """Give the worktrees of a project, by path."""
    found = await records(
        connection, WorktreeRow, select(worktrees).where(worktrees.c.project_id == project_id)
    )
    return tuple(sorted(found, key=lambda worktree: worktree.path))


async def remove_worktree(connection: AsyncConnection, worktree_id: str) -> bool:
    """Forget a worktree; its checkpoints stay, without it. False if it was not there."""
    return (
        await connection.execute(delete(worktrees).where(worktrees.c.id == worktree_id))
    ).rowcount > 0


def _real(path: Path) -> str:
    return os.path.realpath(path)
