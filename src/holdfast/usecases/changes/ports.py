"""The port to the rejections of hunks that are on record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.session_events import RejectionState


@dataclass(frozen=True, slots=True)
class NewRejection:
    """Hunks of a change that a person rejects; none means all. `paths` are those of the change."""

    change_id: str
    hunks: tuple[int, ...]
    paths: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rejection on record; `why` says why it was refused."""

    id: str
    session: str
    state: RejectionState
    asked: NewRejection
    why: str = ""

    def __str__(self) -> str:
        """Return the rejection as the next prompt tells it to a model."""
        some = "some edits" if self.asked.hunks else "the edits"
        what = f"The user has rejected {some} of {', '.join(self.asked.paths)}"
        if self.state == "refused":
            what += " (they are still in the files)"
        return f"{what}, and says: {self.asked.reason}"


class RejectionLog(Protocol):
    """The rejections of the sessions of one project.

    Each call is one transaction, in which its event is published, and may raise
    `SessionsUnavailable`.
    """

    def add(self, session: str, new: NewRejection, *, waits: bool) -> None:
        """Record a rejection that waits for the end of a turn, or is done."""

    def waiting(self, session: str) -> tuple[Rejection, ...]:
        """Return the rejections of a session that wait, in order."""

    def sessions_waiting(self) -> tuple[str, ...]:
        """Return the sessions in which a rejection waits."""

    def unsettled(self, session: str) -> tuple[Rejection, ...]:
        """Return the rejections of a session that wait, and those that were refused and untold."""

    def settle(self, rejections: Sequence[Rejection], why: str = "") -> None:
        """Mark rejections that wait as done; or as refused, with the reason."""
