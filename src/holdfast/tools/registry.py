"""All tools there are. It imports pydantic: whoever only wants to know names asks `profile`."""

from __future__ import annotations

from holdfast.tools import (
    apply_edits,
    edit_file,
    find_files,
    list_dir,
    read_file,
    run_command,
    search,
    write_file,
    write_patch,
)
from holdfast.tools.tool import Tool

TOOLS: dict[str, Tool] = {
    module.TOOL.name: module.TOOL
    for module in (
        read_file,
        search,
        find_files,
        list_dir,
        edit_file,
        write_patch,
        apply_edits,
        write_file,
        run_command,
    )
}
