"""How a turn is shown while it runs: words, calls and coloured diffs for a person; or one JSON object a line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import typer

from holdfast.cli.render.common import headline
from holdfast.cli.render.text import diff_colour, plain, warn
from holdfast.usecases.events.event_json import event_to_json
from holdfast.usecases.repair.messages import WORDS
from holdfast.vocab.events import (
    ApprovalAsked,
    CallEnded,
    CallStarted,
    CheckpointMissed,
    CheckpointTaken,
    CommandRan,
    Compacted,
    EditLanded,
    EditRefused,
    ReasoningArrived,
    RepairEnded,
    Retried,
    Said,
    SentinelRaised,
    TextArrived,
    TurnEnded,
    TurnStarted,
)

if TYPE_CHECKING:
    from holdfast.usecases.turns.send_message import NotSent
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall

SCHEMA_VERSION = 1
EXIT_CODES: Mapping[str, int] = {
    "done": 0,
    "failed": 1,
    "needs_approval": 3,
    "needs_login": 3,
    "mistakes": 10,
    "loop": 11,
    "cap": 12,
    "unreachable": 13,
    "cancelled": 130,
    "interrupted": 1,
}
_ARGUMENT_SHOWN = 100
_OUTPUT_LINES = 6
_DIFF_LINES = 200


class TurnFace(Protocol):
    """What shows a turn."""

    def show(self, event: Event) -> None:
        """Show one fact."""
        ...

    def show_not_sent(self, nothing: NotSent) -> None:
        """Say why there was no turn."""
        ...


class JsonTurn:
    """One JSON object a line on standard output: `v` is the version of the schema, `kind` says what it is."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._session: str | None = None
        self._checkpoint: str | None = None

    def show(self, event: Event) -> None:
        """Print the event; the last one has the exit code, the way back and the way on."""
        body: dict[str, Any] = {"v": SCHEMA_VERSION, **event_to_json(event)}
        match event:
            case TurnStarted():
                self._session = event.session
            case CheckpointTaken():
                self._checkpoint = event.checkpoint_id
            case TurnEnded():
                body |= {
                    "exit_code": EXIT_CODES[event.stop_reason],
                    "session": self._session,
                    "checkpoint_id": self._checkpoint,
                    "continue": None if event.stop_reason == "done" else self._session,
                }
            case _:
                pass
        self._print(body)

    def show_not_sent(self, nothing: NotSent) -> None:
        """Print the last line without any before it: it has no session."""
        self.show(TurnEnded(nothing.stop_reason, nothing.message, 0, 0, 0))
        warn(nothing.message)

    def _print(self, body: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(body) + "\n")
        sys.stdout.flush()


class TerminalTurn:
    """Words as they come, calls, diffs with the rung they landed on; at the end what it took and the way back."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._session = ""
        self._checkpoint: str | None = None
        self._midline = False
        self._thinking = sys.stdout.isatty()
        self._call: str | None = None
        self._told = False
        self._proposed: set[str] = set()
        self._asked: str | None = None

    def show(self, event: Event) -> None:
        """Show one fact."""
        match event:
            case TurnStarted():
                self._session = event.session
                self._say(f"session {event.session}, model {event.model}", dim=True)
            case CheckpointTaken():
                self._checkpoint = event.checkpoint_id
                self._say(f"checkpoint {event.checkpoint_id}", dim=True)
            case CheckpointMissed():
                self._say(f"warning: no checkpoint before this turn: {event.message}", "yellow")
            case TextArrived():
                self._write(event.text)
            case ReasoningArrived():
                if self._thinking:
                    self._write(event.text, dim=True)
            case Retried():
                self._say(f"asked again: {event.reason}", dim=True)
            case Said():
                self._end_line()
            case ApprovalAsked():
                self._asked = event.what
            case CallStarted():
                self._show_started(event.call)
            case CallEnded():
                self._show_ended(event)
            case EditLanded():
                self._show_landed(event)
            case EditRefused():
                self._told = True
                self._say(f"  refused ({event.reason}): {event.message}", "red")
            case CommandRan():
                self._show_command(event)
            case RepairEnded():
                self._show_repair(event)
            case SentinelRaised():
                self._say(f"! {event.sentinel.text}", "yellow", bold=True)
            case Compacted():
                self._say(
                    f"({event.tokens_before} tokens of history became {event.tokens_after})",
                    dim=True,
                )
            case TurnEnded():
                self._show_end(event)
            case _:
                pass

    def show_not_sent(self, nothing: NotSent) -> None:
        """Say why there was no turn."""
        warn(nothing.message)

    def _show_started(self, call: ToolCall) -> None:
        self._call, self._told = call.id, False
        self._say(f"> {call.name} {_arguments(call.arguments)}", "cyan")
        if call.note:
            self._say(f"  {call.note}", dim=True)

    def _show_ended(self, event: CallEnded) -> None:
        not_run = event.call_id != self._call
        if not_run:
            # Nobody has heard of it yet.
            self._say(f"> {event.name}", "cyan")
            self._told = False
        self._call = None
        if event.failure and not self._told:
            self._say(f"  {event.failure}: {_first_line(event.text)}", "red")
        elif event.failure is None and (event.read or not_run):
            self._say(f"  {_first_line(event.text)}", dim=True)

    def _show_landed(self, event: EditLanded) -> None:
        if event.proposed:
            self._proposed |= {event.path, event.to or event.path}
        sure = " (rung exact)" if event.rung == "exact" else ""
        self._say(f"{'proposed: ' if event.proposed else ''}{headline(event)}{sure}", bold=True)
        lines = event.diff.removesuffix("\n").split("\n") if event.diff else []
        for line in lines[:_DIFF_LINES]:
            self._say(
                line.removesuffix("\r"), diff_colour(line), bold=line.startswith(("--- ", "+++ "))
            )
        if len(lines) > _DIFF_LINES:
            self._say(
                f"({len(lines) - _DIFF_LINES} more lines; `holdfast changes show {event.change_id}`)",
                dim=True,
            )

    def _show_command(self, event: CommandRan) -> None:
        for line in event.output.splitlines()[-_OUTPUT_LINES:]:
            self._say(f"  {line}", dim=True)
        ended = "ended by us" if event.exit_code is None else f"exit {event.exit_code}"
        self._say(f"  {ended}", "green" if event.exit_code == 0 else "yellow")

    def _show_repair(self, event: RepairEnded) -> None:
        about = f"{event.path or 'the project'}: {WORDS.get(event.outcome, 'was not repaired')}"
        quiet = event.outcome == "FirstTrySuccess"
        self._say(f"check: {about}", None if event.success else "yellow", bold=not quiet, dim=quiet)
        for line in event.message.splitlines():
            self._say(f"  {line}", dim=True)

    def _show_end(self, event: TurnEnded) -> None:
        self._end_line()
        good = event.stop_reason == "done"
        self._say(event.message, None if good else "yellow", bold=True)
        self._say(f"tokens: {event.prompt_tokens} in, {event.completion_tokens} out.")
        self._show_files(event.files)
        if self._checkpoint:
            self._say(f"to go back: holdfast checkpoint restore {self._checkpoint}")
        if event.stop_reason == "needs_approval":
            others = (
                ", or with --approve auto, or set allow_commands"
                if self._asked == "command"
                else ""
            )
            self._say(f"to allow it: run this on a terminal{others}.")
        if not good:
            self._say(f"to go on: holdfast run --continue {self._session}")

    def _show_files(self, files: Sequence[str]) -> None:
        changed = [path for path in files if path not in self._proposed]
        if self._proposed:
            self._say(
                f"proposed: {', '.join(sorted(self._proposed))}; to land them: holdfast changes list"
            )
        self._say(f"changed: {', '.join(changed)}" if changed else "no file was changed.")

    def _write(self, text: str, *, dim: bool = False) -> None:
        self._print(plain(text), dim=dim, newline=False)
        if text:
            self._midline = not text.endswith("\n")

    def _say(
        self, words: str, colour: str | None = None, *, bold: bool = False, dim: bool = False
    ) -> None:
        self._end_line()
        self._print(plain(words), colour, bold=bold, dim=dim)

    def _end_line(self) -> None:
        if self._midline:
            self._midline = False
            self._print("")

    def _print(
        self,
        words: str,
        colour: str | None = None,
        *,
        bold: bool = False,
        dim: bool = False,
        newline: bool = True,
    ) -> None:
        coloured = False if os.environ.get("NO_COLOR") else None
        typer.secho(
            words, fg=colour, bold=bold or None, dim=dim or None, color=coloured, nl=newline
        )


def _arguments(arguments: Mapping[str, Any]) -> str:
    """Give the arguments in one line; of long texts only how long they are."""
    shown = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value)
        short = len(text) <= _ARGUMENT_SHOWN and "\n" not in text
        shown.append(
            text if short and name in {"path", "command", "pattern"} else f"{name}={_brief(text)}"
        )
    return " ".join(shown)


def _brief(text: str) -> str:
    lines = text.count("\n")
    return f"({lines + 1} lines)" if lines else text[:_ARGUMENT_SHOWN]


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300]
