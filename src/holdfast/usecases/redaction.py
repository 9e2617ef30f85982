"""Masks for Holdfast's own keys in what a tool returns.

They must not reach a model, a log or an event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
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
    masked: Any = _masked(value, keys)
    return masked  # type: ignore[no-any-return]  # of the type it had


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _MASK)
        return value
    if isinstance(value, tuple):
        return tuple(_masked(each, secrets) for each in value)
    if isinstance(value, Mapping):
        return {key: _masked(each, secrets) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        masked = {}
        for field in fields(value):
            masked[field.name] = _masked(getattr(value, field.name), secrets)
        return replace(value, **masked)
    return value
