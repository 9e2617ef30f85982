"""A tool: its name, its arguments, what it does; its description stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from holdfast.tools.arguments import schema_of
from holdfast.tools.context import ToolContext
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.tool_calls import ToolSpec
from holdfast.vocab.tool_outcome import ToolOutcome


@dataclass(frozen=True, slots=True)
class Tool:
    """What a model can call. `run` gets the arguments as their model."""

    name: str
    arguments: type[BaseModel]
    run: Callable[[Any, ToolContext, Cancel], ToolOutcome]
    changes: bool = False

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        description = (Path(__file__).parent / f"{self.name}.md").read_text("utf-8").strip()
        return ToolSpec(self.name, description, schema_of(self.arguments), self.changes)
