"""What of a project runs on this machine, and whether a person has trusted exactly that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

CodeKind: TypeAlias = Literal[
    "tool", "configuration", "plugin", "build", "check", "filter", "server"
]
"""Why a project's file runs, or is run by something.

`tool`: a program of the project. `configuration`: settings that make a tool load code. `plugin`:
code that a tool loads. `build`: what a build runs. `check`: the command in the project's settings.
`filter`: a program that git runs. `server`: the address that the project's settings name.
"""
_MOST_NAMED = 4
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


def judge_items(items: Sequence[CodeItem], trusted: Sequence[CodeItem]) -> tuple[JudgedItem, ...]:
    """Return the state of each item; `trusted` is in the order in which it was trusted.

    >>> item = CodeItem("tool", "a", "1")
    >>> judge_items([item], [CodeItem("tool", "a", "0", "old")])[0].state
    'changed'
    """
    return tuple(_judge(item, trusted) for item in items)


def _judge(item: CodeItem, trusted: Sequence[CodeItem]) -> JudgedItem:
    same_place = [each for each in trusted if (each.kind, each.path) == (item.kind, item.path)]
    if any(each.digest == item.digest for each in same_place):
        return JudgedItem(item, "trusted")
    if not same_place:
        return JudgedItem(item, "new")
    return JudgedItem(item, "changed", same_place[-1].text)


def untrusted(judged: Sequence[JudgedItem]) -> tuple[JudgedItem, ...]:
    """Return the items that are new or have changed."""
    return tuple(each for each in judged if each.state != "trusted")


def name_items(judged: Sequence[JudgedItem]) -> str:
    """Return the paths of the first items with their states, for a sentence."""
    names = [f"{each.item.path} ({each.item.kind}, {each.state})" for each in judged]
    named = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    if more <= 0:
        return named
    return f"{named} and {more} more"
