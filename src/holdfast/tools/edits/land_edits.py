"""What every tool that edits does.

Judge the paths, try in memory, ask, land all or nothing, tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from holdfast.changes.change import RequestedEdits
from holdfast.changes.plan import ChangePlan, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.ports import FileFound, FileLook, FileUnfit
from holdfast.guards.secrets import is_secret
from holdfast.landing.encoding import decode
from holdfast.tools.context import PRIVATE, ShownText, ToolContext, denied, failed, refuse
from holdfast.tools.edits.edit_messages import EditMessage, tell_landed, tell_refused
from holdfast.tools.ports import LandedEdits, Regular
from holdfast.tools.text_limits import clean, sendable, shorten
from holdfast.vocab.events import EditRefused
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.requests import FileRequest

_LARGEST = 20_000_000
_MOST_ASKED = 4_000
"""How much of a diff goes with the question whether it may land."""


@dataclass(frozen=True, slots=True)
class EditCall:
    """Requests of one call. `kind` and `format` are what a refusal says of them."""

    requests: tuple[FileRequest, ...]
    kind: Literal["patch_error", "edit_error"]
    format: str
    overwrite: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the requests name."""
        named = [
            path
            for request in self.requests
            for path in (request.path, request.to)
            if path is not None
        ]
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class _Call:
    """A call under way: what was asked, and what was there before."""

    asked: EditCall
    before: dict[str, FileLook]
    bench: ToolContext

    def is_secret(self, path: str) -> bool:
        looked = self.before.get(path)
        return is_secret(path) or (isinstance(looked, FileFound) and is_secret(looked.at))


def edit(asked: EditCall, bench: ToolContext) -> ToolOutcome:
    """Judge every path, land every request or none, and say what became of it."""
    for path in asked.paths:
        place = bench.ports.folders.place(path)
        if isinstance(place, Regular) and place.size > _LARGEST:
            return failed(
                f"{path}: this file has {place.size // 1_000_000} MB, too much to be edited here."
            )
    call = _look(asked, bench)
    barred = next(
        (
            it
            for it in call.before.values()
            if isinstance(it, FileUnfit) and it.reason == "out_of_bounds"
        ),
        None,
    )
    if barred is not None:
        return denied(barred.message)
    # In memory first: nobody is asked about an edit that would not land.
    planned = plan_requests(asked.requests, bench.ports.files, overwrite=asked.overwrite)
    if not isinstance(planned, ChangePlan):
        return _refused(planned, call)
    refused = _ask(planned, call)
    if refused is not None:
        return refused
    wanted = RequestedEdits(asked.requests, overwrite=asked.overwrite)
    landing = bench.ports.editor.land(wanted, planned)
    return _landed(landing, call) if isinstance(landing, LandedEdits) else _refused(landing, call)


def refuse_edits(
    refusals: Sequence[FileRefused], asked: EditCall, bench: ToolContext
) -> ToolOutcome:
    """Say that requests are refused before they were tried."""
    return _refused(refusals, _look(asked, bench))


def _look(asked: EditCall, bench: ToolContext) -> _Call:
    return _Call(asked, {path: bench.ports.files.look(path) for path in asked.paths}, bench)


def _ask(planned: ChangePlan, call: _Call) -> ToolOutcome | None:
    subject = ", ".join(call.asked.paths)
    diff = shorten(clean("".join(file.diff for file in planned.files)), _MOST_ASKED)
    why = PRIVATE if any(call.is_secret(path) for path in call.asked.paths) else diff
    return refuse(call.bench.ports.gate.ask("edit", subject, why), subject)


# ------------------------------------------------------------------------------------------- landed


def _landed(landing: LandedEdits, call: _Call) -> ToolOutcome:
    for file in landing.files:
        for path in file.at:
            _remember(path, call)
    modified = dict.fromkeys(
        path for file in landing.files for path in (file.path, file.to) if path is not None
    )
    hidden = frozenset(path for path in modified if call.is_secret(path))
    text = tell_landed(landing, hidden)
    return ToolOutcome(text, modified=tuple(modified), events=landing.events)


def _remember(path: str, call: _Call) -> None:
    """Take a landed file in: its mark, that it landed, and what the model knows of its lines."""
    bench = call.bench
    old = next(
        (
            looked
            for looked in call.before.values()
            if isinstance(looked, FileFound) and looked.at == path
        ),
        None,
    )
    now = bench.ports.files.look(path)
    data = now.data if isinstance(now, FileFound) else None
    bench.tree.edited(path, old.data if old else None, data)
    bench.memory.refusals.pop(path, None)
    seen = bench.memory.shown.get(path)
    if data is None:
        bench.memory.shown.pop(path, None)
    elif seen is not None:
        seen.moved = True
    elif old is None:
        # A file that the model has written whole: it knows every line.
        bench.memory.shown[path] = ShownText(decode(data).text)


# ------------------------------------------------------------------------------------------ refused


def _refused(refusals: Sequence[FileRefused], call: _Call) -> ToolOutcome:
    asked = call.asked
    told = [_told(each, call) for each in refusals]
    events = tuple(
        EditRefused(each.path, each.refused.reason, sendable(each.refused.message))
        for each in refusals
    )
    all_of_them = len(refusals) == len(asked.requests)
    if all_of_them and all(_is_done(each.refused, asked) for each in refusals):
        return ToolOutcome("\n".join(each.each.refused.message for each in told), events=events)
    malformed = all(each.refused.reason == "malformed" for each in refusals)
    text = tell_refused(told, asked.kind, asked.format, others=not all_of_them)
    return ToolOutcome(text, "schema_reject" if malformed else "exec_error", events=events)


def _is_done(refused: Refused, asked: EditCall) -> bool:
    """Whether the file is already as it was asked for: no failure, and no progress either."""
    return refused.reason == "already_applied" or (
        refused.reason == "no_change" and asked.overwrite
    )


def _told(each: FileRefused, call: _Call) -> EditMessage:
    """Say more with a second refusal on the same file: its lines as they are now."""
    looked = call.before.get(each.path)
    if not isinstance(looked, FileFound):
        return EditMessage(each)
    if call.is_secret(each.path):
        return EditMessage(FileRefused(each.path, _without_lines(each.path, each.refused)))
    memory = call.bench.memory
    decoded = decode(looked.data)
    seen = memory.shown.get(looked.at)
    stale = seen is not None and not seen.moved and seen.text != decoded.text
    refusals = memory.refusals[looked.at] = memory.refusals.get(looked.at, 0) + 1
    if refusals < 2 or decoded.binary:
        return EditMessage(each, stale=stale)
    memory.shown[looked.at] = ShownText(decoded.text)
    return EditMessage(each, decoded.text, stale=stale)


def _without_lines(path: str, refused: Refused) -> Refused:
    """Return the refusal without the file's own lines, which the model may not see."""
    message = (
        f"{path}: the edit does not fit the file ({refused.reason}); its lines are not shown, "
        f"for {PRIVATE}."
    )
    return Refused(refused.reason, message, kind=refused.kind)
