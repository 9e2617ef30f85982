"""What routes work with, and the parameters that several of them take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Path, Query, Request

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.server.event_hub import EventHub
    from holdfast.server.project_list import ProjectRegistry
    from holdfast.server.turn_threads import TurnThreads


@dataclass(frozen=True, slots=True)
class ServerContext:
    """The projects of a server, the turns that it runs, and the hub of events for its clients."""

    projects: ProjectRegistry
    turns: TurnThreads
    events: EventHub


def _context(request: Request) -> ServerContext:
    context: ServerContext = request.app.state.context
    return context


_ID = "^[A-Za-z0-9_-]{1,64}$"

Context = Annotated[ServerContext, Depends(_context)]
Id = Annotated[str, Path(alias="id", pattern=_ID)]
CheckpointId = Annotated[str, Path(alias="checkpointId", pattern=_ID)]
SessionId = Annotated[str, Path(alias="sessionId", pattern=_ID)]
QueuedId = Annotated[str, Path(alias="messageId", pattern=_ID)]
ProjectName = Annotated[
    str | None,
    Query(
        alias="project",
        pattern=_ID,
        description="The id of a project; without it: all projects, or the only one.",
    ),
]
