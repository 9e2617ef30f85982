"""How far a turn may go."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.guards.step_cap import StepCaps

CAPS = StepCaps()
"""Soft 60 while there is progress, hard 200."""


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """The caps on steps; how many tokens a reply may have; the context to assume where the server does not say."""

    caps: StepCaps = CAPS
    output: int = 4096
    context: int = 32_768

    def window(self, context: int | None) -> int:
        """How many tokens fit, prompt and reply together."""
        return context or self.context

    def reply(self, context: int | None) -> int:
        """How many of them are kept for the reply: in a small context no more than a quarter."""
        return max(1, min(self.output, self.window(context) // 4))
