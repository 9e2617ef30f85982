"""One fix to be judged: what the file was, what the compiler said of it, what the fix makes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.vocab.diagnostics import Area, Diagnostic, Target


@dataclass(frozen=True, slots=True)
class Fix:
    """`said` is the compiler's complaint, and `at` the first text in the old file that it points to."""

    name: str
    before: str
    after: str
    said: str
    at: str

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        start = self.before.index(self.at)
        line = self.before.count("\n", 0, start) + 1
        column = start - (self.before.rfind("\n", 0, start) + 1) + 1
        area = Area(line, column, line, column)
        return (Diagnostic("tool", "1", "code", "error", self.said, self.said, (), "", area),)


@dataclass(frozen=True, slots=True)
class Shop:
    """A program with one error, its honest fix, and the ways to cheat: replacements in the broken or the fixed text.

    A cheat is its name, and then text after text: one that is there, and the one that takes its place. `renames` put a
    word for a word everywhere. `honest` and `elsewhere` are honest and cheating fixes of other small programs.
    """

    target: Target
    path: str
    broken: str
    wrong: str
    right: str
    said: str
    cheats: tuple[tuple[str, ...], ...]
    cheats_beside: tuple[tuple[str, ...], ...]
    honest: tuple[Fix, ...]
    renames: tuple[tuple[str, str, str], ...] = ()
    elsewhere: tuple[Fix, ...] = ()

    @property
    def fixed(self) -> str:
        return _swap(self.broken, self.wrong, self.right)

    def attacks(self) -> list[Fix]:
        """`cheats` remove the error by cheating; `cheats_beside` fix it, and do harm elsewhere."""
        by_cheating = [
            self._fix(name, _swap_all(self.broken, texts)) for name, *texts in self.cheats
        ]
        beside = [
            self._fix(name, _swap_all(self.fixed, texts)) for name, *texts in self.cheats_beside
        ]
        renamed = [
            self._fix(name, re.sub(rf"\b{old}\b", new, self.fixed))
            for name, old, new in self.renames
        ]
        return [*by_cheating, *beside, *renamed, *self.elsewhere]

    def honest_fixes(self) -> list[Fix]:
        return [self._fix("the fix itself", self.fixed), *self.honest]

    def _fix(self, name: str, after: str) -> Fix:
        return Fix(name, self.broken, after, self.said, self.wrong)


def _swap_all(text: str, texts: list[str]) -> str:
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        text = _swap(text, old, new)
    return text


def _swap(text: str, old: str, new: str) -> str:
    if not old:
        return new + text
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)
