"""Approvals from another process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.cli.render.text import warn

if TYPE_CHECKING:
    from holdfast.usecases.approvals.answer import PersonsAnswer
    from holdfast.usecases.turns.approvals import Question
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import ApprovalGiven

_TICK = 0.1


class RemoteAsker:
    """Waits until a question is answered elsewhere (port `Asker`)."""

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        """Print how the question can be answered, and wait until it is over."""
        asked = question.asked
        options = "|".join(asked.options)
        warn(f"this {asked.what} needs approval: {asked.subject}")
        warn(f"to answer: holdfast approvals answer {asked.approval_id} {options}")
        while not over.is_set():
            time.sleep(_TICK)

        return None

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Print the answer."""
        warn(f"question {given.approval_id} was answered: {given.answer}")
