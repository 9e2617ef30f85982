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
    named = [item for item in (fields, *fields["edits"]) if "path" in item]
    for item in named:
        item["path"] = context.plain(item["path"])
    barred = _first_barred(item["path"] for item in named)
    if barred is not None:
        return denied(barred.message)

    parsed = read_edits(fields)
    if isinstance(parsed, Malformed):
        return _malformed(parsed)
    requests = tuple(_with_shown_text(request, context) for request in parsed)
    overwrite = any(request.action == "create" for request in requests)
    call = EditCall(requests, "edit_error", _FORMAT, overwrite)
    barred = _first_barred(call.paths)
    if barred is not None:
        return denied(barred.message)

    refusals = _judge_line_numbers(requests, context)
    if refusals:
        return refuse_edits(refusals, call, context)
    return edit(call, context)


def _first_barred(paths: Iterable[str]) -> Barred | None:
    for path in paths:
        judged = judge_path(path)
        if isinstance(judged, Barred):
            return judged
    return None


def _malformed(parsed: Malformed) -> ToolOutcome:
    refused = Refused("malformed", parsed.message)
    event = EditRefused("", refused.reason, refused.message)
    message = refused_call(refused, "edit_error", _FORMAT)
    return ToolOutcome(message, "schema_reject", events=(event,))


def _with_shown_text(request: FileRequest, context: ToolContext) -> FileRequest:
    """Add the text that the model was shown to a request by line numbers."""
    if not isinstance(request.request, LineEdits):
        return request
    looked = context.ports.files.look(request.path)
    if not isinstance(looked, FileFound):
        return request
    seen = context.memory.shown.get(looked.at)
    if seen is None:
        return request
    return replace(request, request=replace(request.request, shown=seen.text))


def _judge_line_numbers(
    requests: Iterable[FileRequest], context: ToolContext
) -> tuple[FileRefused, ...]:
    """Refuse bare line numbers if the text that they refer to is not known."""
    refusals: list[FileRefused] = []
    for request in requests:
        refused = _judge_request(request, context)
        if refused is not None:
            refusals.append(FileRefused(request.path, refused))
    return tuple(refusals)


def _judge_request(request: FileRequest, context: ToolContext) -> Refused | None:
    if not isinstance(request.request, LineEdits):
        return None
    looked = context.ports.files.look(request.path)
    bare = [each for each in request.request.edits if not (each.old and each.old.strip())]
    if not isinstance(looked, FileFound) or not bare:
        return None
    seen = context.memory.shown.get(looked.at)
    if seen is None:
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
    return None


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
