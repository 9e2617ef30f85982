"""What a checkpoint left out, as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.tools.text_limits import name_first

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED = 10
"""How many ignored paths are named; of the others only the number is said."""


class _SkippedPath(Protocol):
    """A path that a checkpoint left out, and why."""

    @property
    def path(self) -> str: ...
    @property
    def why(self) -> str: ...


def skipped_lines(skipped: Iterable[_SkippedPath]) -> list[str]:
    """Return a line for each path that a checkpoint left out; ignored paths share one line."""
    lines: list[str] = []
    ignored: list[str] = []
    for each in skipped:
        if each.why.startswith("ignored"):
            ignored.append(each.path)
        else:
            lines.append(f"left out: {each.path} ({each.why})")

    if ignored:
        lines.append(f"ignored by git, and not in the checkpoint: {name_first(ignored, _NAMED)}")

    return lines
