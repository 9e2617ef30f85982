"""Changes, their hunks, and diffs of a session."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent
from holdfast.vocab.outcomes import Rung
from holdfast.vocab.requests import Action
from holdfast.vocab.session_events import RejectionState

FileStatus: TypeAlias = str


class ChangedFile(AnswerBody):
    """A file of a change in a list."""

    path: str
    action: Action
    to: str | None


class ChangeSummary(AnswerBody):
    """A change in a list, as `holdfast changes list --json` prints it."""

    id: str
    seq: int
    state: Literal["proposed", "applied", "rejected", "rewound"]
    origin: str
    created_at: str
    settled_at: str | None
    session: str | None
    turn: str | None
    part_of: str | None
    worktree: str | None
    files: list[ChangedFile]


class RejectionJson(AnswerBody):
    """A rejection that waits for the end of a turn, or was refused then, with `why`.

    No `hunks` means the whole change.
    """

    change_id: str
    hunks: list[int]
    reason: str
    state: RejectionState
    why: str


class ChangeList(AnswerBody):
    """Changes, newest first, and the rejections of their hunks that are not done."""

    changes: list[ChangeSummary]
    rejections: list[RejectionJson]


class LandedFile(AnswerBody):
    """What landed on a file: the rung and similarity of the match, and the diff."""

    path: str
    action: Action
    rung: Rung
    similarity: float
    diff: str
    to: str | None
    base: str | None


class HunkJson(AnswerBody):
    """A piece of a change. `number` counts from 1 in the whole change."""

    number: int
    path: str
    diff: str


class ChangeJson(AnswerBody):
    """One change with its files and hunks, as `holdfast changes show --json` prints it."""

    id: str
    seq: int
    state: Literal["proposed", "applied", "rejected", "rewound"]
    origin: str
    created_at: str
    settled_at: str | None
    session: str | None
    turn: str | None
    part_of: str | None
    worktree: str | None
    files: list[LandedFile]
    hunks: list[HunkJson]
    total_hunks: int


class HunkPage(AnswerBody):
    """Some hunks of a change or a diff; `total` counts all."""

    hunks: list[HunkJson]
    total: int


class HunkChoice(Sent):
    """The hunks to apply; none means all."""

    hunks: list[int] = Field([], max_length=100_000)


class RejectRequest(Sent):
    """The hunks to reject; none means all. The next prompt tells the model the reason."""

    hunks: list[int] = Field([], max_length=100_000)
    reason: str = Field("", max_length=10_000)


class SettledFile(AnswerBody):
    """A file that a change was applied to or rewound from."""

    path: str
    action: str


class ChangeSettled(AnswerBody):
    """What became of a change; `rest` is the change with the other hunks.

    `waits`: a turn runs, and the rejection is done when the turn has ended.
    """

    outcome: Literal["applied", "rejected", "rewound", "waits"]
    id: str
    files: list[SettledFile]
    rest: str | None
    seq: int | None
    waits: bool
    message: str


class DiffFile(AnswerBody):
    """A file that differs. `added` and `removed` count lines, None for what is not text."""

    path: str
    status: FileStatus
    added: int | None
    removed: int | None


class Commit(AnswerBody):
    """A commit that was made in the session."""

    id: str
    title: str
    at: str


class SessionDiff(AnswerBody):
    """How the files of a session differ from their base, a checkpoint or a turn.

    `hunks` are those from `from` on, at most `count`, of all files or of one; `total` counts all.
    """

    against: str
    files: list[DiffFile]
    hunks: list[HunkJson]
    total: int
    commits: list[Commit]


class FileContent(AnswerBody):
    """A file at a moment. `text` is None for what is not text or is longer than 2 MB."""

    path: str
    at: str
    text: str | None
    size: int
    binary: bool
