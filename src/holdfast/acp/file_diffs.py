"""The files of a change as diffs of the protocol: whole texts, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp import text_block, tool_content, tool_diff_content

from holdfast.changes.change_log import LogUnavailable
from holdfast.landing.encoding import decode
from holdfast.wiring.workspaces import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from acp.helpers import ToolCallContentVariant

    from holdfast.changes.swaps import Content, Swap
    from holdfast.vocab.change_events import EditLanded, EditObserved

_LARGEST = 500_000
"""Bytes of a file above which only the lines that changed are sent."""


class FileDiffs:
    """Reads the contents of changes below a root."""

    def __init__(self, root: Path) -> None:
        """Set the root; nothing is read."""
        self.root = root

    def of(self, event: EditLanded | EditObserved) -> list[ToolCallContentVariant]:
        """Return an edit as diffs of whole files; as text where that cannot be."""
        swaps = self._swaps(event.change_id or "")
        found: list[ToolCallContentVariant] = []
        for swap in swaps:
            if swap.path not in {event.path, event.to}:
                continue
            before, after = _text(swap.before), _text(swap.after)
            if before is None or after is None:
                return [_as_text(event)]
            path = str(self.root / swap.path)
            if swap.before is None:
                found.append(tool_diff_content(path, after))
            else:
                found.append(tool_diff_content(path, after, before))

        return found or [_as_text(event)]

    def _swaps(self, change_id: str) -> tuple[Swap, ...]:
        try:
            with open_workspace(self.root) as workspace:
                change = workspace.log.get(change_id)
        except (LogUnavailable, OSError):
            return ()

        if change is None:
            return ()

        return change.plan.swaps


def _text(content: Content | None) -> str | None:
    """Return the text of a file, "" if there is none; None if it is binary or too large."""
    if content is None:
        return ""
    if content.is_link or len(content.data) > _LARGEST or b"\0" in content.data[:8000]:
        return None
    return decode(content.data).text


def _as_text(event: EditLanded | EditObserved) -> ToolCallContentVariant:
    return tool_content(text_block(f"```diff\n{event.diff}\n```"))
