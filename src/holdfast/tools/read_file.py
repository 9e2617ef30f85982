"""Read a file, or some of its lines, with numbers."""

from __future__ import annotations

from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.changes.similar_paths import names_near
from holdfast.landing.encoding import decode
from holdfast.landing.text.lines import split_lines
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ShownText, ToolContext, denied, failed
from holdfast.tools.ports import Directory, Regular
from holdfast.tools.text_limits import count, one_or_many, shorten_line
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.tool_outcome import ToolOutcome

_MOST_LINES = 400
_MOST_CHARACTERS = 16_000
_LARGEST = 5_000_000


class ReadFileTool(Arguments):
    """Which lines of which file."""

    path: str
    start: int | None = None
    end: int | None = None


def read_file(asked: ReadFileTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Judge the path, read, and show the lines that were asked for."""
    path = bench.plain(asked.path).rstrip("/")
    place = bench.ports.folders.place(path)
    if isinstance(place, FileUnfit) and place.reason == "out_of_bounds":
        return denied(place.message)
    if isinstance(place, Directory):
        return failed(f"{path or '.'}: this is a directory; use list_dir to see what is in it.")
    if isinstance(place, Regular) and place.size > _LARGEST:
        size = f"{place.size / 1_000_000:.0f} MB"
        return failed(
            f"{path}: this file has {size}, too much to be read; use search to find lines in it."
        )
    refused = bench.ask_secret(path, path if isinstance(place, FileUnfit) else place.at)
    if refused is not None:
        return refused
    looked = bench.ports.files.look(path)
    match looked:
        case FileUnfit("out_of_bounds", message):
            return denied(message)
        case FileUnfit(_, message):
            return failed(message)
        case FileMissing():
            return failed(not_there(path, bench.ports.files))
        case FileFound():
            return _show(path, looked, asked, bench)


def not_there(path: str, files: Files) -> str:
    """Say that there is no such file, and which ones have a name like it."""
    near = names_near(path, files.names(path))
    cure = (
        f"did you mean {one_or_many(near)}?"
        if near
        else "use find_files or list_dir to see what there is."
    )
    return f"{path}: there is no such file; {cure}"


def _show(path: str, found: FileFound, asked: ReadFileTool, bench: ToolContext) -> ToolOutcome:
    decoded = decode(found.data)
    if decoded.binary:
        return failed(
            f"{path}: this is a binary file ({len(found.data)} bytes); only text can be read."
        )
    bench.memory.shown[found.at] = ShownText(decoded.text)
    lines, _ = split_lines(decoded.text)
    if not lines:
        return ToolOutcome(f"{path}: the file is empty.", read=(path,))
    # A first line 0 and a last line -1 are how other tools say "from the top" and "to the end".
    start = max(1, asked.start or 1)
    end = len(lines) if asked.end is None or asked.end < 1 else min(asked.end, len(lines))
    if start > len(lines):
        return failed(
            f"{path}: the file has {count(len(lines), 'line')}; there is no line {start}."
        )
    if end < start:
        return failed(
            f"{path}: end={end} is before start={start}; give the first line as start, the last as end."
        )
    shown = _fitting(lines, start, end)
    last = start + len(shown) - 1
    # The heading differs from range to range; only the lines are news.
    told = "\n".join(shown)
    return ToolOutcome(
        f"{_heading(path, start, last, end, len(lines))}\n{told}", read=(path,), repeat=told
    )


def _fitting(lines: list[str], start: int, end: int) -> list[str]:
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
    what = f"line {start}" if start == last else f"lines {start} to {last}"
    more = f" Read on with start={last + 1}." if last < end else ""
    return f"{path}: {what} of {total}.{more}"


TOOL = Tool("read_file", ReadFileTool, read_file)
