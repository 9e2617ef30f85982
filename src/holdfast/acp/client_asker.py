"""Approvals from the client's user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp import RequestError, text_block, tool_content, update_agent_message_text
from acp.schema import PermissionOption, ToolCallUpdate

from holdfast.usecases.approvals.answer import PersonsAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp.schema import PermissionOptionKind

    from holdfast.acp.client_link import ClientLink
    from holdfast.acp.turn_updates import TurnUpdates
    from holdfast.usecases.turns.approvals import Question
    from holdfast.vocab.approvals import ApprovalAnswer
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import ApprovalGiven

_OPTIONS: dict[ApprovalAnswer, tuple[str, PermissionOptionKind]] = {
    "once": ("Allow once", "allow_once"),
    "session": ("Allow for this session", "allow_always"),
    "always": ("Always allow", "allow_always"),
    "deny": ("Deny", "reject_once"),
}


class ClientAsker:
    """Asks with `session/request_permission` (port `Asker`)."""

    def __init__(self, link: ClientLink, shown: TurnUpdates, cancel: Callable[[], None]) -> None:
        """Ask about the tool call that `shown` has shown last; `cancel` ends the turn."""
        self._link = link
        self._shown = shown
        self._cancel = cancel

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        """Wait for the user's answer, and return it; None as soon as `over` is set."""
        asked = question.asked
        call = ToolCallUpdate(
            tool_call_id=self._shown.current_call or f"approval-{asked.approval_id}",
            title=asked.subject,
            status="pending",
            content=[tool_content(text_block(_text(question)))],
        )
        options = [
            PermissionOption(option_id=answer, name=_OPTIONS[answer][0], kind=_OPTIONS[answer][1])
            for answer in asked.options
        ]
        try:
            chosen = self._link.ask(call, options, over)
        except RequestError as error:
            return PersonsAnswer("deny", f"the editor could not ask the user: {error}")

        for answer in asked.options:
            if answer == chosen:
                return PersonsAnswer(answer)

        if chosen is not None:
            return PersonsAnswer(
                "deny", f"the editor sent an answer that was not offered: {chosen}"
            )

        if not over.is_set():
            # The protocol's word for a turn that the user has cancelled.
            self._cancel()

        return None

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Show that another front end has answered first, and what."""
        self._link.update([update_agent_message_text(f"\n\nAnswered elsewhere: {given.answer}.\n")])


def _text(question: Question) -> str:
    """Return what is asked about: a diff as such, a reason as it is."""
    if question.asked.what in {"edit", "protected"}:
        return f"```diff\n{question.whole}\n```"
    return f"{question.asked.subject}\n\n{question.whole}"
