"""Slash commands: `/restore`, `/undo` and `/diff`, by the use cases of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp.schema import AvailableCommand, AvailableCommandInput, UnstructuredCommandInput

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import JournalDamaged
from holdfast.tools.text_limits import name_first
from holdfast.usecases.changes.undo import undo_turn
from holdfast.usecases.checkpoints.checkpoint import compare_checkpoints, list_checkpoints
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.events import open_event_log
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.usecases.settle_outcome import Restored

_LONGEST_DIFF = 200_000
_SHOWN = 20

AVAILABLE = [
    AvailableCommand(
        name="restore",
        description="Go back to before the last turn, or to a checkpoint: files and conversation.",
        input=AvailableCommandInput(UnstructuredCommandInput(hint="[checkpoint]")),
    ),
    AvailableCommand(
        name="undo",
        description="Undo what the last turn changed; right after a restore, undo the restore.",
    ),
    AvailableCommand(
        name="diff",
        description="Show what has changed since before the last turn, or since a checkpoint.",
        input=AvailableCommandInput(UnstructuredCommandInput(hint="[checkpoint]")),
    ),
]


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command of the user, and what follows its name."""

    name: str
    argument: str = ""


def parse_slash(text: str) -> SlashCommand | None:
    """Return the command that a prompt is, or None for a prompt to the model.

    >>> parse_slash("/diff 3f")
    SlashCommand(name='diff', argument='3f')
    >>> parse_slash("/usr/bin is on the path")
    """
    name, _, argument = text.strip().partition(" ")
    for command in AVAILABLE:
        if name == f"/{command.name}":
            return SlashCommand(command.name, argument.strip())
    return None


def run_slash(command: SlashCommand, root: Path, session: str) -> str:
    """Run a command in a session, and return what to tell the user."""
    try:
        match command.name:
            case "restore":
                return _restore(command.argument, root, session)
            case "undo":
                return _undo(root, session)
            case _:
                return _diff(command.argument, root, session)
    except (LogUnavailable, EventsUnavailable, JournalDamaged) as error:
        return f"Refused: {error}"


def _restore(wanted: str, root: Path, session: str) -> str:
    worktrees = open_worktrees(root)
    target = wanted or _last_checkpoint(root, session)
    if target is None:
        return "There is nothing to restore: no turn of this session has a checkpoint."

    restored = restore(target, worktrees, session=session)
    if isinstance(restored, NothingDone):
        return _refusal(restored)

    return f"{_restored(restored)} Undo this with /undo."


def _undo(root: Path, session: str) -> str:
    if _was_restored_last(root, session):
        undone = undo_restore(open_worktrees(root), session=session)
        if isinstance(undone, NothingDone):
            return _refusal(undone)
        return _restored(undone)

    with open_workspace(root) as workspace:
        outcome = undo_turn(workspace, worktrees=open_worktrees(root), session=session)

    if isinstance(outcome, NothingDone):
        return _refusal(outcome)

    told = f"Undone: {name_first([file.path for file in outcome.files], _SHOWN)}."
    if outcome.left is not None and outcome.left.paths:
        told += f" Not undone: {name_first([path for path, _ in outcome.left.paths], _SHOWN)}."
    return f"{told} Redo this with `holdfast redo`."


def _diff(wanted: str, root: Path, session: str) -> str:
    target = wanted or _last_checkpoint(root, session)
    if target is None:
        return "There is nothing to compare: no turn of this session has a checkpoint."

    compared = compare_checkpoints(target, None, open_worktrees(root))
    if isinstance(compared, NothingDone):
        return _refusal(compared)
    if not compared.diff:
        return f"Nothing differs from checkpoint {compared.before.id}."

    diff = compared.diff
    if len(diff) > _LONGEST_DIFF:
        diff = f"{diff[:_LONGEST_DIFF]}\n… more: holdfast checkpoint diff {compared.before.id}"

    fence = "```"
    while fence in diff:
        fence += "`"

    return f"Since checkpoint {compared.before.id}:\n\n{fence}diff\n{diff}\n{fence}"


def _last_checkpoint(root: Path, session: str) -> str | None:
    """Return the checkpoint before the last turn of a session."""
    listed = list_checkpoints(open_worktrees(root))
    if isinstance(listed, NothingDone):
        return None

    for each in listed.checkpoints:
        if each.draft.session == session and each.draft.kind == "turn":
            return each.id

    return None


def _was_restored_last(root: Path, session: str) -> bool:
    """Return whether the session was restored, and nothing was sent or undone since."""
    last = False
    with open_event_log(root) as log:
        for event in log.after(0, session=session):
            if event.kind == "turn_started":
                last = False
            elif event.kind == "restored":
                last = event.body["verb"] == "restore"

    return last


def _restored(restored: Restored) -> str:
    said = [f"Back at checkpoint {restored.checkpoint_id}."]
    if restored.messages_deleted:
        said.append(f"Removed {_messages(restored.messages_deleted)} from the conversation.")

    if restored.messages_brought_back:
        said.append(f"Brought {_messages(restored.messages_brought_back)} back.")

    if restored.kept:
        said.append(f"Kept: {name_first(restored.kept, _SHOWN)}.")

    if restored.lost:
        said.append(f"Not restored: {name_first(restored.lost, _SHOWN)}.")

    return " ".join([*said, *restored.notes])


def _messages(number: int) -> str:
    if number == 1:
        return "1 message"
    return f"{number} messages"


def _refusal(nothing: NothingDone) -> str:
    return "Refused: " + " ".join(each.refused.message for each in nothing.refusals)
