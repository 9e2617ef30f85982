"""What a turn has left open: refused edits, failed commands, calls that could not be run.

A matter is closed by a later success on the same subject. Nothing here reads what the model says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.guards.commands import only_reads
from holdfast.vocab.events import CommandRan, EditRefused, OpenMatter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vocab.tool_calls import ToolCall
    from holdfast.vocab.tool_outcome import ToolOutcome

OpenMatters: TypeAlias = tuple[OpenMatter, ...]

_LONGEST = 300
_LISTED = 10


def record_call(matters: OpenMatters, call: ToolCall, outcome: ToolOutcome) -> OpenMatters:
    """Return the open matters after a call of a tool that may change something."""
    matters = _close(matters, _succeeded(call, outcome))
    for failed in _failed(call, outcome):
        matters = _open(matters, failed)
    return matters


def record_bad_call(matters: OpenMatters, tool: str, message: str) -> OpenMatters:
    """Return the open matters after a call of a changing tool whose arguments were rejected."""
    return _open(matters, OpenMatter("call", tool, _first_line(message)))


def describe(matters: OpenMatters) -> str:
    """Return what is open, as a part of a sentence.

    >>> describe((OpenMatter("edit", "a.py", "not found"), OpenMatter("command", "make", "exit 2")))
    '1 edit was refused and not retried; 1 command failed'
    """
    parts = [
        _describe_edits([each for each in matters if each.what == "edit"]),
        _count([each for each in matters if each.what == "command"], "command", "failed"),
        _describe_calls([each for each in matters if each.what == "call"]),
    ]
    return "; ".join(filter(None, parts))


def question(matters: OpenMatters) -> str:
    """Return the note to a model that ends its turn while matters are open."""
    lines = [f"- {_name(each)}: {each.why}" for each in matters[:_LISTED]]
    if len(matters) > _LISTED:
        lines.append(f"- and {len(matters) - _LISTED} more")
    listed = "\n".join(lines)
    return (
        f"Your last reply would end the turn, but something is open; the reply was dropped:\n"
        f"{listed}\n"
        "Finish it now, or write your answer again and say in it what is not done or has failed. "
        "Do not repeat what was not allowed."
    )


# --------------------------------------------------------------------------------- what a call did


def _failed(call: ToolCall, outcome: ToolOutcome) -> list[OpenMatter]:
    commands = [event for event in outcome.events if isinstance(event, CommandRan)]
    if commands:
        return [_failed_command(event) for event in commands if _has_failed(event)]
    if outcome.failure is None:
        return []
    refused = [event for event in outcome.events if isinstance(event, EditRefused)]
    if refused:
        return [_refused_edit(event, call.name) for event in refused]
    return [_refused_call(call, outcome)]


def _has_failed(ran: CommandRan) -> bool:
    # A command that only reads leaves nothing undone: `grep` exits 1 if it finds nothing.
    return ran.exit_code != 0 and not only_reads(ran.command)


def _failed_command(ran: CommandRan) -> OpenMatter:
    why = "it was ended before its end"
    if ran.exit_code is not None:
        why = f"exit code {ran.exit_code}"
    return OpenMatter("command", _line_of(ran.command), why)


def _refused_edit(event: EditRefused, tool: str) -> OpenMatter:
    if not event.path:
        return OpenMatter("call", tool, _first_line(event.message))
    return OpenMatter("edit", event.path, _first_line(event.message))


def _refused_call(call: ToolCall, outcome: ToolOutcome) -> OpenMatter:
    """Return the matter of a call without an event of its own, by what its arguments name."""
    why = _first_line(outcome.text)
    command = call.arguments.get("command")
    if isinstance(command, str):
        return OpenMatter("command", _line_of(command), why)
    path = call.arguments.get("path")
    if isinstance(path, str):
        return OpenMatter("edit", path, why)
    return OpenMatter("call", call.name, why)


def _succeeded(call: ToolCall, outcome: ToolOutcome) -> set[tuple[str, str]]:
    """Return the subjects on which a call succeeded, each with its kind."""
    done = {("edit", path) for path in outcome.modified}
    for event in outcome.events:
        if isinstance(event, CommandRan) and event.exit_code == 0:
            done.add(("command", _line_of(event.command)))
        if isinstance(event, EditRefused) and outcome.failure is None:
            # The file is already as requested.
            done.add(("edit", event.path))
    if outcome.failure is None:
        done.add(("call", call.name))
    return done


# ---------------------------------------------------------------------------------------- the list


def _close(matters: OpenMatters, done: set[tuple[str, str]]) -> OpenMatters:
    return tuple(each for each in matters if (each.what, each.subject) not in done)


def _open(matters: OpenMatters, new: OpenMatter) -> OpenMatters:
    """Add a matter; one that is open already counts one more try."""
    others: list[OpenMatter] = []
    tries = new.tries
    for each in matters:
        if (each.what, each.subject) == (new.what, new.subject):
            tries += each.tries
        else:
            others.append(each)
    return (*others, replace(new, tries=tries))


def _describe_edits(edits: list[OpenMatter]) -> str:
    if any(each.tries > 1 for each in edits):
        return _count(edits, "edit", "refused and did not land", was=True)
    return _count(edits, "edit", "refused and not retried", was=True)


def _describe_calls(calls: list[OpenMatter]) -> str:
    names = ", ".join(each.subject for each in calls)
    if not names:
        return ""
    return _count(calls, "call", f"not understood ({names})", was=True)


def _count(matters: Iterable[OpenMatter], noun: str, did: str, *, was: bool = False) -> str:
    number = len(tuple(matters))
    if number == 0:
        return ""
    verb = ""
    if was:
        verb = "was " if number == 1 else "were "
    plural = "" if number == 1 else "s"
    return f"{number} {noun}{plural} {verb}{did}"


def _name(matter: OpenMatter) -> str:
    match matter.what:
        case "edit":
            return f"the edit of {matter.subject} was refused"
        case "command":
            return f"the command `{matter.subject}` failed"
        case "call":
            return f"a call of {matter.subject} could not be run"


def _line_of(command: str) -> str:
    return " ".join(command.split())[:_LONGEST]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST]
