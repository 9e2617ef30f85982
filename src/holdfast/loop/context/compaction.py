"""Compaction: the history made shorter before it no longer fits. Old tool output goes first, then the head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from holdfast.loop.context.history import compacted
from holdfast.loop.context.ledger import Ledger
from holdfast.loop.context.summary import (
    ask_for_summary,
    follows_template,
    settle,
    summarise_plainly,
)
from holdfast.loop.context.token_count import Gauge, weigh
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.events import Compacted
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered

START = 0.80
"""The share of the budget at which compaction starts."""
RECLAIM = 0.25
"""The least share that a pass has to give back, or it was useless."""
USELESS = 2
"""So many useless passes in a row switch compaction off."""

_TAIL = 0.30
_PRUNED = (
    0.60  # pruning alone has to leave that much room, or the next step would have to prune again
)
_PART = 0.15  # share of the budget for each part of a summary: task, text, ledger


@dataclass(frozen=True, slots=True)
class Task:
    """What must survive a compaction whatever a model makes of it."""

    prompts: tuple[str, ...]
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Pass:
    """What a pass came to: the event of record and the messages after it. `useful` says that it was worth it."""

    done: Compacted
    messages: tuple[Message, ...]
    useful: bool


def run_pass(
    messages: tuple[Message, ...],
    task: Task,
    gauge: Gauge,
    ask_model: Callable[[ModelRequest], str | None],
) -> Pass | None:
    """Make the messages shorter: prune; else summarise with the model; else, where that is no use, without one.

    None where the model was asked and the answer is not waited for any more (None): a cancel must not cost the history.
    """
    tail = tail_of(messages, round(gauge.budget * _TAIL / gauge.factor))
    pruned = _weighed(messages, "", tail, task, gauge)
    if pruned.useful and gauge.fill(sum(map(weigh, pruned.messages))) <= _PRUNED:
        return pruned
    head = messages[: len(messages) - tail]
    room = gauge.room(_PART)
    written = ask_model(
        ask_for_summary(head, task.ledger, gauge.room(1 - 2 * _PART), _summary_tokens(gauge))
    )
    if written is None:
        return None
    plain = summarise_plainly(head, room)
    if written.strip():
        # A model that did not keep to the template has perhaps said no more than "Done.": then the facts go with it.
        body = written if follows_template(written) else f"{written.strip()}\n\n{plain}"
        asked = _weighed(messages, settle(body, task.prompts, task.ledger, room), tail, task, gauge)
        if asked.useful:
            return asked
    return _weighed(messages, settle(plain, task.prompts, task.ledger, room), tail, task, gauge)


def tail_of(messages: Sequence[Message], weight: int) -> int:
    """How many messages at the end stay as they are: whole replies with their answers, of at most this weight.

    The last reply stays whatever it weighs, if its answers have not been read yet. The tail begins with a reply,
    because what stands before it is a message of the user.
    """
    tail = total = 0
    for at in range(len(messages) - 1, -1, -1):
        total += weigh(messages[at])
        if not isinstance(messages[at], AssistantSaid):
            continue
        unread = tail == 0 and isinstance(messages[-1], ToolAnswered)
        if total > weight and not unread:
            break
        tail = len(messages) - at
    return tail


def _summary_tokens(gauge: Gauge) -> int:
    return max(256, min(gauge.output, round(gauge.budget * _PART)))


def _weighed(
    messages: tuple[Message, ...], summary: str, tail: int, task: Task, gauge: Gauge
) -> Pass:
    # The rules are in every payload: what they weigh cannot be given back.
    rules = [message for message in messages[:1] if isinstance(message, SystemText)]
    before, fixed = sum(map(weigh, messages)), sum(map(weigh, rules))
    read, modified = tuple(sorted(task.ledger.read)), tuple(sorted(task.ledger.modified))
    went = len(messages) - tail - len(rules)
    done = Compacted(summary, tail, went, gauge.tokens(before), 0, read, modified)
    after = tuple(compacted(messages, done))
    weight = sum(map(weigh, after))
    useful = before - weight >= RECLAIM * max(1, before - fixed) and gauge.fill(weight) < START
    return Pass(replace(done, tokens_after=gauge.tokens(weight)), after, useful)
