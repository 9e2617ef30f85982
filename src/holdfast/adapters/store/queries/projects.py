"""Projects: which one is at a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from holdfast.adapters.store.queries.statements import add_unless_there, record, records
from holdfast.adapters.store.records import ProjectRow
from holdfast.adapters.store.tables import projects

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def project_at(connection: AsyncConnection, root: Path) -> ProjectRow:
    """Give the project at a folder, made if need be. One folder is one project, whatever symlinks lead to it."""
    found = await find_project(connection, root)
    if found is None:
        await add_unless_there(connection, projects, root=_real(root))
        found = await find_project(connection, root)
    assert found is not None  # noqa: S101 - it has just been put there
    return found


async def find_project(connection: AsyncConnection, root: Path) -> ProjectRow | None:
    """Give the project at a folder, if there is one."""
    return await record(
        connection, ProjectRow, select(projects).where(projects.c.root == _real(root))
    )


async def project_by_id(connection: AsyncConnection, project_id: str) -> ProjectRow | None:
    """Give a project."""
    return await record(connection, ProjectRow, select(projects).where(projects.c.id == project_id))


async def all_projects(connection: AsyncConnection) -> tuple[ProjectRow, ...]:
    """Give all projects, by root."""
    return tuple(
        sorted(
            await records(connection, ProjectRow, select(projects)),
            key=lambda project: project.root,
        )
    )


async def remove_project(connection: AsyncConnection, project_id: str) -> bool:
    """Forget a project and all that belongs to it; False if it was not there."""
    return (
        await connection.execute(delete(projects).where(projects.c.id == project_id))
    ).rowcount > 0


def _real(root: Path) -> str:
    return os.path.realpath(root)
