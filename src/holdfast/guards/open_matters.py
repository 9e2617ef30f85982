"""What a turn has left open: refused edits, failed commands, calls that could not be run.

A matter is closed by a later success on the same subject. Nothing here reads what the model says.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from holdfast.guards.commands import only_reads
from holdfast.vocab.events import CommandRan, EditRefused, OpenMatter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.tool_calls import ToolCall
    from holdfast.vocab.tool_outcome import ToolOutcome

OpenMatters: TypeAlias = tuple[OpenMatter, ...]

_LONGEST = 300
_LISTED = 10


def record_call(matters: OpenMatters, call: ToolCall, outcome: ToolOutcome) -> OpenMatters:
    """Return the open matters after a call of a tool that may change something."""
    closed = {("edit", path) for path in outcome.modified}
    opened: list[OpenMatter] = []
    for event in outcome.events:
        match event:
            case CommandRan(exit_code=0):
                closed.add(("command", _line_of(event.command)))
            case CommandRan():
                opened += _failed_command(event)
            case EditRefused() if outcome.failure is None:
                # The file is already as requested.
                closed.add(("edit", event.path))
            case EditRefused():
                opened.append(_refused_edit(event, call.name))

    if outcome.failure is None:
        closed.add(("call", call.name))
    elif not any(isinstance(event, CommandRan | EditRefused) for event in outcome.events):
        opened.append(_refused_call(call, outcome))

    return reduce(_open, opened, _close(matters, closed))


def record_bad_call(matters: OpenMatters, tool: str, message: str) -> OpenMatters:
    """Return the open matters after a call of a changing tool whose arguments were rejected."""
    return _open(matters, OpenMatter("call", tool, _first_line(message)))


_Fate: TypeAlias = tuple[str, bool]
"""The kind of a matter, and whether the call was not allowed."""
_fate = attrgetter("what", "denied")

_DESCRIBED: Mapping[_Fate, tuple[str, str, str]] = {
    ("edit", False): ("1 edit was", "{} edits were", "refused and not retried"),
    ("edit", True): ("1 edit was", "{} edits were", "not allowed"),
    ("command", False): ("1 command", "{} commands", "failed"),
    ("command", True): ("1 command was", "{} commands were", "not allowed"),
    ("call", False): ("1 call was", "{} calls were", "not understood ({})"),
    ("call", True): ("1 call was", "{} calls were", "not allowed ({})"),
}
"""For each fate one matter, several, and what became of them."""


def describe(matters: OpenMatters) -> str:
    """Return what is open, as a part of a sentence.

    >>> describe((OpenMatter("edit", "a.py", "not found"), OpenMatter("command", "make", "exit 2")))
    '1 edit was refused and not retried; 1 command failed'
    """
    parts: list[str] = []
    for fate, (one, several, became) in _DESCRIBED.items():
        group = [each for each in matters if _fate(each) == fate]
        if not group:
            continue

        subject = one
        if len(group) > 1:
            subject = several.format(len(group))

        names = ", ".join(each.subject for each in group)
        end = became.format(names)
        if fate == ("edit", False) and max(each.tries for each in group) > 1:
            end = "refused and did not land"

        parts.append(f"{subject} {end}")

    return "; ".join(parts)


_ASKED: Mapping[_Fate, str] = {
    ("edit", False): "the edit of {} was refused",
    ("edit", True): "the edit of {} was not allowed",
    ("command", False): "the command `{}` failed",
    ("command", True): "the command `{}` was not allowed",
    ("call", False): "a call of {} could not be run",
    ("call", True): "a call of {} was not allowed",
}


def question(matters: OpenMatters) -> str:
    """Return the note to a model that ends its turn while matters are open."""
    lines = [
        f"- {_ASKED[_fate(each)].format(each.subject)}: {each.why}" for each in matters[:_LISTED]
    ]
    if len(matters) > _LISTED:
        lines.append(f"- and {len(matters) - _LISTED} more")

    listed = "\n".join(lines)
    return (
        f"Your last reply would end the turn, but something is open; the reply was dropped:\n"
        f"{listed}\n"
        "Finish it now, or write your answer again and say in it what is not done or has failed. "
        "Do not repeat what was not allowed."
    )


def _failed_command(ran: CommandRan) -> list[OpenMatter]:
    """Return the matter of a command that failed; none if the command only reads.

    Such a command leaves nothing undone: `grep` exits 1 if it finds nothing.
    """
    if only_reads(ran.command):
        return []

    why = "it was ended before its end"
    if ran.exit_code is not None:
        why = f"exit code {ran.exit_code}"

    return [OpenMatter("command", _line_of(ran.command), why)]


def _refused_edit(event: EditRefused, tool: str) -> OpenMatter:
    if not event.path:
        return OpenMatter("call", tool, _first_line(event.message))
    return OpenMatter("edit", event.path, _first_line(event.message))


def _refused_call(call: ToolCall, outcome: ToolOutcome) -> OpenMatter:
    """Return the matter of a call without an event of its own, by what its arguments name."""
    matter = OpenMatter("call", call.name, _first_line(outcome.text))
    command = call.arguments.get("command")
    path = call.arguments.get("path")
    if isinstance(command, str):
        matter = replace(matter, what="command", subject=_line_of(command))
    elif isinstance(path, str):
        matter = replace(matter, what="edit", subject=path)

    return replace(matter, denied=outcome.failure == "permission_denied")


def _close(matters: OpenMatters, done: set[tuple[str, str]]) -> OpenMatters:
    """Remove the matters with these kinds and subjects."""
    left: list[OpenMatter] = []
    for each in matters:
        subject = (each.what, each.subject)
        if subject not in done:
            left.append(each)
    return tuple(left)


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


def _line_of(command: str) -> str:
    return " ".join(command.split())[:_LONGEST]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST]
