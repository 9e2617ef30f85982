"""Files that a client names: below the folder of a session, and never outside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound
from holdfast.guards.paths import Barred, judge_path
from holdfast.server.problems import ApiError, not_found

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.server.project_list import ServedProject


def checked_path(path: str) -> str:
    """Return a path in its normal form. Raise `ApiError` if it leads out of the project."""
    judged = judge_path(path)
    if isinstance(judged, Barred):
        raise ApiError(422, "invalid", judged.message)
    return judged


def read_below(project: ServedProject, folder: Path, path: str) -> bytes:
    """Return the bytes of a file. Raise `ApiError` if there is none, or it is outside."""
    name = checked_path(path)
    with project.workspace_at(folder) as workspace:
        found = workspace.files.look(name)

    if isinstance(found, FileFound):
        return found.data
    if hasattr(found, "message"):
        raise ApiError(422, "invalid", found.message)

    raise not_found(f"{name}: there is no such file.")
