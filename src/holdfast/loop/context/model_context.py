"""What a turn remembers: the payload, the ledger, and how much of the model's context they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdfast.loop.context.compaction import START, USELESS, Task, run_pass
from holdfast.loop.context.history import History
from holdfast.loop.context.payload import Payload
from holdfast.loop.context.token_count import Gauge, weigh_specs
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.events import Compacted
from holdfast.vocab.tool_calls import ToolSpec
from holdfast.vocab.transcript import Message, UserText


class ModelContext:
    """The payload as it grows and is made shorter. `off` says that making it shorter has proved useless."""

    def __init__(
        self, history: History, limits: LoopLimits, context: int | None, specs: tuple[ToolSpec, ...]
    ) -> None:
        self._payload = Payload(history.messages)
        said = tuple(message.text for message in history.messages if isinstance(message, UserText))
        self._prompts = history.prompts or said
        self._claimed = limits.window(context)
        self._dropped = False
        self._useless = 0
        self.ledger = history.ledger
        self.off = False
        self.gauge = Gauge(limits.window(context), limits.reply(context), weigh_specs(specs))

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is sent next, without a nudge."""
        return self._payload.messages

    @property
    def weight(self) -> int:
        """What the messages weigh."""
        return self._payload.weight

    def add(self, message: Message) -> None:
        """Remember a message."""
        self._payload.add(message)

    def measure(self, more: int, reported: int) -> None:
        """Take the server's count of what was sent: the messages and `more`."""
        before = self.gauge.window
        self.gauge = self.gauge.heard(self.weight + more, reported)
        self._dropped = self._dropped or self.gauge.window < before

    def learn(self, context: int | None) -> None:
        """Take what the server says now of its context: some say it only when a payload was too long."""
        if context is not None and context < self.gauge.window:
            self.gauge = self.gauge.shrunk(context)

    def is_full(self) -> bool:
        """Whether it is time to make the payload shorter: before it overflows, or when its front was dropped."""
        return not self.off and (self._dropped or self.gauge.fill(self.weight) >= START)

    def squeeze(
        self, ask_model: Callable[[ModelRequest], str | None], *, forced: bool
    ) -> Compacted | None:
        """Make the payload shorter and say how; None where that is no use, and then nothing has changed.

        `forced` says that the server took what was sent for too long: then even a little less is worth a try.
        """
        dropped, self._dropped = self._dropped, False
        if self.off:
            return None
        if forced:
            self.gauge = self.gauge.shrunk(min(self.gauge.window, self.gauge.tokens(self.weight)))
        passed = run_pass(self.messages, Task(self._prompts, self.ledger), self.gauge, ask_model)
        if passed is None:
            return None
        if dropped and not passed.useful:
            # So little cannot be all that the server holds: it counts in its own way, and is not asked again.
            self.gauge = replace(self.gauge, window=self._claimed, counts=False)
            return None
        self._useless = 0 if passed.useful else self._useless + 1
        self.off = self._useless >= USELESS
        smaller = passed.done.tokens_after < passed.done.tokens_before
        if not passed.useful and not (forced and smaller):
            return None
        self._payload.compact(passed.messages)
        return passed.done
