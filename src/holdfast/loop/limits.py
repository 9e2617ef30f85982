"""The limits of a turn: steps, tokens of a reply, size of the context."""

from __future__ import annotations

from holdfast.guards.step_cap import StepCaps
from holdfast.vocab.lazy_dataclass import dataclass

CAPS = StepCaps()
"""Soft 60 while there is progress, hard 200."""


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """The caps on steps, the most tokens of a reply, and the context if no server reports one."""

    caps: StepCaps = CAPS
    output: int = 4096
    context: int = 32_768

    def window(self, context: int | None) -> int:
        """Return how many tokens fit, prompt and reply together."""
        return context or self.context

    def reply(self, context: int | None) -> int:
        """Return how many tokens are reserved for the reply: at most a quarter of the window."""
        quarter = self.window(context) // 4
        return max(1, min(self.output, quarter))
