"""Replace text in one file."""

from __future__ import annotations

from holdfast.changes.ports import FileMissing
from holdfast.landing.explain import EDIT_FORMAT
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext
from holdfast.tools.edits.land_edits import EditCall, edit
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.requests import FileRequest, Replace, WriteFile
from holdfast.vocab.tool_outcome import ToolOutcome


class EditFileTool(StrictArguments):
    """Text for text."""

    path: str
    old: str
    new: str
    near_line: int | None = None
    every: bool | None = None


def edit_file(asked: EditFileTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Land the replacement."""
    path = bench.plain(asked.path)
    request = FileRequest(
        path, "edit", Replace(asked.old, asked.new, asked.near_line, every=bool(asked.every))
    )
    # Nothing in a file that is not there becomes this text: a new file, and there is no other way to read it.
    if not asked.old.strip() and isinstance(bench.ports.files.look(path), FileMissing):
        request = FileRequest(path, "create", WriteFile(asked.new))
    return edit(EditCall((request,), "edit_error", EDIT_FORMAT), bench)


TOOL = Tool("edit_file", EditFileTool, edit_file, changes=True)
