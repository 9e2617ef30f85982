"""The ports to the messages of a session: those of its transcript, and those that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.loop.context.ledger import Ledger
    from holdfast.usecases.events.ports import LoggedEvent
    from holdfast.vocab.session_events import QueueState


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message: its kind, and its JSON. `seq` is the number of its event, if any."""

    id: str
    kind: str
    body: Mapping[str, Any]
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """A message of a session. The transcript is in the order of `seq`.

    `state` is that of its turn: `done`, `running`, `stopped`, `cancelled`, `interrupted`. Of an
    answer, `checkpoint_id` is the checkpoint before its turn; the prompt of a turn has the same
    one. It is None where none was taken, or the checkpoint was pruned. `events` are those of the
    turn of an answer, in order; the pieces of its text are among them only after its last `said`.
    """

    id: str
    seq: int
    role: str
    state: str
    created_at: str
    turn_id: str | None
    checkpoint_id: str | None
    parts: tuple[MessagePart, ...]
    events: tuple[LoggedEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """Messages, the newest first. `before` is the number for the page with older ones, or None.

    `seq` is the number of the last event of the project when the page was read: what is followed
    from there on is not in the page yet.
    """

    messages: tuple[TranscriptMessage, ...]
    before: int | None
    seq: int


class TranscriptReader(Protocol):
    """The messages of the sessions of one project. A call may raise `SessionsUnavailable`."""

    def page(self, session: str, *, before: int | None, limit: int) -> TranscriptPage:
        """Return the latest messages of a session with a smaller `seq` than `before`.

        At most `limit`; fewer, if they are long, but at least one.
        """

    def checkpoints(self, session: str) -> tuple[tuple[str, str], ...]:
        """Return each turn of a session that has a checkpoint, with it, the oldest first."""

    def ledger(self, session: str) -> Ledger:
        """Return the files that the session has read and modified."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that goes with a message, under a name."""

    name: str
    text: str

    def __str__(self) -> str:
        """Return the attachment as a model reads it."""
        return f'<context of="{self.name}">\n{self.text}\n</context>'


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to queue. `client_id` is what its sender calls it, None if it has no name."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits for its turn, or what became of it; `id` and `turn_id` are reserved.

    The turn that answers it has the id `turn_id`, and the prompt of that turn the id `id`.
    """

    id: str
    session: str
    turn_id: str
    state: QueueState
    text: str
    attachments: tuple[Attachment, ...]
    client_id: str | None
    why: str
    created_at: str

    @property
    def prompt(self) -> str:
        """The text for the model: what the user wrote, and the attachments after it."""
        return "\n\n".join([self.text, *map(str, self.attachments)])


class MessageQueue(Protocol):
    """The messages that wait for a turn of their session, in order, on record.

    A message becomes `begun` in the transaction in which its turn begins (`TurnRequest.queued`), so
    that each is answered once, whatever dies. Each call is one transaction, in which its event is
    published, and may raise `SessionsUnavailable`.
    """

    def add(self, session: str, new: NewMessage) -> tuple[QueuedMessage, bool]:
        """Add a message after the last one; return it, and whether it is new.

        If there is one of the same `client_id` already, return that one and change nothing.
        """

    def waiting(self, session: str) -> tuple[QueuedMessage, ...]:
        """Return the messages that wait or were refused, in order."""

    def get(self, session: str, message: str) -> QueuedMessage | None:
        """Return the message with this id, whatever became of it."""

    def edit(
        self, session: str, message: str, text: str, attachments: Sequence[Attachment] | None = None
    ) -> QueuedMessage | None:
        """Replace the text of a message that waits or was refused: it waits then.

        Return None, and do nothing, if there is none.
        """

    def remove(self, session: str, message: str) -> bool:
        """Remove a message that waits or was refused; return whether there was one."""

    def first(self, session: str) -> QueuedMessage | None:
        """Return the first message that waits, or None. It waits until its turn begins."""

    def refuse(self, message: QueuedMessage, why: str) -> None:
        """Mark a message as refused: its turn could not begin.

        Do nothing if the message is not as it was: somebody has edited, removed or begun it.
        """
