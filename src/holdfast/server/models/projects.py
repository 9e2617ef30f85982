"""Projects: the roots that the server may work in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent


class Project(AnswerBody):
    """A root that the server may work in. `last_seq` is the number of its last event."""

    id: str
    name: str
    root: str
    git: bool
    sessions: int
    last_seq: int


class ProjectList(AnswerBody):
    """The projects of this server."""

    projects: list[Project]


class NewProject(Sent):
    """A folder to work in. The person at the terminal of the server is asked first."""

    path: str = Field(min_length=1, max_length=4096)


class Removed(AnswerBody):
    """What is not there any more."""

    outcome: Literal["removed", "deleted"]
    id: str


class Health(AnswerBody):
    """That the server answers, and what it does."""

    status: Literal["ok", "stopping"]
    version: str
    turns: int
    followers: int
