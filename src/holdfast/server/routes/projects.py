"""The projects of the server, and whether it is alive."""

from __future__ import annotations

from fastapi import APIRouter

from holdfast import __version__
from holdfast.server.context import Context, Id
from holdfast.server.models.projects import Health, NewProject, Project, ProjectList, Removed
from holdfast.server.problems import ApiError

router = APIRouter(tags=["projects"])


@router.get("/health", operation_id="getHealth")
async def health(context: Context) -> Health:
    """Answer without the store: a held-up store must not look like a dead server."""
    status = "stopping" if context.turns.is_stopping else "ok"
    return Health(
        status=status,  # type: ignore[arg-type]  # one of its two words
        version=__version__,
        turns=context.turns.count,
        followers=context.events.count,
    )


@router.get("/projects", operation_id="listProjects")
def list_projects(context: Context) -> ProjectList:
    """List the roots that the server may work in."""
    return ProjectList(projects=[each.describe() for each in context.projects.all()])


@router.post("/projects", operation_id="addProject", status_code=201)
def add_project(new: NewProject, context: Context) -> Project:
    """Add a root, after the person at the server's terminal has said yes."""
    return context.projects.ask_to_add(new.path).describe()


@router.get("/projects/{id}", operation_id="getProject")
def get_project(id: Id, context: Context) -> Project:
    """Return one project."""
    return context.projects.get(id).describe()


@router.delete("/projects/{id}", operation_id="removeProject")
def remove_project(id: Id, context: Context) -> Removed:
    """Let the server work there no more; nothing on the disk or in the store is removed."""
    working = context.turns.sessions_of(context.projects.get(id))
    if working:
        # A turn whose project is gone could neither be seen nor stopped from here.
        message = f"The server works on sessions of this project: {', '.join(working)}."
        raise ApiError(409, "turn_running", message)

    context.projects.remove(id)
    return Removed(outcome="removed", id=id)
