"""A scene: a file, the edit that is truly meant, and the lines in which a model writes it down.

Everything is lines with a mark, so that the file before, the file after and each notation of the edit are read off the
same list by plain slicing. No landing code has a part in `before` and `after`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal[" ", "-", "+"]
"""Context, removed, added."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its ending."""

    mark: Mark
    text: str

    @property
    def blank(self) -> bool:
        """Whether a reader sees nothing."""
        return not self.text.strip()


Script: TypeAlias = tuple[Line, ...]


def old_side(script: Iterable[Line]) -> list[str]:
    """The lines before the edit."""
    return [line.text for line in script if line.mark != "+"]


def new_side(script: Iterable[Line]) -> list[str]:
    """The lines after the edit."""
    return [line.text for line in script if line.mark != "-"]


def kept(texts: Iterable[str]) -> Script:
    """Lines of context."""
    return tuple(Line(" ", text) for text in texts)


def removed(texts: Iterable[str]) -> Script:
    """Lines that go."""
    return tuple(Line("-", text) for text in texts)


def added(texts: Iterable[str]) -> Script:
    """Lines that come."""
    return tuple(Line("+", text) for text in texts)


@dataclass(frozen=True, slots=True)
class Scene:
    """`above`, the old side of `true` and `below` are the file; `draft` is what the model writes of `true`."""

    name: str
    lang: str
    above: tuple[str, ...]
    true: Script
    below: tuple[str, ...]
    draft: Script
    newline: str = "\n"
    bom: bool = False
    ends: bool = True
    """Whether the last line has its newline."""

    @property
    def start(self) -> int:
        """The 1-based line at which the region begins."""
        return len(self.above) + 1

    @property
    def region(self) -> tuple[int, int]:
        """The region's lines, 0-based, end excluded."""
        return len(self.above), len(self.above) + len(old_side(self.true))

    @property
    def before_lines(self) -> tuple[str, ...]:
        """The file's lines before the edit."""
        return (*self.above, *old_side(self.true), *self.below)

    @property
    def after_lines(self) -> tuple[str, ...]:
        """The file's lines after the true edit."""
        return (*self.above, *new_side(self.true), *self.below)

    @property
    def before(self) -> str:
        """The file before the edit."""
        return self._text(self.before_lines)

    @property
    def after(self) -> str:
        """The file after the true edit."""
        return self._text(self.after_lines)

    def drafted(self, draft: Iterable[Line]) -> Scene:
        """The same file and meaning in other words."""
        return replace(self, draft=tuple(draft))

    def filed(self, true: Iterable[Line]) -> Scene:
        """The same words about a region that looks otherwise in the file."""
        return replace(self, true=tuple(true))

    def _text(self, lines: tuple[str, ...]) -> str:
        end = self.newline if self.ends and lines else ""
        return ("\ufeff" if self.bom else "") + self.newline.join(lines) + end


def is_insertion(script: Script) -> bool:
    """Whether lines are only added."""
    return not any(line.mark == "-" for line in script) and any(line.mark == "+" for line in script)


def is_deletion(script: Script) -> bool:
    """Whether lines are only removed."""
    return not any(line.mark == "+" for line in script) and any(line.mark == "-" for line in script)


def touches_change(script: Script, at: int) -> bool:
    """Whether the line at `at` stands directly beside a changed line."""
    around = script[max(0, at - 1) : at + 2]
    return any(line.mark != " " for line in around)
