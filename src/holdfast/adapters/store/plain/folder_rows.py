"""Rows of folders in a SQLite store: as `queries.folders`, without SQLAlchemy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.store.plain.column_values import (
    encode_path,
    moment_to_sqlite,
    new_id,
    now,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import sqlite3

    from holdfast.vocab.place import Place


@dataclass(frozen=True, slots=True)
class PlainFolders:
    """The rows of a table that has a row for each folder; `path` is the column of its path."""

    table: str
    path: str

    def find(self, connection: sqlite3.Connection, place: Place) -> str | None:
        """Return the id of the row of a place, or None."""
        found = self._row(connection, place)
        return None if found is None else str(found["id"])

    def find_or_add(
        self, connection: sqlite3.Connection, place: Place, *, project_id: str = ""
    ) -> str:
        """Return the id of the row of a place, with its path; if there is none, add one."""
        identity, path = self._folder(place)
        found = self._row(connection, place)
        if found is None:
            self._set_aside(connection, path)
            return self._add(connection, identity, path, project_id)

        row_id = str(found["id"])
        if (found["identity"], found[self.path]) != (identity, encode_path(path)):
            self._set_aside(connection, path, but=row_id)
            here = f"UPDATE {self.table} SET {self.path} = ?, identity = ? WHERE id = ?"  # noqa: S608 - our own names
            connection.execute(here, (encode_path(path), identity, row_id))

        return row_id

    def _folder(self, place: Place) -> tuple[str, str]:
        if self.table == "projects":
            return place.project_id, place.project_root
        return place.worktree_id, place.worktree_root

    def _row(self, connection: sqlite3.Connection, place: Place) -> sqlite3.Row | None:
        identity, path = self._folder(place)
        by_path = f"identity IS NULL AND {self.path} = ?"
        query = (
            f"SELECT * FROM {self.table} WHERE identity = ? OR {by_path} "  # noqa: S608 - our own names
            "ORDER BY identity IS NULL LIMIT 1"
        )
        row: sqlite3.Row | None = connection.execute(
            query, (identity, encode_path(path))
        ).fetchone()
        return row

    def _add(
        self, connection: sqlite3.Connection, identity: str, path: str, project_id: str
    ) -> str:
        row = {
            "id": new_id(),
            self.path: encode_path(path),
            "identity": identity,
            "created_at": moment_to_sqlite(now()),
        }
        if self.table == "worktrees":
            row |= {"project_id": project_id, "branch": "", "base_sha": ""}

        names = ", ".join(row)
        holes = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO {self.table} ({names}) VALUES ({holes})", row)  # noqa: S608 - our own names
        return row["id"]

    def _set_aside(self, connection: sqlite3.Connection, path: str, *, but: str = "") -> None:
        """Change the path of the row that another folder had here."""
        others = f"SELECT id FROM {self.table} WHERE {self.path} = ? AND id != ?"  # noqa: S608 - our own names
        for row in connection.execute(others, (encode_path(path), but)).fetchall():
            aside = encode_path(f"{path} (moved away, {row['id']})")
            update = f"UPDATE {self.table} SET {self.path} = ? WHERE id = ?"  # noqa: S608 - our own names
            connection.execute(update, (aside, row["id"]))


PROJECTS = PlainFolders("projects", "root")
WORKTREES = PlainFolders("worktrees", "path")
