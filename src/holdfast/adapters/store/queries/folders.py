"""Rows of folders: found by the folder's id, wherever it is now.

A row of an older store has no id yet; it is found by its path, and gets the id of the folder there.
Two rows cannot have one path: when another folder is found at the path of a row, that row's path is
set aside, until its own folder is found again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from holdfast.adapters.store.queries.statements import add_unless_there

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, RowMapping, Select, Table


class FolderRows:
    """The rows of a table that has a row for each folder."""

    def __init__(self, table: Table, path: Column[Any]) -> None:
        """Use a table, and its column for the path of the folder."""
        self._table = table
        self._path = path
        by_id = table.c.identity == bindparam("identity")
        by_path = table.c.identity.is_(None) & (path == bindparam("path"))
        self._query: Select[Any] = (
            select(table).where(by_id | by_path).order_by(table.c.identity.is_(None)).limit(1)
        )
        # NO KEY: what only refers to the row may be added meanwhile.
        self._locking_query = self._query.with_for_update(key_share=True)

    def find(
        self, connection: Connection, identity: str, path: str, *, lock: bool = False
    ) -> RowMapping | None:
        """Return the row of a folder, or None; with `lock`, nobody else gets it locked."""
        query = self._locking_query if lock else self._query
        wanted = {"identity": identity, "path": path}
        return connection.execute(query, wanted).mappings().one_or_none()

    def find_or_add(
        self, connection: Connection, identity: str, path: str, *, lock: bool = False, **new: Any
    ) -> RowMapping:
        """Return the row of a folder, with id and path; if there is none, add one with `new`."""
        while True:
            found = self.find(connection, identity, path, lock=lock)
            if found is None:
                self._set_aside(connection, path)
                values = {self._path.name: path, "identity": identity, **new}
                add_unless_there(connection, self._table, **values)
                continue
            if found["identity"] == identity and found[self._path.name] == path:
                return found
            self._set_aside(connection, path, but=found["id"])
            here = {self._path.name: path, "identity": identity}
            this = self._table.c.id == found["id"]
            connection.execute(update(self._table).where(this).values(here))

    def _set_aside(self, connection: Connection, path: str, *, but: str = "") -> None:
        """Change the path of the row that another folder had here."""
        others = select(self._table.c.id).where(self._path == path, self._table.c.id != but)
        for row_id in connection.execute(others).scalars().all():
            aside = {self._path.name: f"{path} (moved away, {row_id})"}
            connection.execute(update(self._table).where(self._table.c.id == row_id).values(aside))
