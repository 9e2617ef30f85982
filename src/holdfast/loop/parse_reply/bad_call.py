"""A call that is not run."""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.tool_calls import FailureKind, ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_NAME: Final = 64
_LONGEST: Final = 400
"""The model has to send a refused file again anyway, so a long value only fills the history."""


@dataclass(frozen=True, slots=True)
class BadCall:
    """A call that cannot be run. `message` explains why to the model; `raw` is what it wrote.

    `name` is one that every server accepts in a history; `arguments` are those that were readable.
    """

    id: str
    name: str
    raw: str
    failure: FailureKind
    message: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def as_call(self) -> ToolCall:
        """Return the call as it goes into the history: valid JSON, and short."""
        return ToolCall(self.id, self.name, self.arguments)


def keep_short(value: Any) -> dict[str, Any]:
    """Return the fields of `value` that are short enough for the history."""
    if not isinstance(value, dict):
        return {}

    kept = {}
    for name, item in value.items():
        if len(name) > _LONGEST_NAME:
            continue
        size = len(json.dumps(item))
        if size <= _LONGEST:
            kept[name] = item

    return kept
