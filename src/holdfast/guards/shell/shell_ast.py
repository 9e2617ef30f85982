"""What a command line consists of: simple commands, their words and redirections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Expansion: TypeAlias = Literal["none", "harmless", "command", "variable"]
"""What stands in a word besides plain text; the later, the less is known about it."""


@dataclass(frozen=True, slots=True)
class ShellWord:
    """A word without its quotes. `glob`: a shell would put file names here; `bare`: nothing of it was quoted."""

    text: str
    expansion: Expansion = "none"
    glob: bool = False
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` and where it goes to or comes from."""

    operator: str
    target: ShellWord


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A simple command. `pipeline` is equal for those connected by `|`.

    `inside` is the index of the command in one of whose words it stands.
    """

    words: tuple[ShellWord, ...]
    assignments: tuple[str, ...]
    redirects: tuple[Redirect, ...]
    pipeline: int
    inside: int | None

    @property
    def name(self) -> str:
        """The program, without its directory; empty if there is none."""
        return self.words[0].text.rsplit("/", 1)[-1] if self.words else ""


@dataclass(frozen=True, slots=True)
class ShellScript:
    """All simple commands in the order in which they begin, and why some of it may be read wrongly.

    `operators`: something in it, besides quotes, only a shell can do. `bodies` are its here-documents.
    """

    commands: tuple[SimpleCommand, ...]
    doubts: tuple[str, ...]
    operators: bool
    bodies: tuple[str, ...] = ()
