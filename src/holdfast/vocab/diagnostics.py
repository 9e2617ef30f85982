"""Diagnostics of compilers and checkers, in one shape for all tools."""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

Target: TypeAlias = Literal[
    "python", "javascript", "typescript", "c", "cpp", "rust", "java", "go", "any"
]
"""A language that can be checked and repaired; `any` is one that only a custom command checks."""
Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Area:
    """From a line and column to another, 1-based, columns in characters; the end is not part of it.

    For a tool that reports only a point, start and end are equal.
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
    """A fix that the tool itself proposes. `safe`: the tool says that it keeps the meaning."""

    message: str
    edits: tuple[TextEdit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that the diagnostic mentions."""

    message: str
    path: str
    area: Area | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of a compiler or checker.

    `template` is the message with its names replaced by `{0}`, `{1}`, …; `args` are the names.
    `code` is the tool's name for the kind of message, or "". `path` is spelled as it was passed to
    the tool.
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
