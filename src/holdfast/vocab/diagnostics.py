"""What a compiler or checker says about code: one shape for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Target: TypeAlias = Literal[
    "python", "javascript", "typescript", "c", "cpp", "rust", "java", "go", "any"
]
"""A language that can be checked and repaired; `any` is one that only a custom command checks."""
Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """From a line and column to another, 1-based, columns in characters; the end is not part of it.

    A tool that gives one point only has start and end alike.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class TextEdit:
    """The text in an area of a file becomes `text`."""

    path: str
    area: Area
    text: str


@dataclass(frozen=True, slots=True)
class FixIt:
    """A fix that the tool itself proposes. `safe` is the tool's own word that the meaning stays."""

    message: str
    edits: tuple[TextEdit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that the diagnostic is about."""

    message: str
    path: str
    area: Area | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint. `template` is the message with its names taken out (`{0}`, `{1}`, …), which are `args`.

    `code` is the tool's own name for the kind of complaint, "" if it has none. `path` is as the tool was given it.
    """

    tool: str
    tool_version: str
    code: str
    severity: Severity
    message: str
    template: str
    args: tuple[str, ...]
    path: str
    area: Area | None
    fixits: tuple[FixIt, ...] = ()
    related: tuple[Related, ...] = ()
