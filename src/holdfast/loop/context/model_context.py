"""The context of a turn: the payload, the ledger, and the share of the model's window they use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.loop.context.compaction import START, USELESS, Task, run_pass
from holdfast.loop.context.payload import Payload
from holdfast.loop.context.token_count import Gauge, weigh_specs
from holdfast.vocab.transcript import Message, UserText

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.loop.context.history import History
    from holdfast.loop.limits import LoopLimits
    from holdfast.loop.ports import ModelRequest
    from holdfast.vocab.events import Compacted
    from holdfast.vocab.tool_calls import ToolSpec


class ModelContext:
    """The payload as it grows and is compacted. `off` means that compaction proved useless."""

    def __init__(
        self, history: History, limits: LoopLimits, context: int | None, specs: tuple[ToolSpec, ...]
    ) -> None:
        self._payload = Payload(history.messages)
        self._prompts = history.prompts
        if not self._prompts:
            prompts = [
                message.text for message in history.messages if isinstance(message, UserText)
            ]
            self._prompts = tuple(prompts)

        self._claimed = limits.window(context)
        self._front_lost = False
        self._useless = 0
        self.ledger = history.ledger
        self.off = False
        self.gauge = Gauge(
            window=limits.window(context),
            output=limits.reply(context),
            overhead=weigh_specs(specs),
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the next request, without a nudge."""
        return self._payload.messages

    @property
    def weight(self) -> int:
        """The weight of the messages."""
        return self._payload.weight

    def add(self, message: Message) -> None:
        """Append a message."""
        self._payload.add(message)

    def calibrate(self, extra: int, reported: int) -> None:
        """Adjust the gauge to the server's count for the messages and a nudge of weight `extra`."""
        before = self.gauge.window
        self.gauge = self.gauge.calibrated(self.weight + extra, reported)
        if self.gauge.window < before:
            self._front_lost = True

    def limit_window(self, context: int | None) -> None:
        """Shrink the window to the server's context: some report it only after an overflow."""
        if context is None:
            return
        if context < self.gauge.window:
            self.gauge = self.gauge.shrunk(context)

    def is_full(self) -> bool:
        """Return whether to compact now: before an overflow, or after the server cut the front."""
        if self.off:
            return False
        if self._front_lost:
            return True
        return self.gauge.fill(self.weight) >= START

    def compact(
        self, ask_model: Callable[[ModelRequest], str | None], *, forced: bool
    ) -> Compacted | None:
        """Make the payload shorter and return the event; None if nothing was changed.

        `forced` means that the server rejected the payload: then any reduction is worth a try.
        """
        front_lost = self._front_lost
        self._front_lost = False
        if self.off:
            return None

        if forced:
            too_long = self.gauge.tokens(self.weight)
            self.gauge = self.gauge.shrunk(min(self.gauge.window, too_long))

        task = Task(self._prompts, self.ledger)
        result = run_pass(self.messages, task, self.gauge, ask_model)
        if result is None:
            return None
        if front_lost and not result.useful:
            # The server's window cannot be that small: its counts mean something else. Ignore them.
            self.gauge = replace(self.gauge, window=self._claimed, counts=False)
            return None

        self._useless += 1
        if result.useful:
            self._useless = 0

        self.off = self._useless >= USELESS
        is_smaller = result.done.tokens_after < result.done.tokens_before
        if not result.useful and not (forced and is_smaller):
            return None

        self._payload.replace_all(result.messages)
        return result.done
