"""How a turn is shown while it runs: text, calls and diffs, or one JSON object a line."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.cli.render.edits import headline
from holdfast.cli.render.skipped import skipped_lines
from holdfast.cli.render.text import count_of, diff_lines, warn, write, write_diff_line
from holdfast.usecases.events.event_to_json import SCHEMA_VERSION, event_to_json
from holdfast.usecases.repair.descriptions import OUTCOME_WORDS
from holdfast.vocab.agent_events import AgentCall, AgentNote, AgentStateChanged, PlanStated
from holdfast.vocab.change_events import EditLanded, EditObserved
from holdfast.vocab.events import (
    ApprovalAsked,
    CallEnded,
    CallStarted,
    CheckpointMissed,
    CheckpointTaken,
    CommandRan,
    Compacted,
    EditRefused,
    ModelAwaited,
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
    from holdfast.usecases.turns.recorded_turn import NotSent
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall

Streamed: TypeAlias = Literal["answer", "reasoning"]

_OURS = "holdfast"
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
    "refused": 1,
    "max_tokens": 1,
}
_ARGUMENT_SHOWN = 100
_NAMED_BY_VALUE = {"path", "command", "pattern"}
_OUTPUT_LINES = 6
_DIFF_LINES = 200
_OBSERVED_SHOWN = 20
_FILES_SHOWN = 50
_UNRESOLVED_SHOWN = 10
_AUTHORS = {
    "command": "by a command",
    "agent": "by the agent",
    "outside": "outside of this turn",
}
_MARKS = {"pending": "·", "in_progress": "▸", "completed": "✓"}
_ACTIONS = {"edit": "edited", "create": "created", "delete": "deleted", "rename": "renamed"}


class JsonTurn:
    """One JSON object a line on standard output.

    `v` is the version of the schema, `kind` the kind of the event.
    """

    def __init__(self) -> None:
        """Start without a session."""
        self._session: str | None = None
        self._checkpoint: str | None = None

    def show(self, event: Event, seq: int | None = None) -> None:
        """Print the event with its number in the log.

        The last one has the exit code, the checkpoint and the session.
        """
        body: dict[str, Any] = {"v": SCHEMA_VERSION, "seq": seq, **event_to_json(event)}
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
                    "continue": self._session,
                }
                if event.stop_reason == "done":
                    body["continue"] = None
            case _:
                pass

        self._print(body)

    def show_not_sent(self, nothing: NotSent) -> None:
        """Print the last line without any before it: there is no session."""
        self.show(TurnEnded(nothing.stop_reason, nothing.message, 0, 0, 0))
        warn(nothing.message)

    def _print(self, body: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(body) + "\n")
        sys.stdout.flush()


class TerminalTurn:
    """Text as it arrives, calls and diffs; at the end the cost, the files and the next commands."""

    def __init__(self, *, answer_apart: bool = False) -> None:
        """Start without a session.

        With `answer_apart` the answer is printed on standard output when it is complete, and
        everything else on standard error.
        """
        self._apart = answer_apart
        self._session = ""
        self._checkpoint: str | None = None
        # What names the directory of the turn in a command, if that is another one.
        self._there = ""
        self._streamed: Streamed | None = None
        self._midline = False
        self._shows_reasoning = sys.stdout.isatty()
        self._call: str | None = None
        self._failure_shown = False
        self._proposed: set[str] = set()
        self._proposals: set[str] = set()
        self._approval: str | None = None
        self._observed: dict[str, str] = {}
        self._agent = _OURS
        self._agent_calls: dict[str, str] = {}
        self._answer: str | None = None

    def show(self, event: Event, _seq: int | None = None) -> None:
        """Show one event."""
        self._show_turn_event(event)
        self._show_model_event(event)
        self._show_tool_event(event)
        self._show_agent_event(event)

    def _show_turn_event(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._session, self._agent = event.session, event.agent
                self._there = _root_option(event.root)
                who = f"model {event.model}"
                if event.agent != _OURS:
                    who = f"agent {event.agent}"
                self._say(f"session {event.session}, {who}", dim=True)
            case CheckpointTaken():
                self._checkpoint = event.checkpoint_id
                self._say(f"checkpoint {event.checkpoint_id}", dim=True)
                for line in skipped_lines(event.skipped):
                    self._say(line, "yellow")
            case CheckpointMissed():
                self._say(f"warning: no checkpoint before this turn: {event.message}", "yellow")
            case RepairEnded():
                self._show_repair(event)
            case TurnEnded():
                self._show_end(event)
            case _:
                pass

    def _show_model_event(self, event: Event) -> None:
        match event:
            case TextArrived():
                if not self._apart:
                    self._stream(event.text, "answer")
            case ReasoningArrived():
                if self._shows_reasoning:
                    self._stream(event.text, "reasoning")
            case Said():
                self._show_said(event)
            case Retried():
                self._say(f"retrying: {event.reason}", dim=True)
            case ModelAwaited():
                self._say(f"waiting for the first word, {event.seconds:.0f} s", dim=True)
            case SentinelRaised():
                self._say(f"! {event.sentinel.text}", "yellow", bold=True)
            case Compacted():
                sizes = f"{event.tokens_before} to {event.tokens_after} tokens"
                self._say(f"(history compacted from {sizes})", dim=True)
            case _:
                pass

    def _show_said(self, said: Said) -> None:
        """End what was streamed; where the answer is apart, print what was not."""
        self._end_stream()
        if not self._apart or not said.text.strip():
            return

        if said.calls:
            self._say(said.text.rstrip("\n"))
        elif self._agent == _OURS:
            write_answer(said.text)
        else:
            # The answer is what an agent says last.
            self._say_unanswered()
            self._answer = said.text

    def _say_unanswered(self) -> None:
        """Print what the agent has said before it went on: that was not its answer."""
        if self._answer is not None:
            self._say(self._answer.rstrip("\n"))
        self._answer = None

    def _show_agent_event(self, event: Event) -> None:
        match event:
            case AgentCall():
                self._say_unanswered()
                self._show_agent_call(event)
            case PlanStated():
                self._say("plan:", dim=True)
                for entry in event.entries:
                    self._say(f"  {_MARKS.get(entry.status, '·')} {entry.text}", dim=True)
            case AgentStateChanged() if event.status != "busy":
                text = f"{event.agent} ({event.transport}) {event.status}"
                self._say(text, dim=True)
            case AgentNote() if event.note_kind == "denied":
                self._say(f"  denied: {event.body.get('message', '')}", "yellow")
            case AgentNote():
                self._say(f"  note ({event.note_kind}): {_brief_json(event.body)}", dim=True)
            case _:
                pass

    def _show_agent_call(self, call: AgentCall) -> None:
        if call.call_id not in self._agent_calls:
            self._say(f"> {call.tool_kind} {_first_line(call.title)}", "cyan")

        before = self._agent_calls.get(call.call_id)
        self._agent_calls[call.call_id] = call.status
        if call.status == before:
            return

        if call.status == "failed":
            self._say(f"  failed: {_first_line(call.text)}", "red")
        elif call.status == "done" and call.text.strip():
            self._say(f"  {_first_line(call.text)}", dim=True)

    def _show_tool_event(self, event: Event) -> None:
        match event:
            case ApprovalAsked():
                self._approval = event.what
            case CallStarted():
                self._show_started(event.call)
            case CallEnded():
                self._show_ended(event)
            case EditLanded():
                self._show_landed(event)
            case EditObserved():
                self._show_observed(event)
            case EditRefused():
                self._failure_shown = True
                self._say(f"  refused ({event.reason}): {event.message}", "red")
            case CommandRan():
                self._show_command(event)
            case _:
                pass

    def show_not_sent(self, nothing: NotSent) -> None:
        """Print why there was no turn."""
        warn(nothing.message)

    def _show_started(self, call: ToolCall) -> None:
        self._call, self._failure_shown = call.id, False
        self._say(f"> {call.name} {_arguments(call.arguments)}", "cyan")
        if call.note:
            self._say(f"  {call.note}", dim=True)

    def _show_ended(self, event: CallEnded) -> None:
        not_run = event.call_id != self._call
        if not_run:
            # Its start was never shown.
            self._say(f"> {event.name}", "cyan")
            self._failure_shown = False

        self._call = None
        if event.failure is not None:
            if not self._failure_shown:
                self._say(f"  {event.failure}: {_first_line(event.text)}", "red")
        elif event.read or not_run:
            self._say(f"  {_first_line(event.text)}", dim=True)

    def _show_landed(self, event: EditLanded) -> None:
        proposed = ""
        if event.proposed:
            proposed = "proposed: "
            self._proposed |= {event.path, event.to or event.path}
            self._proposals.add(event.change_id or "")

        self._say(f"{proposed}{headline(event, name_exact=True)}", bold=True)
        lines = diff_lines(event.diff)
        for line in lines[:_DIFF_LINES]:
            write_diff_line(line, err=self._apart)

        if len(lines) > _DIFF_LINES:
            more = count_of(len(lines) - _DIFF_LINES, "line")
            self._say(f"… {more} more: `holdfast changes show {event.change_id}`", dim=True)

    def _show_observed(self, event: EditObserved) -> None:
        self._observed[event.path] = _AUTHORS[event.by]
        shown = len(self._observed)
        if shown <= _OBSERVED_SHOWN:
            self._say(f"  {_ACTIONS[event.action]} {_AUTHORS[event.by]}: {event.path}")
        elif shown == _OBSERVED_SHOWN + 1:
            self._say("  … more files: `holdfast changes list`", dim=True)

    def _show_command(self, event: CommandRan) -> None:
        lines = event.output.splitlines()
        more = len(lines) - _OUTPUT_LINES
        if more > 0:
            self._say(f"  … {count_of(more, 'line')} more", dim=True)

        for line in lines[-_OUTPUT_LINES:]:
            self._say(f"  {line}", dim=True)

        if event.exit_code is None:
            self._say("  stopped (time limit or cancelled)", "yellow")
            return

        colour = "yellow"
        if event.exit_code == 0:
            colour = "green"

        self._say(f"  exit {event.exit_code}", colour)

    def _show_repair(self, event: RepairEnded) -> None:
        outcome = OUTCOME_WORDS.get(event.outcome, "was not repaired")
        about = f"{event.path or 'the project'}: {outcome}"
        quiet = event.outcome == "FirstTrySuccess"
        colour: str | None = "yellow"
        if event.success:
            colour = None

        self._say(f"check: {about}", colour, bold=not quiet, dim=quiet)
        for line in event.message.splitlines():
            self._say(f"  {line}", dim=True)

    def _show_end(self, event: TurnEnded) -> None:
        self._end_stream()
        if self._answer is not None:
            write_answer(self._answer)

        done = event.stop_reason == "done"
        colour: str | None = "yellow"
        if done and not event.unresolved:
            colour = None

        self._say(event.message, colour, bold=True)
        for matter in event.unresolved[:_UNRESOLVED_SHOWN]:
            self._say(f"  not done: {matter.subject} ({matter.why})", "yellow")

        self._say(f"tokens: {event.prompt_tokens} in, {event.completion_tokens} out.")
        if self._proposed:
            self._show_proposed()

        changed = [path for path in event.files if path not in self._proposed]
        if changed:
            names = ", ".join(map(self._name_file, changed[:_FILES_SHOWN]))
            self._say(f"files: {names}")
            if len(changed) > _FILES_SHOWN:
                self._say(f"… and {count_of(len(changed) - _FILES_SHOWN, 'more file')}")
            if self._checkpoint:
                self._say(
                    f"to go back: holdfast checkpoint restore {self._checkpoint}{self._there}"
                )

        if event.stop_reason == "needs_approval":
            self._show_how_to_allow()

        if not done:
            self._say(f"to go on: holdfast run --continue {self._session}")

    def _name_file(self, path: str) -> str:
        how = "edited"
        if path in self._observed:
            how = f"changed {self._observed[path]}"
        return f"{path} ({how})"

    def _show_proposed(self) -> None:
        count = count_of(len(self._proposals), "change")
        names = ", ".join(sorted(self._proposed))
        change = ""
        if len(self._proposals) == 1:
            (change,) = self._proposals

        self._say(
            f"{count} proposed ({names}). Review: `holdfast changes list`. "
            f"Apply: `holdfast changes apply {change or 'ID'}`."
        )

    def _show_how_to_allow(self) -> None:
        others = ""
        if self._approval == "command":
            others = ", or with --approve auto, or set allow_commands"
        self._say(f"to allow it: run this on a terminal, or with --wait-for-approval{others}.")

    def _stream(self, text: str, streamed: Streamed) -> None:
        if self._streamed not in {None, streamed}:
            # A blank line between reasoning and answer.
            self._end_stream()
            write("")

        self._streamed = streamed
        write(text, dim=streamed == "reasoning", newline=False)
        if text:
            self._midline = not text.endswith("\n")

    def _say(
        self, words: str, colour: str | None = None, *, bold: bool = False, dim: bool = False
    ) -> None:
        self._end_stream()
        write(words, colour, bold=bold, dim=dim, err=self._apart)

    def _end_stream(self) -> None:
        self._streamed = None
        if self._midline:
            self._midline = False
            write("")


class QuietTurn:
    """Only the answer on standard output; on standard error what went wrong, and how to go on."""

    def __init__(self) -> None:
        """Start without a session."""
        self._session = ""
        self._agent = _OURS
        self._answer: str | None = None

    def show(self, event: Event, _seq: int | None = None) -> None:
        """Print the answer when it is complete, and a bad end."""
        if isinstance(event, TurnEnded) and self._answer is not None:
            write_answer(self._answer)

        match event:
            case TurnStarted():
                self._session, self._agent = event.session, event.agent
            case Said() if not event.calls and event.text.strip():
                # The answer is what an agent says last.
                if self._agent == _OURS:
                    write_answer(event.text)
                else:
                    self._answer = event.text
            case CheckpointMissed():
                warn(f"no checkpoint before this turn: {event.message}")
            case TurnEnded() if event.stop_reason != "done":
                warn(event.message)
                warn(f"to go on: holdfast run --continue {self._session}")
            case TurnEnded() if event.unresolved:
                warn(event.message)
            case _:
                pass

    def show_not_sent(self, nothing: NotSent) -> None:
        """Print why there was no turn."""
        warn(nothing.message)


def _root_option(root: str) -> str:
    """Return the option that a command needs to work in a directory that we are not in."""
    if not root or Path.cwd().is_relative_to(root):
        return ""
    return f" --root {shlex.quote(root)}"


def write_answer(text: str) -> None:
    """Print an answer on standard output, with one line break at its end."""
    write(text.rstrip("\n"))


def _arguments(arguments: Mapping[str, Any]) -> str:
    """Return the arguments in one line; of long texts only their length."""
    shown = []
    for name, value in arguments.items():
        text = value
        if not isinstance(value, str):
            text = json.dumps(value)
        brief = _brief(text)
        if name in _NAMED_BY_VALUE and brief == text:
            shown.append(text)
        else:
            shown.append(f"{name}={brief}")

    return " ".join(shown)


def _brief(text: str) -> str:
    if "\n" not in text:
        return text[:_ARGUMENT_SHOWN]
    lines = text.removesuffix("\n").count("\n") + 1
    return f"({count_of(lines, 'line')})"


def _brief_json(body: Mapping[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)[:_ARGUMENT_SHOWN]


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300]
