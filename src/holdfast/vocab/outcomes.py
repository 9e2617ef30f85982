"""The results of landing: where a text is, and whether an edit landed."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias, get_args

from holdfast.vocab.lazy_dataclass import dataclass

Rung: TypeAlias = Literal["exact", "whitespace", "unicode", "unmangled", "elision", "similar"]
"""One step of the match ladder, strictest first."""
RUNGS: tuple[Rung, ...] = get_args(Rung)

Reason: TypeAlias = Literal[
    "not_found",
    "ambiguous",
    "already_applied",
    "no_change",
    "malformed",
    "conflict",
    "out_of_bounds",
    "overlap",
    "elision",
    "syntax",
    "stale",
    "empty_old",
]


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]`, which begins on line `line` (1-based)."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Exact:
    """The text is there, character for character, once."""

    span: Span


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """The text is there once, on a looser rung.

    `similarity` is 1.0 where only white space or typography differs.
    """

    span: Span
    rung: Rung
    similarity: float


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text matches several places; `candidates` are their line numbers."""

    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """The text is not there; `closest` shows the real lines most like it, numbered."""

    closest: str


Match: TypeAlias = Exact | Fuzzy | Ambiguous | NotFound


@dataclass(frozen=True, slots=True)
class Landed:
    """The edit landed.

    `text` is the whole new file, `spans` are the places of the old text that changed.
    """

    text: str
    diff: str
    rung: Rung
    similarity: float
    spans: tuple[Span, ...]
    warning: str | None = None
    landed: ClassVar[Literal[True]] = True


@dataclass(frozen=True, slots=True)
class Refused:
    """The edit did not land; `message` says where, what, and the next step.

    `closest` shows the real lines most like the old text, numbered; `candidates` are the lines of
    the possible places.
    """

    reason: Reason
    message: str
    closest: str = ""
    candidates: tuple[int, ...] = ()
    kind: Literal["patch_error", "edit_error"] = "edit_error"
    veto: str = ""
    """The name of the check that refused the closest place; "" where none did."""
    landed: ClassVar[Literal[False]] = False


Outcome: TypeAlias = Landed | Refused
