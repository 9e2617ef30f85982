"""The projects that the server may work in, each with its store kept open."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.config.settings import BadConfig, Settings
from holdfast.server.models.projects import Project
from holdfast.server.problems import ApiError, not_found
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.usecases.sessions.session_records import EVERY_SESSION
from holdfast.wiring.places import why_moved
from holdfast.wiring.projects.open_project import OpenProject
from holdfast.wiring.settings import settings_at
from holdfast.wiring.state_directory import why_state_refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.usecases.sessions.session_records import SessionSummary


class ServedProject(OpenProject):
    """One root, with its store open."""

    @property
    def id(self) -> str:
        """The id of the project's folder."""
        return self.place.project_id

    def session(self, session: str) -> SessionSummary:
        """Return a session by its whole id. Raise `ApiError` if there is none."""
        for found in self.sessions.list(replace(EVERY_SESSION, id=session)):
            return found
        raise no_session(session)

    def folder_of(self, session: str) -> Path:
        """Return the folder in which a session works. Raise `ApiError` if it is gone."""
        found = self.root_of(session)
        if isinstance(found, SessionRefused):
            raise session_refused(found)
        return found

    def settings(self) -> Settings:
        """Return the settings of the project. Raise `ApiError` if a file cannot be read."""
        found = settings_at(self.root)
        if isinstance(found, BadConfig):
            raise ApiError(409, "refused", " ".join(found.problems))
        return found

    def describe(self) -> Project:
        """Return what the API says about the project."""
        folders = (self.root, *self.root.parents)
        return Project(
            id=self.id,
            name=self.root.name,
            root=str(self.root),
            git=any((folder / ".git").exists() for folder in folders),
            sessions=self.sessions.count(),
            last_seq=self.events.last(),
        )


def no_session(session: str) -> ApiError:
    """Return the error for a session that is not there."""
    return not_found(f"{session}: there is no such session.", "GET /api/sessions lists them.")


def session_refused(refused: SessionRefused) -> ApiError:
    """Return the error for a use case of sessions that was refused."""
    if refused.reason == "not_found":
        return not_found(refused.message)
    if refused.reason == "malformed":
        return ApiError(422, "invalid", refused.message)
    return ApiError(409, "conflict", refused.message)


class BadRoot(Exception):  # noqa: N818 - the word for it
    """A folder that the server cannot work in; the message says why."""


class ProjectRegistry:
    """The projects of a server, in the order in which they were added."""

    def __init__(self, roots: Sequence[Path], ask: Callable[[Path], bool] | None = None) -> None:
        """Serve these roots. `ask` asks a person whether one more may be added."""
        self._projects: dict[str, ServedProject] = {}
        self._ask = ask
        self._lock = threading.Lock()
        for root in roots:
            self.add(root)

    def all(self) -> tuple[ServedProject, ...]:
        """Return the projects."""
        return tuple(self._projects.values())

    def find(self, project_id: str) -> ServedProject | None:
        """Return the project with this id, or None."""
        return self._projects.get(project_id)

    def get(self, project_id: str) -> ServedProject:
        """Return the project with this id. Raise `ApiError` if there is none."""
        found = self._projects.get(project_id)
        if found is None:
            raise not_found(
                f"{project_id}: there is no such project.", "GET /api/projects lists them."
            )
        return found

    def chosen(self, project_id: str | None) -> tuple[ServedProject, ...]:
        """Return the project with this id; all for None."""
        if project_id is None:
            return self.all()
        return (self.get(project_id),)

    def only(self, project_id: str | None) -> ServedProject:
        """Return the project with this id; for None the only one. Raise `ApiError`."""
        if project_id is not None:
            return self.get(project_id)
        if len(self._projects) != 1:
            message = "the server has several projects, or none."
            raise ApiError(422, "invalid", message, "Name one with `project`.")
        return self.all()[0]

    def of_session(self, session: str) -> ServedProject:
        """Return the project of a session, by its whole id. Raise `ApiError` if there is none."""
        for project in self.all():
            if session in project.sessions.find(session):
                return project
        raise no_session(session)

    def add(self, root: Path) -> ServedProject:
        """Serve one more root. Raise `BadRoot` if that cannot be."""
        if not root.is_dir():
            raise BadRoot(f"{root}: this is not a directory.")

        refused = why_moved(root) or why_state_refused(root)
        if refused is not None:
            raise BadRoot(refused)

        try:
            project = ServedProject(root.resolve())
        except OSError as error:
            raise BadRoot(f"{root}: {error.strerror}.") from error

        with self._lock:
            return self._projects.setdefault(project.id, project)

    def ask_to_add(self, path: str) -> ServedProject:
        """Add a root if the person at the terminal of the server allows it. Raise `ApiError`."""
        root = _parse_root(path)
        with self._lock:
            for project in self._projects.values():
                if project.root == root:
                    return project

        if self._ask is None or not self._ask(root):
            raise ApiError(
                403,
                "not_added",
                f"{root}: nobody at the terminal of the server has allowed this folder.",
                "Start the server with `holdfast serve --root DIR`.",
            )

        try:
            return self.add(root)
        except BadRoot as error:
            raise ApiError(422, "invalid", str(error)) from error

    def remove(self, project_id: str) -> None:
        """Serve a root no more. Raise `ApiError` if it is not served."""
        self.get(project_id)
        with self._lock:
            project = self._projects.pop(project_id, None)
        if project is not None:
            project.close()

    def close(self) -> None:
        """Close every store."""
        for project in self.all():
            project.close()


def _parse_root(path: str) -> Path:
    root = Path(path)
    if "\0" in path or not root.is_absolute() or ".." in root.parts:
        message = "the path of a project is absolute and has no `..` in it."
        raise ApiError(422, "invalid", message)

    try:
        if not root.is_dir():
            raise ApiError(422, "invalid", f"{root}: this is not a directory.")
        return root.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ApiError(422, "invalid", f"{root}: this folder cannot be read.") from error
