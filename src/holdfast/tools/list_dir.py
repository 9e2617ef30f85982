"""Tool: list a directory."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileUnfit
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ToolContext, failed, prefix_of, refuse_path
from holdfast.tools.ports import Directory, DirectoryEntry, NothingThere, Regular
from holdfast.tools.text_limits import count
from holdfast.tools.tool import Tool
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.cancellation import Cancel

_MOST = 200
_MARKS = {"directory": "/", "link": " (symlink)", "other": " (no regular file)"}


class ListDirTool(Arguments):
    """The directory to list; None for the root."""

    path: str | None = None


def list_dir(arguments: ListDirTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Check the path and show the names in the directory, directories first."""
    path = context.plain(arguments.path or "").rstrip("/")
    place = context.ports.folders.place(path)
    match place:
        case FileUnfit():
            return refuse_path(place)
        case Regular():
            return failed(f"{path}: this is a file; use read_file to read it.")
        case NothingThere():
            entries = _with_covered(path, (), context)
            if not entries:
                return _missing(path, context)
            return _show(path, entries, more=False)
        case Directory():
            entries = _with_covered(path, place.entries, context)
            return _show(path, entries, more=place.more)


def _with_covered(
    path: str, on_disk: Sequence[DirectoryEntry], context: ToolContext
) -> list[DirectoryEntry]:
    """Return the entries with proposed files added, and without files proposed for deletion."""
    entries = {entry.name: entry for entry in on_disk}
    prefix = prefix_of(path)
    for name, text in context.covered().items():
        if not name.startswith(prefix):
            continue
        first, _, rest = name.removeprefix(prefix).partition("/")
        if rest:
            if text is not None:
                entries.setdefault(first, DirectoryEntry(first, "directory"))
            continue
        if text is None:
            entries.pop(first, None)
            continue
        size = len(text.encode("utf-8", "replace"))
        entries.setdefault(first, DirectoryEntry(first, "file", size))

    return list(entries.values())


def _show(path: str, entries: list[DirectoryEntry], *, more: bool) -> ToolOutcome:
    entries.sort(key=lambda entry: (entry.kind != "directory", entry.name))
    content = "nothing is in it"
    if entries:
        content = count(len(entries), "entry", "entries")

    lines = [f"{path or '.'}: {content}."]
    lines += map(_line, entries[:_MOST])
    left = len(entries) - _MOST
    if more:
        lines.append("(and more; use find_files to look for a name)")
    elif left > 0:
        lines.append(f"({left} more; use find_files to look for a name)")

    read: tuple[str, ...] = ()
    if path:
        read = (path,)

    return ToolOutcome("\n".join(lines), read=read)


def _line(entry: DirectoryEntry) -> str:
    if entry.kind == "file":
        return f"{entry.name} ({_size(entry.size)})"
    return entry.name + _MARKS[entry.kind]


def _size(size: int) -> str:
    if size < 1_000:
        return count(size, "byte")
    if size < 1_000_000:
        return f"{size / 1_000:.1f} KB"
    return f"{size / 1_000_000:.1f} MB"


def _missing(path: str, context: ToolContext) -> ToolOutcome:
    problem = f"{path}: there is no such directory"
    parent, _, name = path.rpartition("/")
    above = context.ports.folders.place(parent)
    if not isinstance(above, Directory):
        return failed(f"{problem}; list the directory above it to see what there is.")

    directories = [entry.name for entry in above.entries if entry.kind == "directory"]
    near = get_close_matches(name, directories)
    if near:
        prefix = prefix_of(parent)
        paths = " or ".join(f"{prefix}{each}" for each in near)
        return failed(f"{problem}; did you mean {paths}?")

    shown = parent or "."
    return failed(f"{problem}; list {shown} to see what there is.")


TOOL = Tool("list_dir", ListDirTool, list_dir)
