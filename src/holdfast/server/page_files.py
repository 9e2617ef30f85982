"""The built page, from the package's own data."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, HTMLResponse, Response

from holdfast.server.problems import ApiError, problem_response

if TYPE_CHECKING:
    from fastapi import FastAPI

PAGE = Path(__file__).parent / "page"
_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast</title></head>
<body><h1>The page is not built</h1>
<p>The server works, and its API is at <a href="/api/openapi.json">/api/openapi.json</a>.
In a checkout, <code>make page</code> builds the page; an installed Holdfast has it.</p>
</body></html>
"""
# Python reads this table from the system, where it may differ.
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".html": "text/html",
}


def add_page(app: FastAPI, page: Path = PAGE) -> None:
    """Serve the files of the page; every other address is the page itself."""

    async def answer(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            return problem_response(ApiError(404, "not_found", "There is no such address."))

        file = find_file(page, path)
        if file is None and Path(path).suffix:
            return problem_response(ApiError(404, "not_found", "There is no such file."))

        file = file or find_file(page, "index.html")
        if file is None:
            return HTMLResponse(_NOT_BUILT, 200)

        kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
        # Names below assets/ have a hash of their content in them.
        is_fixed = path.startswith("assets/")
        cache = "public, max-age=31536000, immutable" if is_fixed else "no-cache"
        return FileResponse(file, headers={"cache-control": cache}, media_type=kind)

    app.add_api_route("/{path:path}", answer, methods=["GET", "HEAD"], include_in_schema=False)


def find_file(page: Path, path: str) -> Path | None:
    """Return the file of the page at a path, or None; never one outside of the page."""
    if "\0" in path or "\\" in path:
        return None

    try:
        found = (page / path).resolve()
        if found.is_relative_to(page.resolve()) and found.is_file():
            return found
    except (OSError, RuntimeError):
        return None

    return None
