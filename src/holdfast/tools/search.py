"""Tool: search the text of files."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, FileUnfit
from holdfast.guards.tokens import has_token, remove_tokens
from holdfast.landing.encoding import decode
from holdfast.landing.text.lines import split_lines
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ShownText, ToolContext, failed, refuse_path
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import Hit, Hits, NothingThere, Query
from holdfast.tools.text_limits import count, shorten_line
from holdfast.tools.tool import Tool
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

_MOST_CHARACTERS = 8_000
_LINE = 200


class SearchTool(Arguments):
    """A regular expression, and where to search."""

    pattern: str
    path: str | None = None
    glob: str | None = None


def search(arguments: SearchTool, context: ToolContext, cancel: Cancel) -> ToolOutcome:
    """Check the path, search, and show the lines that match."""
    pattern, glob = arguments.pattern, arguments.glob or None
    if not pattern.strip():
        message = "search: pattern is empty; send a word or a regular expression."
        return ToolOutcome(message, "schema_reject")

    path = context.plain(arguments.path or "").rstrip("/")
    place = context.ports.folders.place(path)
    match place:
        case FileUnfit():
            return refuse_path(place)
        case NothingThere():
            cure = "leave path out to search everywhere"
            return failed(f"{path}: there is no such file or directory; {cure}.")

    refused = context.ask_secret(path, place.at)
    if refused is not None:
        return refused
    if glob is not None and not _is_glob(glob):
        message = f"search: {glob} is not a glob; try one such as *.py."
        return ToolOutcome(message, "schema_reject")

    literal = not _compiles(pattern)
    query = Query(pattern, literal, place.at, glob, context.covered())
    hits = context.ports.searcher.find(query, cancel)
    hits = _remember(hits, context)
    heading, lines = _show(hits, query, path)
    # The heading differs from pattern to pattern, so only the lines count as a repetition.
    repeat = "\n".join(lines) or None
    read: tuple[str, ...] = ()
    if path:
        read = (path,)

    return ToolOutcome("\n".join([heading, *lines]), read=read, repeat=repeat)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _is_glob(glob: str) -> bool:
    try:
        glob_to_regex(glob)
    except re.error:
        return False
    return True


def _remember(hits: Hits, context: ToolContext) -> Hits:
    """Record that the model has seen line numbers of these files; return hits without tokens."""
    masked: dict[str, list[str]] = {}
    for path in dict.fromkeys(hit.path for hit in hits.hits):
        looked = context.ports.files.look(path)
        if isinstance(looked, FileFound):
            text = decode(looked.data).text
            context.memory.shown[looked.at] = ShownText(text)
            if has_token(text):
                masked[path], _ = split_lines(remove_tokens(text))

    shown = [_without_tokens(hit, masked.get(hit.path)) for hit in hits.hits]
    return replace(hits, hits=tuple(shown))


def _without_tokens(hit: Hit, lines: list[str] | None) -> Hit:
    """Return a hit with its line from a text without tokens: a line alone may be part of a key."""
    if lines is None or hit.line > len(lines):
        return hit
    return replace(hit, text=lines[hit.line - 1])


def _show(hits: Hits, query: Query, path: str) -> tuple[str, list[str]]:
    """Return the heading, and as many lines as fit into one answer."""
    where = ""
    if path:
        where = f" in {path}"

    if query.glob is not None:
        where += f" ({query.glob})"

    notes = _notes(hits, query)
    if not hits.hits:
        return f"No match for {query.pattern}{where}.{notes}", []

    lines: list[str] = []
    size = 0
    for hit in hits.hits:
        line = f"{hit.path}:{hit.line}: {shorten_line(hit.text.rstrip(), _LINE)}"
        size += len(line) + 1
        if lines and size > _MOST_CHARACTERS:
            break
        lines.append(line)

    number = count(len(lines), "match", "matches")
    if hits.more or len(lines) < len(hits.hits):
        cure = " There are more; narrow the pattern, path or glob."
        return f"The first {number}{where}:{cure}{notes}", lines

    return f"{number}{where}:{notes}", lines


def _notes(hits: Hits, query: Query) -> str:
    notes = ""
    if query.literal:
        notes += " The pattern is not a regular expression, so it was searched for as plain text."
    if hits.late:
        notes += " The time was up before all files were read; search a directory, or with a glob."
    return notes


TOOL = Tool("search", SearchTool, search)
