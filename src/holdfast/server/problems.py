"""Errors as `application/problem+json`; no traceback, token or key is ever in one."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import JournalDamaged
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.server.models.problem import Problem, ProblemCode, Refusal
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.usecases.worktrees.session_worktree import WorktreesUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.workspace import NothingDone

PROBLEM_TYPE = "application/problem+json"
_log = logging.getLogger(__name__)

_STORE_ERRORS = (
    LogUnavailable,
    JournalDamaged,
    CheckpointFailed,
    ConversationFailed,
    EventsUnavailable,
    RecordsUnavailable,
    SessionsUnavailable,
    WorktreesUnavailable,
)
"""What use cases raise when the store, the journal or git cannot be used."""

_HINTS: dict[ProblemCode, str] = {
    "forbidden_origin": "Use the page of this server, or `Authorization: Bearer TOKEN`.",
    "not_json": "Send the header `content-type: application/json`.",
    "too_large": "Send less; a file of the project is attached by its `path`.",
    "too_slow": "Send the whole body at once.",
    "invalid": "GET /api/openapi.json describes what is expected.",
    "not_found": "GET /api/openapi.json has the addresses; the lists there have the ids.",
    "method_not_allowed": "GET /api/openapi.json has the methods of this address.",
    "conflict": "Nothing was changed. Load the session again, then decide.",
    "refused": "Nothing was changed. Clear what the detail names, and try again.",
    "answered": "GET /api/approvals lists what still waits.",
    "turn_running": "Wait for the end of the turn, or POST /api/turns/{id}/cancel.",
    "not_sent": "Do what the detail says, and send it again.",
    "stopping": "Start the server again; what waits is on record.",
    "unavailable": "Try again; the log of the server has more.",
}
"""The next step, where an error has none of its own."""


class ApiError(Exception):
    """An error that a route answers with."""

    def __init__(
        self,
        status: int,
        code: ProblemCode,
        detail: str,
        hint: str = "",
        refusals: Sequence[Refusal] = (),
    ) -> None:
        """Say what, for people, and the next step in `hint`."""
        super().__init__(detail)
        self.problem = Problem(
            title=HTTPStatus(status).phrase,
            status=status,
            detail=detail,
            hint=hint or _HINTS.get(code, ""),
            code=code,
            refusals=list(refusals),
        )


def not_found(what: str, hint: str = "") -> ApiError:
    """Return the error for something that is not there, or not of this session."""
    return ApiError(404, "not_found", what, hint)


def refused(nothing: NothingDone) -> ApiError:
    """Return the error for a use case that was refused: 404 if its subject is not there."""
    refusals = [
        Refusal(
            path=each.path,
            reason=each.refused.reason,
            message=each.refused.message,
            closest=each.refused.closest,
            candidates=list(each.refused.candidates),
        )
        for each in nothing.refusals
    ]
    detail = " ".join(each.message for each in refusals)
    if refusals and all(each.reason == "not_found" and not each.path for each in refusals):
        return ApiError(404, "not_found", detail, refusals=refusals)

    hint = ""
    if nothing.unsettled:
        hint = "Some files may have changed; the next command here finishes or undoes this."

    return ApiError(409, "refused", detail, hint, refusals)


def problem_response(error: ApiError, headers: dict[str, str] | None = None) -> Response:
    """Return the response for an error."""
    body = error.problem.model_dump_json()
    return Response(body, error.problem.status, headers, media_type=PROBLEM_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Answer every error of a route with a problem."""
    app.add_exception_handler(ApiError, _on_api_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)
    for error in _STORE_ERRORS:
        app.add_exception_handler(error, _on_unavailable)

    app.add_exception_handler(OSError, _on_disk_error)
    app.add_exception_handler(Exception, _on_fault)


async def _on_api_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - registered for it
    return problem_response(error)


async def _on_invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    details = [_sentence(each) for each in error.errors()[:5]]
    return problem_response(ApiError(422, "invalid", " ".join(details)))


def _sentence(error: dict[str, Any]) -> str:
    # Not the input: a token or a key may be in it.
    where = ".".join(str(part) for part in error["loc"] if "literal[" not in str(part))
    return f"{where}: {error['msg']}."


async def _on_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    code: ProblemCode = "invalid"
    if error.status_code == HTTPStatus.NOT_FOUND:
        code = "not_found"
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        code = "method_not_allowed"

    problem = ApiError(error.status_code, code, str(error.detail))
    return problem_response(problem, dict(error.headers or {}))


async def _on_unavailable(_: Request, error: Exception) -> Response:
    return problem_response(ApiError(503, "unavailable", str(error)))


async def _on_disk_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)  # noqa: S101 - as above
    return problem_response(disk_error(error))


def disk_error(error: OSError) -> ApiError:
    """Return the error for a disk that refuses."""
    import errno  # noqa: PLC0415 - rarely needed

    where = error.filename or "the disk"
    detail = f"{where}: {error.strerror}."
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return ApiError(507, "disk_full", detail, "Free some space, and do this again.")

    return ApiError(503, "unavailable", detail)


async def _on_fault(request: Request, error: Exception) -> Response:
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    hint = "The log of the server has more."
    return problem_response(ApiError(500, "internal", "The server has a fault.", hint))


def encode(body: Any) -> bytes:
    """Return a body as JSON on one line; half of a surrogate pair becomes an escape."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
