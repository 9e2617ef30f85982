"""The messages that a turn starts with, rebuilt from the stored records byte for byte."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.loop.context.ledger import EMPTY, Ledger
from holdfast.vocab.agent_events import AgentCall
from holdfast.vocab.events import CallEnded, Compacted, Event, RepairEnded, Said
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vocab.tool_calls import ToolCall

INTERRUPTED = "Interrupted before this finished; look at the files before you try again."
"""The answer to a call without a recorded answer: it may have done all, some or nothing."""

_LONGEST_REPORT = 2_000
_SHORT = 240  # a shorter answer costs no more than the line that would replace it


@dataclass(frozen=True, slots=True)
class History:
    """The messages a turn starts with, the ledger so far, and all prompts, compacted or not.

    Each call has one answer, directly after the reply with the call. If the last message is the
    model's, a turn needs a prompt first.
    """

    messages: tuple[Message, ...]
    ledger: Ledger = EMPTY
    prompts: tuple[str, ...] = ()


HistoryRecord: TypeAlias = UserText | Event
"""A stored record of a session: a prompt, or an event; most events add no message."""


def rebuild(records: Iterable[HistoryRecord], system: SystemText | None = None) -> History:
    """Return the history of a continued session: a prefix of the payloads that were sent before."""
    rebuilding = _Rebuilding()
    if system is not None:
        rebuilding.messages.append(system)

    for record in records:
        rebuilding.add(record)

    rebuilding.close_calls()
    return History(
        messages=tuple(rebuilding.messages),
        ledger=rebuilding.ledger,
        prompts=tuple(rebuilding.prompts),
    )


@dataclass(slots=True)
class _Rebuilding:
    """The history so far. `repairs` are reports that the next prompt carries.

    `agent_spoke`: the last message is that of an external agent's turn, whose texts and calls are
    one message.
    """

    messages: list[Message] = field(default_factory=list)
    ledger: Ledger = EMPTY
    prompts: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    unanswered: list[ToolCall] = field(default_factory=list)
    agent_spoke: bool = False

    def add(self, record: HistoryRecord) -> None:
        match record:
            case UserText(text):
                self.close_calls()
                prompt = "\n\n".join([*self.repairs, text])
                self.messages = add_user(self.messages, prompt)
                self.prompts.append(text)
                self.repairs = []
                self.agent_spoke = False
            case RepairEnded():
                self.repairs += _report_repair(record)
            case Said() if self.agent_spoke:
                self._add_to_agent(record.text)
            case Said():
                self.close_calls()
                self.messages.append(as_message(record))
                self.unanswered = list(record.calls)
            case AgentCall():
                self.close_calls()
                self._add_to_agent(_report_call(record))
                self.agent_spoke = True
            case CallEnded():
                self.ledger = note(self.ledger, record)
                self._add_answer(record)
            case Compacted():
                self.close_calls()
                self.messages = compacted(self.messages, record)
                self.ledger = self.ledger.add(record.read, record.modified)

    def _add_to_agent(self, text: str) -> None:
        """Add a text to the message of an agent's turn."""
        match self.messages:
            case [*_, AssistantSaid(said, ())]:
                self.messages[-1] = AssistantSaid(f"{said}\n\n{text}".lstrip("\n"))
            case _:
                self.messages.append(AssistantSaid(text))

    def close_calls(self) -> None:
        """Answer the calls that have no recorded answer."""
        for call in self.unanswered:
            self.messages.append(ToolAnswered(call.id, call.name, INTERRUPTED))
        self.unanswered = []

    def _add_answer(self, ended: CallEnded) -> None:
        for call in self.unanswered:
            if call.id == ended.call_id:
                self.unanswered.remove(call)
                answer = ToolAnswered(ended.call_id, ended.name, ended.text)
                self.messages.append(answer)
                return


def _report_call(call: AgentCall) -> str:
    """Return a line about a call of an external agent, whose tools a model does not have."""
    about = f"{call.tool_kind}: {call.title}"
    if call.status == "failed":
        return f"[{about}: failed]"
    return f"[{about}]"


def _report_repair(ended: RepairEnded) -> list[str]:
    """Return a report on a file that changed or fails after the model's last message, if any."""
    subject = ended.path or "the project"
    if ended.change_id is not None:
        report = (
            f"[{subject} failed the check after your turn and was repaired; "
            "read it again before you edit it.]"
        )
        return [report]
    if ended.success or ended.outcome == "NotRun":
        return []

    return [f"[{subject} fails the check since your turn:\n{ended.message[:_LONGEST_REPORT]}]"]


def as_message(said: Said) -> AssistantSaid:
    """Return the message of a reply as it goes into the history."""
    return AssistantSaid(said.text, said.calls, said.reasoning)


def note(ledger: Ledger, ended: CallEnded) -> Ledger:
    """Return the ledger with the paths a call modified and, if it succeeded, those it read."""
    if ended.failure is not None:
        return ledger.add(modified=ended.modified)
    return ledger.add(ended.read, ended.modified)


def add_user(messages: Sequence[Message], text: str) -> list[Message]:
    r"""Return the messages with a prompt added, merged into the last message if it is a prompt.

    >>> add_user([UserText("Fix it.")], "Please.")
    [UserText(text='Fix it.\n\nPlease.')]
    """
    match messages:
        case [*earlier, UserText(last)]:
            merged = UserText(f"{last}\n\n{text}")
            return [*earlier, merged]
    return [*messages, UserText(text)]


def compacted(messages: Sequence[Message], done: Compacted) -> list[Message]:
    """Return the messages after a compaction. A turn and a later rebuild both use this."""
    cut = len(messages) - done.tail
    head, tail = messages[:cut], messages[cut:]
    if not done.summary:
        return [*map(prune, head), *tail]

    shortened: list[Message] = [UserText(done.summary), *tail]
    match messages:
        case [SystemText() as system, *_]:
            shortened.insert(0, system)

    return shortened


def prune(message: Message) -> Message:
    """Return a short line instead of a long tool answer; return any other message unchanged.

    >>> prune(ToolAnswered("1", "search", "x" * 5000)).text
    '[5000 characters of old output dropped to save room; call search again if you need it]'
    """
    if not isinstance(message, ToolAnswered) or len(message.text) <= _SHORT:
        return message

    text = (
        f"[{len(message.text)} characters of old output dropped to save room; "
        f"call {message.name} again if you need it]"
    )
    return replace(message, text=text)
