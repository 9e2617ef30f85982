"""Tool: apply a unified diff, or one of the formats blocks and `*** Begin Patch`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.guards.paths import Barred, judge_path
from holdfast.landing.explain import DIFF_FORMAT
from holdfast.landing.formats.parse import Format, parse
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext, denied
from holdfast.tools.edits.edit_messages import refused_call
from holdfast.tools.edits.land_edits import EditCall, edit
from holdfast.tools.tool import Tool
from holdfast.vocab.events import EditRefused
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.requests import FileRequest

_NAMES = lazy_pattern(
    r"^(?:(?:---|\+\+\+) (?:[ab]/)?|rename (?:from|to) |\*\*\* (?:Add|Update|Delete) File: )(.*)$",
    re.MULTILINE,
)
_BLOCK = lazy_pattern("^<<<<<<< SEARCH", re.MULTILINE)
_NO_FILE = "name a file."


class WritePatchTool(StrictArguments):
    """A diff, as text. `path` is the file of a diff that names none."""

    diff: str
    path: str | None = None


def write_patch(arguments: WritePatchTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Parse the diff, then land all of it or none."""
    diff = _with_path(arguments)
    requests = parse(diff, _format_of(diff))
    if isinstance(requests, Refused):
        barred = _find_barred(diff)
        if barred is not None:
            return denied(barred.message)
        event = EditRefused("", requests.reason, requests.message)
        message = refused_call(requests, "patch_error", DIFF_FORMAT)
        return ToolOutcome(message, "schema_reject", events=(event,))

    placed = tuple(_with_plain_paths(request, context) for request in requests)
    call = EditCall(placed, "patch_error", DIFF_FORMAT)
    return edit(call, context)


def _with_path(arguments: WritePatchTool) -> str:
    """Return the diff with the file's name in front of hunks or a block that have none."""
    diff, path = arguments.diff, arguments.path
    if not path:
        return diff
    if diff.startswith("@@"):
        return f"--- a/{path}\n+++ b/{path}\n{diff}"
    if _BLOCK.match(diff):
        return f"{path}\n{diff}"

    return diff


def _with_plain_paths(request: FileRequest, context: ToolContext) -> FileRequest:
    placed = replace(request, path=context.plain(request.path))
    if request.to is None:
        return placed
    return replace(placed, to=context.plain(request.to))


def _format_of(text: str) -> Format:
    """Return the format of a patch; no line of a diff starts with the marks of the others."""
    if text.lstrip().startswith("*** Begin Patch"):
        return "patch"
    if _BLOCK.search(text):
        return "blocks"
    return "diff"


def _find_barred(text: str) -> Barred | None:
    """Return the first path outside the project, which may be why parsing the diff failed."""
    for found in _NAMES.finditer(text):
        name, _, _ = found[1].partition("\t")
        path = name.strip()
        if path in {"", "/dev/null"}:
            continue
        judged = judge_path(path)
        if not isinstance(judged, Barred):
            continue
        names_a_file = not judged.message.endswith(_NO_FILE)
        if names_a_file:
            return judged

    return None


TOOL = Tool("write_patch", WritePatchTool, write_patch, changes=True)
