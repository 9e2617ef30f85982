"""What a model asks of one file, and of which file it asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Replace:
    """Text for text. `near_line` (1-based) picks one of several equal places; `every` takes them all."""

    old: str
    new: str
    near_line: int | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """One file's share of a unified diff. `unwrap` accepts one clean fence or a little prose around it."""

    diff: str
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines `start` to `end` (1-based, both included) become `new`; `start=n, end=n-1` inserts before line n."""

    start: int
    end: int
    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class LineEdits:
    """Edits by line number. `shown` is the text the numbers were read from, if that is not the file of now."""

    edits: tuple[LineEdit, ...]
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class WriteFile:
    """The whole file."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """Readings of one ambiguous block (a second `=======`): the only one that lands is the one that was meant."""

    readings: tuple[Replace, ...]


Request: TypeAlias = Replace | Patch | LineEdits | WriteFile | OneOf

Action: TypeAlias = Literal["edit", "create", "delete", "rename"]


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request and the file it is for.

    `request` is None for a delete, and for a rename that changes no text. `to` is the new path of a rename.
    """

    path: str
    action: Action
    request: Request | None = None
    to: str | None = None
