"""The strictness of a repair: model calls, rules and fix-its that are allowed, rules to learn."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

Strictness: TypeAlias = Literal["sketch", "development", "production"]
DEFAULT: Strictness = "development"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What one strictness allows: a row of the table.

    `unreviewed` lists a new rule as not reviewed yet. `guessed_fixits` also applies the fix-its
    that the compiler itself does not call safe; they pass the same `verify()`.
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
    """The limits of one repair. `strict` requires a higher confidence from the model."""

    strictness: Strictness = DEFAULT
    strict: bool = False
    max_attempts: int = 2

    @property
    def allowed(self) -> Allowed:
        """The row of this strictness."""
        return TABLE[self.strictness]
