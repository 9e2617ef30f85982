"""Tool: list a directory."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileUnfit
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ToolContext, failed, refuse_path
from holdfast.tools.ports import Directory, DirectoryEntry, NothingThere, Regular
from holdfast.tools.text_limits import count, one_or_many
from holdfast.tools.tool import Tool
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.cancellation import Cancel

_MOST = 200


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
    prefix = f"{path}/" if path else ""
    for name, text in context.covered().items():
        if not name.startswith(prefix):
            continue
        first, _, rest = name.removeprefix(prefix).partition("/")
        if text is not None:
            size = len(text.encode("utf-8", "replace"))
            entry = DirectoryEntry(first, "directory" if rest else "file", size)
            entries.setdefault(first, entry)
        elif not rest:
            entries.pop(first, None)
    return list(entries.values())


def _show(path: str, entries: list[DirectoryEntry], *, more: bool) -> ToolOutcome:
    entries.sort(key=lambda entry: (entry.kind != "directory", entry.name))
    content = count(len(entries), "entry", "entries") if entries else "nothing is in it"
    lines = [f"{path or '.'}: {content}."]
    lines += [_line(entry) for entry in entries[:_MOST]]
    left = len(entries) - _MOST
    if more:
        lines.append("(and more; use find_files to look for a name)")
    elif left > 0:
        lines.append(f"({left} more; use find_files to look for a name)")
    return ToolOutcome("\n".join(lines), read=(path,) if path else ())


def _line(entry: DirectoryEntry) -> str:
    match entry.kind:
        case "directory":
            return f"{entry.name}/"
        case "file":
            return f"{entry.name} ({_size(entry.size)})"
        case "link":
            return f"{entry.name} (symlink)"
        case "other":
            return f"{entry.name} (no regular file)"


def _size(size: int) -> str:
    if size < 1_000:
        return count(size, "byte")
    if size < 1_000_000:
        return f"{size / 1_000:.1f} KB"
    return f"{size / 1_000_000:.1f} MB"


def _missing(path: str, context: ToolContext) -> ToolOutcome:
    return failed(f"{path}: there is no such directory; {_cure_missing(path, context)}")


def _cure_missing(path: str, context: ToolContext) -> str:
    parent, _, name = path.rpartition("/")
    above = context.ports.folders.place(parent)
    if not isinstance(above, Directory):
        return "list the directory above it to see what there is."
    names = [entry.name for entry in above.entries if entry.kind == "directory"]
    near = get_close_matches(name, names)
    if not near:
        return f"list {parent or '.'} to see what there is."
    prefix = f"{parent}/" if parent else ""
    paths = tuple(f"{prefix}{each}" for each in near)
    return f"did you mean {one_or_many(paths)}?"


TOOL = Tool("list_dir", ListDirTool, list_dir)
