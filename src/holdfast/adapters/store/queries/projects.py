"""Projects: which one is at a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from holdfast.adapters.store.queries.statements import (
    add_unless_there,
    lock_parent,
    record,
    records,
)
from holdfast.adapters.store.records import ProjectRow
from holdfast.adapters.store.tables import events, projects

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection, Select

_AT = select(projects).where(projects.c.root == bindparam("root"))
# NO KEY: what only refers to the project may be added meanwhile.
_AT_LOCKED = _AT.with_for_update(key_share=True)


def project_at(connection: Connection, root: Path) -> ProjectRow:
    """Return the project at a folder, made if need be.

    One folder is one project, whatever symlinks lead to it.
    """
    return _found_or_made(connection, _AT, _real(root))


def lock_project(connection: Connection, root: Path) -> ProjectRow:
    """Return the project at a folder, made if need be.

    Nobody else numbers its changes until the transaction ends.
    """
    return _found_or_made(connection, _AT_LOCKED, _real(root))


def lock_project_by_id(connection: Connection, project_id: str) -> None:
    """Let no other transaction publish events of this project until this one ends.

    Raise `Gone` if it is not there.
    """
    lock_parent(connection, events.c.project_id, project_id)


def find_project(connection: Connection, root: Path) -> ProjectRow | None:
    """Return the project at a folder, if there is one."""
    return record(connection, ProjectRow, _AT, {"root": _real(root)})


def all_projects(connection: Connection) -> tuple[ProjectRow, ...]:
    """Return all projects, by root: what the server will list."""
    return tuple(
        sorted(records(connection, ProjectRow, select(projects)), key=lambda project: project.root)
    )


def _found_or_made(connection: Connection, query: Select[Any], root: str) -> ProjectRow:
    found = record(connection, ProjectRow, query, {"root": root})
    if found is None:
        add_unless_there(connection, projects, root=root)
        found = record(connection, ProjectRow, query, {"root": root})
    assert found is not None  # noqa: S101 - it has just been put there
    return found


def _real(root: Path) -> str:
    return os.path.realpath(root)
