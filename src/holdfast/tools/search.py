"""Search the text of files."""

from __future__ import annotations

import re

from holdfast.changes.ports import FileFound, FileUnfit
from holdfast.landing.encoding import decode
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ShownText, ToolContext, denied, failed
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import Hits, NothingThere, Query
from holdfast.tools.text_limits import count, shorten_line
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.tool_outcome import ToolOutcome

_MOST_CHARACTERS = 8_000
_LINE = 200


class SearchTool(Arguments):
    """What is looked for, and where."""

    pattern: str
    path: str | None = None
    glob: str | None = None


def search(asked: SearchTool, bench: ToolContext, cancel: Cancel) -> ToolOutcome:
    """Judge the path, look, and show the lines that match."""
    if not asked.pattern.strip():
        return ToolOutcome(
            "search: pattern is empty; give a word or a regular expression.", "schema_reject"
        )
    path = bench.plain(asked.path or "").rstrip("/")
    place = bench.ports.folders.place(path)
    match place:
        case FileUnfit("out_of_bounds", message):
            return denied(message)
        case FileUnfit(_, message):
            return failed(message)
        case NothingThere():
            return failed(
                f"{path}: there is no such file or directory; leave path out to search everywhere."
            )
    refused = bench.ask_secret(path, place.at)
    if refused is not None:
        return refused
    if asked.glob and not _reads(asked.glob):
        return ToolOutcome(
            f"search: {asked.glob} is no glob; try one such as *.py.", "schema_reject"
        )
    literal = not _compiles(asked.pattern)
    query = Query(asked.pattern, literal, place.at, asked.glob or None, bench.covered())
    hits = bench.ports.searcher.find(query, cancel)
    _remember(hits, bench)
    told = _show(hits, path, asked, literal=literal)
    # The heading differs from pattern to pattern; only the lines are news.
    repeat = told.partition("\n")[2] if hits.hits else None
    return ToolOutcome(told, read=(path,) if path else (), repeat=repeat)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _reads(glob: str) -> bool:
    try:
        glob_to_regex(glob)
    except re.error:
        return False
    return True


def _remember(hits: Hits, bench: ToolContext) -> None:
    """The model now knows line numbers of these files as they are."""
    for path in dict.fromkeys(hit.path for hit in hits.hits):
        looked = bench.ports.files.look(path)
        if isinstance(looked, FileFound):
            bench.memory.shown[looked.at] = ShownText(decode(looked.data).text)


def _show(hits: Hits, path: str, asked: SearchTool, *, literal: bool) -> str:
    where = (f" in {path}" if path else "") + (f" ({asked.glob})" if asked.glob else "")
    plain = (
        " The pattern is no regular expression, so it was searched for as plain text."
        if literal
        else ""
    )
    late = (
        " The time was up before all files were read; search a directory, or with a glob."
        if hits.late
        else ""
    )
    if not hits.hits:
        return f"No match for {asked.pattern}{where}.{plain}{late}"
    lines: list[str] = []
    size = 0
    for hit in hits.hits:
        line = f"{hit.path}:{hit.line}: {shorten_line(hit.text.rstrip(), _LINE)}"
        size += len(line) + 1
        if lines and size > _MOST_CHARACTERS:
            break
        lines.append(line)
    more = hits.more or len(lines) < len(hits.hits)
    number = (
        f"The first {count(len(lines), 'match', 'matches')}"
        if more
        else count(len(lines), "match", "matches")
    )
    cure = " There are more; narrow the pattern, path or glob." if more else ""
    return "\n".join([f"{number}{where}:{cure}{plain}{late}", *lines])


TOOL = Tool("search", SearchTool, search)
