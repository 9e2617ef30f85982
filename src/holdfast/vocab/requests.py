"""The edits that a model requests, and for which file."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace `old` by `new`. `near_line` (1-based) selects one of several places, `every` all."""

    old: str
    new: str
    near_line: int | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """The part of a unified diff that is about one file.

    `unwrap` accepts one clean fence or a little prose around it.
    """

    diff: str
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines `start` to `end` (1-based, both included) become `new`.

    `start=n, end=n-1` inserts before line n.
    """

    start: int
    end: int
    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class LineEdits:
    """Edits by line number.

    `shown` is the text that the numbers refer to, if it is not the present file.
    """

    edits: tuple[LineEdit, ...]
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write the whole file."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """Readings of one ambiguous block (a second `=======`).

    The only one that lands is the one that was meant.
    """

    readings: tuple[Replace, ...]


Request: TypeAlias = Replace | Patch | LineEdits | WriteFile | OneOf

Action: TypeAlias = Literal["edit", "create", "delete", "rename"]


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request and its file.

    `request` is None for a delete, and for a rename that changes no text. `to` is the new path of a
    rename.
    """

    path: str
    action: Action
    request: Request | None = None
    to: str | None = None
