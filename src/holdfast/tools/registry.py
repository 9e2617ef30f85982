"""All tools. This module imports pydantic; `prompt.tool_profiles` has the names without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
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
