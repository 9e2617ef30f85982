"""Several edits, in one or many files, all or none."""

from __future__ import annotations

from dataclasses import replace

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
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import EditRefused
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, LineEdits
from holdfast.vocab.tool_outcome import ToolOutcome

_FORMAT = '{"edits": [{"path": "src/app.py", "old": "    return 1", "new": "    return 2"}]}'


class Range(BaseModel):
    """The lines that an edit replaces, from `start` to `end`, both included."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int


class EditArguments(BaseModel):
    """One edit, by text or by line numbers. `read_edits` reads the fields that are let in beside these."""

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
    """Edits, in order. `path` is the file of the edits that name none."""

    path: str | None = None
    edits: list[EditArguments] = Field(min_length=1)


def apply_edits(asked: ApplyEditsTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Read every edit, and land all of them or none."""
    given = asked.model_dump(exclude_none=True)
    for item in (given, *given["edits"]):
        if "path" not in item:
            continue
        item["path"] = bench.plain(item["path"])
        if isinstance(barred := judge_path(item["path"]), Barred):
            return denied(barred.message)
    read = read_edits(given)
    if isinstance(read, Malformed):
        malformed = Refused("malformed", read.message)
        event = EditRefused("", malformed.reason, malformed.message)
        return ToolOutcome(
            refused_call(malformed, "edit_error", _FORMAT), "schema_reject", events=(event,)
        )
    requests = tuple(_with_shown(request, bench) for request in read)
    overwrite = any(request.action == "create" for request in requests)
    call = EditCall(requests, "edit_error", _FORMAT, overwrite)
    for path in call.paths:
        if isinstance(barred := judge_path(path), Barred):
            return denied(barred.message)
    refusals = tuple(
        FileRefused(request.path, refused)
        for request in requests
        if (refused := _judge_numbers(request, bench)) is not None
    )
    return refuse_edits(refusals, call, bench) if refusals else edit(call, bench)


def _with_shown(request: FileRequest, bench: ToolContext) -> FileRequest:
    if not isinstance(request.request, LineEdits):
        return request
    looked = bench.ports.files.look(request.path)
    seen = bench.memory.shown.get(looked.at) if isinstance(looked, FileFound) else None
    return (
        request
        if seen is None
        else replace(request, request=replace(request.request, shown=seen.text))
    )


def _judge_numbers(request: FileRequest, bench: ToolContext) -> Refused | None:
    """Refuse bare line numbers where it is not known which text they were read from."""
    if not isinstance(request.request, LineEdits):
        return None
    looked = bench.ports.files.look(request.path)
    bare = [each for each in request.request.edits if not (each.old and each.old.strip())]
    if not isinstance(looked, FileFound) or not bare:
        return None
    seen = bench.memory.shown.get(looked.at)
    if seen is None:
        cure = "read it first, or give the lines' text as old"
        return Refused(
            "stale",
            f"{request.path}: line numbers say nothing about a file that was not read; {cure}.",
        )
    if not seen.moved:
        return None
    then, now = split_lines(seen.text)[0], split_lines(decode(looked.data).text)[0]
    for each in bare:
        # With the lines beside them: an insertion has none of its own, and a number past an earlier edit has moved.
        around = slice(max(0, each.start - 2), max(each.start, each.end) + 1)
        if then[around] != now[around]:
            cure = "read it again, or give the lines' text as old"
            return Refused(
                "stale",
                f"{request.path}: its lines have moved since it was read, by an edit; {cure}.",
            )
    return None


TOOL = Tool("apply_edits", ApplyEditsTool, apply_edits, changes=True)
