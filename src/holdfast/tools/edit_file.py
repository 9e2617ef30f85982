"""Tool: replace text in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.ports import FileMissing
from holdfast.landing.explain import EDIT_FORMAT
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.edits.land_edits import EditCall, edit
from holdfast.tools.tool import Tool
from holdfast.vocab.requests import FileRequest, Replace, WriteFile

if TYPE_CHECKING:
    from holdfast.tools.context import ToolContext
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.tool_outcome import ToolOutcome


class EditFileTool(StrictArguments):
    """A text of the file, and the text to replace it with."""

    path: str
    old: str
    new: str
    near_line: int | None = None
    every: bool | None = None


def edit_file(arguments: EditFileTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Land the replacement."""
    path = context.plain(arguments.path)
    replacement = Replace(
        arguments.old, arguments.new, arguments.near_line, every=bool(arguments.every)
    )
    request = FileRequest(path, "edit", replacement)
    # An empty `old` in a missing file can only mean a new file with the text of `new`.
    is_blank = not arguments.old.strip()
    if is_blank and isinstance(context.ports.files.look(path), FileMissing):
        request = FileRequest(path, "create", WriteFile(arguments.new))

    call = EditCall((request,), "edit_error", EDIT_FORMAT)
    return edit(call, context)


TOOL = Tool("edit_file", EditFileTool, edit_file, changes=True)
