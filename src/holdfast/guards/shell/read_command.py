"""A command that only reads: its words, and what they name."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

GitContent: TypeAlias = Literal["none", "present", "history"]
"""Which contents of files git may print: none; those of the index and HEAD; those of any commit."""


@dataclass(frozen=True, slots=True)
class ReadCommand:
    """A command that only reads, with the words to execute.

    `paths` are the files and directories that it names. `prints`: it may print their contents, not
    only their names. `git` is set for git; then `revisions` are the words that may name revisions.
    """

    argv: tuple[str, ...]
    paths: tuple[str, ...]
    prints: bool = True
    git: GitContent | None = None
    revisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRead:
    """The command is not one that only reads; `why` is part of the question."""

    why: str
