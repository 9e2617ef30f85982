"""A call that is not run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.vocab.tool_calls import FailureKind, ToolCall

_LONGEST: Final = 400
"""A refused file of 30 KB has no business in the history: the model is asked for it again anyway."""


@dataclass(frozen=True, slots=True)
class BadCall:
    """A call that cannot be run. `message` is the sentence for the model; `raw` is what it had written.

    `name` is one that every server takes back; `arguments` are what could be read.
    """

    id: str
    name: str
    raw: str
    failure: FailureKind
    message: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def as_call(self) -> ToolCall:
        """Give the form that goes into the history: always valid JSON, and short."""
        return ToolCall(self.id, self.name, self.arguments)


def keep_short(value: Any) -> dict[str, Any]:
    """Give the fields of what was read that are short enough for the history."""
    if not isinstance(value, dict):
        return {}
    return {
        name: item
        for name, item in value.items()
        if len(name) <= 64 and len(json.dumps(item)) <= _LONGEST
    }
