"""What a turn has left open: refused edits, failed commands, calls that could not be run.

A matter is closed by a later success on the same subject. Nothing here reads what the model says.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from holdfast.guards.commands import only_reads
from holdfast.vocab.events import CommandRan, EditRefused, OpenMatter
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.tool_calls import ToolCall
    from holdfast.vocab.tool_outcome import ToolOutcome

OpenMatters: TypeAlias = tuple[OpenMatter, ...]

_LONGEST = 300
_LISTED = 10


def record_call(matters: OpenMatters, call: ToolCall, outcome: ToolOutcome) -> OpenMatters:
    """Return the open matters after a call of a tool that may change something."""
    left = _Matters(matters)
    for path in outcome.modified:
        left.close("edit", path)

    reported = [event for event in outcome.events if isinstance(event, CommandRan | EditRefused)]
    for event in reported:
        match event:
            case CommandRan():
                _record_command(left, event)
            case EditRefused() if outcome.failure is None:
                # The file is already as requested.
                left.close("edit", event.path)
            case EditRefused():
                left.open(_refused_edit(event, call.name))

    if outcome.failure is None:
        left.close("call", call.name)
    elif not reported:
        left.open(_refused_call(call, outcome))

    return left.all()


def record_bad_call(matters: OpenMatters, tool: str, message: str) -> OpenMatters:
    """Return the open matters after a call of a changing tool whose arguments were rejected."""
    left = _Matters(matters)
    left.open(OpenMatter("call", tool, _first_line(message)))
    return left.all()


class _Matters:
    """Matters by their kind and subject, in the order in which they were opened."""

    def __init__(self, matters: OpenMatters) -> None:
        self._by_subject: dict[tuple[str, str], OpenMatter] = {
            (each.what, each.subject): each for each in matters
        }

    def close(self, what: str, subject: str) -> None:
        """Remove the matter of this kind and subject, if there is one."""
        self._by_subject.pop((what, subject), None)

    def open(self, new: OpenMatter) -> None:
        """Add a matter; one that is open already counts one more try."""
        subject = (new.what, new.subject)
        before = self._by_subject.pop(subject, replace(new, tries=0))
        self._by_subject[subject] = replace(new, tries=before.tries + 1)

    def all(self) -> OpenMatters:
        """Return the matters that are open."""
        return tuple(self._by_subject.values())


@dataclass(frozen=True, slots=True)
class _Words:
    """What became of matters of a kind, and how a model is asked about one of them."""

    became: str
    asked: str


_WORDS: Mapping[tuple[str, bool], _Words] = {
    ("edit", False): _Words("was refused and not retried", "the edit of {} was refused"),
    ("edit", True): _Words("was not allowed", "the edit of {} was not allowed"),
    ("command", False): _Words("failed", "the command `{}` failed"),
    ("command", True): _Words("was not allowed", "the command `{}` was not allowed"),
    ("call", False): _Words("was not understood ({})", "a call of {} could not be run"),
    ("call", True): _Words("was not allowed ({})", "a call of {} was not allowed"),
}
"""By the kind of a matter and whether the call was not allowed, in the order of `describe`."""
_FATES = list(_WORDS)
_fate = attrgetter("what", "denied")


def describe(matters: OpenMatters) -> str:
    """Return what is open, as a part of a sentence.

    >>> describe((OpenMatter("edit", "a.py", "not found"), OpenMatter("command", "make", "exit 2")))
    '1 edit was refused and not retried; 1 command failed'
    """
    ordered = sorted(matters, key=lambda each: _FATES.index(_fate(each)))
    return "; ".join(_describe(fate, list(group)) for fate, group in groupby(ordered, _fate))


def _describe(fate: tuple[str, bool], group: list[OpenMatter]) -> str:
    """Return how many matters with one fate are open, and what became of them."""
    what, _ = fate
    became = _WORDS[fate].became
    if fate == ("edit", False) and max(map(attrgetter("tries"), group)) > 1:
        became = "was refused and did not land"

    became = became.format(", ".join(map(attrgetter("subject"), group)))
    if len(group) > 1:
        return f"{len(group)} {what}s {became.replace('was ', 'were ', 1)}"

    return f"1 {what} {became}"


def question(matters: OpenMatters) -> str:
    """Return the note to a model that ends its turn while matters are open."""
    lines = [
        f"- {_WORDS[_fate(each)].asked.format(each.subject)}: {each.why}"
        for each in matters[:_LISTED]
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


def _record_command(left: _Matters, ran: CommandRan) -> None:
    """Close or open the matter of a command.

    One that only reads leaves nothing undone: `grep` exits 1 if it finds nothing.
    """
    line = _line_of(ran.command)
    if ran.exit_code == 0:
        left.close("command", line)
    elif not only_reads(ran.command):
        left.open(OpenMatter("command", line, _why_failed(ran.exit_code)))


def _why_failed(exit_code: int | None) -> str:
    if exit_code is None:
        return "it was ended before its end"
    return f"exit code {exit_code}"


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


def _line_of(command: str) -> str:
    return " ".join(command.split())[:_LONGEST]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST]
