"""The application: routes below /api, the page below /."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse

from holdfast import __version__
from holdfast.server.document import describe
from holdfast.server.page_files import add_page
from holdfast.server.problems import PROBLEM_TYPE, add_handlers
from holdfast.server.routes import (
    approvals,
    changes,
    checkpoints,
    events,
    messages,
    projects,
    sessions,
    settings,
    worktrees,
)

if TYPE_CHECKING:
    from holdfast.server.context import ServerContext

_PROBLEM: dict[str, Any] = {
    "description": "A problem.",
    "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def make_app(context: ServerContext | None = None) -> FastAPI:
    """Return the application; without a context it only describes itself."""
    app = FastAPI(
        title="Holdfast",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    api = APIRouter(prefix="/api", responses={"4XX": _PROBLEM, "5XX": _PROBLEM})
    for noun in (
        projects,
        sessions,
        messages,
        approvals,
        changes,
        checkpoints,
        worktrees,
        settings,
        events,
    ):
        api.include_router(noun.router)

    app.include_router(api)

    async def document() -> JSONResponse:
        return JSONResponse(describe(app))

    app.add_api_route("/api/openapi.json", document, include_in_schema=False)
    add_page(app)
    add_handlers(app)
    app.state.context = context
    return app
