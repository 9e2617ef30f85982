"""The messages of a turn's requests: only appended to, so that the prompt cache stays valid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.loop.context.token_count import weigh
from holdfast.vocab.transcript import Message, ToolAnswered, UserText

if TYPE_CHECKING:
    from collections.abc import Iterable


class Payload:
    """The messages of a turn, and their weight. Between two compactions only `add` changes them.

    A message that stays is the same object in each payload, so that an adapter can cache its form.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages: list[Message] = []
        self._weight = 0
        self.replace_all(messages)

    @property
    def weight(self) -> int:
        """The weight of the messages; updated as they are added, not recomputed in each step."""
        return self._weight

    @property
    def messages(self) -> tuple[Message, ...]:
        """The current messages."""
        return tuple(self._messages)

    def add(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)
        self._weight += weigh(message)

    def replace_all(self, messages: Iterable[Message]) -> None:
        """Replace all messages by these."""
        self._messages = list(messages)
        self._weight = sum(map(weigh, self._messages))


def merge_nudge(messages: tuple[Message, ...], nudge: str | None) -> tuple[Message, ...]:
    """Return the messages with the nudge appended to the last one of the user or a tool.

    The nudge is not a message of its own: some chat templates reject two user messages in a row.
    """
    if nudge is None:
        return messages

    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserText | ToolAnswered):
            parts = [message.text, nudge]
            nudged = replace(message, text="\n\n".join(filter(None, parts)))
            return (*messages[:at], nudged, *messages[at + 1 :])

    return (*messages, UserText(nudge))
