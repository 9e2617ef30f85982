"""Tool: find files by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileUnfit
from holdfast.changes.similar_paths import similar_paths
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ToolContext, failed, prefix_of, refuse_path
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import NothingThere, Regular
from holdfast.tools.text_limits import count
from holdfast.tools.tool import Tool
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

_MOST = 200
_WILDCARD = lazy_pattern(r"[*?\[{]")


class FindFilesTool(Arguments):
    """A glob or part of a name, and the directory to search."""

    pattern: str
    path: str | None = None


def find_files(arguments: FindFilesTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Check the path, list the files below it, and show those with a matching name."""
    path = context.plain(arguments.path or "").rstrip("/")
    place = context.ports.folders.place(path)
    match place:
        case FileUnfit():
            return refuse_path(place)
        case Regular():
            return failed(f"{path}: this is a file; name a directory, or leave path out.")
        case NothingThere() if not _with_covered((), path, context):
            return failed(f"{path}: there is no such directory; leave path out to look everywhere.")

    pattern = context.plain(arguments.pattern)
    if not pattern:
        message = "find_files: pattern is empty; send a glob, or a part of a name."
        return ToolOutcome(message, "schema_reject")

    at = path if isinstance(place, NothingThere) else place.at
    names = context.ports.folders.names(at)
    paths = _with_covered(names.paths, at, context)
    found = _matching(pattern, paths, at)
    if found is None:
        message = f"find_files: {pattern} is not a glob; try a part of the name."
        return ToolOutcome(message, "schema_reject")

    read: tuple[str, ...] = ()
    where = ""
    if path:
        read = (path,)
        where = f" below {path}"

    heading = f"{count(len(found), 'file')}{where}:"
    if not found:
        heading = f"No file{where} matches {pattern}.{_suggest(pattern, paths)}"

    if names.more:
        heading += " Not all files could be listed; name a directory as path."

    lines = [heading, *found[:_MOST]]
    if len(found) > _MOST:
        lines.append(f"({len(found) - _MOST} more; use a narrower pattern)")

    return ToolOutcome("\n".join(lines), read=read)


def _with_covered(paths: tuple[str, ...], under: str, context: ToolContext) -> list[str]:
    """Return the paths with proposed files added, and without files proposed for deletion."""
    known = set(paths)
    prefix = prefix_of(under)
    for path, text in context.covered().items():
        if text is None:
            known.discard(path)
        elif path.startswith(prefix):
            known.add(path)

    return sorted(known)


def _matching(pattern: str, paths: list[str], under: str) -> list[str] | None:
    """Return the paths that match from the root or from `under`; None for an invalid glob."""
    if not _WILDCARD.search(pattern):
        part = pattern.casefold()
        return [path for path in paths if part in path.casefold()]

    try:
        expression = glob_to_regex(pattern)
    except re.error:
        return None

    prefix = prefix_of(under)
    found: list[str] = []
    for path in paths:
        names = (path, path.removeprefix(prefix))
        if any(map(expression.fullmatch, names)):
            found.append(path)

    return found


def _suggest(pattern: str, paths: list[str]) -> str:
    near = similar_paths(pattern.replace("*", ""), paths)
    if not near:
        return ""
    return f" Names like it: {' or '.join(near)}."


TOOL = Tool("find_files", FindFilesTool, find_files)
