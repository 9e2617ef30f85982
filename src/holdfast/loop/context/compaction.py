"""Compaction: make the history shorter before it no longer fits.

Old tool output is dropped first; if that is not enough, a summary replaces the older messages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.loop.context.history import compacted
from holdfast.loop.context.summary import (
    compose_summary,
    follows_template,
    request_summary,
    summarise_without_model,
)
from holdfast.loop.context.token_count import Gauge, weigh
from holdfast.vocab.events import Compacted
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.loop.context.ledger import Ledger
    from holdfast.loop.ports import ModelRequest

START = 0.80
"""The share of the budget at which compaction starts."""
RECLAIM = 0.25
"""The least share of the weight that a pass has to free; below this it was useless."""
USELESS = 2
"""The number of useless passes in a row that switches compaction off."""

_TAIL = 0.30
# Pruning alone has to leave this much room; otherwise the next step would have to prune again.
_PRUNED = 0.60
_PART = 0.15  # share of the budget for each part of a summary: task, text, ledger


@dataclass(frozen=True, slots=True)
class Task:
    """The facts that every compaction keeps, whatever a model's summary contains."""

    prompts: tuple[str, ...]
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of a pass: its event, the messages after it, and whether it freed enough."""

    done: Compacted
    messages: tuple[Message, ...]
    useful: bool


def run_pass(
    messages: tuple[Message, ...],
    task: Task,
    gauge: Gauge,
    ask_model: Callable[[ModelRequest], str | None],
) -> Pass | None:
    """Make the messages shorter: prune them, or summarise with the model, or without it.

    Return None if `ask_model` returns None: the turn was cancelled, and the history stays.
    """
    tail = tail_of(messages, round(gauge.budget * _TAIL / gauge.factor))
    pruned = _measure(messages, "", tail, task, gauge)
    if pruned.useful and gauge.fill(_weight(pruned.messages)) <= _PRUNED:
        return pruned

    head = messages[: len(messages) - tail]
    room = gauge.room(_PART)
    request = request_summary(
        head,
        task.ledger,
        room=gauge.room(1 - 2 * _PART),
        max_tokens=max(256, min(gauge.output, round(gauge.budget * _PART))),
    )
    written = ask_model(request)
    if written is None:
        return None

    plain = summarise_without_model(head, room)
    if written.strip():
        body = written
        if not follows_template(written):
            # Such a summary may be no more than "Done.", so add the facts.
            body = f"{written.strip()}\n\n{plain}"
        summary = compose_summary(body, task.prompts, task.ledger, room)
        summarised = _measure(messages, summary, tail, task, gauge)
        if summarised.useful:
            return summarised

    summary = compose_summary(plain, task.prompts, task.ledger, room)
    return _measure(messages, summary, tail, task, gauge)


def tail_of(messages: Sequence[Message], weight: int) -> int:
    """Return how many messages at the end stay unchanged: whole replies with their answers.

    They weigh at most `weight`, except that the last reply always stays while its answers are
    unread. The tail begins with a reply, because the message before it is one of the user.
    """
    tail = 0
    total = 0
    for at in range(len(messages) - 1, -1, -1):
        total += weigh(messages[at])
        if not isinstance(messages[at], AssistantSaid):
            continue
        is_unread = tail == 0 and isinstance(messages[-1], ToolAnswered)
        if total > weight and not is_unread:
            break
        tail = len(messages) - at

    return tail


def _measure(
    messages: tuple[Message, ...], summary: str, tail: int, task: Task, gauge: Gauge
) -> Pass:
    """Compact the messages with this summary (prune without one) and weigh the result."""
    # The system text is in every payload: its weight cannot be freed.
    system = [message for message in messages[:1] if isinstance(message, SystemText)]
    before = _weight(messages)
    removable = max(1, before - _weight(system))
    done = Compacted(
        summary=summary,
        tail=tail,
        messages=len(messages) - tail - len(system),
        tokens_before=gauge.tokens(before),
        tokens_after=0,
        read=tuple(sorted(task.ledger.read)),
        modified=tuple(sorted(task.ledger.modified)),
    )
    left = tuple(compacted(messages, done))
    after = _weight(left)
    frees_enough = before - after >= RECLAIM * removable
    return Pass(
        done=replace(done, tokens_after=gauge.tokens(after)),
        messages=left,
        useful=frees_enough and gauge.fill(after) < START,
    )


def _weight(messages: Iterable[Message]) -> int:
    return sum(map(weigh, messages))
