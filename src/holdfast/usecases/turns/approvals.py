"""Who says yes: the mode, what was allowed before, the person at the face; or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.tools.ports import Denied, NoApprover
from holdfast.tools.ports import GateAnswer as Verdict
from holdfast.vocab.events import ApprovalAsked, ApprovalGiven

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.tools.ports import ApprovalSubject
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event

ApprovalMode: TypeAlias = Literal["auto", "ask", "review"]
ApprovalAnswer: TypeAlias = Literal["once", "session", "always", "deny"]

_DENIED = "the user does not allow this; do without it, or ask what to do instead."
_UNATTENDED = "this file may hold secrets and nobody is there to allow it; do without it."


class Asker(Protocol):
    """An interactive front end that can ask the user for approval."""

    def ask(self, request: ApprovalAsked, cancel: Cancel) -> ApprovalAnswer:
        """Wait for the user's answer, and return it; `deny` if the turn is cancelled meanwhile."""


class CommandGrants(Protocol):
    """The commands that the user has always allowed in this project."""

    def has(self, command: str) -> bool:
        """Return whether exactly this command was allowed."""

    def add(self, command: str) -> None:
        """Allow exactly this command from now on."""


class Approvals:
    """The approval gate of a turn (port `Gate`). `asker` is None if no user can answer.

    Without a user to ask, edits inside the root go ahead, for every turn can be undone; a command
    cannot be undone, nor what was sent to a model, nor what a protected file has made run.
    """

    def __init__(
        self,
        mode: ApprovalMode,
        asker: Asker | None,
        grants: CommandGrants,
        emit: Callable[[Event], None],
        cancel: Cancel,
    ) -> None:
        """Begin with nothing allowed for the session; `cancel` ends a question."""
        self._mode, self._asker, self._grants, self._emit = mode, asker, grants, emit
        self._cancel = cancel
        self._in_session: set[tuple[ApprovalSubject, str]] = set()

    def ask(self, what: ApprovalSubject, subject: str, why: str) -> Verdict:
        """Return whether it may be done, after asking if need be."""
        if self._known(what, subject):
            return "yes"
        if self._mode == "auto":
            # No user looks on, and what was sent to a model cannot be undone.
            if what == "read":
                return Denied(f"{subject}: {_UNATTENDED}")
            return "yes"
        request = ApprovalAsked(what, subject, why)
        self._emit(request)
        if self._asker is None:
            self._emit(ApprovalGiven(subject, "nobody"))
            return NoApprover()
        answer = self._asker.ask(request, self._cancel)
        self._emit(ApprovalGiven(subject, answer))
        self._remember(what, subject, answer)
        if answer == "deny":
            return Denied(f"{subject}: {_DENIED}")
        return "yes"

    def _known(self, what: ApprovalSubject, subject: str) -> bool:
        if what == "edit":
            if self._asker is None:
                return True
            if self._mode != "ask":
                return True
            return ("edit", "") in self._in_session
        if (what, subject) in self._in_session:
            return True
        if what != "command":
            return False
        return self._grants.has(subject)

    def _remember(self, what: ApprovalSubject, subject: str, answer: ApprovalAnswer) -> None:
        if answer == "always" and what == "command":
            self._grants.add(subject)
            return
        if answer not in {"session", "always"}:
            return
        if what == "edit":
            # An answer for one file is an answer for all.
            subject = ""
        self._in_session.add((what, subject))
