"""How strictly a repair is held: what may be asked, which rules may be applied, what may be learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Strictness: TypeAlias = Literal["sketch", "development", "production"]
DEFAULT: Strictness = "development"


@dataclass(frozen=True, slots=True)
class Allowed:
    """One row of the table.

    `unreviewed` lists a new rule as one that nobody has looked at; `guessed_fixits` takes a compiler's fix-its too
    that it does not itself call safe: they pass the same `verify()`.
    """

    fresh_model_calls: bool
    rules_applied: Literal["active", "pinned"]
    new_rules: bool
    unreviewed: bool
    guessed_fixits: bool


TABLE: Mapping[Strictness, Allowed] = MappingProxyType(
    {
        "sketch": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unreviewed=False,
            guessed_fixits=True,
        ),
        "development": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unreviewed=True,
            guessed_fixits=True,
        ),
        "production": Allowed(
            fresh_model_calls=False,
            rules_applied="pinned",
            new_rules=False,
            unreviewed=False,
            guessed_fixits=False,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class RepairPolicy:
    """What one repair may do. `strict` asks the model to be surer of itself."""

    strictness: Strictness = DEFAULT
    strict: bool = False
    max_attempts: int = 2

    @property
    def allowed(self) -> Allowed:
        """What the strictness allows."""
        return TABLE[self.strictness]
