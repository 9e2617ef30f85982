"""The dialect of an agent that prints plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.dialect import Dialect
from holdfast.vocab.events import TextArrived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentUpdate


class TextDialect(Dialect):
    """Every line is text; the exit code says how the turn ended."""

    is_silent = True

    def read(self, line: str) -> list[AgentUpdate]:
        """Return the line as text, also a blank one."""
        return [TextArrived(f"{line}\n")]

    def read_value(self, value: object) -> Iterator[AgentUpdate]:  # noqa: ARG002 - inherited
        """Yield nothing: no line is read as JSON."""
        yield from ()
