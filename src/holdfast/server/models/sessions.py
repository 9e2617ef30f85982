"""Sessions: a list, one, and what a client may change of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent

SessionStateName: TypeAlias = Literal["running", "waiting", "stopped", "done"]
"""`waiting`: a person has to answer. `stopped`: its last turn came to no good end."""
ModeName: TypeAlias = Literal["ask", "auto", "review", "plan"]
WorkPlaceName: TypeAlias = Literal["worktree", "in_place"]


class Session(AnswerBody):
    """A session as the list shows it.

    `last_turn` is the status of its last turn and `stop_reason` how that ended, None without one;
    `turn_id` is the turn that runs. `can_continue`: the last turn has stopped before it was done,
    and `POST /sessions/{id}/continue` goes on with it. `approvals` counts the questions that wait
    for a person, `queued` the messages that wait for the end of the turn. `last_words` are the end
    of what was said last. `root` is the folder in which the session works, `branch` that of its own
    worktree. `model` is that of `chosen_model` or of the last turn; `chosen_model` and `mode` are
    None where the settings decide.
    """

    id: str
    project: str
    title: str
    agent: str
    model: str | None
    chosen_model: str | None
    mode: str | None
    place: WorkPlaceName
    root: str
    branch: str | None
    state: SessionStateName
    archived: bool
    turn_id: str | None
    last_turn: str | None
    stop_reason: str | None
    can_continue: bool
    approvals: int
    queued: int
    messages: int
    turns: int
    files_changed: int
    proposed: int
    last_words: str
    created_at: str
    updated_at: str


class SessionList(AnswerBody):
    """Sessions, what waits for a person first, then the latest first.

    `next_offset` is None at the end.
    """

    sessions: list[Session]
    total: int
    next_offset: int | None


class NewSessionJson(Sent):
    """A session to begin. It is on record at once, without a turn.

    With `place` "worktree" the session gets a worktree of its own, with `with_changes` also the
    uncommitted work of the project.
    """

    project: str | None = Field(None, description="None: the only project of the server.")
    title: str = Field("", max_length=500)
    agent: str = Field("holdfast", max_length=100)
    model: str | None = Field(None, max_length=200)
    mode: ModeName | None = None
    place: WorkPlaceName | None = Field(
        None, description="None: a worktree for an external agent in git, else in place."
    )
    with_changes: bool = False


class SessionEdit(Sent):
    """What to change of a session; None leaves it."""

    title: str | None = Field(None, max_length=500)
    archived: bool | None = None
    mode: ModeName | None = None
    model: str | None = Field(None, max_length=200)


class ForkRequest(Sent):
    """Where the new session begins: at this checkpoint; None: at the end."""

    checkpoint_id: str | None = Field(None, max_length=64)
    title: str | None = Field(None, max_length=500)


class SessionDeletion(AnswerBody):
    """What was deleted, as `holdfast sessions delete --json` prints it."""

    outcome: Literal["deleted"]
    session: str
    turns: list[str]
    changes: list[str]
    refs: int
    bytes: int
    kept_refs: list[str]
    seq: int | None


class LedgerJson(AnswerBody):
    """The files that a session has read and modified, in order."""

    read: list[str]
    modified: list[str]
