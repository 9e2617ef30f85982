"""What of a project runs on this machine, and whether a person has trusted exactly that."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

CodeKind: TypeAlias = Literal[
    "tool", "configuration", "plugin", "build", "check", "filter", "server"
]
"""Why a project's file runs, or is run by something.

`tool`: a program of the project. `configuration`: settings that make a tool load code. `plugin`:
code that a tool loads. `build`: what a build runs. `check`: the command in the project's settings.
`filter`: a program that git runs. `server`: the address that the project's settings name.
"""
TrustState: TypeAlias = Literal["trusted", "new", "changed"]


@dataclass(frozen=True, slots=True)
class CodeItem:
    """One thing of a project that runs, and the hash of its content.

    `path` is relative to the root. `text` is the content, if it is a short text.
    """

    kind: CodeKind
    path: str
    digest: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item, whether it is trusted, and the text that was trusted before it changed."""

    item: CodeItem
    state: TrustState
    trusted_text: str | None = None
