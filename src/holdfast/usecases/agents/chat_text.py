"""The conversation as one text, for an agent that has no memory of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.vocab.agent_events import AgentCall
from holdfast.vocab.events import CallEnded, RepairEnded, Said
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import UserText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.usecases.turns.ports import PastEvents

LONGEST = 60_000
"""How many characters of a conversation are sent along."""
_LONGEST_OUTPUT = 4_000
_HEAD = "The conversation so far, in which you may not have taken part:"
_CUT = "[earlier messages are left out]"
_NO_OUTPUT = "[output left out]"


@dataclass(frozen=True, slots=True)
class _Block:
    """A piece of the conversation; `output` is what a tool answered."""

    text: str
    output: str = ""

    @property
    def shown(self) -> str:
        return f"{self.text}\n{self.output}".rstrip("\n")


def chat_text(past: Sequence[PastEvents], longest: int = LONGEST) -> str:
    """Return what was said and done in a chat; "" if that is nothing.

    If it is too long, the oldest output of tools is left out first, then the oldest messages.
    """
    blocks = list(_blocks(past))
    if not blocks:
        return ""

    size = sum(len(block.shown) for block in blocks)
    for number, block in enumerate(blocks):
        if size <= longest:
            break
        if len(block.output) > len(_NO_OUTPUT):
            size -= len(block.output) - len(_NO_OUTPUT)
            blocks[number] = _Block(block.text, _NO_OUTPUT)

    first = 0
    while size > longest and first < len(blocks) - 1:
        size -= len(blocks[first].shown)
        first += 1

    shown = [block.shown for block in blocks[first:]]
    if first:
        shown.insert(0, _CUT)

    # What is left of a single message that is longer than all.
    return "\n\n".join([_HEAD, *(text[-longest:] for text in shown)])


def _blocks(past: Iterable[PastEvents]) -> Iterable[_Block]:
    for each in past:
        match each:
            case UserText(text):
                yield _block("User", text)
            case Said() if each.text.strip():
                yield _block("Assistant", each.text)
            case CallEnded():
                yield _block("Tool", each.name, each.text)
            case AgentCall():
                output = f"{each.diff}\n{each.text}".strip("\n")
                yield _block("Tool", f"{each.title} ({each.status})", output)
            case RepairEnded() if each.change_id is not None:
                yield _block("Tool", f"{each.path} was repaired after the turn")
            case _:
                pass


def _block(who: Literal["User", "Assistant", "Tool"], text: str, output: str = "") -> _Block:
    return _Block(f"{who}: {text.strip()}", output[:_LONGEST_OUTPUT])
