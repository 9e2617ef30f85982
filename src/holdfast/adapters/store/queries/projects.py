"""Projects: which one is at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from holdfast.adapters.store.queries.folders import FolderRows
from holdfast.adapters.store.queries.statements import lock_parent, records
from holdfast.adapters.store.rows import ProjectRow
from holdfast.adapters.store.tables import events, projects

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from holdfast.vocab.place import Place

_ROWS = FolderRows(projects, projects.c.root)


def project_at(connection: Connection, place: Place) -> ProjectRow:
    """Return the project of a place, made if need be."""
    found = _ROWS.find_or_add(connection, place.project_id, place.project_root)
    return ProjectRow(**found)


def lock_project(connection: Connection, place: Place) -> ProjectRow:
    """Return the project of a place, made if need be.

    Nobody else numbers its changes until the transaction ends.
    """
    found = _ROWS.find_or_add(connection, place.project_id, place.project_root, lock=True)
    return ProjectRow(**found)


def lock_project_by_id(connection: Connection, project_id: str) -> None:
    """Let no other transaction publish events of this project until this one ends.

    Raise `Gone` if it is not there.
    """
    lock_parent(connection, events.c.project_id, project_id)


def find_project(connection: Connection, place: Place) -> ProjectRow | None:
    """Return the project of a place, if there is one."""
    found = _ROWS.find(connection, place.project_id, place.project_root)
    return None if found is None else ProjectRow(**found)


def all_projects(connection: Connection) -> tuple[ProjectRow, ...]:
    """Return all projects, by root: what the server will list."""
    return tuple(
        sorted(records(connection, ProjectRow, select(projects)), key=lambda project: project.root)
    )
