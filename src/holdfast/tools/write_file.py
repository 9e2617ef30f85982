"""Tool: write a whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.tools.arguments import StrictArguments
from holdfast.tools.edits.land_edits import EditCall, edit
from holdfast.tools.tool import Tool
from holdfast.vocab.requests import FileRequest, WriteFile

if TYPE_CHECKING:
    from holdfast.tools.context import ToolContext
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.tool_outcome import ToolOutcome

_FORMAT = '{"path": "src/app.py", "text": "def main():\\n    return 2\\n"}'


class WriteFileTool(StrictArguments):
    """The whole text of a file."""

    path: str
    text: str


def write_file(arguments: WriteFileTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Land the text as a new file, or in place of an existing one."""
    path = context.plain(arguments.path)
    request = FileRequest(path, "create", WriteFile(arguments.text))
    call = EditCall((request,), "edit_error", _FORMAT, overwrite=True)
    return edit(call, context)


TOOL = Tool("write_file", WriteFileTool, write_file, changes=True)
