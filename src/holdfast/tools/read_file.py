"""Tool: read a file, or some of its lines, with line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.changes.similar_paths import similar_paths
from holdfast.guards.tokens import remove_tokens
from holdfast.landing.encoding import decode
from holdfast.landing.text.lines import split_lines
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ShownText, ToolContext, failed, refuse_path
from holdfast.tools.ports import Directory, PathLook, Regular
from holdfast.tools.text_limits import count, shorten_line
from holdfast.tools.tool import Tool
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

_MOST_LINES = 400
_MOST_CHARACTERS = 16_000
_LARGEST = 5_000_000


class ReadFileTool(Arguments):
    """A file and its first and last line to read."""

    path: str
    start: int | None = None
    end: int | None = None


def read_file(arguments: ReadFileTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Check the path, read the file, and show the requested lines."""
    path = context.plain(arguments.path).rstrip("/")
    place = context.ports.folders.place(path)
    refused = _judge_place(path, place)
    if refused is not None:
        return refused

    real_path = path
    if not isinstance(place, FileUnfit):
        real_path = place.at

    refused = context.ask_secret(path, real_path)
    if refused is not None:
        return refused

    looked = context.ports.files.look(path)
    match looked:
        case FileUnfit():
            return refuse_path(looked)
        case FileMissing():
            return failed(_missing(path, context.ports.files))
        case FileFound() if looked.at != real_path:
            # A link was changed meanwhile: this file is not the one that was judged.
            return failed(f"{path}: this was changed while it was read; read it again.")
        case FileFound():
            return _show(path, looked, arguments, context)


def _judge_place(path: str, place: PathLook) -> ToolOutcome | None:
    match place:
        case FileUnfit("out_of_bounds"):
            return refuse_path(place)
        case Directory():
            return failed(f"{path or '.'}: this is a directory; use list_dir to see what is in it.")
        case Regular(size=size) if size > _LARGEST:
            megabytes = f"{size / 1_000_000:.0f} MB"
            return failed(
                f"{path}: this file has {megabytes}, too much to be read; "
                "use search to find lines in it."
            )
        case _:
            return None


def _missing(path: str, files: Files) -> str:
    """Return a sentence with the files that have a similar name."""
    near = similar_paths(path, files.names(path))
    if near:
        return f"{path}: there is no such file; did you mean {' or '.join(near)}?"
    return f"{path}: there is no such file; use find_files or list_dir to see what there is."


def _show(
    path: str, found: FileFound, arguments: ReadFileTool, context: ToolContext
) -> ToolOutcome:
    decoded = decode(found.data)
    if decoded.binary:
        size = len(found.data)
        return failed(f"{path}: this is a binary file ({size} bytes); only text can be read.")

    context.memory.shown[found.at] = ShownText(decoded.text)
    # In the whole text: a part of a key block could not be told from other lines.
    lines, _ = split_lines(remove_tokens(decoded.text))
    total = len(lines)
    if not lines:
        return ToolOutcome(f"{path}: the file is empty.", read=(path,))

    # Other tools use a first line 0 for "from the top" and a last line -1 for "to the end".
    start = max(1, arguments.start or 1)
    end = total
    if arguments.end is not None and arguments.end >= 1:
        end = min(arguments.end, total)

    if start > total:
        return failed(f"{path}: the file has {count(total, 'line')}; there is no line {start}.")
    if end < start:
        return failed(
            f"{path}: end={end} is before start={start}; "
            "send the first line as start, the last as end."
        )

    shown = _fitting(lines, start, end)
    heading = _heading(path, start, start + len(shown) - 1, end, total)
    # The heading differs from range to range, so only the lines count as a repetition.
    text = "\n".join(shown)
    return ToolOutcome(f"{heading}\n{text}", read=(path,), repeat=text)


def _fitting(lines: list[str], start: int, end: int) -> list[str]:
    """Return as many numbered lines as fit into one answer."""
    shown: list[str] = []
    size = 0
    for number in range(start, min(end, start + _MOST_LINES - 1) + 1):
        line = f"{number}| {shorten_line(lines[number - 1])}"
        size += len(line) + 1
        if shown and size > _MOST_CHARACTERS:
            break
        shown.append(line)

    return shown


def _heading(path: str, start: int, last: int, end: int, total: int) -> str:
    if start == 1 and last == total:
        return f"{path}: {count(total, 'line')}."

    what = f"lines {start} to {last}"
    if start == last:
        what = f"line {start}"

    heading = f"{path}: {what} of {total}."
    if last < end:
        heading += f" Read on with start={last + 1}."

    return heading


TOOL = Tool("read_file", ReadFileTool, read_file)
