"""Questions of turns, and their answers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent
from holdfast.vocab.approvals import ApprovalAnswer, ApprovalEnd, ApprovalSubject


class Approval(AnswerBody):
    """A question, as `holdfast approvals list --json` prints it, and its project.

    `prefix` is what `always` with `prefix` would allow.
    """

    id: str
    project: str
    session: str
    turn: str
    what: ApprovalSubject
    subject: str
    why: str
    options: list[ApprovalAnswer]
    asked_at: str
    answer: ApprovalEnd | None
    reason: str
    answered_at: str | None
    waits: bool
    prefix: str | None


class ApprovalList(AnswerBody):
    """Questions, the oldest first."""

    approvals: list[Approval]


class ApprovalReply(Sent):
    """The answer of a person. `reason` is told to the model; `prefix` goes with `always`."""

    answer: ApprovalAnswer
    reason: str = Field("", max_length=10_000)
    prefix: bool = False


class ApprovalAnswered(AnswerBody):
    """The answer that counts; `always` is what is allowed from now on, "" if nothing is."""

    outcome: Literal["answered"]
    approval_id: str
    session: str
    turn: str
    answer: ApprovalEnd
    reason: str
    always: str
