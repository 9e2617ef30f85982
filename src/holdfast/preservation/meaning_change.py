"""A change of meaning that a fix makes, and the rules that find such changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.preservation.edit_facts import EditFacts

ChangeSeverity: TypeAlias = Literal["refused", "review"]


@dataclass(frozen=True, slots=True)
class MeaningChange:
    """A change of meaning; `reason` is a sentence for the model and the person."""

    severity: ChangeSeverity
    reason: str


MeaningRule: TypeAlias = Callable[["EditFacts"], MeaningChange | None]


def refused(reason: str) -> MeaningChange:
    """Return a change that is never a fix."""
    return MeaningChange("refused", reason)


def review(reason: str) -> MeaningChange:
    """Return a change that a person has to judge."""
    return MeaningChange("review", reason)
