"""The event stream of a project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import StreamingResponse

from holdfast.server.context import Context, Id

router = APIRouter(tags=["events"])
_LARGEST = 2**53


@router.get(
    "/projects/{id}/events",
    operation_id="followEvents",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def follow_events(
    id: Id,
    context: Context,
    after: Annotated[int | None, Query(ge=0, le=_LARGEST)] = None,
    session: Annotated[str | None, Query(pattern="^[A-Za-z0-9_-]{1,64}$")] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Stream the events after a number, then those that come.

    `id:` is the number of the event, `event:` its kind, `data:` one `Event`. `Last-Event-ID` counts
    before `after`; with neither the stream begins with the next event. A comment comes every 15 s.
    """
    start = after
    if last_event_id is not None and last_event_id.isdecimal():
        start = min(int(last_event_id), _LARGEST)
    return await context.events.stream(id, start, session)
