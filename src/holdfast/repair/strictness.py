"""The strictness of a repair: model calls, rules and fix-its that are allowed, rules to learn."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

Strictness: TypeAlias = Literal["sketch", "development", "production"]
DEFAULT: Strictness = "development"
STRICT_CONFIDENCE = 0.90


@dataclass(frozen=True, slots=True)
class Allowed:
    """What one strictness allows: a row of the table.

    `unsafe_fixes` lets the user allow what is not certain: a compiler's guesses and unsafe rules;
    they pass the same `verify()`.
    """

    fresh_model_calls: bool
    rules_applied: Literal["active", "pinned"]
    new_rules: bool
    unsafe_fixes: bool


TABLE: Mapping[Strictness, Allowed] = MappingProxyType(
    {
        "sketch": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unsafe_fixes=True,
        ),
        "development": Allowed(
            fresh_model_calls=True,
            rules_applied="active",
            new_rules=True,
            unsafe_fixes=True,
        ),
        "production": Allowed(
            fresh_model_calls=False,
            rules_applied="pinned",
            new_rules=False,
            unsafe_fixes=False,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class RepairPolicy:
    """The limits of one repair.

    `strict` requires a higher confidence from the model than `confidence`. `unsafe_fixes` applies
    what is not certain, where the strictness allows that.
    """

    strictness: Strictness = DEFAULT
    strict: bool = False
    max_attempts: int = 2
    confidence: float = 0.75
    unsafe_fixes: bool = False

    @property
    def allowed(self) -> Allowed:
        """The row of this strictness."""
        return TABLE[self.strictness]

    @property
    def threshold(self) -> float:
        """The least confidence of a model that is accepted."""
        if self.strict:
            return max(self.confidence, STRICT_CONFIDENCE)
        return self.confidence

    @property
    def applies_unsafe(self) -> bool:
        """Whether guesses and unsafe rules are applied."""
        return self.unsafe_fixes and self.allowed.unsafe_fixes
