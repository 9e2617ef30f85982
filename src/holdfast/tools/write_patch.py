"""Apply a unified diff, or another notation for edits that models know: blocks, `*** Begin Patch`."""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.guards.paths import Barred, judge_path
from holdfast.landing.explain import DIFF_FORMAT
from holdfast.landing.formats.parse import Format, parse
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext, denied
from holdfast.tools.edits.edit_messages import refused_call
from holdfast.tools.edits.land_edits import EditCall, edit
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import EditRefused
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.tool_outcome import ToolOutcome

_NAMES = re.compile(
    r"^(?:(?:---|\+\+\+) (?:[ab]/)?|rename (?:from|to) |\*\*\* (?:Add|Update|Delete) File: )(.*)$",
    re.MULTILINE,
)
_NO_FILE = "name a file."


class WritePatchTool(StrictArguments):
    """A diff."""

    diff: str


def write_patch(asked: WritePatchTool, bench: ToolContext, _: Cancel) -> ToolOutcome:
    """Read the diff and land all of it, or none."""
    requests = parse(asked.diff, _notation(asked.diff))
    if isinstance(requests, Refused):
        barred = _find_barred(asked.diff)
        if barred is not None:
            return denied(barred.message)
        event = EditRefused("", requests.reason, requests.message)
        return ToolOutcome(
            refused_call(requests, "patch_error", DIFF_FORMAT), "schema_reject", events=(event,)
        )
    placed = tuple(
        replace(
            each, path=bench.plain(each.path), to=None if each.to is None else bench.plain(each.to)
        )
        for each in requests
    )
    return edit(EditCall(placed, "patch_error", DIFF_FORMAT), bench)


def _notation(text: str) -> Format:
    """Say which notation it is; a diff's own content never starts a line so."""
    if text.lstrip().startswith("*** Begin Patch"):
        return "patch"
    return (
        "blocks" if any(line.startswith("<<<<<<< SEARCH") for line in text.split("\n")) else "diff"
    )


def _find_barred(text: str) -> Barred | None:
    """Give the first path that leads out of the project; for a diff that could not be read, perhaps just for that."""
    named = (found[1].partition("\t")[0].strip() for found in _NAMES.finditer(text))
    judged = (judge_path(path) for path in named if path and path != "/dev/null")
    return next(
        (
            each
            for each in judged
            if isinstance(each, Barred) and not each.message.endswith(_NO_FILE)
        ),
        None,
    )


TOOL = Tool("write_patch", WritePatchTool, write_patch, changes=True)
