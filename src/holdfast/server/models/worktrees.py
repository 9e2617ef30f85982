"""Worktrees of sessions; the answers are those of `holdfast worktree … --json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent


class WorktreeJson(AnswerBody):
    """A session's worktree; its id is that of the session."""

    id: str
    session: str
    project: str
    path: str
    branch: str
    base: str
    follows: str | None
    root: str
    with_changes: bool
    state: Literal["there", "removed", "gone"]
    title: str
    created_at: str | None


class WorktreeList(AnswerBody):
    """Worktrees, newest first."""

    worktrees: list[WorktreeJson]


class MergeRequest(Sent):
    """`changes`: propose the work as a change of the project. `branch`: commit it there."""

    form: Literal["changes", "branch"] = "changes"
    hunks: list[int] = Field([], max_length=100_000)


class Merged(AnswerBody):
    """The outcome of a merge."""

    outcome: Literal["proposed", "committed", "unchanged"]
    session: str
    change_id: str | None
    files: list[str]
    partly: bool
    branch: str | None
    commit: str | None
    seq: int | None


class Updated(AnswerBody):
    """The outcome of an update."""

    outcome: Literal["updated", "unchanged"]
    session: str
    commit: str | None
    base: str
    checkpoint_id: str | None
    seq: int | None


class WorktreeRemoval(AnswerBody):
    """The outcome of a removal."""

    outcome: Literal["removed"]
    session: str
    path: str
    checkpoint_id: str | None
    branch: str | None
    seq: int | None
