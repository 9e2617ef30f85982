"""Decide whether a command that only reads may run unasked in this project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileUnfit
from holdfast.guards.commands import Ask
from holdfast.guards.secrets import is_secret
from holdfast.guards.shell.read_only_git import needs_variable, with_switches
from holdfast.tools.commands.sandbox_gaps import sandbox_gaps
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.guards.shell.read_command import ReadCommand
    from holdfast.tools.context import ToolContext
    from holdfast.vocab.sandbox import GitAccess


_DIRECTORY = lazy_pattern(r"(?:/\.?)+\Z")


@dataclass(frozen=True, slots=True)
class PlannedRead:
    """The words to execute; the first is the path of a program. Only git sees git's directory."""

    argv: tuple[str, ...]
    git: GitAccess


def plan_read(read: ReadCommand, context: ToolContext) -> PlannedRead | Ask:
    """Return the words to execute, or why the command has to be asked for."""
    guard = context.ports.reads
    program = guard.program(read.argv[0])
    if program is None:
        return Ask(f"{read.argv[0]} is not installed, or only in the project")

    for why in _reasons(read, context):
        if why:
            return Ask(why)

    if read.git is None:
        return PlannedRead((program, *read.argv[1:]), "hidden")

    settings = guard.git_settings()
    if any(map(needs_variable, settings)):
        return Ask("a filter of the repository has a name with `=`, so it may run")

    return PlannedRead((program, *with_switches(read.argv, settings)[1:]), "read")


def _reasons(read: ReadCommand, context: ToolContext) -> Iterator[str | None]:
    """Yield why the command needs approval, in the order in which this costs time."""
    unprotected = sandbox_gaps(context.ports.commands.sandbox, "read")
    if unprotected:
        yield f"no sandbox protects here: {', '.join(unprotected)}"

    for path in read.paths:
        yield _why_not_path(path, context, prints=read.prints)

    yield context.ports.reads.why_not_files()
    if read.git is not None:
        yield context.ports.reads.why_not_git(read.git, read.revisions)


def _why_not_path(path: str, context: ToolContext, *, prints: bool) -> str | None:
    """Return why reading a path needs approval, by where it leads; None if it does not."""
    plain = _DIRECTORY.sub("", context.plain(path))
    place = context.ports.folders.place(plain)
    if isinstance(place, FileUnfit):
        if place.reason == "out_of_bounds":
            return f"{path} is outside the project"
        return place.message
    if prints and (is_secret(place.at) or names_secrets((path,))):
        return f"{path} may hold secrets"

    return None


def names_secrets(words: Sequence[str]) -> list[str]:
    """Return the words that name files with secrets, also as in `HEAD:.env`.

    >>> names_secrets(("cat", "HEAD:id_rsa", "--file=.env", "a.py"))
    ['HEAD:id_rsa', '--file=.env']
    """
    found: list[str] = []
    for word in words:
        parts = re.split(r"[\s:=;|&<>]", word)
        if any(map(is_secret, parts)):
            found.append(word)
    return found
