"""The edits of one call, for every tool that edits.

Judge the paths, try in memory, ask for approval, land all or nothing, return the messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.changes.change import RequestedEdits
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.ports import FileFound, FileLook, FileMissing, FileUnfit
from holdfast.guards.protected_paths import list_paths
from holdfast.guards.secrets import is_secret
from holdfast.guards.tokens import MARK, has_key_block
from holdfast.landing.encoding import decode
from holdfast.tools.context import (
    PRIVATE,
    PROTECTED_CURE,
    ShownText,
    ToolContext,
    data_of,
    denied,
    failed,
    refuse,
)
from holdfast.tools.edits.edit_messages import EditMessage, describe_landed, describe_refused
from holdfast.tools.edits.protected_edits import why_protected_edit
from holdfast.tools.ports import LandedEdits, Regular
from holdfast.tools.text_limits import clean
from holdfast.vocab.events import EditRefused
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vocab.requests import FileRequest

_LARGEST = 20_000_000


@dataclass(frozen=True, slots=True)
class EditCall:
    """The requests of one call. `kind` and `format` are for the message of a refusal."""

    requests: tuple[FileRequest, ...]
    kind: Literal["patch_error", "edit_error"]
    format: str
    overwrite: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the requests name."""
        return _paths_of(self.requests)


@dataclass(frozen=True, slots=True)
class _CallInProgress:
    """A call, and the files as they were before it.

    `secrets` are the paths of files with secrets. An edit can change that: what it writes is no
    longer the file that has other names. `hidden` are these and the paths of files with a private
    key: their lines are not shown to the model.
    """

    call: EditCall
    before: dict[str, FileLook]
    secrets: frozenset[str]
    hidden: frozenset[str]
    context: ToolContext

    def protected(self) -> dict[str, str]:
        """Return why the paths that are protected are so, by their name or their real path."""
        places: dict[str, str] = {}
        for path, looked in self.before.items():
            places[path] = looked.at if isinstance(looked, FileFound | FileMissing) else path

        return why_protected_edit(places, self.context.ports.edits)


def edit(call: EditCall, context: ToolContext) -> ToolOutcome:
    """Judge every path, land every request or none, and return the outcome."""
    for path in call.paths:
        place = context.ports.folders.place(path)
        if isinstance(place, Regular) and place.size > _LARGEST:
            megabytes = place.size // 1_000_000
            return failed(f"{path}: this file has {megabytes} MB, too much to be edited here.")

    started = _start(call, context)
    refused = _refuse_untried(started)
    if refused is not None:
        return refused

    # In memory first: the user is not asked about an edit that would not land.
    planned = plan_requests(call.requests, context.ports.files, overwrite=call.overwrite)
    if not isinstance(planned, ChangePlan):
        return _refused(planned, started)

    refused = _ask_disclosed(planned, started) or _ask(planned, started)
    if refused is not None:
        return refused

    requested = RequestedEdits(call.requests, overwrite=call.overwrite)
    landing = context.ports.editor.land(requested, planned)
    if isinstance(landing, LandedEdits):
        return _landed(landing, started)

    return _refused(landing, started)


def _refuse_untried(started: _CallInProgress) -> ToolOutcome | None:
    """Return the refusal of a call whatever its edits are, or None."""
    for looked in started.before.values():
        if isinstance(looked, FileUnfit) and looked.reason == "out_of_bounds":
            return denied(looked.message)

    marked = _marked(started)
    if marked:
        return _refused(marked, started)

    return None


def _marked(started: _CallInProgress) -> list[FileRefused]:
    """Return the refusals of requests that would write the mark of a token into a file.

    Where the old text has it, a lenient match could still land on the token. A file that has the
    mark itself, such as this one, can be edited.
    """
    refusals: list[FileRefused] = []
    for request in started.call.requests:
        data = data_of(started.before[request.path]) or b""
        if MARK in repr(request) and MARK.encode() not in data:
            message = (
                f"{request.path}: {MARK} stands for a token that is not shown to you. Leave it out "
                "of the edit: replace only the text before or after it."
            )
            refused = Refused("not_found", message, kind=started.call.kind)
            refusals.append(FileRefused(request.path, refused))

    return refusals


def refuse_edits(
    refusals: Sequence[FileRefused], call: EditCall, context: ToolContext
) -> ToolOutcome:
    """Return the outcome of a call that is refused before its requests were tried."""
    return _refused(refusals, _start(call, context))


def _start(call: EditCall, context: ToolContext) -> _CallInProgress:
    before = {path: context.ports.files.look(path) for path in call.paths}
    secrets = {path for path in before if context.is_secret(path, _place_of(path, before[path]))}
    keys = {path for path, looked in before.items() if _has_key(looked)}
    return _CallInProgress(call, before, frozenset(secrets), frozenset(secrets | keys), context)


def _has_key(looked: FileLook) -> bool:
    return isinstance(looked, FileFound) and has_key_block(decode(looked.data).text)


def _place_of(path: str, looked: FileLook) -> str:
    return looked.at if isinstance(looked, FileFound) else path


def _paths_of(files: Iterable[FileRequest | FileLanded]) -> tuple[str, ...]:
    """Return every path that requests or landed files name, each path once."""
    paths: dict[str, None] = {}
    for file in files:
        paths[file.path] = None
        if file.to is not None:
            paths[file.to] = None
    return tuple(paths)


def _ask_disclosed(planned: ChangePlan, started: _CallInProgress) -> ToolOutcome | None:
    """Ask to read the secrets that the edits would put under a name that is read unasked.

    A rename does that, and so does an edit by another name of the file. Return the refusal, or
    None.
    """
    if started.call.overwrite:
        # The model has written all of the new text.
        return None

    for file in planned.files:
        if file.path not in started.secrets or not _is_read_unasked(file):
            continue
        refused = started.context.ask_secret(file.path, file.at[0])
        if refused is not None:
            return refused

    return None


def _is_read_unasked(file: FileLanded) -> bool:
    """Return whether the file that an edit leaves has no name of one with secrets."""
    if file.action == "delete":
        return False
    return not is_secret(file.to or file.path) and not is_secret(file.at[-1])


def _ask(planned: ChangePlan, started: _CallInProgress) -> ToolOutcome | None:
    paths = started.call.paths
    diff = "".join(file.diff for file in planned.files)
    why = clean(diff)
    if started.secrets:
        why = PRIVATE

    subject = list_paths(paths)
    gate = started.context.ports.gate
    protected = started.protected()
    if not protected:
        return refuse(gate.ask("edit", subject, why), subject)

    reasons = [f"{path}: {reason}" for path, reason in protected.items()]
    why = "\n".join([*reasons, why])
    return refuse(gate.ask("protected", subject, why), "; ".join(reasons), PROTECTED_CURE)


# ------------------------------------------------------------------------------------------- landed


def _landed(landing: LandedEdits, started: _CallInProgress) -> ToolOutcome:
    before: dict[str, bytes] = {}
    for looked in started.before.values():
        if isinstance(looked, FileFound):
            before[looked.at] = looked.data

    for file in landing.files:
        for path in file.at:
            _remember(path, before.get(path), started.context)

    modified = _paths_of(landing.files)
    text = describe_landed(landing, started.hidden)
    return ToolOutcome(text, modified=modified, events=landing.events)


def _remember(path: str, before: bytes | None, context: ToolContext) -> None:
    """Record a landed file: its digest, and which of its lines the model knows."""
    data = data_of(context.ports.files.look(path))
    context.tree.edited(path, before, data)
    context.memory.refusals.pop(path, None)
    if data is None:
        context.memory.shown.pop(path, None)
        return

    seen = context.memory.shown.get(path)
    if seen is not None:
        seen.moved = True
    elif before is None:
        # The model has written the whole file, so it knows every line.
        text = decode(data).text
        context.memory.shown[path] = ShownText(text)


# ------------------------------------------------------------------------------------------ refused


def _refused(refusals: Sequence[FileRefused], started: _CallInProgress) -> ToolOutcome:
    call = started.call
    messages: list[EditMessage] = []
    events: list[EditRefused] = []
    for each in refusals:
        message = _message(each, started)
        messages.append(message)
        # What the model is told, not what is in the refusal: a note to the model repeats the event.
        events.append(EditRefused(each.path, each.refused.reason, message.each.refused.message))

    reasons = {each.refused.reason for each in refusals}
    # The file is already as requested: this is no failure, and no progress either.
    done = {"already_applied"}
    if call.overwrite:
        done.add("no_change")

    others = len(refusals) != len(call.requests)
    if reasons <= done and not others:
        text = "\n".join(message.each.refused.message for message in messages)
        return ToolOutcome(text, events=tuple(events))

    text = describe_refused(messages, call.kind, call.format, others=others)
    if reasons <= {"malformed"}:
        return ToolOutcome(text, "schema_reject", events=tuple(events))

    return ToolOutcome(text, "exec_error", events=tuple(events))


def _message(each: FileRefused, started: _CallInProgress) -> EditMessage:
    """Return the message; a second refusal on the same file also shows its present lines."""
    looked = started.before.get(each.path)
    if not isinstance(looked, FileFound):
        return EditMessage(each)
    if each.path in started.hidden:
        refused = _without_lines(each.path, each.refused)
        return EditMessage(FileRefused(each.path, refused))

    memory = started.context.memory
    decoded = decode(looked.data)
    seen = memory.shown.get(looked.at)
    stale = False
    if seen is not None and not seen.moved:
        stale = seen.text != decoded.text

    refusals = memory.refusals.get(looked.at, 0) + 1
    memory.refusals[looked.at] = refusals
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
