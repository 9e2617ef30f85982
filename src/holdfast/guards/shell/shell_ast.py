"""The parts of a command line: simple commands, their words and redirections."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

Expansion: TypeAlias = Literal["none", "harmless", "command", "variable"]
"""What a word contains besides plain text, ordered from known to unknown."""


@dataclass(frozen=True, slots=True)
class ShellWord:
    """A word without its quotes. `glob`: a shell would expand it to file names; `bare`.

    Nothing was quoted.
    """

    text: str
    expansion: Expansion = "none"
    glob: bool = False
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection: its `operator` and the file that it writes or reads."""

    operator: str
    target: ShellWord


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A simple command. Commands connected by `|` have the same `pipeline`.

    `inside` is the index of the command whose word contains this one, as in `echo $(pwd)`.
    """

    words: tuple[ShellWord, ...]
    assignments: tuple[str, ...]
    redirects: tuple[Redirect, ...]
    pipeline: int
    inside: int | None

    @property
    def name(self) -> str:
        """The program without its directory, or "" if there is none."""
        return self.words[0].text.rsplit("/", 1)[-1] if self.words else ""


@dataclass(frozen=True, slots=True)
class ShellScript:
    """All simple commands in the order in which they begin.

    `doubts` are reasons why the parse may be wrong.

    `operators`: the line needs a shell for more than quotes. `bodies` are the here-documents.
    """

    commands: tuple[SimpleCommand, ...]
    doubts: tuple[str, ...]
    operators: bool
    bodies: tuple[str, ...] = ()
