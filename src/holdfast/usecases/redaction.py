"""Masks for Holdfast's own keys in what a tool returns.

They must not reach a model, a log or an event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.loop.ports import Toolbox
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.tool_calls import ToolCall, ToolSpec
    from holdfast.vocab.tool_outcome import ToolOutcome

_SHORTEST = 6
"""A shorter word is no key, and would be found in any text."""
_MASK = "[a key of Holdfast, not shown]"

_Value = TypeVar("_Value")


class RedactedToolbox:
    """A toolbox that removes secrets from its outcomes (port `Toolbox`)."""

    def __init__(self, toolbox: Toolbox, secrets: Sequence[str]) -> None:
        """Mask the secrets in the outcomes of the toolbox."""
        self._toolbox = toolbox
        self._secrets = tuple(secrets)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the model is offered."""
        return self._toolbox.specs

    @property
    def withheld(self) -> frozenset[str]:
        """The names of tools that there are, but not in this session."""
        return self._toolbox.withheld

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        """Run a call, and return its outcome without the secrets."""
        return redact(self._toolbox.run(call, cancel), self._secrets)

    def tree(self) -> str:
        """Return a digest of the files as they are now."""
        return self._toolbox.tree()


def redact(value: _Value, secrets: Sequence[str]) -> _Value:
    """Return plain frozen data with each secret in it masked.

    >>> redact(("key=sk-123456", 1), ["sk-123456"])
    ('key=[a key of Holdfast, not shown]', 1)
    """
    keys = [secret for secret in secrets if len(secret) >= _SHORTEST]

    def mask(text: str) -> str:
        for key in keys:
            text = text.replace(key, _MASK)
        return text

    return map_texts(value, mask)


def map_texts(value: _Value, change: Callable[[str], str]) -> _Value:
    """Return plain frozen data with each text in it changed."""
    changed: Any = _mapped(value, change)
    return changed  # type: ignore[no-any-return]  # of the type it had


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)(_mapped(each, change) for each in value)
    if isinstance(value, Mapping):
        return {key: _mapped(each, change) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in fields(value):
            changed[field.name] = _mapped(getattr(value, field.name), change)
        return replace(value, **changed)

    return value
