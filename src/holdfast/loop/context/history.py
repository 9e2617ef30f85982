"""What was said before, as the messages that a turn starts with; rebuilt from what was stored, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.loop.context.ledger import EMPTY, Ledger
from holdfast.vocab.events import CallEnded, Compacted, Event, RepairEnded, Said
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

INTERRUPTED = "Interrupted before this finished; look at the files before you try again."
"""The answer to a call whose own answer was never recorded: it may have done all, some or nothing."""

GO_ON = "Go on with the task."
"""What the user says by continuing a turn in which the model has had the last word."""

_MOST_TOLD = 2_000
_SHORT = 240  # a shorter answer costs no more than the line that would stand for it


@dataclass(frozen=True, slots=True)
class History:
    """The messages a turn starts with, the ledger so far, and what the user said, whatever was compacted.

    Each call has one answer, right after the reply that made it. The last message is the user's or a tool's answer;
    where `waits` says otherwise, the model has had the last word and a turn needs a prompt.
    """

    messages: tuple[Message, ...]
    ledger: Ledger = EMPTY
    prompts: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether nothing was asked since the model spoke last."""
        return not self.messages or isinstance(self.messages[-1], AssistantSaid | SystemText)

    def prompted(self, text: str) -> History:
        """Give the history with what the user says now."""
        return replace(
            self, messages=tuple(add_user(self.messages, text)), prompts=(*self.prompts, text)
        )


HistoryRecord: TypeAlias = UserText | Event
"""What is stored of a session, in order: `UserText` for each prompt, and events; most say nothing to a model."""


def rebuild(records: Iterable[HistoryRecord], system: SystemText | None = None) -> History:
    """Give the history that a continuing turn starts with: a prefix of what the turns before it sent, and no more."""
    messages: list[Message] = [system] if system is not None else []
    unanswered: list[ToolCall] = []
    ledger = EMPTY
    prompts: list[str] = []
    repairs: list[str] = []
    for record in records:
        match record:
            case UserText(text):
                told = "\n\n".join([*repairs, text])
                messages = add_user([*messages, *_interrupted(unanswered)], told)
                prompts.append(text)
                unanswered, repairs = [], []
            case RepairEnded():
                repairs += _tell_repair(record)
            case Said():
                messages += _interrupted(unanswered)
                messages.append(as_message(record))
                unanswered = list(record.calls)
            case CallEnded():
                call = next((call for call in unanswered if call.id == record.call_id), None)
                ledger = note(ledger, record)
                if call is not None:
                    unanswered.remove(call)
                    messages.append(ToolAnswered(record.call_id, record.name, record.text))
            case Compacted():
                messages = compacted([*messages, *_interrupted(unanswered)], record)
                unanswered = []
                ledger = ledger.add(record.read, record.modified)
            case _:
                pass
    return History((*messages, *_interrupted(unanswered)), ledger, tuple(prompts))


def _tell_repair(ended: RepairEnded) -> list[str]:
    """Say what became of a file after the model had its last word: it would go on from what it wrote."""
    about = ended.path or "the project"
    if ended.change_id is not None:
        return [
            f"[{about} failed the check after your turn and was mended; read it again before you edit it.]"
        ]
    if ended.success or ended.outcome == "NotRun":
        return []
    return [f"[{about} fails the check since your turn:\n{ended.message[:_MOST_TOLD]}]"]


def as_message(said: Said) -> AssistantSaid:
    """Give what was said as it stands in the history."""
    return AssistantSaid(said.text, said.calls, said.reasoning)


def note(ledger: Ledger, ended: CallEnded) -> Ledger:
    """Write down what a call has read, if it succeeded, and what it has modified."""
    return ledger.add(ended.read if ended.failure is None else (), ended.modified)


def add_user(messages: Sequence[Message], text: str) -> list[Message]:
    r"""Give the messages with the user's; one with the message before, where that is the user's too.

    >>> add_user([UserText("Mend it.")], "Please.")
    [UserText(text='Mend it.\n\nPlease.')]
    """
    last = messages[-1] if messages else None
    if isinstance(last, UserText):
        return [*messages[:-1], UserText(f"{last.text}\n\n{text}")]
    return [*messages, UserText(text)]


def compacted(messages: Sequence[Message], done: Compacted) -> list[Message]:
    """Give the messages after a compaction. The turn and a later rebuild both go through here."""
    system = [message for message in messages[:1] if isinstance(message, SystemText)]
    cut = len(messages) - done.tail
    if not done.summary:
        return [*map(prune, messages[:cut]), *messages[cut:]]
    return [*system, UserText(done.summary), *messages[cut:]]


def prune(message: Message) -> Message:
    """Give a line in the place of a long tool answer; every other message stays the object it was.

    >>> prune(ToolAnswered("1", "search", "x" * 5000)).text
    '[5000 characters of old output dropped to save room; call search again if you need it]'
    """
    if not isinstance(message, ToolAnswered) or len(message.text) <= _SHORT:
        return message
    size = len(message.text)
    text = f"[{size} characters of old output dropped to save room; call {message.name} again if you need it]"
    return replace(message, text=text)


def _interrupted(calls: Iterable[ToolCall]) -> list[Message]:
    return [ToolAnswered(call.id, call.name, INTERRUPTED) for call in calls]
