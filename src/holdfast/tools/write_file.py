"""Write a whole file."""

from __future__ import annotations

from holdfast.tools.arguments import StrictArguments
from holdfast.tools.bench import Bench
from holdfast.tools.edits import Asked, edit
from holdfast.tools.ports import Cancel
from holdfast.tools.tool import Tool
from holdfast.vocab.calls import ToolOutcome
from holdfast.vocab.requests import FileRequest
from holdfast.vocab.requests import WriteFile as Whole

_FORMAT = '{"path": "src/app.py", "text": "def main():\\n    return 2\\n"}'


class WriteFile(StrictArguments):
    """The whole text of a file."""

    path: str
    text: str


def write_file(asked: WriteFile, bench: Bench, _: Cancel) -> ToolOutcome:
    """Land the text, over the file that is there or as a new one."""
    request = FileRequest(bench.plain(asked.path), "create", Whole(asked.text))
    return edit(Asked((request,), "edit_error", _FORMAT, overwrite=True), bench)


TOOL = Tool("write_file", WriteFile, write_file, changes=True)
