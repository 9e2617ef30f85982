"""Tool: several edits in one or many files, all or none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound
from holdfast.guards.paths import Barred, judge_path
from holdfast.landing.encoding import decode
from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.json_edits import read_edits
from holdfast.landing.text.lines import split_lines
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext, denied
from holdfast.tools.edits.edit_messages import refused_call
from holdfast.tools.edits.land_edits import EditCall, edit, refuse_edits
from holdfast.tools.tool import Tool
from holdfast.vocab.events import EditRefused
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, LineEdit, LineEdits
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vocab.cancellation import Cancel

_FORMAT = '{"edits": [{"path": "src/app.py", "old": "    return 1", "new": "    return 2"}]}'


class Range(BaseModel):
    """The lines that an edit replaces, from `start` to `end`, both included."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int


class EditArguments(BaseModel):
    """One edit, by text or by line numbers. `read_edits` parses extra fields, which are allowed."""

    model_config = ConfigDict(extra="allow", frozen=True)

    path: str | None = None
    range: Range | None = None
    old: str | None = None
    new: str | None = None
    start: int | None = None
    end: int | None = None
    near_line: int | None = None
    every: bool | None = None


class ApplyEditsTool(StrictArguments):
    """Edits, in order. `path` is the file of every edit without a path of its own."""

    path: str | None = None
    edits: list[EditArguments] = Field(min_length=1)


def apply_edits(arguments: ApplyEditsTool, context: ToolContext, _: Cancel) -> ToolOutcome:
    """Parse every edit, then land all of them or none."""
    fields = arguments.model_dump(exclude_none=True)
    paths: list[str] = []
    for item in (fields, *fields["edits"]):
        if "path" in item:
            item["path"] = context.plain(item["path"])
            paths.append(item["path"])

    barred = _deny_barred(paths)
    if barred is not None:
        return barred

    parsed = read_edits(fields)
    if isinstance(parsed, Malformed):
        return _refuse_malformed(parsed)

    requests: list[FileRequest] = []
    refusals: list[FileRefused] = []
    for request in parsed:
        judged = _judge_line_numbers(request, context)
        if isinstance(judged, Refused):
            refusals.append(FileRefused(request.path, judged))
            judged = request
        requests.append(judged)

    overwrite = "create" in {request.action for request in requests}
    call = EditCall(tuple(requests), "edit_error", _FORMAT, overwrite)
    barred = _deny_barred(call.paths)
    if barred is not None:
        return barred
    if refusals:
        return refuse_edits(refusals, call, context)

    return edit(call, context)


def _deny_barred(paths: Iterable[str]) -> ToolOutcome | None:
    """Deny the call because of the first path outside the project; None if there is none."""
    for path in paths:
        judged = judge_path(path)
        if isinstance(judged, Barred):
            return denied(judged.message)
    return None


def _refuse_malformed(parsed: Malformed) -> ToolOutcome:
    refused = Refused("malformed", parsed.message)
    event = EditRefused("", refused.reason, refused.message)
    message = refused_call(refused, "edit_error", _FORMAT)
    return ToolOutcome(message, "schema_reject", events=(event,))


def _judge_line_numbers(request: FileRequest, context: ToolContext) -> FileRequest | Refused:
    """Add the text that the model was shown to a request by line numbers.

    Refuse bare line numbers if the text that they refer to is not known.
    """
    if not isinstance(request.request, LineEdits):
        return request

    looked = context.ports.files.look(request.path)
    if not isinstance(looked, FileFound):
        return request

    bare: list[LineEdit] = []
    for each in request.request.edits:
        old = each.old or ""
        if not old.strip():
            bare.append(each)

    seen = context.memory.shown.get(looked.at)
    if seen is None:
        if not bare:
            return request
        message = (
            f"{request.path}: line numbers mean nothing for a file that was not read; "
            "read it first, or send the lines' text as old."
        )
        return Refused("stale", message)
    if seen.moved and _has_moved(bare, seen.text, decode(looked.data).text):
        message = (
            f"{request.path}: an edit has moved its lines since it was read; "
            "read it again, or send the lines' text as old."
        )
        return Refused("stale", message)

    return replace(request, request=replace(request.request, shown=seen.text))


def _has_moved(edits: Iterable[LineEdit], shown: str, current: str) -> bool:
    """Return whether the lines of an edit differ between the shown and the current text."""
    then, _ = split_lines(shown)
    now, _ = split_lines(current)
    for each in edits:
        # Compare the neighbouring lines too: an insertion replaces no line of its own, and a
        # number after an earlier edit has moved.
        around = slice(max(0, each.start - 2), max(each.start, each.end) + 1)
        if then[around] != now[around]:
            return True

    return False


TOOL = Tool("apply_edits", ApplyEditsTool, apply_edits, changes=True)
