"""What is sent to a model in a turn: messages that are only ever added to, so that a server's prompt cache holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.loop.context.token_count import weigh
from holdfast.vocab.transcript import Message, ToolAnswered, UserText


class Payload:
    """The messages of a turn as they grow, and their weight. Between two compactions nothing but `add` happens.

    A message that stays is the same object in each payload, so that an adapter can keep what it made of it.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = list(messages)
        self._weight = sum(map(weigh, self._messages))

    @property
    def weight(self) -> int:
        """What the messages weigh; kept as they are added, not counted again for each step."""
        return self._weight

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages as they are."""
        return tuple(self._messages)

    def add(self, message: Message) -> None:
        """Put a message at the end."""
        self._messages.append(message)
        self._weight += weigh(message)

    def compact(self, messages: Iterable[Message]) -> None:
        """Put these messages in the place of all that were there."""
        self._messages = list(messages)
        self._weight = sum(map(weigh, self._messages))


def merge_nudge(messages: tuple[Message, ...], nudge: str | None) -> tuple[Message, ...]:
    """Give the messages with the nudge at the end of the last one of the user or a tool; nothing is kept of it.

    Not a message of its own: some chat templates reject two user messages in a row.
    """
    if nudge is None:
        return messages
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserText | ToolAnswered):
            text = f"{message.text}\n\n{nudge}" if message.text else nudge
            return (*messages[:at], replace(message, text=text), *messages[at + 1 :])
    return (*messages, UserText(nudge))
