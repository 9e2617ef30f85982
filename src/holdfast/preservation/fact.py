"""One fact about what the code of a text does."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

FactKind: TypeAlias = Literal[
    "call",
    "name",
    "literal",
    "comparison",
    "logic",
    "arithmetic",
    "stop",
    "guard",
    "handler",
    "discard",
    "evasion",
    "wide type",
    "wider type",
    "literal type",
    "constant result",
    "made up",
    "compiled out",
    "nothing",
    "constant",
    "computed",
    "copy",
    "copied variable",
    "shared case",
    "cast",
    "alias",
    "import alias",
    "set in condition",
    "order",
    "idle string",
    "idle body",
    "visibility",
    "declared",
    "exported",
    "function",
    "parameter",
    "default",
    "type",
    "no type",
]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the code does; `start` is where the word of it begins."""

    kind: FactKind
    text: str
    start: int
