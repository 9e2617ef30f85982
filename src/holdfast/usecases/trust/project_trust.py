"""The one judge of a project's own code, for turns, repairs and `holdfast trust`."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from holdfast.tools.text_limits import clean, name_first
from holdfast.vocab.trust import JudgedItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.trust.ports import TrustStore
    from holdfast.vocab.trust import CodeItem

CURE = "Trust it with `holdfast trust`, or for one command with --trust."
"""What to do about code that is not trusted."""
_MOST_NAMED = 4


class ProjectTrust:
    """What is trusted in one project.

    With `everything`, all code of the project is trusted for this process, as in CI. Without
    `remembers`, an answer is not kept: no person has given it.
    """

    def __init__(
        self, store: TrustStore, *, everything: bool = False, remembers: bool = True
    ) -> None:
        """Judge by what the store has."""
        self._store = store
        self._everything = everything
        self._remembers = remembers

    def untrusted(self, items: Sequence[CodeItem]) -> tuple[JudgedItem, ...]:
        """Return those of the items that may not run; may raise OSError."""
        if self._everything or not items:
            return ()
        return untrusted(self.judge(items))

    def allows(self, items: Sequence[CodeItem], path: str) -> bool:
        """Return whether the check of a file may run items; may raise OSError.

        A file that is itself an item is checked with texts that no person has seen yet.
        """
        if self._everything:
            return True
        if any(item.path == path for item in items):
            return False
        return not self.untrusted(items)

    def judge(self, items: Sequence[CodeItem]) -> tuple[JudgedItem, ...]:
        """Return the state of each item by what a person has trusted; may raise OSError."""
        return judge_items(items, self._store.read())

    def accept(self, judged: Sequence[JudgedItem]) -> None:
        """Trust items from now on, as a person has answered; may raise OSError."""
        if self._remembers:
            self._store.add([each.item for each in judged])

    def revoke(self) -> None:
        """Trust nothing of the project any more; may raise OSError."""
        self._store.clear()


def judge_items(items: Sequence[CodeItem], trusted: Sequence[CodeItem]) -> tuple[JudgedItem, ...]:
    """Return the state of each item; `trusted` is in the order in which it was trusted.

    >>> from holdfast.vocab.trust import CodeItem
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
    return name_first(names, _MOST_NAMED)


def describe_items(judged: Sequence[JudgedItem]) -> str:
    """Return what a person has to see before trusting items: each text, or how it has changed."""
    parts: list[str] = []
    for each in judged:
        item = each.item
        parts.append(f"{item.kind} {item.path}: {each.state}, sha256 {item.digest[:12]}")
        shown = _shown_text(each)
        if shown:
            parts.append(clean(shown).rstrip("\n"))

    return "\n".join(parts)


def _shown_text(judged: JudgedItem) -> str:
    """Return the diff to the text that was trusted; of a new item, all lines are new."""
    item = judged.item
    if item.text is None:
        return ""

    before = judged.trusted_text
    if before is None:
        before = ""

    lines = unified_diff(before.split("\n"), item.text.split("\n"), lineterm="")
    # Without the two lines of file names.
    return "\n".join(list(lines)[2:])
