"""A tool: its name, arguments and function. Its description is the file `<name>.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.tools.arguments import schema_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.tool_calls import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from holdfast.tools.context import ToolContext
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.tool_outcome import ToolOutcome


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model can call. `run` receives an instance of `arguments`."""

    name: str
    arguments: type[BaseModel]
    run: Callable[[Any, ToolContext, Cancel], ToolOutcome]
    changes: bool = False

    @property
    def spec(self) -> ToolSpec:
        """The name, description and schema that are sent to a model."""
        file = Path(__file__).parent / f"{self.name}.md"
        description = file.read_text("utf-8").strip()
        return ToolSpec(self.name, description, schema_of(self.arguments), self.changes)
