"""List a directory."""

from __future__ import annotations

from difflib import get_close_matches

from holdfast.changes.ports import FileUnfit
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ToolContext, denied, failed
from holdfast.tools.ports import Directory, DirectoryEntry, NothingThere, Regular
from holdfast.tools.text_limits import count, one_or_many
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.tool_outcome import ToolOutcome

_MOST = 200


class ListDirTool(Arguments):
    """Which directory."""

    path: str | None = None


def list_dir(asked: ListDirTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Judge the path and show the names in it, directories first."""
    path = bench.plain(asked.path or "").rstrip("/")
    place = bench.ports.folders.place(path)
    match place:
        case FileUnfit("out_of_bounds", message):
            return denied(message)
        case FileUnfit(_, message):
            return failed(message)
        case Regular():
            return failed(f"{path}: this is a file; use read_file to read it.")
        case NothingThere():
            covered = _covered_entries(path, {}, bench)
            return (
                _show(path, list(covered.values()), more=False)
                if covered
                else _missing(path, bench)
            )
        case Directory():
            entries = _covered_entries(path, {entry.name: entry for entry in place.entries}, bench)
            return _show(path, list(entries.values()), more=place.more)


def _covered_entries(
    path: str, entries: dict[str, DirectoryEntry], bench: ToolContext
) -> dict[str, DirectoryEntry]:
    """Put the files that are not as on the disk among the entries, or take them out."""
    for name, text in bench.covered().items():
        if path and not name.startswith(f"{path}/"):
            continue
        first, _, rest = name[len(path) + 1 if path else 0 :].partition("/")
        if text is None and not rest:
            entries.pop(first, None)
        elif text is not None:
            size = len(text.encode("utf-8", "replace"))
            entries.setdefault(first, DirectoryEntry(first, "directory" if rest else "file", size))
    return entries


def _show(path: str, entries: list[DirectoryEntry], *, more: bool) -> ToolOutcome:
    entries.sort(key=lambda entry: (entry.kind != "directory", entry.name))
    lines = [_line(entry) for entry in entries[:_MOST]]
    left = len(entries) - len(lines)
    if left or more:
        lines.append(
            f"({f'{left} more' if left and not more else 'and more'}; use find_files to look for a name)"
        )
    heading = f"{path or '.'}: {count(len(entries), 'entry', 'entries') if entries else 'nothing is in it'}."
    return ToolOutcome("\n".join([heading, *lines]), read=(path,) if path else ())


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
    return f"{size / 1_000:.1f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _missing(path: str, bench: ToolContext) -> ToolOutcome:
    parent, _, name = path.rpartition("/")
    above = bench.ports.folders.place(parent)
    if isinstance(above, Directory):
        names = [entry.name for entry in above.entries if entry.kind == "directory"]
        near = tuple(
            f"{parent}/{each}" if parent else each for each in get_close_matches(name, names)
        )
        cure = (
            f"did you mean {one_or_many(near)}?"
            if near
            else f"list {parent or '.'} to see what there is."
        )
    else:
        cure = "list the directory above it to see what there is."
    return failed(f"{path}: there is no such directory; {cure}")


TOOL = Tool("list_dir", ListDirTool, list_dir)
