"""Find files by their names."""

from __future__ import annotations

import re

from holdfast.changes.ports import FileUnfit
from holdfast.changes.similar_paths import names_near
from holdfast.tools.arguments import Arguments
from holdfast.tools.context import ToolContext, denied, failed
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import NothingThere, Regular
from holdfast.tools.text_limits import count, one_or_many
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.tool_outcome import ToolOutcome

_MOST = 200


class FindFilesTool(Arguments):
    """Which names, below which directory."""

    pattern: str
    path: str | None = None


def find_files(asked: FindFilesTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Judge the path, list what is below it, and show the names that match."""
    path = bench.plain(asked.path or "").rstrip("/")
    place = bench.ports.folders.place(path)
    match place:
        case FileUnfit("out_of_bounds", message):
            return denied(message)
        case FileUnfit(_, message):
            return failed(message)
        case Regular():
            return failed(f"{path}: this is a file; give a directory, or leave path out.")
        case NothingThere():
            return failed(f"{path}: there is no such directory; leave path out to look everywhere.")
    pattern = bench.plain(asked.pattern)
    if not pattern:
        return ToolOutcome(
            "find_files: pattern is empty; give a glob, or a part of a name.", "schema_reject"
        )
    names = bench.ports.folders.names(place.at)
    paths = _with_covered(names.paths, place.at, bench)
    found = _matching(pattern, paths, place.at)
    if found is None:
        return ToolOutcome(
            f"find_files: {pattern} is no glob; try a part of the name.", "schema_reject"
        )
    return _show(pattern, path, found, paths, more=names.more)


def _with_covered(paths: tuple[str, ...], under: str, bench: ToolContext) -> list[str]:
    known = dict.fromkeys(paths)
    for path, text in bench.covered().items():
        if text is None:
            known.pop(path, None)
        elif not under or path.startswith(f"{under}/"):
            known[path] = None
    return sorted(known)


def _matching(pattern: str, paths: list[str], under: str) -> list[str] | None:
    """Give the paths that match, from the root or from the directory that was named; None for no glob."""
    if not any(sign in pattern for sign in "*?[{"):
        part = pattern.casefold()
        return [path for path in paths if part in path.casefold()]
    try:
        expression = glob_to_regex(pattern)
    except re.error:
        return None
    cut = len(under) + 1 if under else 0
    return [
        path for path in paths if expression.fullmatch(path) or expression.fullmatch(path[cut:])
    ]


def _show(
    pattern: str, path: str, found: list[str], paths: list[str], *, more: bool
) -> ToolOutcome:
    where = f" below {path}" if path else ""
    read = (path,) if path else ()
    many = " Not all files could be listed; name a directory as path." if more else ""
    if not found:
        near = names_near(pattern.replace("*", ""), paths)
        cure = f" Names like it: {one_or_many(near)}." if near else ""
        return ToolOutcome(f"No file{where} matches {pattern}.{cure}{many}", read=read)
    left = len(found) - _MOST
    lines = found[:_MOST] + ([f"({left} more; give a narrower pattern)"] if left > 0 else [])
    return ToolOutcome("\n".join([f"{count(len(found), 'file')}{where}:{many}", *lines]), read=read)


TOOL = Tool("find_files", FindFilesTool, find_files)
